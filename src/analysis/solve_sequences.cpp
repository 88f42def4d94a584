// How many sequences: a batch or a concurrency. Latency and memory bound it from above, throughput
// and cost from below.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/search.hpp"
#include "analysis/solve_parts.hpp"
#include "base/counted.hpp"

namespace roofline {
namespace {

/// The smallest value in [1, high] for which `holds`, a floor on throughput. That grows from each
/// multiple of the first stride to the next, between them from each multiple of the second, and so
/// on down to single values: so each stride narrows the search to the stretch before its answer.
std::optional<std::int64_t> smallest_by_strides(std::int64_t high,
                                                const std::vector<std::int64_t>& strides,
                                                const HoldsAt& holds) {
  std::int64_t before = 0;
  for (const std::int64_t stride : strides) {
    const std::int64_t whole = (high - before) / stride;
    const std::int64_t rounds = smallest_where(
        1, whole, [&](std::int64_t count) { return holds(before + count * stride); });
    if (rounds <= whole) high = before + rounds * stride;
    before += (rounds - 1) * stride;
  }
  if (before >= high) return std::nullopt;
  return high;
}

/// The largest value up to `high` for which `holds`, likewise: `high`, or the last multiple of a
/// stride, the smallest stride first.
std::optional<std::int64_t> largest_by_strides(std::int64_t high,
                                               const std::vector<std::int64_t>& strides,
                                               const HoldsAt& holds) {
  for (auto stride = strides.rbegin(); stride != strides.rend(); ++stride) {
    const std::int64_t multiple = high / *stride * *stride;
    if (multiple > 0 && holds(multiple)) return multiple;
  }
  return std::nullopt;
}

class Search {
 public:
  Search(const SolveConstraints& constraints, const SequenceSearch& search, SolveResult& result)
      : constraints_(constraints), search_(search), result_(result) {}

  void run() {
    const bool at_least = constraints_.tokens_per_second || constraints_.dollars_per_million_tokens;
    result_.largest = constraints_.tpot || constraints_.ttft || !at_least;
    find_upper_edges();
    if (high_ == 0) return explain_one();
    find_lower_edges();
    if (result_.largest) {
      result_.answer = largest_by_strides(high_, search_.strides, lower_hold());
    } else {
      result_.answer = smallest_by_strides(high_, search_.strides, lower_hold());
    }
    const std::int64_t shown = result_.answer.value_or(high_);
    result_.proof = trials_around(shown, 1, search_.at);
    if (!result_.answer) return explain_contradiction();
    find_bound();
  }

 private:
  [[nodiscard]] HoldsAt holds(SolveLimit limit) const {
    return
        [this, limit](std::int64_t value) { return meets(search_.at(value), limit, constraints_); };
  }
  [[nodiscard]] HoldsAt lower_hold() const {
    return [this](std::int64_t value) {
      const SolveTrial trial = search_.at(value);
      return meets(trial, SolveLimit::throughput, constraints_) &&
             meets(trial, SolveLimit::cost, constraints_);
    };
  }

  void add_upper_edge(SolveLimit limit, std::int64_t most) {
    result_.edges.push_back({limit, true, most > 0 ? std::optional(most) : std::nullopt});
    if (most >= high_) return;
    high_ = most;
    highest_ = limit;
  }
  /// All of them rise with the number of sequences; TTFT, unloaded, is the same for all.
  void find_upper_edges() {
    if (search_.memory_most) add_upper_edge(SolveLimit::memory, *search_.memory_most);
    if (constraints_.tpot) {
      add_upper_edge(SolveLimit::tpot, largest_where(1, largest_solution, holds(SolveLimit::tpot)));
    }
    if (constraints_.ttft && !holds(SolveLimit::ttft)(1)) add_upper_edge(SolveLimit::ttft, 0);
  }
  void add_lower_edge(SolveLimit limit) {
    result_.edges.push_back(
        {limit, false, smallest_by_strides(largest_solution, search_.strides, holds(limit))});
  }
  void find_lower_edges() {
    if (constraints_.tokens_per_second) add_lower_edge(SolveLimit::throughput);
    if (constraints_.dollars_per_million_tokens) add_lower_edge(SolveLimit::cost);
  }

  /// Not even one sequence will do.
  void explain_one() {
    result_.proof = {search_.at(1)};
    const SolveTrial& one = result_.proof.front();
    const SolveLimit limit = one.missed.empty() ? highest_ : one.missed.front();
    result_.reason = fmt::format("at {} 1 {}", search_.noun,
                                 describe_miss(one, limit, constraints_, result_.usable_memory));
  }
  /// Two limits that no value meets both of, or one that none meets.
  void explain_contradiction() {
    for (const SolveEdge& edge : result_.edges) {
      if (edge.at_most || edge.value) continue;
      result_.reason =
          fmt::format("no {} meets {}, however large", search_.noun, noun_of(edge.limit));
      return;
    }
    for (const SolveEdge& edge : result_.edges) {
      if (edge.at_most || *edge.value <= high_) continue;
      result_.reason =
          fmt::format("{} and {} contradict: the one allows a {} of {} at most, the other needs {}",
                      noun_of(highest_), noun_of(edge.limit), search_.noun, count_text(high_),
                      count_text(*edge.value));
      return;
    }
  }
  void find_bound() {
    const std::int64_t beside = *result_.answer + (result_.largest ? 1 : -1);
    for (const SolveTrial& trial : result_.proof) {
      if (trial.value == beside && !trial.missed.empty()) result_.bound = trial.missed.front();
    }
  }

  const SolveConstraints& constraints_;
  const SequenceSearch& search_;
  SolveResult& result_;
  std::int64_t high_ = largest_solution;
  SolveLimit highest_ = SolveLimit::memory;
};

}  // namespace

void solve_sequences(const SolveConstraints& constraints, const SequenceSearch& search,
                     SolveResult& result) {
  Search(constraints, search, result).run();
}

}  // namespace roofline
