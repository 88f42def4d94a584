// Serving under continuous batching: latency, throughput, cost and energy at a concurrency, and the
// largest concurrency within limits. All times are roofline times: floors; rates are at most so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/quantity.hpp"
#include "roofline/server.hpp"

namespace roofline {

/// I prompt and O output tokens of each request.
struct RequestShape {
  std::int64_t prompt = 1024;
  std::int64_t output = 256;

  friend bool operator==(const RequestShape&, const RequestShape&) = default;
};

/// The steady state at concurrency B, of all devices together. S = I + O / 2 is the mean context.
struct ServingPoint {
  std::int64_t concurrency = 1;  ///< B: sequences in flight
  Seconds decode;                ///< decode(B, S): one step
  Seconds prompt_share;  ///< pre(I): a prefill step of g prompts / g, g = max(1, budget / I)
  Seconds ttft;          ///< a prefill step of one prompt, unloaded
  Seconds tpot;          ///< decode(B, S) + (B - 1) / O * pre(I)
  double requests_per_second = 0;  ///< 1 / (pre(I) + O decode(B, S) / B), of every replica
  double output_tokens_per_second = 0;
  double input_tokens_per_second = 0;
  /// Of output tokens, at the price of all devices; none where no price is known.
  std::optional<double> dollars_per_million_tokens;
  /// Of an output token, at most: all devices at their TDP; none where that is not known.
  std::optional<double> joules_per_token;

  friend bool operator==(const ServingPoint&, const ServingPoint&) = default;
};

struct ServeRequest {
  Server server;
  RequestShape shape{};
  /// At most one of the two; neither: the largest concurrency that the limits leave.
  std::optional<std::int64_t> concurrency{};
  std::optional<double> requests_per_second{};
  std::optional<Seconds> tpot_limit{};
  std::optional<Seconds> ttft_limit{};
};

/// What keeps the concurrency from being larger.
enum class ServeBound { asked, request_rate, memory, tpot_limit, ttft_limit };
/// "asked", "request-rate", "memory", "tpot-limit", "ttft-limit".
[[nodiscard]] std::string_view to_string(ServeBound bound);

struct ServeResult {
  Precision precision;
  /// None: the answer is no, and `reason` says why.
  std::optional<ServingPoint> point;
  std::string reason;
  ServeBound bound = ServeBound::asked;
  /// The largest concurrency that each limit allows on its own; none where there is no such limit
  /// (or the memory's capacity is not known). 0: not even one sequence.
  std::optional<std::int64_t> memory_concurrency;
  std::optional<std::int64_t> tpot_concurrency;
  std::optional<std::int64_t> ttft_concurrency;
  std::optional<std::int64_t> rate_concurrency;  ///< the smallest that keeps up with the rate
  /// What that concurrency could serve: the point's rates, cost and energy are those at the rate
  /// that was asked for. None without a rate.
  std::optional<double> most_requests_per_second;
  std::optional<Price> price;  ///< the catalogue's, where it was used
  std::vector<std::string> notes;
};

/// Integers are exact: found by re-evaluating steps, on both sides of the answer. Throws Error for
/// a model that the device cannot run or that cannot be spread so, and as require_choices does.
[[nodiscard]] ServeResult serve(const ServeRequest& request);

}  // namespace roofline
