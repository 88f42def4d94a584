#include "base/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "roofline/error.hpp"

namespace roofline {
namespace {

constexpr double largest_exact_integer = 9007199254740992.0;  // 2^53

std::string with_commas(const std::string& digits) {
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t start = digits.starts_with('-') ? 1 : 0;
  std::string result = digits.substr(0, start);
  for (std::size_t i = start; i < point; ++i) {
    if (i != start && (point - i) % 3 == 0) result += ',';
    result += digits[i];
  }
  return result + digits.substr(point);
}

/// The power of ten of `value` after it was rounded to `significant` digits.
int rounded_exponent(double value, int significant) {
  const std::string text = fmt::format("{:.{}e}", value, significant - 1);
  const std::size_t at = text.find('e') + 1;
  const int magnitude = std::stoi(text.substr(at + 1));
  return text[at] == '-' ? -magnitude : magnitude;
}

constexpr std::array scales{Scale{1e18, "E"}, Scale{1e15, "P"}, Scale{1e12, "T"}, Scale{1e9, "G"},
                            Scale{1e6, "M"},  Scale{1e3, "k"},  Scale{1, ""},     Scale{1e-3, "m"},
                            Scale{1e-6, "u"}, Scale{1e-9, "n"}};

}  // namespace

std::string format_exact(double value) {
  const bool integer = value == std::floor(value) && std::abs(value) < largest_exact_integer;
  return integer ? fmt::format("{}", static_cast<std::int64_t>(value)) : fmt::format("{}", value);
}

std::string format_fixed(double value, int decimals) {
  return with_commas(fmt::format("{:.{}f}", value, decimals));
}

int decimals_for(double value, int significant) {
  if (value == 0 || !std::isfinite(value)) return 0;
  return std::max(0, significant - 1 - rounded_exponent(value, significant));
}

std::string format_significant(double value, int significant) {
  return format_fixed(value, decimals_for(value, significant));
}

Scale scale_for(double value, int significant) {
  const double rounded = std::abs(value) * (1 + 0.5 * std::pow(10.0, -significant));
  for (const Scale& scale : scales) {
    if (rounded >= scale.factor) return scale;
  }
  return value == 0 ? Scale{1, ""} : scales.back();
}

Scale scale_named(std::string_view prefix) {
  if (prefix == "Gi") return {1073741824, "Gi"};
  const auto* const found = std::find_if(
      scales.begin(), scales.end(), [&](const Scale& scale) { return scale.prefix == prefix; });
  ensure(found != scales.end(), "unknown prefix of a unit");
  return *found;
}

std::string format_binary_bytes(double bytes, int significant) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  constexpr double rounds_up = 1023.5;
  while (bytes >= rounds_up && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", format_significant(bytes, significant), units[unit]);
}

std::string format_scaled(double value, std::string_view unit, int significant) {
  const Scale scale = scale_for(value, significant);
  return fmt::format("{} {}{}", format_significant(value / scale.factor, significant), scale.prefix,
                     unit);
}

std::string format_count(double value) {
  return format_fixed(value, 0);
}

}  // namespace roofline
