// Gemma: tied, gated MLP, head_dim of its own.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/gated_decoder.hpp"

namespace roofline::huggingface {

Model read_gemma(const JsonNode& config) {
  refuse_true(config, {"mlp_bias"});
  const bool bias = flag_or(config, "attention_bias", false);
  return read_gated_decoder(config, {.attention = {.qkv_bias = bias, .output_bias = bias},
                                     .tied_by_default = true,
                                     .head_dim_required = true});
}

}  // namespace roofline::huggingface
