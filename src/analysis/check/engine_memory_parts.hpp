// What each engine counts; engine_memory() picks one and works out how much it holds.
#pragma once

#include "roofline/engine_memory.hpp"

namespace roofline {

/// A budget's terms from `total` (which is set) to `kv`, `shrinks` and `assumptions`.
void count_vllm(const ResolvedServing& serving, EngineMemoryBudget& budget);
void count_sglang(const ResolvedServing& serving, EngineMemoryBudget& budget);
void count_tensorrt_llm(const ResolvedServing& serving, EngineMemoryBudget& budget);
void count_llama_cpp(const ResolvedServing& serving, EngineMemoryBudget& budget);

/// SGLang's --mem-fraction-static where it is not given: 1 - reserved / total, to three decimals.
[[nodiscard]] double sglang_memory_fraction(const ResolvedServing& serving);

/// allowed - weights - activations - graphs - other: the most of it where the terms are least.
[[nodiscard]] BytesEstimate left_for_kv(const EngineMemoryBudget& budget);

}  // namespace roofline
