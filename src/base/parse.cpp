// Amounts, rates, prices, powers and times: a number with a unit.
#include "base/parse.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "base/closest.hpp"
#include "base/decimal.hpp"

namespace roofline {
namespace {

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

struct TimeUnit {
  std::string_view text;
  int ten;
};

constexpr std::array time_units{TimeUnit{"s", 0}, TimeUnit{"ms", -3}, TimeUnit{"us", -6},
                                TimeUnit{"ns", -9}};
constexpr double least_seconds = 1e-15;
constexpr double most_seconds = 1e12;

/// The unit that was most likely meant by one that is none; empty if that is not known.
std::string_view meant_time_unit(std::string_view written) {
  const std::string name = normalized_name(written);
  for (const std::string_view micro : {"\u00b5", "\u03bc"}) {
    if (written.starts_with(micro)) return "us";
  }
  if (name.starts_with("min")) return {};
  for (const TimeUnit& unit : time_units) {
    if (name.starts_with(unit.text.front())) return unit.text;
  }
  return {};
}

}  // namespace

Seconds parse_time(std::string_view text, std::string_view name) {
  const Decimal decimal = number_part(text, name, "30ms");
  for (const TimeUnit& unit : time_units) {
    if (decimal.rest != unit.text) continue;
    const double value = decimal.value(unit.ten).value_or(INFINITY);
    return Seconds(within(value, least_seconds, most_seconds, text, name));
  }
  if (decimal.rest.empty()) {
    refuse(name, text, "has no unit", "a time is in ns, us, ms or s",
           with_value(name, decimal.value() == 0.0 ? "30ms" : fmt::format("{}ms", decimal.number)));
  }
  const std::string_view meant = meant_time_unit(decimal.rest);
  refuse(name, text, "is not a time", "a time is in ns, us, ms or s; case counts",
         with_value(name, meant.empty() ? "30ms" : fmt::format("{}{}", decimal.number, meant)));
}

}  // namespace roofline
