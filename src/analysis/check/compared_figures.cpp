// The figures that a baseline is compared by, and which way is better.
#include <fmt/format.h>

#include "analysis/check/baseline.hpp"
#include "base/format.hpp"
#include "base/number.hpp"

namespace roofline {
namespace {

using Figures = LaunchFigures;
using Number = std::optional<double>;

template <class Get>
Number of_memory(const Figures& figures, Get get) {
  return figures.memory ? Number(get(*figures.memory)) : std::nullopt;
}

template <class Get>
Number of_serving(const Figures& figures, Get get) {
  return figures.serving ? Number(get(*figures.serving)) : std::nullopt;
}

Number kv_tokens(const Figures& figures) {
  if (!figures.memory || !figures.memory->kv_tokens) return std::nullopt;
  return number(figures.memory->kv_tokens->value);
}
Number full_sequences(const Figures& figures) {
  return of_memory(figures, [](const auto& memory) { return number(memory.full_sequences.value); });
}
Number longest(const Figures& figures) {
  return of_memory(figures, [](const auto& memory) { return number(memory.longest.value); });
}
Number weights(const Figures& figures) {
  return of_memory(figures, [](const auto& memory) { return memory.weights.value(); });
}
Number ttft(const Figures& figures) {
  return of_serving(figures, [](const auto& point) { return point.ttft.value(); });
}
Number tpot(const Figures& figures) {
  return of_serving(figures, [](const auto& point) { return point.tpot.value(); });
}
Number requests(const Figures& figures) {
  return of_serving(figures, [](const auto& point) { return point.requests_per_second; });
}
Number output(const Figures& figures) {
  return of_serving(figures, [](const auto& point) { return point.output_tokens_per_second; });
}
Number cost(const Figures& figures) {
  return figures.serving ? figures.serving->dollars_per_million_tokens : std::nullopt;
}
Number devices(const Figures& figures) {
  return number(figures.devices);
}

}  // namespace

const std::vector<ComparedFigure>& compared_figures() {
  static const std::vector<ComparedFigure> figures{
      {"devices", "devices", "", false, devices},
      {"weight_bytes", "weights of a device", "B", false, weights},
      {"kv_tokens", "K/V tokens", "", true, kv_tokens},
      {"longest_sequence_tokens", "tokens of the longest sequence", "", true, longest},
      {"full_sequences", "sequences of max-model-len", "", true, full_sequences},
      {"ttft_s", "TTFT", "s", false, ttft},
      {"tpot_s", "TPOT", "s", false, tpot},
      {"requests_per_s", "requests", "/s", true, requests},
      {"output_tok_per_s", "output", "tok/s", true, output},
      {"usd_per_million_tokens", "cost of 1M output tokens", "USD", false, cost}};
  return figures;
}

std::string figure_text(const ComparedFigure& figure, double value, int digits) {
  if (figure.unit.empty()) return format_count(value);
  if (figure.unit == "B" || figure.unit == "s") return format_scaled(value, figure.unit, digits);
  return fmt::format("{} {}", format_significant(value, digits), figure.unit);
}

}  // namespace roofline
