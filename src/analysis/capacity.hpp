// How many sequences of what length the devices' memory holds.
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/evaluator.hpp"
#include "roofline/server.hpp"

namespace roofline {

/// Lengths beyond it are not told apart.
inline constexpr std::int64_t longest_counted = 1'000'000'000;

/// Memory of one device of a server: the fullest. K/V is paged in whole blocks.
class Capacity {
 public:
  Capacity(const Setting& setting, const EngineLimits& limits);

  /// For `sequences` (over all replicas) of `tokens` each: activations are those of the largest
  /// step, which is a prefill step of the engine's budget (whole prompts, and a chunk of the next
  /// one; of a longer prompt its last chunk) or the decode step.
  [[nodiscard]] MemoryNeed need(std::int64_t sequences, std::int64_t tokens);

  /// Capacity as the driver reports it x utilization - overhead, at least 0; none where it is not
  /// known.
  [[nodiscard]] std::optional<Bytes> usable() const { return usable_; }

  /// The most sequences, over all replicas, of `tokens` each with `held_back` bytes kept free on
  /// each device; 0 if not even one. None where the capacity is not known.
  [[nodiscard]] std::optional<std::int64_t> most_sequences(std::int64_t tokens,
                                                           Bytes held_back = {});

  /// The longest length that `sequences` can have; 0 if not even 1 token. Capped at
  /// `longest_counted` where length costs nothing (a model of states). None as above.
  [[nodiscard]] std::optional<std::int64_t> longest(std::int64_t sequences, Bytes held_back = {});

 private:
  [[nodiscard]] bool holds(std::int64_t sequences, std::int64_t tokens, Bytes held_back);
  [[nodiscard]] Bytes activations(std::int64_t sequences, std::int64_t tokens);

  const Setting& setting_;
  EngineLimits limits_;
  Evaluator evaluator_;
  Bytes weights_;
  std::optional<Bytes> usable_;
};

}  // namespace roofline
