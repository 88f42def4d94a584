// The longest context of a batch: all limits bound it from above but the ridge, which may do
// either.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/search.hpp"
#include "analysis/solve_parts.hpp"
#include "base/counted.hpp"

namespace roofline {
namespace {

class LengthSearch {
 public:
  LengthSearch(const SolveRequest& request, const Setting& setting, SolveResult& result)
      : request_(request), setting_(setting), result_(result), trials_(setting, request) {}

  void run() {
    result_.largest = true;
    const std::int64_t high = find_edges();
    const std::int64_t found = request_.constraints.compute_bound
                                   ? longest_outweighing(setting_.model, high, meets_step_limits())
                                   : longest_within(setting_.model, high, meets_step_limits());
    const TrialAt at = [&](std::int64_t length) { return trial(length); };
    if (found == 0) return explain(high);
    result_.answer = found;
    result_.proof = trials_around(found, 1, at);
    const SolveTrial& beyond = result_.proof.back();
    if (!beyond.missed.empty()) result_.bound = beyond.missed.front();
  }

 private:
  SolveTrial trial(std::int64_t length) {
    SolveTrial trial = trials_.at(length, request_.batch, length);
    judge(trial, request_.constraints, memory_counts());
    return trial;
  }
  /// At the ridge memory is reported and not required, as of a sweet-spot batch.
  [[nodiscard]] bool memory_counts() const { return !request_.constraints.compute_bound; }

  HoldsAt meets_step_limits() {
    return [this](std::int64_t length) {
      return meets_one(length, SolveLimit::ridge) && meets_one(length, SolveLimit::tpot) &&
             meets_one(length, SolveLimit::throughput) && meets_one(length, SolveLimit::cost);
    };
  }
  bool meets_one(std::int64_t length, SolveLimit limit) {
    return meets(trials_.at(length, request_.batch, length), limit, request_.constraints);
  }

  std::int64_t add_edge(SolveLimit limit, std::int64_t most) {
    result_.edges.push_back({limit, true, most > 0 ? std::optional(most) : std::nullopt});
    return most;
  }
  void add_step_edge(SolveLimit limit) {
    add_edge(limit, longest_within(setting_.model, largest_solution,
                                   [&](std::int64_t length) { return meets_one(length, limit); }));
  }
  /// What each limit allows; returns what memory and TTFT do, which rise with every token.
  std::int64_t find_edges() {
    const SolveConstraints& c = request_.constraints;
    std::int64_t high = largest_solution;
    if (const auto longest = trials_.capacity().longest(request_.batch)) {
      const std::int64_t held = add_edge(SolveLimit::memory, *longest);
      if (memory_counts()) high = std::min(high, held);
    }
    if (c.tpot) add_step_edge(SolveLimit::tpot);
    if (c.ttft) {
      const std::int64_t most = largest_where(1, largest_solution, [&](std::int64_t length) {
        return trials_.prefill(length) <= *c.ttft;
      });
      high = std::min(high, add_edge(SolveLimit::ttft, most));
    }
    if (c.tokens_per_second) add_step_edge(SolveLimit::throughput);
    if (c.dollars_per_million_tokens) add_step_edge(SolveLimit::cost);
    return high;
  }

  void explain(std::int64_t high) {
    result_.proof = {trial(1)};
    const SolveTrial& shortest = result_.proof.front();
    const SolveLimit limit = shortest.missed.empty() ? SolveLimit::memory : shortest.missed.front();
    result_.reason =
        fmt::format("at batch {} and a context of 1 {}", count_text(request_.batch),
                    describe_miss(shortest, limit, request_.constraints, result_.usable_memory));
    if (high > 1) result_.proof.push_back(trial(high));
  }

  const SolveRequest& request_;
  const Setting& setting_;
  SolveResult& result_;
  DecodeTrials trials_;
};

}  // namespace

void solve_context(const SolveRequest& request, const Setting& setting, SolveResult& result) {
  LengthSearch(request, setting, result).run();
}

}  // namespace roofline
