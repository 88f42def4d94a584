#include "analysis/check/engine_kv_layers.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include "analysis/check/resolve.hpp"
#include "base/number.hpp"

namespace roofline {
namespace {

/// What one layer keeps of a token.
Bytes of_token(const Mixer& mixer, const ResolvedServing& serving) {
  const Bytes key = serving.precision.kv.element_size();
  const Bytes value = serving.value_format.value_or(serving.precision.kv).element_size();
  const double elements = number(kv_elements(mixer));
  const auto* attention = std::get_if<Attention>(&mixer);
  if (attention == nullptr || attention->kv_heads == 0) return key * elements;
  const std::int64_t heads = device_kv_heads(*attention, attention_ways(serving));
  const double own = elements / number(attention->kv_heads) * number(heads);
  return (key + value) * (own / 2);
}

/// llama.cpp keeps states in fp32 throughout.
Bytes state_of(const Mixer& mixer, const ResolvedServing& serving) {
  const StateSize size = state_size(mixer);
  const Precision& precision = serving.precision;
  const bool plain = serving.plan.engine == Engine::llama_cpp;
  const Bytes fp32 = plain_format(MatrixType::fp32).element_size();
  const Bytes recurrent = plain ? fp32 : precision.state.element_size();
  const Bytes convolution = plain ? fp32 : precision.activations.element_size();
  const Bytes all = recurrent * number(size.recurrent) + convolution * number(size.convolution);
  return all / number(attention_ways(serving));
}

KvLayerKind kind_of(const LayerGroup& layer, const ResolvedServing& serving) {
  KvLayerKind kind{.layers = layer.count, .of_token = of_token(layer.mixer, serving)};
  if (const auto* attention = std::get_if<Attention>(&layer.mixer)) {
    kind.is_chunk = attention->chunk.has_value();
    kind.span = attention->chunk ? attention->chunk : attention->window;
  }
  kind.state = state_of(layer.mixer, serving);
  return kind;
}

bool alike(const KvLayerKind& a, const KvLayerKind& b) {
  return a.of_token == b.of_token && a.span == b.span && a.state == b.state;
}

/// Layers of a group: as many as the rarest kind has, or the commonest if that is not much more.
std::int64_t layers_of_group(const std::vector<KvLayerKind>& kinds) {
  std::int64_t fewest = kinds.front().layers;
  std::int64_t most = fewest;
  for (const KvLayerKind& kind : kinds) {
    fewest = std::min(fewest, kind.layers);
    most = std::max(most, kind.layers);
  }
  return 2 * most < 3 * fewest ? most : fewest;
}

/// Tokens of an attention page: those that are asked for, or as many as make it no smaller than the
/// largest state.
std::int64_t page_tokens(const std::vector<KvLayerKind>& kinds, std::int64_t asked) {
  constexpr std::int64_t unit = 16;
  Bytes state;
  Bytes token;
  for (const KvLayerKind& kind : kinds) {
    state = std::max(state, kind.state);
    token = std::max(token, kind.of_token);
  }
  if (!(token.value() > 0)) return asked;
  const auto fewest = static_cast<std::int64_t>(std::ceil(state / token));
  return std::max(asked, units_of(fewest, unit) * unit);
}

/// Every layer is billed as full attention, in one group.
KvGroup one_group(const std::vector<KvLayerKind>& kinds, double share, std::int64_t tokens) {
  KvGroup group{.block = {}, .tokens = tokens};
  for (const KvLayerKind& kind : kinds) {
    group.block += kind.of_token * (number(kind.layers) * share * number(tokens));
  }
  return group;
}

/// A window or chunk has room for the tokens of a step besides.
void limit(const KvLayerKind& kind, std::int64_t step_tokens, KvGroup& group) {
  if (!kind.span) return;
  group.most_tokens = *kind.span + step_tokens - (kind.is_chunk ? 0 : 1);
  group.spare_blocks = kind.is_chunk ? 0 : 1;
}

}  // namespace

std::vector<KvLayerKind> kv_layer_kinds(const ResolvedServing& serving) {
  std::vector<KvLayerKind> kinds;
  for (const LayerGroup& layer : serving.server.model.layers) {
    const KvLayerKind kind = kind_of(layer, serving);
    if (!kind.is_state() && !(kind.of_token.value() > 0)) continue;
    const auto known = std::find_if(kinds.begin(), kinds.end(),
                                    [&](const KvLayerKind& other) { return alike(kind, other); });
    if (known == kinds.end()) {
      kinds.push_back(kind);
    } else {
      known->layers += kind.layers;
    }
  }
  return kinds;
}

KvPool vllm_kv_pool(const ResolvedServing& serving) {
  const ServingPlan& plan = serving.plan;
  std::vector<KvLayerKind> kinds = kv_layer_kinds(serving);
  KvPool pool;
  if (kinds.empty()) return pool;
  const bool states = std::any_of(kinds.begin(), kinds.end(),
                                  [](const KvLayerKind& kind) { return kind.is_state(); });
  const bool spans = std::any_of(kinds.begin(), kinds.end(),
                                 [](const KvLayerKind& kind) { return kind.span.has_value(); });
  const std::int64_t joined = std::max<std::int64_t>(1, plan.context_parallel.value);
  const double share = stage_share(serving);
  if (!states && (!spans || (plan.full_window_cache.value && kinds.size() > 1))) {
    pool.groups.push_back(one_group(kinds, share, plan.block_tokens.value));
    pool.groups.back().tokens *= joined;
    return pool;
  }
  const std::int64_t tokens = page_tokens(kinds, plan.block_tokens.value);
  Bytes page;
  for (const KvLayerKind& kind : kinds) {
    page = std::max(page, std::max(kind.state, kind.of_token * number(tokens)));
  }
  const std::int64_t layers = layers_of_group(kinds);
  for (const KvLayerKind& kind : kinds) {
    KvGroup group{.block = page * (number(layers) * share), .is_state = kind.is_state()};
    if (!group.is_state) {
      group.tokens = joined * static_cast<std::int64_t>(page / kind.of_token);
      if (!plan.full_window_cache.value || kinds.size() == 1) {
        limit(kind, plan.batched_tokens.value, group);
      }
    }
    for (std::int64_t at = 0; at < kind.layers; at += layers) pool.groups.push_back(group);
  }
  return pool;
}

std::int64_t vllm_reported_tokens(const ResolvedServing& serving, const KvLayout& layout,
                                  Bytes kv) {
  const KvPool& pool = layout.pools.front();
  const KvGroup& first = *std::find_if(pool.groups.begin(), pool.groups.end(),
                                       [](const KvGroup& group) { return !group.is_state; });
  const double blocks = std::floor(std::max(0.0, kv / first.block));
  if (!is_at_least(serving.plan.version, "0.21")) {
    const double groups = number(static_cast<std::int64_t>(pool.groups.size()));
    return whole(std::floor(blocks / groups) * number(first.tokens));
  }
  const std::int64_t length = serving.plan.max_model_len.value;
  const double needed = std::round(pool.sequence(length) / first.block);
  return whole(blocks / needed * number(length));
}

}  // namespace roofline
