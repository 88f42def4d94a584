// Windows that repeat: every n-th layer attends everything, the layers between them a window.
#pragma once

#include "spec/huggingface/keys.hpp"

namespace roofline::huggingface {

/// Layer i, from 0, is full where (i + 1) is divisible by `period`.
[[nodiscard]] WindowOf full_every(std::int64_t period, std::optional<std::int64_t> window);

}  // namespace roofline::huggingface
