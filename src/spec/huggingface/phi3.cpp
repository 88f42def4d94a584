// Phi-3 and Phi-4: Llama's shape with fused qkv and gate+up; a window holds for every layer.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/gated_decoder.hpp"

namespace roofline::huggingface {

Model read_phi3(const JsonNode& config) {
  for (const char* key : {"attention_bias", "mlp_bias", "lm_head_bias"}) {
    if (flag_or(config, key, false)) config.at(key).fail("a bias is not known in family phi3");
  }
  const std::optional<std::int64_t> window = read_window(config);
  return read_gated_decoder(config, {.attention = {.kv_heads_default_to_heads = true},
                                     .window = [=](std::int64_t) { return window; },
                                     .window_size = window});
}

}  // namespace roofline::huggingface
