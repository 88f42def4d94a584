#include "spec/huggingface/qwen_windows.hpp"

namespace roofline::huggingface {

std::optional<std::int64_t> qwen_window_size(Config& config) {
  (void)config.find("sliding_window");
  if (!config.flag_or("use_sliding_window", false)) return std::nullopt;
  return config.count("sliding_window", most_context);
}

WindowOf qwen_windows(Config& config) {
  (void)config.find("max_window_layers");
  const std::optional<std::int64_t> window = qwen_window_size(config);
  if (!window || config.find("layer_types")) return full_attention;
  const std::int64_t first = config.at("max_window_layers").count(most_layers, 0);
  return [=](std::int64_t layer) { return layer >= first ? window : std::nullopt; };
}

}  // namespace roofline::huggingface
