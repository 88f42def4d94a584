// Reads what people write for amounts, rates, counts and lists: `3.35TB/s`, `32K`, `1..256x2`.
// Independent of the locale; a decimal number is rounded once, with its unit.
// `name` is what the value belongs to ("--bandwidth") and opens the message.
// Every function throws Error, with the reason and a form that works.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "roofline/quantity.hpp"

namespace roofline {

/// The largest count that is read: larger ones are mistakes, and sums of them stay exact.
inline constexpr std::int64_t largest_count = 1'000'000'000'000;

/// `80GB` (1e9), `80GiB` (2^30), `1.5 TB`, `512B`, `0`.
[[nodiscard]] Bytes parse_bytes(std::string_view text, std::string_view name);

/// `3.35TB/s`, `900 GB/s`, `900GBps`, `400Gb/s` (bits).
[[nodiscard]] BytesPerSecond parse_bandwidth(std::string_view text, std::string_view name);

/// `989TFLOP/s`, `1.98PFLOP/s`, `989TFLOPS`, `1979TOP/s`, `1979TOPS`.
[[nodiscard]] FlopsPerSecond parse_compute(std::string_view text, std::string_view name);

/// `2.49`, `$2.49` or `2.49/h`: US dollars per hour of one device.
[[nodiscard]] DollarsPerHour parse_price(std::string_view text, std::string_view name);

/// `700W`, `0.7kW`.
[[nodiscard]] Watts parse_power(std::string_view text, std::string_view name);

/// `30ms`, `2us`, `1.5 s`, `800ns`.
[[nodiscard]] Seconds parse_time(std::string_view text, std::string_view name);

/// A number above 0 without a unit: `2.5`, `1e3`.
[[nodiscard]] double parse_number(std::string_view text, std::string_view name);

/// A whole number from `least` to `largest_count`: `2048`, `2_048`, `7e9`; k m g are powers of
/// 1000, K M G of 1024.
[[nodiscard]] std::int64_t parse_count(std::string_view text, std::string_view name,
                                       std::int64_t least = 1);

/// A number of parameters: `7e9`, `7B`, `350M`; the letters are powers of 1000, as models are
/// named.
[[nodiscard]] std::int64_t parse_parameters(std::string_view text, std::string_view name);

/// `1,8,32`, `1..8`, `512..4096+512`, `1..256x2`, and mixes of them; at most 100,000 values.
[[nodiscard]] std::vector<std::int64_t> parse_count_list(std::string_view text,
                                                         std::string_view name);

/// Splits at commas and trims blanks; an empty item is an error.
[[nodiscard]] std::vector<std::string_view> split_list(std::string_view text,
                                                       std::string_view name);

}  // namespace roofline
