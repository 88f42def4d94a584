// The 8-bit format that answers try instead of a wider one.
#pragma once

#include "roofline/number_format.hpp"

namespace roofline {

[[nodiscard]] inline NumberFormat eight_bits() {
  NumberFormat format;
  format.name = "fp8";
  format.bits = 8;
  format.element = MatrixType::fp8;
  format.coverage = Coverage::layers;
  return format;
}

/// More than 8 bits an element and their scales.
[[nodiscard]] inline bool is_wide(const NumberFormat& format) {
  constexpr double widest_8_bits = 9;
  return format.bits > widest_8_bits;
}

}  // namespace roofline
