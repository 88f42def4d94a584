#include "analysis/capacity.hpp"

#include <algorithm>

#include "analysis/search.hpp"

namespace roofline {
namespace {

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit;
}

/// The largest prefill step: as many new tokens as the engine computes at once, on each of
/// `replicas` that have `sequences` prompts.
Step fullest_prefill(std::int64_t replicas, std::int64_t sequences, std::int64_t tokens,
                     std::int64_t budget) {
  if (tokens > budget) return prefill_step(replicas, tokens, tokens - budget);
  const std::int64_t whole = std::min(sequences, budget / tokens);
  Step step = prefill_step(replicas * whole, tokens);
  const std::int64_t rest = budget - whole * tokens;
  if (whole < sequences && rest > 0) {
    step.groups.push_back({.count = replicas, .new_tokens = rest, .cached_tokens = 0});
  }
  return step;
}

}  // namespace

Capacity::Capacity(const Setting& setting, const EngineLimits& limits)
    : setting_(setting),
      limits_(limits),
      evaluator_(setting),
      weights_(weight_bytes(setting.model, setting.precision, setting.deployment)) {
  const std::optional<Bytes> memory = usable_memory(setting.device, limits.utilization);
  if (memory) usable_ = std::max(Bytes(), *memory - limits.overhead);
}

Bytes Capacity::activations(std::int64_t sequences, std::int64_t tokens) {
  const std::int64_t replicas = setting_.deployment.data;
  evaluator_.evaluate(fullest_prefill(replicas, sequences, tokens, limits_.batched_tokens));
  const Bytes prefill = evaluator_.memory().activations;
  evaluator_.evaluate(decode_step(sequences * replicas, tokens));
  return std::max(prefill, evaluator_.memory().activations);
}

MemoryNeed Capacity::need(std::int64_t sequences, std::int64_t tokens) {
  const std::int64_t own = rounded_up(sequences, setting_.deployment.data);
  const auto count = static_cast<double>(own);
  const std::int64_t paged = rounded_up(tokens, limits_.block_tokens) * limits_.block_tokens;
  MemoryNeed need;
  need.weights = weights_;
  need.kv = kv_bytes(setting_.model, setting_.precision.kv, paged, setting_.deployment) * count;
  need.state = state_bytes(setting_.model, setting_.precision, setting_.deployment) * count;
  need.activations = activations(own, tokens);
  return need;
}

bool Capacity::holds(std::int64_t sequences, std::int64_t tokens, Bytes held_back) {
  return need(sequences, tokens).total() + held_back <= *usable_;
}

std::optional<std::int64_t> Capacity::most_sequences(std::int64_t tokens, Bytes held_back) {
  if (!usable_) return std::nullopt;
  constexpr std::int64_t most = 1'000'000'000;  // of a replica: logits alone fill any memory
  const std::int64_t replicas = setting_.deployment.data;
  return replicas * largest_where(1, most, [&](std::int64_t own) {
           return holds(own * replicas, tokens, held_back);
         });
}

std::optional<std::int64_t> Capacity::longest(std::int64_t sequences, Bytes held_back) {
  if (!usable_) return std::nullopt;
  return largest_where(1, longest_counted,
                       [&](std::int64_t tokens) { return holds(sequences, tokens, held_back); });
}

}  // namespace roofline
