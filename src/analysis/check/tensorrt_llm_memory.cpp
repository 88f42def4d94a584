// TensorRT-LLM: free_gpu_memory_fraction of what is free after loading and a step of max_num_tokens
// with all its buffers. `allowed` is what the fraction does not leave: total - (1 - share) x free.
#include <algorithm>

#include "analysis/check/engine_memory_parts.hpp"
#include "analysis/check/engine_weights.hpp"
#include "analysis/check/step_activations.hpp"
#include "base/number.hpp"

namespace roofline {
namespace {

/// Context, libraries and buffers; with several ranks those of all-reduces.
BytesEstimate outside_the_step(const ResolvedServing& serving) {
  const Device& device = serving.server.device;
  BytesEstimate taken = driver_reserve(device);
  if (has_context(device)) {
    taken = taken + BytesEstimate{Bytes(1 * gib), Bytes(0.5 * gib), Bytes(2.5 * gib)};
  }
  if (serving.plan.tensor.value > 1) {
    taken = taken + BytesEstimate{Bytes(1 * gib), Bytes(0.2 * gib), Bytes(2 * gib)};
  }
  return taken;
}

/// The forward pass, and logits in the activations' type and fp32: the decoder has a row for each
/// of max_batch_size sequences, and up to twice that beside it.
BytesEstimate largest_step(const ResolvedServing& serving) {
  const Bytes logits = Bytes(6) * (number(serving.plan.max_sequences.value) *
                                   number(serving.server.model.vocabulary));
  const BytesEstimate forward = spread(forward_activations(serving), 0.6, 1.6);
  return forward + spread(logits, 0, 2);
}

}  // namespace

void count_tensorrt_llm(const ResolvedServing& serving, EngineMemoryBudget& budget) {
  const double share = serving.plan.memory_share.value;
  budget.weights = engine_weights(serving);
  budget.activations = largest_step(serving);
  budget.other = outside_the_step(serving);
  budget.allowed = budget.total;
  const BytesEstimate free = left_for_kv(budget);
  const auto part = [&](Bytes left) { return left.value() > 0 ? left * share : left; };
  budget.allowed = budget.total - (free.value - part(free.value));
  budget.kv = {part(free.value), part(free.low), part(free.high)};
  budget.assumptions.push_back(
      "TensorRT-LLM takes its fraction of what is free after loading, not of the total");
}

}  // namespace roofline
