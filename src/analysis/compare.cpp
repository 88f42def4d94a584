// A question on many devices: one answer each, then a stable sort.
#include "roofline/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "analysis/compare_parts.hpp"
#include "analysis/evaluator.hpp"
#include "roofline/error.hpp"
#include "roofline/timing.hpp"

namespace roofline {
namespace {

/// Why a device cannot be asked at all. What is left where it has rates and a link is that nothing
/// limits its concurrency.
Obstacle obstacle_to_asking(const CompareRequest& request, const Device& device) {
  try {
    (void)make_setting(request.model, device, request.deployment, request.precision);
    return Obstacle::capacity;
  } catch (const Error&) {
  }
  try {
    (void)choose_network(device, request.deployment);
    return Obstacle::rate;
  } catch (const Error&) {
  }
  return Obstacle::link;
}

std::string words_of(const Error& error) {
  const Diagnostic& first = error.diagnostics().front();
  return first.why.empty() ? first.what : fmt::format("{}: {}", first.what, first.why);
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
    std::visit([&](const auto& question) { answer(request, question, device, candidate); },
               request.question);
  } catch (const Error& error) {
    obstruct(candidate, obstacle_to_asking(request, device), words_of(error));
  }
  return candidate;
}

/// The lower, the better.
double score_of(const Candidate& candidate, RankBy by) {
  return candidate.serving() != nullptr ? serving_score(candidate, by) : step_score(candidate, by);
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

void obstruct(Candidate& candidate, Obstacle obstacle, std::string reason) {
  candidate.obstacle = obstacle;
  candidate.reason = std::move(reason);
}

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

const AnalyzePoint* Candidate::point() const {
  return std::get_if<AnalyzePoint>(&answer);
}

const StepAnalysis* Candidate::step() const {
  return point() != nullptr ? std::get_if<StepAnalysis>(&point()->detail) : nullptr;
}

const ServeResult* Candidate::serving() const {
  return std::get_if<ServeResult>(&answer);
}

const ServingPoint* Candidate::steady_state() const {
  return serving() != nullptr && serving()->point ? &*serving()->point : nullptr;
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
  std::visit([&](const auto& question) { require_answerable(request, question); },
             request.question);
  CompareResult result;
  for (const Device& device : request.devices) {
    result.candidates.push_back(candidate_of(request, device));
  }
  rank(result.candidates, request.by);
  return result;
}

}  // namespace roofline
