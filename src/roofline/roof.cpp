#include "roofline/roof.hpp"

#include <algorithm>

namespace roofline {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::compute_bound:
      return "compute-bound";
    case Verdict::network_bound:
      return "network-bound";
    case Verdict::memory_bound:
      break;
  }
  return "memory-bound";
}

FlopsPerSecond Roof::achievable(FlopsPerByte intensity) const {
  return std::min(peak, bandwidth * intensity);
}

Verdict Roof::verdict(FlopsPerByte intensity) const {
  return intensity >= ridge() ? Verdict::compute_bound : Verdict::memory_bound;
}

}  // namespace roofline
