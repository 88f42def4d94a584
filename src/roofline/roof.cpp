#include "roofline/roof.hpp"

#include <algorithm>

namespace roofline {

std::string_view to_string(Verdict verdict) {
  return verdict == Verdict::compute_bound ? "compute-bound" : "memory-bound";
}

FlopsPerSecond Roof::achievable(FlopsPerByte intensity) const {
  return std::min(peak, bandwidth * intensity);
}

Verdict Roof::verdict(FlopsPerByte intensity) const {
  return intensity >= ridge() ? Verdict::compute_bound : Verdict::memory_bound;
}

}  // namespace roofline
