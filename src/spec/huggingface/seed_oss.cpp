// Seed-OSS: Llama's shape; the biases of q, k, v and of the output projection have keys of their
// own.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/gated_decoder.hpp"

namespace roofline::huggingface {

Model read_seed_oss(Config& config) {
  return read_gated_decoder(
      config, {.attention = {.qkv_bias = config.flag_or("attention_bias", true),
                             .output_bias = config.flag_or("attention_out_bias", false)},
               .mlp_bias = config.flag_or("mlp_bias", false),
               .head_dim_required = true});
}

}  // namespace roofline::huggingface
