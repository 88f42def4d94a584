// Requests to serve as compare asks it of a device.
#include "analysis/capable_device.hpp"
#include "analysis/compare_parts.hpp"

namespace roofline {
namespace {

/// What makes an answer no.
Obstacle obstacle_of(const ServeResult& result) {
  if (result.memory_concurrency == 0) return Obstacle::memory;
  if (result.tpot_concurrency == 0) return Obstacle::tpot_limit;
  if (result.ttft_concurrency == 0) return Obstacle::ttft_limit;
  return Obstacle::request_rate;
}

void find_obstacle(Candidate& candidate, RankBy by) {
  const ServeResult& result = *candidate.serving();
  if (!result.point) {
    obstruct(candidate, obstacle_of(result), result.reason);
  } else if (by == RankBy::fit && !result.memory_concurrency) {
    obstruct(candidate, Obstacle::capacity, "the memory capacity is not known");
  } else if (by == RankBy::cost && !result.point->dollars_per_million_tokens) {
    obstruct(candidate, Obstacle::price, "no price is known");
  } else if (by == RankBy::energy && !result.point->joules_per_token) {
    obstruct(candidate, Obstacle::tdp, "no TDP is known");
  }
}

}  // namespace

ServeRequest serve_request(const CompareRequest& request, const ServingQuestion& question,
                           const Device& device) {
  return {.server = {.model = request.model,
                     .device = device,
                     .deployment = request.deployment,
                     .precision = request.precision,
                     .experts = request.experts,
                     .limits = request.limits,
                     .price = request.price},
          .shape = question.shape,
          .concurrency = question.concurrency,
          .requests_per_second = question.requests_per_second,
          .tpot_limit = question.tpot_limit,
          .ttft_limit = question.ttft_limit};
}

/// One sequence on a device that can do everything: what throws there throws everywhere.
void require_answerable(const CompareRequest& request, const ServingQuestion& question) {
  ServingQuestion one = question;
  if (!one.concurrency && !one.requests_per_second) one.concurrency = 1;
  (void)serve(serve_request(request, one, capable_device()));
}

void answer(const CompareRequest& request, const ServingQuestion& question, const Device& device,
            Candidate& candidate) {
  candidate.answer = serve(serve_request(request, question, device));
  const ServingPoint* point = candidate.steady_state();
  if (point != nullptr) candidate.joules_per_token = point->joules_per_token;
  find_obstacle(candidate, request.by);
}

double serving_score(const Candidate& candidate, RankBy by) {
  const ServingPoint& point = *candidate.steady_state();
  switch (by) {
    case RankBy::throughput:
      return -point.output_tokens_per_second;
    case RankBy::cost:
      return *point.dollars_per_million_tokens;
    case RankBy::energy:
      return *point.joules_per_token;
    case RankBy::fit:
      return -static_cast<double>(*candidate.serving()->memory_concurrency);
    case RankBy::time:
      break;
  }
  return point.tpot.value();
}

}  // namespace roofline
