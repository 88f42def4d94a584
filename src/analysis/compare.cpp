// A question on many devices: one analysis each, then a stable sort.
#include "roofline/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "analysis/capable_device.hpp"
#include "base/format.hpp"
#include "roofline/error.hpp"
#include "roofline/timing.hpp"

namespace roofline {
namespace {

AnalyzePoint analyze_on(const CompareRequest& request, const Device& device,
                        std::optional<DollarsPerHour> price) {
  AnalyzeResult result = analyze({.models = {request.model},
                                  .devices = {device},
                                  .workloads = {request.workload},
                                  .precision = request.precision,
                                  .price = price,
                                  .experts = request.experts,
                                  .deployment = request.deployment,
                                  .utilization = request.utilization});
  return std::move(result.points.front());
}

/// What cannot be run on a device that can do everything cannot be run at all.
void require_runnable(const CompareRequest& request) {
  if (!needs_model(request.workload.workload)) {
    throw Error(Diagnostic{.what = "kernels on their own are not compared",
                           .why = "they have no tokens, memory or cost to rank devices by",
                           .fix = "roofline analyze --gpu all has them on every device"});
  }
  (void)analyze_on(request, capable_device(), std::nullopt);
}

bool has_link(const Device& device, const Deployment& deployment) {
  try {
    (void)choose_network(device, deployment);
  } catch (const Error&) {
    return false;
  }
  return true;
}

std::string words_of(const Error& error) {
  const Diagnostic& first = error.diagnostics().front();
  return first.why.empty() ? first.what : fmt::format("{}: {}", first.what, first.why);
}

void obstruct(Candidate& candidate, Obstacle obstacle, std::string reason) {
  candidate.obstacle = obstacle;
  candidate.reason = std::move(reason);
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

Candidate candidate_of(const CompareRequest& request, const Device& device) {
  Candidate candidate;
  candidate.gpu = device.name;
  candidate.price = request.price;
  const Price* listed = request.price ? nullptr : usual_price(device);
  if (listed != nullptr) {
    candidate.listed = *listed;
    candidate.price = listed->per_hour;
  }
  try {
    candidate.point = analyze_on(request, device, candidate.price);
  } catch (const Error& error) {
    obstruct(candidate, has_link(device, request.deployment) ? Obstacle::rate : Obstacle::link,
             words_of(error));
    return candidate;
  }
  if (device.tdp) {
    candidate.joules_per_token = device.tdp->value() *
                                 static_cast<double>(request.deployment.devices()) /
                                 candidate.step()->tokens_per_second;
  }
  find_obstacle(candidate, request.by);
  return candidate;
}

/// The lower, the better.
double score_of(const Candidate& candidate, RankBy by) {
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

void rank(std::vector<Candidate>& candidates, RankBy by) {
  const auto place = [by](const Candidate& candidate) {
    const bool ranked = candidate.obstacle == Obstacle::none;
    return std::tuple(!ranked, ranked ? score_of(candidate, by) : 0.0,
                      std::string_view(candidate.gpu));
  };
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const Candidate& a, const Candidate& b) { return place(a) < place(b); });
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].obstacle != Obstacle::none) break;
    const bool equal = i > 0 && score_of(candidates[i], by) == score_of(candidates[i - 1], by);
    candidates[i].rank = equal ? *candidates[i - 1].rank : static_cast<std::int64_t>(i) + 1;
  }
}

}  // namespace

std::string_view to_string(RankBy by) {
  switch (by) {
    case RankBy::throughput:
      return "throughput";
    case RankBy::cost:
      return "cost";
    case RankBy::energy:
      return "energy";
    case RankBy::fit:
      return "fit";
    case RankBy::time:
      break;
  }
  return "time";
}

const StepAnalysis* Candidate::step() const {
  return point ? std::get_if<StepAnalysis>(&point->detail) : nullptr;
}

std::optional<double> Candidate::memory_left() const {
  const StepAnalysis* analysis = step();
  if (analysis == nullptr || !analysis->usable_memory) return std::nullopt;
  return 1 - analysis->memory.total() / *analysis->usable_memory;
}

bool CompareResult::any_ranked() const {
  return !candidates.empty() && candidates.front().rank.has_value();
}

CompareResult compare(const CompareRequest& request) {
  require_runnable(request);
  CompareResult result;
  for (const Device& device : request.devices) {
    result.candidates.push_back(candidate_of(request, device));
  }
  rank(result.candidates, request.by);
  return result;
}

}  // namespace roofline
