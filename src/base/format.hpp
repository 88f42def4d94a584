// Numbers to text, the only place: independent of the locale, the same digits everywhere.
#pragma once

#include <string>
#include <string_view>

namespace roofline {

/// The shortest text that reads back as the same double; an integer below 2^53 without a point.
[[nodiscard]] std::string format_exact(double value);

/// `value` with `decimals` digits after the point and commas between thousands.
[[nodiscard]] std::string format_fixed(double value, int decimals);

/// Decimals that give `value` that many significant digits; 0 for a value that needs none.
[[nodiscard]] int decimals_for(double value, int significant);

/// `value` with that many significant digits; digits before the point are never dropped.
[[nodiscard]] std::string format_significant(double value, int significant = 4);

/// A power of 1000 and its letter.
struct Scale {
  double factor;            ///< what one scaled unit is in base units
  std::string_view prefix;  ///< "", "k", "G", ..., or "m", "u", "n"
};

/// The scale that leaves 1 to 999 before the point of `value` in that many digits: 999.96 is 1.000
/// of the next.
[[nodiscard]] Scale scale_for(double value, int significant = 4);

/// The scale with that prefix: one of those that scale_for gives, or "Gi" (2^30).
[[nodiscard]] Scale scale_named(std::string_view prefix);

/// "16.06 GB", "7.045 ms": scaled, with `unit` behind the prefix.
[[nodiscard]] std::string format_scaled(double value, std::string_view unit, int significant = 4);

/// "80.00 GiB": bytes scaled by powers of 1024.
[[nodiscard]] std::string format_binary_bytes(double bytes, int significant = 4);

/// A count with commas between thousands.
[[nodiscard]] std::string format_count(double value);

}  // namespace roofline
