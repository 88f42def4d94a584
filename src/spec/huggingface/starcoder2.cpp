// StarCoder2: grouped attention and a plain MLP, all biases, LayerNorms, tied unless the file says
// otherwise; a window, where there is one, holds for every layer.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/family_checks.hpp"
#include "spec/huggingface/gated_decoder.hpp"

namespace roofline::huggingface {

Model read_starcoder2(Config& config) {
  require_text(config, "mlp_type", "default");
  require_text(config, "norm_type", "layer_norm");
  const bool bias = config.flag_or("use_bias", true);
  return read_gated_decoder(config,
                            with_window({.attention = {.qkv_bias = bias, .output_bias = bias},
                                         .gated = false,
                                         .mlp_bias = bias,
                                         .tied_by_default = true,
                                         .norm_bias = true},
                                        read_window(config)));
}

}  // namespace roofline::huggingface
