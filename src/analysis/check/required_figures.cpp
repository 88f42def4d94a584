#include "analysis/check/required_figures.hpp"

#include <algorithm>
#include <array>

#include "analysis/check/engine_kv.hpp"
#include "base/format.hpp"
#include "base/number.hpp"
#include "base/parse.hpp"

namespace roofline {
namespace {

double read_time(std::string_view text, std::string_view name) {
  return parse_time(text, name).value();
}
double read_bytes(std::string_view text, std::string_view name) {
  return parse_bytes(text, name).value();
}
double read_count(std::string_view text, std::string_view name) {
  return number(parse_count(text, name));
}
double read_number(std::string_view text, std::string_view name) {
  return parse_number(text, name);
}

std::string time_text(double value) {
  return format_scaled(value, "s");
}
std::string bytes_text(double value) {
  return format_scaled(value, "B");
}
std::string count_words(double value) {
  return format_count(value);
}
std::string rate_text(double value) {
  return format_significant(value) + " tok/s";
}
std::string requests_text(double value) {
  return format_significant(value) + " requests/s";
}
std::string cost_text(double value) {
  return "$" + format_significant(value) + " per million tokens";
}
std::string intensity_text(double value) {
  return format_significant(value) + " FLOP/byte";
}

Figure exactly(double value) {
  return {value, value, value};
}
Figure estimated(const CountEstimate& count) {
  return {number(count.value), number(count.low), number(count.high)};
}

std::optional<Figure> ttft(const LaunchFigures& figures, const ResolvedServing& /*serving*/) {
  if (!figures.serving) return std::nullopt;
  return exactly(figures.serving->ttft.value());
}
std::optional<Figure> tpot(const LaunchFigures& figures, const ResolvedServing& /*serving*/) {
  if (!figures.serving) return std::nullopt;
  return exactly(figures.serving->tpot.value());
}
std::optional<Figure> throughput(const LaunchFigures& figures, const ResolvedServing& /*serving*/) {
  if (!figures.serving) return std::nullopt;
  return exactly(figures.serving->output_tokens_per_second);
}
std::optional<Figure> requests(const LaunchFigures& figures, const ResolvedServing& /*serving*/) {
  if (!figures.serving) return std::nullopt;
  return exactly(figures.serving->requests_per_second);
}
std::optional<Figure> cost(const LaunchFigures& figures, const ResolvedServing& /*serving*/) {
  if (!figures.serving || !figures.serving->dollars_per_million_tokens) return std::nullopt;
  return exactly(*figures.serving->dollars_per_million_tokens);
}
std::optional<Figure> intensity(const LaunchFigures& figures, const ResolvedServing& /*serving*/) {
  if (!figures.decode_intensity) return std::nullopt;
  return exactly(figures.decode_intensity->value());
}
std::optional<Figure> kv_tokens(const LaunchFigures& figures, const ResolvedServing& /*serving*/) {
  if (!figures.memory || !figures.memory->kv_tokens) return std::nullopt;
  return estimated(*figures.memory->kv_tokens);
}
std::optional<Figure> weights(const LaunchFigures& figures, const ResolvedServing& /*serving*/) {
  if (!figures.memory) return std::nullopt;
  return exactly(figures.memory->weights.value());
}
std::optional<Figure> concurrency(const LaunchFigures& figures, const ResolvedServing& serving) {
  if (!figures.memory) return std::nullopt;
  const ServingPlan& plan = serving.plan;
  const CountEstimate held =
      sequences_that_fit(serving, *figures.memory, plan.prompt.value + plan.output.value);
  const std::int64_t allowed = allowed_sequences(serving);
  return estimated(
      {std::min(held.value, allowed), std::min(held.low, allowed), std::min(held.high, allowed)});
}

constexpr std::array<Quality, 9> qualities{{
    {"concurrency", "require-concurrency", read_count, count_words, concurrency,
     "the number of sequences in flight", ""},
    {"cost", "require-cost", read_number, cost_text, cost, "the cost", "at least "},
    {"intensity", "require-intensity", read_number, intensity_text, intensity,
     "the arithmetic intensity of decode", ""},
    {"kv-tokens", "require-kv-tokens", read_count, count_words, kv_tokens,
     "the number of tokens in the K/V cache", ""},
    {"requests", "require-requests", read_number, requests_text, requests, "the request rate",
     "at most "},
    {"throughput", "require-throughput", read_number, rate_text, throughput, "the throughput",
     "at most "},
    {"tpot", "require-tpot", read_time, time_text, tpot, "the TPOT", "at least "},
    {"ttft", "require-ttft", read_time, time_text, ttft, "the TTFT", "at least "},
    {"weights", "require-weights", read_bytes, bytes_text, weights,
     "the size of the weights on a device", ""},
}};
}  // namespace

std::span<const Quality> required_qualities() {
  return qualities;
}

std::optional<Limit> limit_named(std::string_view name) {
  const bool at_most = name.starts_with("max-");
  if (!at_most && !name.starts_with("min-")) return std::nullopt;
  name.remove_prefix(4);
  for (const Quality& quality : qualities) {
    if (quality.name == name) return Limit{&quality, at_most};
  }
  return std::nullopt;
}

}  // namespace roofline
