// Gemma 2: Gemma with four norms a layer and a sliding window on every even layer.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/gated_decoder.hpp"

namespace roofline::huggingface {

Model read_gemma2(const JsonNode& config) {
  refuse_true(config, {"mlp_bias"});
  const bool bias = flag_or(config, "attention_bias", false);
  const std::optional<std::int64_t> window = config.at("sliding_window").count(most_context);
  return read_gated_decoder(
      config, {.attention = {.qkv_bias = bias, .output_bias = bias},
               .tied_by_default = true,
               .head_dim_required = true,
               .norms_a_layer = 4,
               .window = [=](std::int64_t layer) { return layer % 2 == 0 ? window : std::nullopt; },
               .window_size = window});
}

}  // namespace roofline::huggingface
