// Which generation of NVIDIA's GPUs a device is: what engines ask before they take a type.
#pragma once

#include <optional>
#include <string>

#include "roofline/device.hpp"

namespace roofline::rules {

/// Ten times the compute capability: 75 for a T4, 80 for an A100. Within a generation that is told
/// apart by nothing here, its lowest. None for what is not NVIDIA's, or not known.
[[nodiscard]] std::optional<int> compute_capability(const Device& device);

/// The first with units for the type: Ampere for bf16, Ada for fp8, Blackwell for fp4.
inline constexpr int bf16_capability = 80;
inline constexpr int fp8_capability = 89;
inline constexpr int fp4_capability = 100;

/// "7.5".
[[nodiscard]] std::string capability_text(int capability);

}  // namespace roofline::rules
