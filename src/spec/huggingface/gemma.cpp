// Gemma: tied, gated MLP, head_dim of its own.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/gated_decoder.hpp"

namespace roofline::huggingface {

Model read_gemma(Config& config) {
  config.refuse_true({"mlp_bias"});
  const bool bias = config.flag_or("attention_bias", false);
  return read_gated_decoder(config, {.attention = {.qkv_bias = bias, .output_bias = bias},
                                     .tied_by_default = true,
                                     .head_dim_required = true});
}

}  // namespace roofline::huggingface
