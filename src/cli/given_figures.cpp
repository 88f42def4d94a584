// The figures that were given on the command line, as an answer repeats them.
#include <fmt/format.h>

#include "base/format.hpp"
#include "cli/flags.hpp"

namespace roofline::cli {
namespace {

/// Adds each to the machine's inputs and to the title.
class Listing {
 public:
  void add(std::string key, double value, const std::string& as_typed) {
    given_.inputs.emplace_back(std::move(key), value);
    add_text(as_typed);
  }
  void add_text(const std::string& text) {
    given_.text += (given_.text.empty() ? "" : ", ") + text;
  }
  [[nodiscard]] GivenFigures take() { return std::move(given_); }

 private:
  GivenFigures given_;
};

}  // namespace

GivenFigures given_figures(const QuestionFlags& flags, const DeviceOverrides& overrides,
                           const std::optional<DollarsPerHour>& price,
                           const PrecisionRequest& precision) {
  Listing listing;
  for (const auto& [key, peak] : overrides.peaks) {
    listing.add(fmt::format("peak_{}_flop_per_s", to_string(key)), peak.value(),
                fmt::format("{} peak {}", to_string(key), format_scaled(peak.value(), "FLOP/s")));
  }
  if (overrides.bandwidth) {
    listing.add("bandwidth_bytes_per_s", overrides.bandwidth->value(),
                "bandwidth " + flags.overrides.bandwidth);
  }
  if (overrides.memory) {
    listing.add("memory_bytes", overrides.memory->value(), "memory " + flags.overrides.memory);
  }
  if (overrides.link) {
    listing.add("link_bytes_per_s", overrides.link->value(), "link " + flags.overrides.link);
  }
  if (overrides.link_latency) {
    listing.add("link_latency_s", overrides.link_latency->value(),
                "link latency " + flags.overrides.link_latency);
  }
  if (price) {
    listing.add("price_usd_per_hour", price->value(),
                fmt::format("{} USD an hour", format_exact(price->value())));
  }
  if (precision.accumulate == Accumulate::fp16) listing.add_text("fp16 accumulation");
  if (!flags.workload.experts.empty()) listing.add_text("experts " + flags.workload.experts);
  if (precision.state) listing.add_text("state " + precision.state->name);
  return listing.take();
}

}  // namespace roofline::cli
