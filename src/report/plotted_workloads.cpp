#include "report/plotted_workloads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "report/analyze_parts.hpp"
#include "report/differences.hpp"

namespace roofline::report {
namespace {

std::string model_of(const AnalyzePoint& point) {
  const StepAnalysis* step = step_of_point(point);
  return step == nullptr ? std::string() : step->model;
}

/// What may tell workloads apart, in the order in which it is said.
std::vector<std::string> parts_of(const AnalyzePoint& point) {
  const auto number = [](const Value& value, std::string_view word) {
    const auto* count = std::get_if<double>(&value);
    return count == nullptr ? std::string() : fmt::format("{} {}", word, format_count(*count));
  };
  return {model_of(point), point.workload.name, number(batch_of(point), "batch"),
          number(context_of(point), "context")};
}

bool all_different(const std::vector<std::string>& names) {
  return std::set<std::string>(names.begin(), names.end()).size() == names.size();
}

std::vector<std::string> names_of(const std::vector<const AnalyzePoint*>& workloads) {
  std::vector<std::string> names;
  for (const AnalyzePoint* point : workloads) names.push_back(point->workload.name);
  if (workloads.size() == 1) return {names.front() + step_text(*workloads.front())};
  if (all_different(names)) return names;
  std::vector<std::vector<std::string>> parts;
  for (const AnalyzePoint* point : workloads) parts.push_back(parts_of(*point));
  names = joined_differences(parts);
  if (all_different(names)) return names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const AnalyzePoint& point = *workloads[i];
    const std::string model = model_of(point);
    names[i] = fmt::format("{}{}{}{}", model, model.empty() ? "" : ", ", point.workload.name,
                           step_text(point));
  }
  return names;
}

}  // namespace

PlottedWorkloads plotted_workloads(const AnalyzeResult& analysis) {
  PlottedWorkloads plotted;
  std::vector<const AnalyzePoint*> workloads;
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
