// Phi-3 and Phi-4: Llama's shape with fused qkv and gate+up; a window holds for every layer.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/family_checks.hpp"
#include "spec/huggingface/gated_decoder.hpp"

namespace roofline::huggingface {

Model read_phi3(Config& config) {
  config.refuse_true({"attention_bias", "mlp_bias", "lm_head_bias"});
  read_past(config, {"full_attn_mod", "interpolate_factor"});
  return read_gated_decoder(
      config, with_window({.attention = {.kv_heads_default_to_heads = true}}, read_window(config)));
}

}  // namespace roofline::huggingface
