#include "analysis/check/engine_kv.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/check/engine_kv_layers.hpp"
#include "analysis/check/resolve.hpp"
#include "analysis/search.hpp"
#include "base/number.hpp"

namespace roofline {
namespace {

/// One group of blocks for each kind of layer, all in one pool.
KvPool pool_of_kinds(const std::vector<KvLayerKind>& kinds, double share, std::int64_t tokens,
                     bool windows, std::int64_t beyond_window) {
  KvPool pool;
  for (const KvLayerKind& kind : kinds) {
    KvGroup group;
    const double layers = number(kind.layers) * share;
    group.is_state = kind.is_state();
    group.tokens = tokens;
    group.block = group.is_state ? kind.state * layers : kind.of_token * (layers * number(tokens));
    if (windows && kind.span) group.most_tokens = *kind.span + beyond_window;
    pool.groups.push_back(group);
  }
  return pool;
}

KvPool only(const KvPool& pool, bool (*wanted)(const KvGroup&)) {
  KvPool part;
  std::copy_if(pool.groups.begin(), pool.groups.end(), std::back_inserter(part.groups), wanted);
  return part;
}

Bytes blocks_of(const KvPool& pool) {
  Bytes total;
  for (const KvGroup& group : pool.groups) total += group.block;
  return total;
}

/// SGLang: window layers have a pool of 0.8 times the tokens (--swa-full-tokens-ratio), states one
/// of 0.9 times the bytes of all K/V (--mamba-full-memory-ratio).
KvLayout sglang_layout(const ResolvedServing& serving) {
  constexpr double window_tokens = 0.8;
  constexpr double state_bytes = 0.9;
  const ServingPlan& plan = serving.plan;
  const std::vector<KvLayerKind> kinds = kv_layer_kinds(serving);
  const bool mixed = std::any_of(kinds.begin(), kinds.end(), [](const KvLayerKind& kind) {
    return !kind.is_state() && !kind.span;
  });
  const KvPool all =
      pool_of_kinds(kinds, stage_share(serving), plan.block_tokens.value,
                    mixed && !plan.full_window_cache.value, plan.batched_tokens.value);
  KvPool states = only(all, [](const KvGroup& group) { return group.is_state; });
  KvPool full = only(all, [](const KvGroup& group) { return group.grows(); });
  KvPool window = only(all, [](const KvGroup& group) { return group.most_tokens.has_value(); });
  const double weighted = window_tokens * blocks_of(window).value();
  const double token_share = weighted > 0 ? weighted / (weighted + blocks_of(full).value()) : 0;
  const bool cached = !full.groups.empty();
  states.share = !cached ? 1 : states.groups.empty() ? 0 : state_bytes / (1 + state_bytes);
  window.share = (1 - states.share) * token_share;
  full.share = (1 - states.share) * (1 - token_share);
  KvLayout layout;
  for (const KvPool& pool : {full, window, states}) {
    if (!pool.groups.empty()) layout.pools.push_back(pool);
  }
  return layout;
}

/// llama.cpp pads every layer's cells to 256; windows have room for one more batch, and those of a
/// cache that slots share for the windows of all of them.
KvLayout llama_cpp_layout(const ResolvedServing& serving) {
  constexpr std::int64_t padding = 256;
  const ServingPlan& plan = serving.plan;
  const double offloaded =
      number(offloaded_layers(serving)) / number(layer_count(serving.server.model));
  const std::int64_t sharing =
      std::max<std::int64_t>(1, plan.max_sequences.value / sequences_at_start(plan));
  std::vector<KvLayerKind> kinds = kv_layer_kinds(serving);
  for (KvLayerKind& kind : kinds) {
    if (kind.span) *kind.span *= sharing;
  }
  return {{pool_of_kinds(kinds, stage_share(serving) * offloaded, padding,
                         !plan.full_window_cache.value, plan.batched_tokens.value)}};
}

/// TensorRT-LLM keeps the whole context in window layers, unless windows are set.
KvLayout tensorrt_llm_layout(const ResolvedServing& serving) {
  const ServingPlan& plan = serving.plan;
  const bool windows = plan.full_window_cache.given && !plan.full_window_cache.value;
  return {{pool_of_kinds(kv_layer_kinds(serving), stage_share(serving), plan.block_tokens.value,
                         windows, plan.block_tokens.value)}};
}

}  // namespace

std::int64_t units_of(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit;
}

std::int64_t whole(double count) {
  constexpr double most = 1e15;
  return static_cast<std::int64_t>(std::floor(std::clamp(count, 0.0, most)));
}

std::int64_t KvGroup::blocks(std::int64_t length) const {
  if (is_state) return 1 + spare_blocks;
  const std::int64_t kept = most_tokens ? std::min(length, *most_tokens) : length;
  return units_of(kept, tokens) + spare_blocks;
}

Bytes KvPool::sequence(std::int64_t length) const {
  Bytes total;
  for (const KvGroup& group : groups) total += group.block * number(group.blocks(length));
  return total;
}

Bytes KvLayout::sequence(std::int64_t length) const {
  Bytes total;
  for (const KvPool& pool : pools) total += pool.sequence(length);
  return total;
}

Bytes KvLayout::per_token() const {
  Bytes total;
  for (const KvPool& pool : pools) {
    for (const KvGroup& group : pool.groups) {
      if (group.grows()) total += group.block / number(group.tokens);
    }
  }
  return total;
}

std::int64_t KvLayout::sequences(Bytes kv, std::int64_t length, std::int64_t most) const {
  std::int64_t count = most;
  for (const KvPool& pool : pools) {
    const Bytes need = pool.sequence(length);
    if (need.value() > 0) count = std::min(count, whole(kv * pool.share / need));
  }
  return count;
}

std::int64_t KvLayout::longest(Bytes kv, std::int64_t count, std::int64_t most) const {
  return largest_where(1, most,
                       [&](std::int64_t length) { return sequences(kv, length, count) >= count; });
}

std::int64_t attention_ways(const ResolvedServing& serving) {
  const std::int64_t ranks = serving.plan.tensor.value;
  if (!serving.plan.attention_dp.value) return ranks;
  return std::max<std::int64_t>(1, ranks / attention_replicas(serving));
}

std::int64_t attention_replicas(const ResolvedServing& serving) {
  const ServingPlan& plan = serving.plan;
  const bool all_ranks = plan.attention_dp.value && plan.engine == Engine::tensorrt_llm;
  return std::max<std::int64_t>(1, all_ranks ? plan.tensor.value : plan.data.value);
}

std::int64_t sequences_at_start(const ServingPlan& plan) {
  if (plan.engine != Engine::llama_cpp) return 1;
  if (!plan.kv_token_limit.given) return plan.max_sequences.value;
  return std::max<std::int64_t>(1, plan.kv_token_limit.value / plan.max_model_len.value);
}

std::int64_t allowed_sequences(const ResolvedServing& serving) {
  const ServingPlan& plan = serving.plan;
  const bool of_all = plan.engine == Engine::sglang && plan.attention_dp.value;
  return plan.max_sequences.value * (of_all ? 1 : attention_replicas(serving));
}

double stage_share(const ResolvedServing& serving) {
  const std::int64_t layers = layer_count(serving.server.model);
  const std::int64_t stages = std::max<std::int64_t>(1, serving.plan.pipeline.value);
  return number(units_of(layers, stages)) / number(layers);
}

std::int64_t offloaded_layers(const ResolvedServing& serving) {
  const Given<std::int64_t>& asked = serving.plan.gpu_layers;
  const std::int64_t layers = layer_count(serving.server.model);
  const bool all = serving.plan.engine != Engine::llama_cpp || !asked.given || asked.value < 0;
  return all ? layers : std::min(asked.value, layers);
}

KvLayout kv_layout(const ResolvedServing& serving) {
  switch (serving.plan.engine) {
    case Engine::vllm:
      return {{vllm_kv_pool(serving)}};
    case Engine::sglang:
      return sglang_layout(serving);
    case Engine::tensorrt_llm:
      return tensorrt_llm_layout(serving);
    case Engine::llama_cpp:
      break;
  }
  return llama_cpp_layout(serving);
}

std::optional<std::int64_t> reported_tokens(const ResolvedServing& serving, const KvLayout& layout,
                                            Bytes kv) {
  if (kv_elements_per_token(serving.server.model) == 0) return std::nullopt;
  if (serving.plan.engine == Engine::vllm) return vllm_reported_tokens(serving, layout, kv);
  const KvPool& pool = layout.pools.front();  // that of the layers with the whole context
  Bytes block;
  std::int64_t tokens = 1;
  for (const KvGroup& group : pool.groups) {
    if (group.is_state) continue;
    block += group.block;
    tokens = group.tokens;
  }
  if (!(block.value() > 0)) return std::nullopt;
  return whole(std::floor(kv * pool.share / block) * number(tokens));
}

Bytes bytes_of_tokens(const KvLayout& layout, std::int64_t tokens) {
  Bytes most;
  for (const KvPool& pool : layout.pools) {
    Bytes need;
    for (const KvGroup& group : pool.groups) {
      if (group.grows()) need += group.block * number(tokens / group.tokens);
    }
    most = std::max(most, need / pool.share);
  }
  return most;
}

}  // namespace roofline
