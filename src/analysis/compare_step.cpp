// A step of a model as compare asks it of a device.
#include <fmt/format.h>

#include "analysis/capable_device.hpp"
#include "analysis/compare_parts.hpp"
#include "base/format.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

AnalyzePoint analyze_on(const CompareRequest& request, const NamedWorkload& workload,
                        const Device& device, std::optional<DollarsPerHour> price) {
  AnalyzeResult result = analyze({.models = {request.model},
                                  .devices = {device},
                                  .workloads = {workload},
                                  .precision = request.precision,
                                  .price = price,
                                  .experts = request.experts,
                                  .deployment = request.deployment,
                                  .utilization = request.limits.utilization});
  return std::move(result.points.front());
}

/// What keeps a device out that can run the step.
void find_obstacle(Candidate& candidate, RankBy by) {
  const StepAnalysis& step = *candidate.step();
  if (step.fits() == false) {
    obstruct(candidate, Obstacle::memory,
             fmt::format("does not fit: needs {} of {} usable",
                         format_scaled(step.memory.total().value(), "B"),
                         format_scaled(step.usable_memory->value(), "B")));
  } else if (by == RankBy::fit && !step.usable_memory) {
    obstruct(candidate, Obstacle::capacity, "the memory capacity is not known");
  } else if (by == RankBy::cost && !candidate.price) {
    obstruct(candidate, Obstacle::price, "no price is known");
  } else if (by == RankBy::energy && !candidate.joules_per_token) {
    obstruct(candidate, Obstacle::tdp, "no TDP is known");
  }
}

}  // namespace

/// What cannot be run on a device that can do everything cannot be run at all.
void require_answerable(const CompareRequest& request, const NamedWorkload& workload) {
  if (!needs_model(workload.workload)) {
    throw Error(Diagnostic{.what = "kernels on their own are not compared",
                           .why = "they have no tokens, memory or cost to rank devices by",
                           .fix = "roofline analyze --gpu all has them on every device"});
  }
  (void)analyze_on(request, workload, capable_device(), std::nullopt);
}

void answer(const CompareRequest& request, const NamedWorkload& workload, const Device& device,
            Candidate& candidate) {
  candidate.answer = analyze_on(request, workload, device, candidate.price);
  if (device.tdp) {
    candidate.joules_per_token = device.tdp->value() *
                                 static_cast<double>(request.deployment.devices()) /
                                 candidate.step()->tokens_per_second;
  }
  find_obstacle(candidate, request.by);
}

double step_score(const Candidate& candidate, RankBy by) {
  const StepAnalysis& step = *candidate.step();
  switch (by) {
    case RankBy::throughput:
      return -step.tokens_per_second;
    case RankBy::cost:
      return *step.dollars_per_million_tokens;
    case RankBy::energy:
      return *candidate.joules_per_token;
    case RankBy::fit:
      return -*candidate.memory_left();
    case RankBy::time:
      break;
  }
  return step.time.roofline.value();
}

}  // namespace roofline
