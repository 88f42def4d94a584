// What the solvers share: trials of a decode step, how they are judged, and searches along lines
// that are monotone in pieces.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/capacity.hpp"
#include "analysis/evaluator.hpp"
#include "roofline/solve.hpp"

namespace roofline {

using HoldsAt = std::function<bool(std::int64_t)>;
using TrialAt = std::function<SolveTrial(std::int64_t)>;

/// Evaluates decode steps of a server, and a prompt's prefill where there is a limit on TTFT.
class DecodeTrials {
 public:
  DecodeTrials(const Setting& setting, const SolveRequest& request);

  [[nodiscard]] const StepTime& decode(std::int64_t batch, std::int64_t context);
  [[nodiscard]] Seconds prefill(std::int64_t prompt);
  /// The whole trial; `value` is that of the unknown.
  [[nodiscard]] SolveTrial at(std::int64_t value, std::int64_t batch, std::int64_t context);
  [[nodiscard]] Capacity& capacity() { return capacity_; }

 private:
  const Setting& setting_;
  const SolveRequest& request_;
  Evaluator evaluator_;
  Capacity capacity_;
};

/// True if the trial meets one limit; a capacity that is not known is never missed.
[[nodiscard]] bool meets(const SolveTrial& trial, SolveLimit limit,
                         const SolveConstraints& constraints);
/// Fills `missed`, memory included if it counts.
void judge(SolveTrial& trial, const SolveConstraints& constraints, bool memory_counts);

/// "TPOT is 5.012 ms, the limit is 1.000 ms".
[[nodiscard]] std::string describe_miss(const SolveTrial& trial, SolveLimit limit,
                                        const SolveConstraints& constraints,
                                        std::optional<Bytes> usable);
/// An intensity and the ridge, with as many digits as tell them apart.
[[nodiscard]] std::pair<std::string, std::string> told_apart(FlopsPerByte intensity,
                                                             FlopsPerByte ridge);
/// "memory", "the TPOT limit".
[[nodiscard]] std::string_view noun_of(SolveLimit limit);

/// Trials at value - 1, value and value + 1, those from `least` on.
[[nodiscard]] std::vector<SolveTrial> trials_around(std::int64_t value, std::int64_t least,
                                                    const TrialAt& at);

/// Sequences over replicas: what a search for a batch or a concurrency needs.
struct SequenceSearch {
  std::string_view noun;  ///< "batch"
  TrialAt at;             ///< judged
  std::optional<std::int64_t> memory_most;
  /// Multiples of them are where throughput is best, the largest first, 1 last: one sequence more
  /// makes the fullest replica, or micro-batch of a pipeline, slower for all.
  std::vector<std::int64_t> strides{1};
};
/// Fills answer, bound, edges, proof and reason.
void solve_sequences(const SolveConstraints& constraints, const SequenceSearch& search,
                     SolveResult& result);

/// The largest length in [1, high] that a decode step's cost stays within: 0 if none. `holds` is a
/// bound on the step's time.
[[nodiscard]] std::int64_t longest_within(const Model& model, std::int64_t high,
                                          const HoldsAt& holds);

/// The largest length in [1, high] at which a step's FLOP outweigh its bytes: 0 if none. `holds`
/// compares two sums that are affine in a decode step's FLOP and bytes.
[[nodiscard]] std::int64_t longest_outweighing(const Model& model, std::int64_t high,
                                               const HoldsAt& holds);

void solve_sweet_spot(const SolveRequest& request, const Setting& setting, SolveResult& result);
void solve_batch(const SolveRequest& request, const Setting& setting, SolveResult& result);
void solve_context(const SolveRequest& request, const Setting& setting, SolveResult& result);
void solve_concurrency(const SolveRequest& request, const Setting& setting, SolveResult& result);
void solve_devices(const SolveRequest& request, SolveResult& result);

}  // namespace roofline
