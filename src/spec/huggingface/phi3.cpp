// Phi-3 and Phi-4: Llama's shape with fused qkv and gate+up; a window holds for every layer.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/gated_decoder.hpp"

namespace roofline::huggingface {

Model read_phi3(const JsonNode& config) {
  refuse_true(config, {"attention_bias", "mlp_bias", "lm_head_bias"});
  const std::optional<std::int64_t> window = read_window(config);
  return read_gated_decoder(config, {.attention = {.kv_heads_default_to_heads = true},
                                     .window = [=](std::int64_t) { return window; },
                                     .window_size = window});
}

}  // namespace roofline::huggingface
