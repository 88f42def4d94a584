// The roof: what a device can do at an arithmetic intensity.
// Source: Williams, Waterman, Patterson, "Roofline: an insightful visual performance model", 2009.
#pragma once

#include <string_view>

#include "roofline/quantity.hpp"

namespace roofline {

enum class Verdict { memory_bound, compute_bound, network_bound };

/// "memory-bound", "compute-bound" or "network-bound".
[[nodiscard]] std::string_view to_string(Verdict verdict);

/// A ceiling and a slope. Both are above 0.
struct Roof {
  FlopsPerSecond peak;       ///< dense matrix rate of the arithmetic's type
  BytesPerSecond bandwidth;  ///< of the device memory

  /// peak / bandwidth: the intensity from which on the peak can be reached.
  [[nodiscard]] FlopsPerByte ridge() const { return peak / bandwidth; }
  /// min(peak, bandwidth x intensity).
  [[nodiscard]] FlopsPerSecond achievable(FlopsPerByte intensity) const;
  /// Compute-bound from the ridge on, the ridge included.
  [[nodiscard]] Verdict verdict(FlopsPerByte intensity) const;

  friend bool operator==(const Roof&, const Roof&) = default;
};

}  // namespace roofline
