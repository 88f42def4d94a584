// StableLM: Llama's shape with LayerNorms; one a layer where attention and MLP are parallel.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/gated_decoder.hpp"

namespace roofline::huggingface {

Model read_stablelm(Config& config) {
  config.refuse_true({"qk_layernorm", "mlp_bias", "attention_bias"});
  const bool parallel = config.flag_or("use_parallel_residual", false);
  return read_gated_decoder(config,
                            {.attention = {.qkv_bias = config.flag_or("use_qkv_bias", false)},
                             .norms_a_layer = parallel ? 1 : 2,
                             .norm_bias = true});
}

}  // namespace roofline::huggingface
