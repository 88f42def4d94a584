// A device's memory as the engine shares it out when it starts: how much is left for K/V. Each
// engine counts differently, and what it measures while starting can only be estimated: each such
// term is a value and an interval.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "roofline/quantity.hpp"
#include "roofline/serving_plan.hpp"

namespace roofline {

/// A value, and the interval that it is expected in.
struct BytesEstimate {
  Bytes value;
  Bytes low;
  Bytes high;

  friend bool operator==(const BytesEstimate&, const BytesEstimate&) = default;
};
struct CountEstimate {
  std::int64_t value = 0;
  std::int64_t low = 0;
  std::int64_t high = 0;

  friend bool operator==(const CountEstimate&, const CountEstimate&) = default;
};

/// What an engine finds when it starts, on the fullest device.
struct EngineMemoryBudget {
  Bytes total;                ///< the device's memory as the driver reports it
  Bytes allowed;              ///< what the engine lets itself use of it (its share of the total)
  Bytes weights;              ///< stored bytes on the device, without what is offloaded
  BytesEstimate activations;  ///< of the largest step
  BytesEstimate graphs;       ///< captured steps; 0 where the engine does not charge them
  BytesEstimate other;        ///< context, communication buffers, sampler: what is charged
  BytesEstimate kv;           ///< what is left for K/V and states; below 0: nothing is left
  Bytes sequence;             ///< K/V and state of one sequence of max_model_len, as allocated
  /// Tokens that the cache holds, as the engine reports them: of one replica. None for a model
  /// without K/V.
  std::optional<CountEstimate> kv_tokens;
  Bytes kv_per_token;            ///< of one device: one more token of a long sequence
  CountEstimate longest;         ///< the longest sequence that it holds, at most max_model_len
  CountEstimate full_sequences;  ///< of max_model_len each, over all replicas
  /// True where the engine shrinks what it allocates until it fits instead of refusing to start.
  bool shrinks = false;
  std::vector<std::string> assumptions;  ///< what the estimates rest on, in words
};

/// A plan with its model and device, all defaults filled in.
struct ResolvedServing {
  ServingPlan plan;  ///< every member that has a default has a value
  Server server;     ///< limits.utilization, block_tokens and batched_tokens as the plan has them
  Precision precision;
  /// Of V, where it is not that of K (llama.cpp).
  std::optional<NumberFormat> value_format;
};

/// The memory of `serving` as its engine counts it (vLLM: total x share - weights - activations -
/// graphs - other; SGLang: free after loading - free before x (1 - share); TensorRT-LLM: share x
/// what is free after loading; llama.cpp: the cells of all slots are allocated beside the weights).
/// Throws Error for a device whose capacity is not known.
[[nodiscard]] EngineMemoryBudget engine_memory(const ResolvedServing& serving);

/// How many sequences of `tokens` find room for their K/V, over all replicas.
[[nodiscard]] CountEstimate sequences_that_fit(const ResolvedServing& serving,
                                               const EngineMemoryBudget& budget,
                                               std::int64_t tokens);

}  // namespace roofline
