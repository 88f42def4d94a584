// Exact integers at which a condition that changes once along the line changes.
#pragma once

#include <cstdint>
#include <utility>

namespace roofline {

/// The largest value in [low, high] for which `holds`, given that it holds up to somewhere and not
/// beyond; low - 1 if it does not hold at `low`. Gallops from `low`, then halves: `holds` has been
/// called at the answer and at the value above it (unless that is above `high`).
template <class Holds>
[[nodiscard]] std::int64_t largest_where(std::int64_t low, std::int64_t high, Holds&& holds) {
  if (low > high || !holds(low)) return low - 1;
  std::int64_t good = low;
  std::int64_t step = 1;
  while (good < high) {
    const std::int64_t next = high - good < step ? high : good + step;
    if (!holds(next)) {
      std::int64_t bad = next;
      while (bad - good > 1) {
        const std::int64_t middle = good + (bad - good) / 2;
        (holds(middle) ? good : bad) = middle;
      }
      return good;
    }
    good = next;
    step *= 2;
  }
  return good;
}

/// The smallest value in [low, high] for which `holds`, given that it does not up to somewhere and
/// does from there on; high + 1 if it holds nowhere.
template <class Holds>
[[nodiscard]] std::int64_t smallest_where(std::int64_t low, std::int64_t high, Holds&& holds) {
  return largest_where(low, high, [&](std::int64_t value) { return !holds(value); }) + 1;
}

}  // namespace roofline
