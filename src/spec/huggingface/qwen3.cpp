// Qwen3: Llama's shape with a norm of head_dim elements on queries and one on keys.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/gated_decoder.hpp"
#include "spec/huggingface/qwen_windows.hpp"

namespace roofline::huggingface {

Model read_qwen3(Config& config) {
  config.refuse_true({"mlp_bias"});
  const bool bias = config.flag_or("attention_bias", false);
  return read_gated_decoder(config, {.attention = {.qkv_bias = bias, .output_bias = bias},
                                     .head_dim_required = true,
                                     .query_key_norms = QueryKeyNorms::per_head,
                                     .window = qwen_windows(config),
                                     .window_size = qwen_window_size(config)});
}

}  // namespace roofline::huggingface
