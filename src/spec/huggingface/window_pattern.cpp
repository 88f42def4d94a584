#include "spec/huggingface/window_pattern.hpp"

namespace roofline::huggingface {

WindowOf full_every(std::int64_t period, std::optional<std::int64_t> window) {
  return [=](std::int64_t layer) { return (layer + 1) % period == 0 ? std::nullopt : window; };
}

}  // namespace roofline::huggingface
