// K/V and states as an engine allocates them: pools that share the memory which is left, each of
// blocks of tokens. What vLLM calls pages, SGLang pages, TensorRT-LLM blocks, llama.cpp cells.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "roofline/engine_memory.hpp"
#include "roofline/quantity.hpp"

namespace roofline {

/// Units that `value` takes, the last one perhaps in part.
[[nodiscard]] std::int64_t units_of(std::int64_t value, std::int64_t unit);

/// The whole number in `count`, from 0 to 1e15.
[[nodiscard]] std::int64_t whole(double count);

/// Layers that are paged alike.
struct KvGroup {
  Bytes block;                                ///< of all its layers on a device
  std::int64_t tokens = 1;                    ///< that a block holds; of a state it does not matter
  std::optional<std::int64_t> most_tokens{};  ///< of a sequence: a window, or a chunk
  std::int64_t spare_blocks = 0;              ///< of a sequence besides
  bool is_state = false;                      ///< one block a sequence, whatever its length

  /// Blocks of a sequence of `length` tokens.
  [[nodiscard]] std::int64_t blocks(std::int64_t length) const;
  /// It needs more for every further token.
  [[nodiscard]] bool grows() const { return !is_state && !most_tokens; }

  friend bool operator==(const KvGroup&, const KvGroup&) = default;
};

/// Memory that its groups share, and others cannot use.
struct KvPool {
  double share = 1;  ///< of what is left for K/V
  std::vector<KvGroup> groups;

  [[nodiscard]] Bytes sequence(std::int64_t length) const;
};

/// On the fullest device.
struct KvLayout {
  std::vector<KvPool> pools;

  /// Bytes of one sequence, in all pools.
  [[nodiscard]] Bytes sequence(std::int64_t length) const;
  /// What one more token of a long sequence takes; 0 where windows and states are all there is.
  [[nodiscard]] Bytes per_token() const;
  /// Sequences of `length` that `kv` bytes hold; `most` where they need nothing.
  [[nodiscard]] std::int64_t sequences(Bytes kv, std::int64_t length, std::int64_t most) const;
  /// The longest length, at most `most`, that `count` sequences can have; 0: not one token.
  [[nodiscard]] std::int64_t longest(Bytes kv, std::int64_t count, std::int64_t most) const;
};

/// Devices that a layer's heads are split over: the tensor ranks, or fewer under attention DP.
[[nodiscard]] std::int64_t attention_ways(const ResolvedServing& serving);

/// Copies of the attention, each with sequences of its own.
[[nodiscard]] std::int64_t attention_replicas(const ResolvedServing& serving);

/// Sequences of the longest length that there has to be room for: llama.cpp allocates the cells of
/// all slots, unless they share them.
[[nodiscard]] std::int64_t sequences_at_start(const ServingPlan& plan);

/// Sequences that may run at once, in all replicas.
[[nodiscard]] std::int64_t allowed_sequences(const ResolvedServing& serving);

/// The share of all layers that the fullest stage of a pipeline has.
[[nodiscard]] double stage_share(const ResolvedServing& serving);

/// Layers of llama.cpp that are on the devices: min(-ngl, L); of others all.
[[nodiscard]] std::int64_t offloaded_layers(const ResolvedServing& serving);

/// How the engine of `serving` lays it out.
[[nodiscard]] KvLayout kv_layout(const ResolvedServing& serving);

/// Tokens that `kv` bytes hold, as the engine reports them; none for a model without K/V.
[[nodiscard]] std::optional<std::int64_t> reported_tokens(const ResolvedServing& serving,
                                                          const KvLayout& layout, Bytes kv);

/// The smallest `kv` in which `tokens` find room, as `reported_tokens` counts them for a layout
/// that grows with every token.
[[nodiscard]] Bytes bytes_of_tokens(const KvLayout& layout, std::int64_t tokens);

}  // namespace roofline
