// Continuous batching in the steady state (cost-model 3.7), over replicas and pipelines too.
#include "analysis/serving.hpp"

#include <algorithm>

#include "analysis/server_price.hpp"
#include "base/number.hpp"

namespace roofline {
namespace {

std::int64_t divided_up(std::int64_t value, std::int64_t by) {
  return (value + by - 1) / by;
}

/// How the sequences in flight are dealt out to replicas, and there to a pipeline's micro-batches.
struct Dealt {
  std::int64_t in_replica = 1;     ///< of the fullest replica
  std::int64_t micro_batches = 1;  ///< of a replica, under way at once
  std::int64_t together = 1;       ///< sequences whose step is one, over all replicas
};

Dealt deal(std::int64_t concurrency, const Deployment& deployment) {
  Dealt dealt;
  dealt.in_replica = divided_up(concurrency, deployment.data);
  dealt.micro_batches = std::min(deployment.pipeline, dealt.in_replica);
  const std::int64_t each = divided_up(dealt.in_replica, dealt.micro_batches);
  dealt.together = std::min(concurrency, deployment.data * each);
  return dealt;
}

}  // namespace

Serving::Serving(const Setting& setting, const Server& server, const RequestShape& shape,
                 std::optional<DollarsPerHour> price)
    : setting_(setting), shape_(shape), price_(price), evaluator_(setting, server.experts) {
  const std::int64_t prompts =
      std::max<std::int64_t>(1, server.limits.batched_tokens / shape.prompt);
  ttft_ = evaluator_.evaluate(prefill_step(1, shape.prompt)).roofline;
  const Step prefill = prefill_step(prompts * setting.deployment.data, shape.prompt);
  prompt_share_ = evaluator_.evaluate(prefill).roofline / number(prompts);
}

// A replica's m micro-batches advance at once, each prompt holds one of them up: a sequence of B_r
// is done after B_r pre / m + O decode, its own prompt included, and B of them are in flight.
ServingPoint Serving::at(std::int64_t concurrency) {
  const Dealt dealt = deal(concurrency, setting_.deployment);
  const auto output = number(shape_.output);
  const auto in_replica = number(dealt.in_replica);
  const Seconds share = prompt_share_ / number(dealt.micro_batches);
  const std::int64_t context = shape_.prompt + shape_.output / 2;

  ServingPoint point;
  point.concurrency = concurrency;
  point.prompt_share = prompt_share_;
  point.ttft = ttft_;
  point.decode = evaluator_.evaluate(decode_step(dealt.together, context)).roofline;
  point.tpot = point.decode + share * ((in_replica - 1) / output);
  const Seconds in_flight = share * in_replica + point.decode * output;
  point.requests_per_second = number(concurrency) / in_flight.value();
  point.output_tokens_per_second = output * point.requests_per_second;
  point.input_tokens_per_second = number(shape_.prompt) * point.requests_per_second;
  point.dollars_per_million_tokens =
      dollars_per_million(price_, setting_.deployment, point.output_tokens_per_second);
  if (setting_.device.tdp) {
    point.joules_per_token = setting_.device.tdp->value() * number(setting_.deployment.devices()) /
                             point.output_tokens_per_second;
  }
  return point;
}

}  // namespace roofline
