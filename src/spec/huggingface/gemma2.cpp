// Gemma 2: Gemma with four norms a layer and a sliding window on every even layer.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/family_checks.hpp"
#include "spec/huggingface/gated_decoder.hpp"

namespace roofline::huggingface {

Model read_gemma2(Config& config) {
  config.refuse_true({"mlp_bias", "use_bidirectional_attention"});
  const bool bias = config.flag_or("attention_bias", false);
  const std::int64_t size = config.count("sliding_window", most_context);
  require_count(config, "sliding_window_size", size);  // a second name in some files
  const std::optional<std::int64_t> window = size;
  return read_gated_decoder(
      config, {.attention = {.qkv_bias = bias, .output_bias = bias},
               .tied_by_default = true,
               .head_dim_required = true,
               .norms_a_layer = 4,
               .window = [=](std::int64_t layer) { return layer % 2 == 0 ? window : std::nullopt; },
               .window_size = window});
}

}  // namespace roofline::huggingface
