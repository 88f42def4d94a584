// Nemotron and Minitron: a plain MLP with squared ReLU, LayerNorms with biases, untied.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/gated_decoder.hpp"

namespace roofline::huggingface {

Model read_nemotron(Config& config) {
  const bool bias = config.flag_or("attention_bias", false);
  return read_gated_decoder(
      config,
      {.attention = {.kv_heads_default_to_heads = true, .qkv_bias = bias, .output_bias = bias},
       .gated = false,
       .mlp_bias = config.flag_or("mlp_bias", false),
       .norm_bias = true});
}

}  // namespace roofline::huggingface
