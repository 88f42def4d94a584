// SmolLM3: Llama's shape, tied, with layers that have no rotary positions; those alone have the
// window where use_sliding_window is true.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/gated_decoder.hpp"
#include "spec/huggingface/layer_lists.hpp"
#include "spec/huggingface/qwen_windows.hpp"

namespace roofline::huggingface {
namespace {

constexpr std::int64_t default_interval = 4;

/// no_rope_layers has 1 for a layer with rotary positions and 0 for one without.
WindowOf read_windows(Config& config, std::optional<std::int64_t> window) {
  const std::int64_t layers = read_layer_count(config);
  const auto interval = config.optional_count({"no_rope_layer_interval"}, most_layers);
  const auto rotary = read_layer_counts(config, {"no_rope_layers"}, layers, 1, 0);
  if (!window) return full_attention;
  const std::int64_t period = interval.value_or(default_interval);
  return [=](std::int64_t layer) {
    const bool rotates =
        rotary ? (*rotary)[static_cast<std::size_t>(layer)] == 1 : (layer + 1) % period != 0;
    return rotates ? std::nullopt : window;
  };
}

}  // namespace

Model read_smollm3(Config& config) {
  const bool bias = config.flag_or("attention_bias", false);
  const std::optional<std::int64_t> window = qwen_window_size(config);
  return read_gated_decoder(config, {.attention = {.qkv_bias = bias, .output_bias = bias},
                                     .mlp_bias = config.flag_or("mlp_bias", false),
                                     .tied_by_default = true,
                                     .window = read_windows(config, window),
                                     .window_size = window});
}

}  // namespace roofline::huggingface
