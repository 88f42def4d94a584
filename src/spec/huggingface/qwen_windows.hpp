// Qwen's windows: sliding_window counts only where use_sliding_window is true, from layer
// max_window_layers on.
#pragma once

#include "spec/huggingface/keys.hpp"

namespace roofline::huggingface {

/// sliding_window where it is in use, else none.
[[nodiscard]] std::optional<std::int64_t> qwen_window_size(Config& config);

/// The layers' windows where the config has no `layer_types`.
[[nodiscard]] WindowOf qwen_windows(Config& config);

}  // namespace roofline::huggingface
