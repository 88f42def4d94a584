#include "roofline/engine_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/check/engine_kv.hpp"
#include "analysis/check/engine_memory_parts.hpp"
#include "base/number.hpp"
#include "roofline/error.hpp"
#include "roofline/memory.hpp"

namespace roofline {
namespace {

constexpr std::int64_t most_sequences = 1'000'000'000;  // where they need nothing

/// A count for each of the estimates of `kv`.
template <class CountOf>
CountEstimate counts(const BytesEstimate& kv, CountOf&& of) {
  return {of(kv.value), of(kv.low), of(kv.high)};
}

Bytes total_of(const Device& device) {
  const std::optional<Bytes> total = usable_memory(device, 1);
  if (total) return *total;
  throw Error(Diagnostic{.what = fmt::format("the memory of {} is not known", device.name),
                         .why = "its entry has no capacity",
                         .fix = "--gpu with a device whose memory is known",
                         .list_command = "roofline list gpus"});
}

/// Sequences that an engine holds at once: llama.cpp no more than its slots.
std::int64_t most_of(const ResolvedServing& serving) {
  const ServingPlan& plan = serving.plan;
  return plan.engine == Engine::llama_cpp ? plan.max_sequences.value : most_sequences;
}

/// The K/V memory that was asked for: instead of what is left (vLLM), or at most (TensorRT-LLM,
/// SGLang); and the limit on tokens.
void apply_limits(const ResolvedServing& serving, const KvLayout& layout,
                  EngineMemoryBudget& budget) {
  const ServingPlan& plan = serving.plan;
  BytesEstimate& kv = budget.kv;
  if (plan.kv_memory.given) {
    const Bytes asked = plan.kv_memory.value;
    const bool instead = plan.engine == Engine::vllm;
    kv = instead ? BytesEstimate{asked, asked, asked}
                 : BytesEstimate{std::min(kv.value, asked), std::min(kv.low, asked),
                                 std::min(kv.high, asked)};
  }
  if (!plan.kv_token_limit.given) return;
  Bytes most = bytes_of_tokens(layout, plan.kv_token_limit.value);
  if (plan.engine == Engine::llama_cpp) {  // padding and windows besides
    const Bytes cells = layout.sequence(plan.max_model_len.value);
    most = std::max(most, cells * number(sequences_at_start(plan)));
  }
  if (!(most.value() > 0)) return;
  kv = {std::min(kv.value, most), std::min(kv.low, most), std::min(kv.high, most)};
}

/// What `budget.kv` holds.
void count_sequences(const ResolvedServing& serving, const KvLayout& layout,
                     EngineMemoryBudget& budget) {
  const ServingPlan& plan = serving.plan;
  const std::int64_t length = plan.max_model_len.value;
  budget.sequence = layout.sequence(length);
  budget.kv_per_token = layout.per_token();
  const std::int64_t slots = sequences_at_start(plan);
  budget.longest = counts(budget.kv, [&](Bytes kv) { return layout.longest(kv, slots, length); });
  budget.full_sequences = sequences_that_fit(serving, budget, length);
  if (!reported_tokens(serving, layout, budget.kv.value)) return;
  if (plan.engine == Engine::llama_cpp) {
    const CountEstimate& longest = budget.longest;
    budget.kv_tokens = {longest.value * slots, longest.low * slots, longest.high * slots};
    return;
  }
  budget.kv_tokens =
      counts(budget.kv, [&](Bytes kv) { return *reported_tokens(serving, layout, kv); });
}

void count_terms(const ResolvedServing& serving, EngineMemoryBudget& budget) {
  switch (serving.plan.engine) {
    case Engine::vllm:
      return count_vllm(serving, budget);
    case Engine::sglang:
      return count_sglang(serving, budget);
    case Engine::tensorrt_llm:
      return count_tensorrt_llm(serving, budget);
    case Engine::llama_cpp:
      return count_llama_cpp(serving, budget);
  }
}

void add_common_assumptions(const ResolvedServing& serving, EngineMemoryBudget& budget) {
  if (serving.plan.draft_model.value) {
    budget.assumptions.push_back("weights and K/V of the draft model are not counted");
  }
  if (!serving.server.model.left_out.empty()) {
    budget.assumptions.push_back("what the model has beside its decoder is not counted");
  }
}

}  // namespace

BytesEstimate left_for_kv(const EngineMemoryBudget& budget) {
  const Bytes rest = budget.allowed - budget.weights;
  return {rest - budget.activations.value - budget.graphs.value - budget.other.value,
          rest - budget.activations.high - budget.graphs.high - budget.other.high,
          rest - budget.activations.low - budget.graphs.low - budget.other.low};
}

EngineMemoryBudget engine_memory(const ResolvedServing& serving) {
  EngineMemoryBudget budget;
  budget.total = total_of(serving.server.device);
  count_terms(serving, budget);
  const KvLayout layout = kv_layout(serving);
  apply_limits(serving, layout, budget);
  count_sequences(serving, layout, budget);
  add_common_assumptions(serving, budget);
  return budget;
}

CountEstimate sequences_that_fit(const ResolvedServing& serving, const EngineMemoryBudget& budget,
                                 std::int64_t tokens) {
  const KvLayout layout = kv_layout(serving);
  const std::int64_t replicas = attention_replicas(serving);
  const std::int64_t most = most_of(serving);
  return counts(budget.kv, [&](Bytes kv) { return replicas * layout.sequences(kv, tokens, most); });
}

}  // namespace roofline
