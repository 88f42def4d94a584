// Does it fit: what a model and its sequences need of each device, what binds, how many sequences
// of what length there is room for, and how few devices would do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/deployment.hpp"
#include "roofline/memory.hpp"
#include "roofline/quantity.hpp"
#include "roofline/server.hpp"
#include "roofline/step.hpp"

namespace roofline {

struct FitRequest {
  Server server;
  std::int64_t batch = 1;       ///< sequences over all replicas
  std::int64_t context = 2048;  ///< tokens of each, at its full length
  /// server.limits.overhead is what the engine itself takes: nothing of it is left open.
  bool overhead_known = false;
};

/// What today's engines take of a device besides, at most; at least nothing.
struct EngineMemory {
  Bytes context;         ///< the driver's context and libraries, on a GPU of NVIDIA or AMD
  Bytes graphs;          ///< captured decode steps: layers x graphs x size of one, there too
  Bytes whole_matrices;  ///< counted as split by tensor parallel, kept whole by engines: what goes
                         ///< down to a latent, and routers

  [[nodiscard]] Bytes total() const { return context + graphs + whole_matrices; }
  friend bool operator==(const EngineMemory&, const EngineMemory&) = default;
};

enum class FitVerdict {
  fits,         ///< with all that engines take
  uncertain,    ///< only without some of it
  does_not_fit  ///< not even without
};
/// "fits", "uncertain", "does-not-fit".
[[nodiscard]] std::string_view to_string(FitVerdict verdict);

enum class MemoryTerm { weights, activations, state, kv };
/// "weights", "activations", "state", "kv".
[[nodiscard]] std::string_view to_string(MemoryTerm term);

/// From `low`, with all that engines take, to `high`, with nothing of it.
struct CountRange {
  std::int64_t low = 0;
  std::int64_t high = 0;

  friend bool operator==(const CountRange&, const CountRange&) = default;
};

/// A change with which it fits, found by computing it anew.
struct FitRemedy {
  enum class Kind { kv_8_bit, weights_8_bit, both_8_bit } kind = Kind::kv_8_bit;
  Bytes need;  ///< with it, of each device, with all that engines take

  friend bool operator==(const FitRemedy&, const FitRemedy&) = default;
};

struct FitResult {
  Precision precision;
  FitVerdict verdict = FitVerdict::fits;
  MemoryNeed need;      ///< of each device; K/V in whole blocks, activations of the largest step
  EngineMemory engine;  ///< at most
  Bytes usable;         ///< of each device
  /// Added up in the order weights, activations, state, K/V (after what engines take, where it
  /// fits without): the term that passes `usable`. Where none does, the larger one of state and
  /// K/V.
  MemoryTerm binds = MemoryTerm::weights;
  /// (usable - weights - activations - state) / (K/V of a token), in whole blocks, over all
  /// replicas; none for a model without K/V. A token's share is the mean over the context.
  std::optional<CountRange> kv_tokens;
  CountRange sequences;                     ///< most of this context, over all replicas
  CountRange context;                       ///< longest at this batch; longest_counted: any length
  bool any_length = false;                  ///< length costs nothing
  std::optional<std::int64_t> max_context;  ///< that the model is made for
  /// The fewest devices, tensor parallel before pipeline, at most `most_devices`: those that fit
  /// for certain, and those that fit if the engine takes nothing. None if there are none.
  std::optional<Deployment> fewest;
  std::optional<Deployment> fewest_at_best;
  std::vector<FitRemedy> remedies;  ///< where it does not fit for certain
  std::vector<std::string> notes;

  [[nodiscard]] Bytes least_need() const { return need.total(); }
  [[nodiscard]] Bytes most_need() const { return need.total() + engine.total(); }
};

/// Counts are exact: the need is computed at the answer and beside it. Throws Error for a device
/// whose capacity is not known, a model that it cannot run, one that cannot be spread so, and as
/// require_choices does.
[[nodiscard]] FitResult fit(const FitRequest& request);

}  // namespace roofline
