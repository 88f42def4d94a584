// Counts as real numbers: sizes and times are computed in double throughout.
#pragma once

#include <cstdint>

namespace roofline {

[[nodiscard]] constexpr double number(std::int64_t count) {
  return static_cast<double>(count);
}

}  // namespace roofline
