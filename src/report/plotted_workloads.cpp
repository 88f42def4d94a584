#include "report/plotted_workloads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "report/analyze_parts.hpp"

namespace roofline::report {
namespace {

/// "batch 32, context 2,048": what tells a workload from others, of the parts that differ.
struct Parts {
  std::string model, name, batch, context;

  explicit Parts(const AnalyzePoint& point) : name(point.workload.name) {
    const auto number = [](const Value& value, std::string_view word) {
      const auto* count = std::get_if<double>(&value);
      return count == nullptr ? std::string() : fmt::format("{} {}", word, format_count(*count));
    };
    if (const StepAnalysis* step = step_of_point(point)) model = step->model;
    batch = number(batch_of(point), "batch");
    context = number(context_of(point), "context");
  }
};

std::string joined_differences(const std::vector<Parts>& all, const Parts& one) {
  std::string text;
  for (std::string Parts::*part : {&Parts::model, &Parts::name, &Parts::batch, &Parts::context}) {
    const bool differs = std::any_of(all.begin(), all.end(),
                                     [&](const Parts& other) { return other.*part != one.*part; });
    if (differs && !(one.*part).empty()) text += (text.empty() ? "" : ", ") + one.*part;
  }
  return text;
}

bool all_different(const std::vector<std::string>& names) {
  return std::set<std::string>(names.begin(), names.end()).size() == names.size();
}

std::vector<std::string> names_of(const std::vector<const AnalyzePoint*>& workloads) {
  std::vector<std::string> names;
  for (const AnalyzePoint* point : workloads) names.push_back(point->workload.name);
  if (workloads.size() == 1) return {names.front() + step_text(*workloads.front())};
  if (all_different(names)) return names;
  std::vector<Parts> parts;
  for (const AnalyzePoint* point : workloads) parts.emplace_back(*point);
  names.clear();
  for (const Parts& one : parts) names.push_back(joined_differences(parts, one));
  if (all_different(names)) return names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const AnalyzePoint& point = *workloads[i];
    names[i] = fmt::format("{}{}{}{}", parts[i].model, parts[i].model.empty() ? "" : ", ",
                           point.workload.name, step_text(point));
  }
  return names;
}

}  // namespace

PlottedWorkloads plotted_workloads(const AnalyzeResult& analysis) {
  PlottedWorkloads plotted;
  std::vector<const AnalyzePoint*> workloads;
  const auto model_of = [](const AnalyzePoint& point) {
    const StepAnalysis* step = step_of_point(point);
    return step == nullptr ? std::string() : step->model;
  };
  for (const AnalyzePoint& point : analysis.points) {
    const auto known = std::find_if(workloads.begin(), workloads.end(), [&](const auto* other) {
      return other->workload == point.workload && model_of(*other) == model_of(point);
    });
    plotted.of_point.push_back(static_cast<std::size_t>(known - workloads.begin()));
    if (known == workloads.end()) workloads.push_back(&point);
  }
  plotted.names = names_of(workloads);
  return plotted;
}

}  // namespace roofline::report
