#include "base/parse.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <system_error>

#include "base/closest.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

constexpr std::string_view blanks = " \t";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// "--bandwidth 3.35TB/s", "--peak fp16=989TFLOP/s".
std::string with_value(std::string_view name, std::string_view value) {
  return fmt::format("{}{}{}", name, name.ends_with('=') ? "" : " ", value);
}

[[noreturn]] void refuse(std::string_view name, std::string_view text, std::string_view what,
                         std::string why, std::string fix) {
  const std::string_view shown = name.ends_with('=') ? name.substr(0, name.size() - 1) : name;
  throw Error(Diagnostic{.what = fmt::format("{}: '{}' {}", shown, text, what),
                         .why = std::move(why),
                         .fix = std::move(fix)});
}

/// A decimal number as written, not yet a double, so that a unit's power of ten can join it.
struct Decimal {
  std::string digits;
  int exponent = 0;
  std::string_view number;  ///< as written
  std::string_view rest;    ///< what follows, without blanks

  /// The nearest double to digits x 10^(exponent + extra); none if it is too large.
  [[nodiscard]] std::optional<double> value(int extra = 0) const {
    const std::string text = fmt::format("{}e{}", digits, exponent + extra);
    double result = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), result);
    if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return result;
  }
};

std::optional<Decimal> read_decimal(std::string_view text) {
  text = trimmed(text);
  Decimal decimal;
  std::size_t at = 0;
  bool point = false;
  bool digit = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c >= '0' && c <= '9') {
      digit = true;
      decimal.digits += c;
    } else if (c == '.' && !point && text.substr(at, 2) != "..") {
      point = true;
      decimal.digits += c;
    } else if (c != '_' || !digit || point || text[at - 1] == '_') {
      break;
    }
  }
  if (!digit || text[at - 1] == '_') return std::nullopt;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t start = at + 1;
    const bool plus = start < text.size() && text[start] == '+';
    if (plus && text.substr(start + 1, 1) != "-") ++start;
    const auto [end, code] =
        std::from_chars(text.data() + start, text.data() + text.size(), decimal.exponent);
    if (code == std::errc{} && decimal.exponent >= -400 && decimal.exponent <= 400) {
      at = static_cast<std::size_t>(end - text.data());
    } else {
      decimal.exponent = 0;
    }
  }
  decimal.number = text.substr(0, at);
  decimal.rest = trimmed(text.substr(at));
  return decimal;
}

struct Prefix {
  std::string_view text;
  int ten = 0;  ///< power of ten
  int two = 0;  ///< power of two
};

constexpr std::array decimal_prefixes{Prefix{"", 0},  Prefix{"k", 3},  Prefix{"M", 6},
                                      Prefix{"G", 9}, Prefix{"T", 12}, Prefix{"P", 15},
                                      Prefix{"E", 18}};
constexpr std::array binary_prefixes{Prefix{"Ki", 0, 10}, Prefix{"Mi", 0, 20}, Prefix{"Gi", 0, 30},
                                     Prefix{"Ti", 0, 40}, Prefix{"Pi", 0, 50}, Prefix{"Ei", 0, 60}};

std::optional<Prefix> find_prefix(std::string_view text, bool binary) {
  for (const Prefix& prefix : decimal_prefixes) {
    if (prefix.text == text) return prefix;
  }
  if (!binary) return std::nullopt;
  for (const Prefix& prefix : binary_prefixes) {
    if (prefix.text == text) return prefix;
  }
  return std::nullopt;
}

/// The value of `decimal` when its rest is a prefix and one of `units`; none if it is not.
template <std::size_t N>
std::optional<double> scaled(const Decimal& decimal, const std::array<std::string_view, N>& units,
                             bool binary) {
  for (const std::string_view unit : units) {
    if (!decimal.rest.ends_with(unit)) continue;
    const auto prefix =
        find_prefix(decimal.rest.substr(0, decimal.rest.size() - unit.size()), binary);
    if (!prefix) continue;
    return std::ldexp(decimal.value(prefix->ten).value_or(INFINITY), prefix->two);
  }
  return std::nullopt;
}

constexpr std::array<std::string_view, 1> byte_units{"B"};
constexpr std::array<std::string_view, 1> watt_units{"W"};
constexpr std::array<std::string_view, 2> byte_rate_units{"B/s", "Bps"};
constexpr std::array<std::string_view, 2> bit_rate_units{"b/s", "bps"};
constexpr std::array<std::string_view, 6> compute_units{"FLOP/s", "FLOPs/s", "FLOPS",
                                                        "OP/s",   "OPs/s",   "OPS"};

Decimal number_part(std::string_view text, std::string_view name, std::string_view example) {
  const std::optional<Decimal> decimal = read_decimal(text);
  if (!decimal) {
    const bool negative = trimmed(text).starts_with('-');
    refuse(name, text, negative ? "is negative" : "does not start with a number", {},
           with_value(name, example));
  }
  return *decimal;
}

/// What any device can have; beyond it, figures are mistakes and quotients may overflow.
constexpr double least_rate = 1;
constexpr double most_rate = 1e24;
constexpr double most_bytes = 1e21;
constexpr double least_dollars = 1e-6;
constexpr double most_dollars = 1e9;

double within(double value, double least, double most, std::string_view text,
              std::string_view name) {
  if (value == 0) refuse(name, text, "must be more than 0", {}, {});
  if (!(value >= least && value <= most)) refuse(name, text, "is out of range", {}, {});
  return value;
}

/// A unit for a number whose own is wrong: the same in the right case, else `unit` with the prefix
/// that was written, else `otherwise`.
template <std::size_t N>
std::string corrected_unit(std::string_view written, const std::array<std::string_view, N>& units,
                           bool binary, std::string_view otherwise) {
  const std::string wanted = normalized_name(written);
  std::string with_prefix;
  const auto search = [&](const auto& prefixes) -> std::string {
    for (const Prefix& prefix : prefixes) {
      for (const std::string_view unit : units) {
        std::string candidate = fmt::format("{}{}", prefix.text, unit);
        if (normalized_name(candidate) == wanted) return candidate;
      }
      const bool begins = !prefix.text.empty() && written.starts_with(prefix.text);
      if (begins) with_prefix = fmt::format("{}{}", prefix.text, units.front());
    }
    return {};
  };
  std::string found = search(decimal_prefixes);
  if (found.empty() && binary) found = search(binary_prefixes);
  if (!found.empty()) return found;
  return with_prefix.empty() ? std::string(otherwise) : with_prefix;
}

bool is_prefix_only(std::string_view rest) {
  return find_prefix(rest, true).has_value();
}

}  // namespace

Bytes parse_bytes(std::string_view text, std::string_view name) {
  const Decimal decimal = number_part(text, name, "80GB");
  if (decimal.rest.empty() && decimal.value() == 0.0) return Bytes(0);
  if (const auto value = scaled(decimal, byte_units, true)) {
    if (*value > most_bytes) refuse(name, text, "is out of range", {}, {});
    return Bytes(*value);
  }
  const std::string_view digits = decimal.number;
  if (scaled(decimal, byte_rate_units, true)) {
    refuse(
        name, text, "is a rate, not an amount", {},
        fmt::format("{} {}{}", name, digits, corrected_unit(decimal.rest, byte_units, true, "GB")));
  }
  if (is_prefix_only(decimal.rest)) {
    const std::string_view prefix = decimal.rest.empty() ? "G" : decimal.rest;
    const std::string_view letter = prefix.substr(0, 1);
    const std::string_view binary = letter == "k" ? "K" : letter;
    refuse(name, text, "has no unit", "GB is 1e9 bytes, GiB is 2^30 bytes",
           fmt::format("{} {}{}B, or {} {}{}iB", name, digits, letter, name, digits, binary));
  }
  refuse(
      name, text, "is not an amount of bytes",
      "case counts: B is byte, b is bit, GB is 1e9 bytes, GiB is 2^30 bytes",
      fmt::format("{} {}{}", name, digits, corrected_unit(decimal.rest, byte_units, true, "GB")));
}

BytesPerSecond parse_bandwidth(std::string_view text, std::string_view name) {
  const Decimal decimal = number_part(text, name, "3.35TB/s");
  std::optional<double> value = scaled(decimal, byte_rate_units, true);
  if (!value) {
    value = scaled(decimal, bit_rate_units, true);
    if (value) *value /= 8;
  }
  if (value) return BytesPerSecond(within(*value, least_rate, most_rate, text, name));
  if (scaled(decimal, byte_units, true)) {
    refuse(name, text, "is an amount, not a rate", {},
           fmt::format("{} {}{}/s", name, decimal.number, decimal.rest));
  }
  if (is_prefix_only(decimal.rest)) {
    refuse(
        name, text, "has no unit", {},
        fmt::format("{} {}{}B/s", name, decimal.number, decimal.rest.empty() ? "G" : decimal.rest));
  }
  refuse(name, text, "is not a bandwidth",
         "case counts: B/s is bytes a second, b/s is bits a second",
         fmt::format("{} {}{}", name, decimal.number,
                     corrected_unit(decimal.rest, byte_rate_units, true, "GB/s")));
}

FlopsPerSecond parse_compute(std::string_view text, std::string_view name) {
  const Decimal decimal = number_part(text, name, "989TFLOP/s");
  if (const auto value = scaled(decimal, compute_units, false)) {
    return FlopsPerSecond(within(*value, least_rate, most_rate, text, name));
  }
  if (scaled(decimal, byte_rate_units, true)) {
    refuse(name, text, "is a rate of bytes, not of operations", {},
           with_value(name, fmt::format("{}TFLOP/s", decimal.number)));
  }
  refuse(
      name, text, "is not a compute rate",
      is_prefix_only(decimal.rest) ? "it has no unit" : "case counts in units",
      with_value(name, fmt::format("{}{}", decimal.number,
                                   corrected_unit(decimal.rest, compute_units, false, "TFLOP/s"))));
}

DollarsPerHour parse_price(std::string_view text, std::string_view name) {
  std::string_view amount = trimmed(text);
  if (amount.starts_with('$')) amount.remove_prefix(1);
  for (const std::string_view hour : {"/hour", "/hr", "/h"}) {
    if (amount.ends_with(hour)) amount.remove_suffix(hour.size());
  }
  const Decimal decimal = number_part(amount, name, "2.49");
  if (!decimal.rest.empty()) {
    refuse(name, text, "is not a price", "a price is US dollars per hour of one device",
           fmt::format("{} 2.49", name));
  }
  const double dollars = decimal.value().value_or(INFINITY);
  return DollarsPerHour(within(dollars, least_dollars, most_dollars, text, name));
}

Watts parse_power(std::string_view text, std::string_view name) {
  const Decimal decimal = number_part(text, name, "700W");
  if (const auto value = scaled(decimal, watt_units, false)) {
    return Watts(within(*value, least_rate, most_rate, text, name));
  }
  refuse(name, text, "is not a power", {}, fmt::format("{} {}W", name, decimal.number));
}

namespace {

struct Suffix {
  std::string_view text;
  int ten;
  double factor;
};

constexpr std::array count_suffixes{
    Suffix{"", 0, 1},     Suffix{"k", 3, 1},       Suffix{"m", 6, 1},         Suffix{"g", 9, 1},
    Suffix{"K", 0, 1024}, Suffix{"M", 0, 1048576}, Suffix{"G", 0, 1073741824}};
constexpr std::array parameter_suffixes{Suffix{"", 0, 1}, Suffix{"M", 6, 1}, Suffix{"B", 9, 1},
                                        Suffix{"T", 12, 1}};

/// What was most likely meant by a count that is none.
[[noreturn]] void refuse_count(std::string_view text, std::string_view name, const Decimal& decimal,
                               std::string_view why) {
  const std::string_view rest = decimal.rest;
  if (rest.starts_with(',')) {
    refuse(name, text, "is a list", "it takes one value", with_value(name, decimal.number));
  }
  const bool range = !rest.empty() && (rest[0] == '-' || rest[0] == ':');
  if (range && read_decimal(rest.substr(1))) {
    refuse(name, text, "is not a count", "a range is written with ..",
           with_value(name, fmt::format("{}..{}", decimal.number, rest.substr(1))));
  }
  refuse(name, text, "is not a count", std::string(why), with_value(name, decimal.number));
}

template <std::size_t N>
std::int64_t whole_number(std::string_view text, std::string_view name, std::int64_t least,
                          const std::array<Suffix, N>& suffixes, std::string_view why) {
  const Decimal decimal = number_part(text, name, "32");
  for (const Suffix& suffix : suffixes) {
    if (decimal.rest != suffix.text) continue;
    const double value = decimal.value(suffix.ten).value_or(INFINITY) * suffix.factor;
    if (value > static_cast<double>(largest_count)) {
      refuse(name, text, fmt::format("is more than {}", largest_count), {}, {});
    }
    if (value != std::floor(value)) refuse(name, text, "is not a whole number", {}, {});
    if (value < static_cast<double>(least)) {
      refuse(name, text, fmt::format("is less than {}", least), {}, {});
    }
    return static_cast<std::int64_t>(value);
  }
  refuse_count(text, name, decimal, why);
}

}  // namespace

std::int64_t parse_count(std::string_view text, std::string_view name, std::int64_t least) {
  return whole_number(text, name, least, count_suffixes,
                      "counts are whole numbers; 32k is 32000 and 32K is 32768");
}

std::int64_t parse_parameters(std::string_view text, std::string_view name) {
  return whole_number(text, name, 1, parameter_suffixes, "7B is 7e9 and 350M is 350e6");
}

std::vector<std::string_view> split_list(std::string_view text, std::string_view name) {
  std::vector<std::string_view> items;
  std::size_t start = 0;
  while (true) {
    const std::size_t comma = text.find(',', start);
    const std::string_view item = trimmed(text.substr(start, comma - start));
    if (item.empty()) {
      refuse(name, text,
             items.empty() && comma == std::string_view::npos ? "is empty" : "has an empty item",
             {}, {});
    }
    items.push_back(item);
    if (comma == std::string_view::npos) return items;
    start = comma + 1;
  }
}

std::vector<std::int64_t> parse_count_list(std::string_view text, std::string_view name) {
  constexpr std::size_t most = 100'000;
  std::vector<std::int64_t> values;
  const auto append = [&](std::int64_t value) {
    if (values.size() == most) refuse(name, text, "has more than 100000 values", {}, {});
    values.push_back(value);
  };
  for (const std::string_view item : split_list(text, name)) {
    const std::size_t dots = item.find("..");
    if (dots == std::string_view::npos) {
      append(parse_count(item, name));
      continue;
    }
    std::string_view end = item.substr(dots + 2);
    if (dots == 0 || end.empty()) {
      refuse(name, item, "lacks an end", {}, fmt::format("{} 1..32", name));
    }
    const std::size_t step_at = end.find_first_of("+x");
    const bool multiply = step_at != std::string_view::npos && end[step_at] == 'x';
    std::int64_t step = 1;
    if (step_at != std::string_view::npos) {
      step = parse_count(end.substr(step_at + 1), name);
      end = end.substr(0, step_at);
    }
    if (multiply && step == 1) refuse(name, item, "never grows", "x1 repeats one value", {});
    const std::int64_t first = parse_count(item.substr(0, dots), name);
    const std::int64_t last = parse_count(end, name);
    if (last < first) {
      refuse(name, item, "is descending", {}, fmt::format("{} {}..{}", name, last, first));
    }
    for (std::int64_t value = first; value <= last;) {
      append(value);
      if (multiply && value > last / step) break;
      value = multiply ? value * step : value + step;
    }
  }
  return values;
}

}  // namespace roofline
