// InternLM2: Llama's shape with a fused qkv matrix; `bias` is that of both attention projections.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/gated_decoder.hpp"

namespace roofline::huggingface {

Model read_internlm2(Config& config) {
  config.refuse_true({"mlp_bias"});
  const bool bias = config.flag_or("bias", true);
  return read_gated_decoder(
      config,
      {.attention = {.kv_heads_default_to_heads = true, .qkv_bias = bias, .output_bias = bias}});
}

}  // namespace roofline::huggingface
