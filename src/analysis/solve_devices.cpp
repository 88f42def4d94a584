// The fewest devices: every way of tensor and pipeline parallel that the model can be spread by,
// from one device on. Times are not monotone in it (a pipeline adds up its stages), so all are
// tried in turn.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/candidate_deployments.hpp"
#include "analysis/solve_parts.hpp"
#include "base/counted.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

std::optional<SolveTrial> try_deployment(const SolveRequest& request,
                                         const Deployment& deployment) {
  const Server& server = request.server;
  try {
    const Setting setting = make_setting(server.model, server.device, deployment, server.precision);
    SolveTrial trial =
        DecodeTrials(setting, request).at(deployment.devices(), request.batch, request.context);
    judge(trial, request.constraints, true);
    return trial;
  } catch (const Error&) {
    return std::nullopt;  // no known link joins so many
  }
}

bool misses(const SolveTrial& trial, SolveLimit limit) {
  return std::find(trial.missed.begin(), trial.missed.end(), limit) != trial.missed.end();
}

/// How near a trial comes to a limit; less is nearer.
double distance(const SolveTrial& trial, SolveLimit limit) {
  switch (limit) {
    case SolveLimit::memory:
    case SolveLimit::ridge:
      return trial.memory_needed.value();
    case SolveLimit::tpot:
      return trial.tpot.value();
    case SolveLimit::ttft:
      return trial.ttft->value();
    case SolveLimit::throughput:
      return -trial.tokens_per_second;
    case SolveLimit::cost:
      break;
  }
  return *trial.dollars_per_million_tokens;
}

/// Up to the first that meets all limits, and the next one of more devices.
std::vector<SolveTrial> try_all(const SolveRequest& request, const Precision& precision) {
  CandidateDeployments candidates(request.server.device, request.server.model, precision);
  std::vector<SolveTrial> trials;
  bool found = false;
  for (std::int64_t devices = 1; devices <= most_devices; ++devices) {
    for (const Deployment& deployment : candidates.of(devices)) {
      const std::optional<SolveTrial> trial = try_deployment(request, deployment);
      if (!trial) continue;
      trials.push_back(*trial);
      if (found) return trials;
      found = trial->missed.empty();
      if (found) break;
    }
  }
  return trials;
}

/// A limit that no deployment meets and the one that comes nearest, or two limits that none meets
/// together.
void explain(const SolveRequest& request, const std::vector<SolveTrial>& trials,
             SolveResult& result) {
  std::set<SolveLimit> limits;
  for (const SolveTrial& trial : trials) limits.insert(trial.missed.begin(), trial.missed.end());
  const std::string largest = count_text(trials.back().deployment.devices());
  for (const SolveLimit limit : limits) {
    const bool never = std::all_of(trials.begin(), trials.end(),
                                   [&](const SolveTrial& t) { return misses(t, limit); });
    if (!never) continue;
    const SolveTrial& nearest = *std::min_element(trials.begin(), trials.end(),
                                                  [&](const SolveTrial& a, const SolveTrial& b) {
                                                    return distance(a, limit) < distance(b, limit);
                                                  });
    const std::string ways = to_string(nearest.deployment);  // ", tp 64"
    result.proof = {nearest};
    result.reason =
        fmt::format("no deployment of up to {} devices meets {}; the nearest is {}: {}", largest,
                    noun_of(limit), ways.empty() ? "one device" : ways.substr(2),
                    describe_miss(nearest, limit, request.constraints, result.usable_memory));
    return;
  }
  for (const SolveLimit a : limits) {
    for (const SolveLimit b : limits) {
      const bool contradict =
          a < b && std::all_of(trials.begin(), trials.end(),
                               [&](const SolveTrial& t) { return misses(t, a) || misses(t, b); });
      if (!contradict) continue;
      result.reason =
          fmt::format("{} and {} contradict: no deployment of up to {} devices meets both",
                      noun_of(a), noun_of(b), largest);
      break;
    }
    if (!result.reason.empty()) break;
  }
  if (result.reason.empty()) {
    result.reason = fmt::format("no deployment of up to {} devices meets all limits", largest);
  }
  for (const SolveLimit limit : limits) {
    const auto first = std::find_if(trials.begin(), trials.end(),
                                    [&](const SolveTrial& t) { return !misses(t, limit); });
    if (std::find(result.proof.begin(), result.proof.end(), *first) == result.proof.end()) {
      result.proof.push_back(*first);
    }
  }
}

}  // namespace

void solve_devices(const SolveRequest& request, SolveResult& result) {
  constexpr std::size_t most_misses_shown = 4;
  const std::vector<SolveTrial> trials = try_all(request, result.precision);
  ensure(!trials.empty(), "one device was tried");
  const auto answer = std::find_if(trials.begin(), trials.end(),
                                   [](const SolveTrial& t) { return t.missed.empty(); });
  if (answer == trials.end()) return explain(request, trials, result);
  result.answer = answer->value;
  result.deployment = answer->deployment;
  const Server& server = request.server;
  result.notes =
      make_setting(server.model, server.device, result.deployment, server.precision).notes;
  const auto before = static_cast<std::size_t>(answer - trials.begin());
  if (before > 0) result.bound = std::prev(answer)->missed.front();
  result.proof.assign(answer - static_cast<std::ptrdiff_t>(std::min(before, most_misses_shown)),
                      trials.end());
}

}  // namespace roofline
