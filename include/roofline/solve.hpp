// Questions turned round: the batch, context, concurrency or number of devices that meets limits.
// Integers are exact, and every answer carries its proof: what holds at it and beside it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/quantity.hpp"
#include "roofline/serve.hpp"
#include "roofline/server.hpp"

namespace roofline {

/// The unknown.
enum class SolveFor {
  batch,        ///< sequences of a decode step
  context,      ///< tokens that each of its sequences attends
  concurrency,  ///< sequences in flight under continuous batching
  devices       ///< that share a model, tensor and pipeline parallel
};
/// "batch", "context", "concurrency", "devices".
[[nodiscard]] std::string_view to_string(SolveFor unknown);

enum class SolveLimit { ridge, memory, tpot, ttft, throughput, cost };
/// "ridge", "memory", "tpot-limit", "ttft-limit", "min-throughput", "max-cost".
[[nodiscard]] std::string_view to_string(SolveLimit limit);

/// What an answer has to meet, besides memory. TPOT is the roofline time of the decode step, and
/// for a concurrency that of serving under load; TTFT is a prefill step of one prompt.
struct SolveConstraints {
  bool compute_bound = false;     ///< the decode step's intensity is at or above the ridge
  std::optional<Seconds> tpot{};  ///< at most
  std::optional<Seconds> ttft{};  ///< at most
  std::optional<double> tokens_per_second{};           ///< at least: output tokens of all devices
  std::optional<double> dollars_per_million_tokens{};  ///< at most: of output tokens

  friend bool operator==(const SolveConstraints&, const SolveConstraints&) = default;
};

struct SolveRequest {
  SolveFor unknown = SolveFor::batch;
  Server server;  ///< its deployment is one device where devices are the unknown
  SolveConstraints constraints{};
  std::int64_t batch = 1;       ///< of context and devices
  std::int64_t context = 2048;  ///< of batch and devices: decode's context, and TTFT's prompt
  RequestShape shape{};         ///< of concurrency
};

/// True if such a limit has a say in that unknown.
[[nodiscard]] bool applies(SolveLimit limit, SolveFor unknown);

/// One value of the unknown, computed anew.
struct SolveTrial {
  std::int64_t value = 1;
  Deployment deployment{};
  std::optional<FlopsPerByte> intensity{};  ///< of the decode step; none for a concurrency
  std::optional<FlopsPerByte> ridge{};
  Seconds tpot;
  std::optional<Seconds> ttft{};  ///< where there is a limit on it
  double tokens_per_second = 0;
  std::optional<double> dollars_per_million_tokens{};  ///< none where no price is known
  Bytes memory_needed;                                 ///< of the fullest device
  std::optional<bool> fits{};                          ///< none where the capacity is not known
  std::vector<SolveLimit> missed{};                    ///< of what was asked

  friend bool operator==(const SolveTrial&, const SolveTrial&) = default;
};

/// What one limit allows on its own.
struct SolveEdge {
  SolveLimit limit = SolveLimit::memory;
  bool at_most = true;                  ///< values up to `value` meet it; else those from it on
  std::optional<std::int64_t> value{};  ///< none: no value meets it

  friend bool operator==(const SolveEdge&, const SolveEdge&) = default;
};

/// What decode's intensity tends to as the batch grows, at one context.
struct IntensityLimit {
  std::int64_t context = 1;
  FlopsPerByte limit;  ///< FLOP / (K/V + state) of one sequence: weights and experts drop out
  FlopsPerByte ridge;

  /// A limit is not reached, so it has to be above the ridge.
  [[nodiscard]] bool reached() const { return limit > ridge; }
  friend bool operator==(const IntensityLimit&, const IntensityLimit&) = default;
};

/// Beside the sweet-spot batch, or instead of it.
struct SweetSpot {
  IntensityLimit tendency;  ///< at the request's context
  /// Where it is never reached: the longest shorter context at which it is, with the one above it;
  /// empty if there is none.
  std::vector<IntensityLimit> contexts{};
  std::optional<std::int64_t> batch_at_context{};  ///< the sweet spot at the first of them
  /// Where it is never reached and K/V has more than 8 bits: with K/V in fp8.
  std::optional<IntensityLimit> with_8_bit_kv{};
  std::optional<std::int64_t> batch_with_8_bit_kv{};

  friend bool operator==(const SweetSpot&, const SweetSpot&) = default;
};

struct SolveResult {
  Precision precision;
  Deployment deployment;               ///< the answer's, where devices are the unknown
  bool largest = false;                ///< the largest value was looked for, else the smallest
  std::optional<std::int64_t> answer;  ///< none: the answer is no, and `reason` says why
  std::string reason;
  /// What keeps the answer from being larger, or smaller; none where nothing does.
  std::optional<SolveLimit> bound;
  std::vector<SolveEdge> edges;
  std::optional<SweetSpot> sweet_spot;  ///< of batch, compute-bound
  std::vector<SolveTrial> proof;        ///< the answer and its neighbours, or the nearest misses
  std::optional<Bytes> usable_memory;
  std::optional<Price> price;  ///< the catalogue's, where it was used
  std::vector<std::string> notes;
};

/// Values are looked for up to this one.
inline constexpr std::int64_t largest_solution = 1'000'000'000'000;

/// Memory counts wherever a largest value is sought and for devices, concurrency and limits on a
/// batch; beside the sweet spot it is reported. Devices are looked for up to `most_devices`. Throws
/// Error for a model that the device cannot run or that cannot be spread so, as require_choices
/// does, for a limit that does not apply, and where a price or a capacity that the question hangs
/// on is not known.
[[nodiscard]] SolveResult solve(const SolveRequest& request);

}  // namespace roofline
