#include "roofline/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/counted.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

/// The peaks that a device's products run at.
std::set<PeakKey> used_peaks(const AnalyzeResult& analysis, const std::string& gpu) {
  std::set<PeakKey> used;
  for (const AnalyzePoint& point : analysis.points) {
    if (point.gpu != gpu) continue;
    if (const auto* kernel = std::get_if<KernelAnalysis>(&point.detail)) {
      used.insert(kernel->rate.key);
      continue;
    }
    const auto& step = std::get<StepAnalysis>(point.detail);
    for (const Operator& op : step.operators) {
      if (op.flops > Flops(0)) used.insert(step.rates.of(op).key);
    }
  }
  return used;
}

std::vector<Ceiling> ceilings_of(const Device& device, const PlotRequest& request,
                                 const AnalyzeResult& analysis) {
  const std::set<PeakKey> used = used_peaks(analysis, device.name);
  std::vector<Ceiling> ceilings;
  for (const auto& [key, peak] : device.peaks) {
    const bool asked =
        request.all_ceilings ||
        std::find(request.ceilings.begin(), request.ceilings.end(), key) != request.ceilings.end();
    if (used.contains(key) || asked) {
      ceilings.push_back({device.name, key, {peak, device.bandwidth}, used.contains(key)});
    }
  }
  std::stable_sort(ceilings.begin(), ceilings.end(),
                   [](const Ceiling& a, const Ceiling& b) { return a.roof.peak < b.roof.peak; });
  return ceilings;
}

/// A ceiling that some device lacks is worth a note; one that none has is a mistake.
void check_ceilings(const PlotRequest& request, AnalyzeResult& analysis) {
  for (const PeakKey& key : request.ceilings) {
    std::vector<std::string> without;
    std::set<std::string> known;
    for (const Device& device : request.question.devices) {
      if (!device.peaks.contains(key)) without.push_back(device.name);
      for (const auto& peak : device.peaks) known.insert(to_string(peak.first));
    }
    if (without.empty()) continue;
    if (without.size() == request.question.devices.size()) {
      throw Error(
          Diagnostic{.what = fmt::format("{} {} no {} peak", fmt::join(without, ", "),
                                         without.size() == 1 ? "has" : "have", to_string(key)),
                     .why = fmt::format("the peaks are {}", fmt::join(known, ", ")),
                     .fix = fmt::format("--ceilings {}", *known.begin())});
    }
    for (AnalyzePoint& point : analysis.points) {
      if (std::find(without.begin(), without.end(), point.gpu) == without.end()) continue;
      point.notes.push_back(fmt::format("no {} ceiling: there is no such peak", to_string(key)));
    }
  }
}

/// Nothing that is measured is faster than a floor: one of the two is wrong.
void note_faster(AnalyzePoint& point, FlopsPerSecond achieved) {
  constexpr double rounding = 1 + 1e-9;
  if (achieved <= point.achievable() * rounding) return;
  point.notes.emplace_back(
      "what was measured is faster than the roofline: another workload, format or device");
}

void add_measurements(const PlotRequest& request, PlotResult& result) {
  const std::size_t points = result.analysis.points.size();
  if (!request.measurements.empty() && request.measurements.size() != points) {
    throw Error(Diagnostic{
        .what = counted(static_cast<std::int64_t>(request.measurements.size()), "measurement") +
                " for " + counted(static_cast<std::int64_t>(points), "point"),
        .why = "there is one for each point, in the order of the table; none where nothing was",
        .fix = "a list as long as the answer, or NAME=INTENSITY@RATE for a point of its own"});
  }
  for (std::size_t i = 0; i < request.measurements.size(); ++i) {
    AnalyzePoint& point = result.analysis.points[i];
    MeasuredPoint measured{
        .name = {}, .intensity = point.intensity(), .achieved = {}, .point = i, .time = {}};
    if (const auto* time = std::get_if<Seconds>(&request.measurements[i])) {
      measured.time = *time;
      measured.achieved = point.flops / *time;
    } else if (const auto* rate = std::get_if<FlopsPerSecond>(&request.measurements[i])) {
      measured.time = point.flops / *rate;
      measured.achieved = *rate;
    } else {
      continue;
    }
    note_faster(point, measured.achieved);
    result.measured.push_back(std::move(measured));
  }
  result.measured.insert(result.measured.end(), request.measured.begin(), request.measured.end());
}

}  // namespace

void require_few_plotted_points(const AnalyzeRequest& question) {
  const std::size_t points = point_count(question);
  if (points <= most_plotted_points) return;
  throw Error(Diagnostic{.what = fmt::format("{} points are too many for one picture", points),
                         .why = fmt::format("it shows at most {}", most_plotted_points),
                         .fix = "shorter lists, or roofline sweep for the figures"});
}

PlotResult plot(const PlotRequest& request) {
  const AnalyzeRequest& question = request.question;
  require_few_plotted_points(question);
  PlotResult result;
  result.analysis = analyze(question);
  check_ceilings(request, result.analysis);
  for (const Device& device : question.devices) {
    for (Ceiling& ceiling : ceilings_of(device, request, result.analysis)) {
      result.ceilings.push_back(std::move(ceiling));
    }
  }
  add_measurements(request, result);
  return result;
}

}  // namespace roofline
