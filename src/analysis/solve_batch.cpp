// The batch of a decode step: at the ridge, or within limits.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/eight_bits.hpp"
#include "analysis/search.hpp"
#include "analysis/solve_parts.hpp"

namespace roofline {
namespace {

/// All FLOP of decode, and its K/V and state, are proportional to the batch; weights, experts too,
/// are bounded. So one sequence on each replica without its weights is what large batches tend to.
IntensityLimit tendency_of(Evaluator& evaluator, std::int64_t context) {
  const std::int64_t replicas = evaluator.setting().deployment.data;
  const StepTime& time = evaluator.evaluate(decode_step(replicas, context));
  return {context, time.flops / (time.kv + time.state), time.roof.ridge()};
}

/// The smallest batch at the ridge. Intensity grows with the batch: FLOP in proportion, weights
/// less. Where replicas share experts it may fall and rise before each has one sequence more, so
/// the batches just before the one that is found are looked at one by one.
std::optional<std::int64_t> batch_at_ridge(Evaluator& evaluator, std::int64_t context) {
  const auto holds = [&](std::int64_t batch) {
    const StepTime& time = evaluator.evaluate(decode_step(batch, context));
    return time.intensity() >= time.roof.ridge();
  };
  const std::int64_t found = smallest_where(1, largest_solution, holds);
  if (found > largest_solution) return std::nullopt;
  std::int64_t least = found;
  const std::int64_t replicas = evaluator.setting().deployment.data;
  for (std::int64_t batch = found - 1; batch > std::max<std::int64_t>(0, found - replicas);
       --batch) {
    if (holds(batch)) least = batch;
  }
  return least;
}

void try_8_bit_kv(const SolveRequest& request, const Setting& setting, SweetSpot& spot) {
  if (!is_wide(setting.precision.kv) || kv_elements_per_token(setting.model) == 0) return;
  PrecisionRequest precision = request.server.precision;
  precision.kv = eight_bits();
  const Setting with_fp8 =
      make_setting(setting.model, setting.device, setting.deployment, precision);
  Evaluator evaluator(with_fp8, request.server.experts);
  spot.with_8_bit_kv = tendency_of(evaluator, request.context);
  if (spot.with_8_bit_kv->reached()) {
    spot.batch_with_8_bit_kv = batch_at_ridge(evaluator, request.context);
  }
}

/// The longest shorter context at which some batch reaches the ridge.
void try_shorter_contexts(Evaluator& evaluator, SweetSpot& spot) {
  const std::int64_t context = longest_outweighing(
      evaluator.setting().model, spot.tendency.context - 1,
      [&](std::int64_t length) { return tendency_of(evaluator, length).reached(); });
  if (context == 0) return;
  spot.contexts = {tendency_of(evaluator, context), tendency_of(evaluator, context + 1)};
  spot.batch_at_context = batch_at_ridge(evaluator, context);
}

}  // namespace

void solve_sweet_spot(const SolveRequest& request, const Setting& setting, SolveResult& result) {
  Evaluator evaluator(setting, request.server.experts);
  DecodeTrials trials(setting, request);
  const TrialAt at = [&](std::int64_t batch) {
    SolveTrial trial = trials.at(batch, batch, request.context);
    judge(trial, request.constraints, false);
    return trial;
  };
  SweetSpot spot{.tendency = tendency_of(evaluator, request.context)};
  if (spot.tendency.reached()) result.answer = batch_at_ridge(evaluator, request.context);
  if (result.answer) {
    if (*result.answer > 1) result.bound = SolveLimit::ridge;
    result.proof = trials_around(*result.answer, 1, at);
  } else {
    const auto [limit, ridge] = told_apart(spot.tendency.limit, spot.tendency.ridge);
    result.reason = fmt::format(
        "as the batch grows the intensity tends to {} FLOP/byte, the ridge is {}", limit, ridge);
    result.proof = {at(1), at(largest_solution)};
    try_shorter_contexts(evaluator, spot);
    try_8_bit_kv(request, setting, spot);
  }
  result.sweet_spot = std::move(spot);
}

void solve_batch(const SolveRequest& request, const Setting& setting, SolveResult& result) {
  DecodeTrials trials(setting, request);
  const SequenceSearch search{.noun = "batch",
                              .at =
                                  [&](std::int64_t batch) {
                                    SolveTrial trial = trials.at(batch, batch, request.context);
                                    judge(trial, request.constraints, true);
                                    return trial;
                                  },
                              .memory_most = trials.capacity().most_sequences(request.context),
                              .strides = {setting.deployment.data, 1}};
  solve_sequences(request.constraints, search, result);
}

}  // namespace roofline
