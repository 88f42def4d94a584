// The concurrency of continuous batching within limits.
#include "analysis/server_price.hpp"
#include "analysis/serving.hpp"
#include "analysis/solve_parts.hpp"

namespace roofline {

void solve_concurrency(const SolveRequest& request, const Setting& setting, SolveResult& result) {
  Serving serving(setting, request.server, request.shape, price_of(request.server));
  Capacity capacity(setting, request.server.limits);
  const std::int64_t longest = request.shape.prompt + request.shape.output;
  const TrialAt at = [&](std::int64_t concurrency) {
    const ServingPoint point = serving.at(concurrency);
    SolveTrial trial{.value = concurrency,
                     .deployment = setting.deployment,
                     .tpot = point.tpot,
                     .ttft = point.ttft,
                     .tokens_per_second = point.output_tokens_per_second,
                     .dollars_per_million_tokens = point.dollars_per_million_tokens,
                     .memory_needed = capacity.need(concurrency, longest).total()};
    if (capacity.usable()) trial.fits = trial.memory_needed <= *capacity.usable();
    judge(trial, request.constraints, true);
    return trial;
  };
  const std::int64_t replicas = setting.deployment.data;
  const SequenceSearch search{.noun = "concurrency",
                              .at = at,
                              .memory_most = capacity.most_sequences(longest),
                              .strides = {replicas * setting.deployment.pipeline, replicas, 1}};
  solve_sequences(request.constraints, search, result);
}

}  // namespace roofline
