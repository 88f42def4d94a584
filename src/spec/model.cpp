// Parameter counts from the architecture: every matrix, bias and norm, exactly.
#include "roofline/model.hpp"

#include <algorithm>

namespace roofline {
namespace {

/// Matrices and vectors of one layer's mixer.
struct Size {
  std::int64_t matrices = 0;
  std::int64_t vectors = 0;
};

Size size_of(const std::monostate& /*none*/, std::int64_t /*h*/) {
  return {};
}

Size size_of(const Attention& a, std::int64_t h) {
  const std::int64_t query = a.query_heads * a.head_dim;
  const std::int64_t qkv = (a.output_gate ? 2 : 1) * query + 2 * a.kv_heads * a.head_dim;
  return {.matrices = h * (qkv + query),
          .vectors = (a.qkv_bias ? qkv : 0) + (a.output_bias ? h : 0)};
}

Size size_of(const LatentAttention& a, std::int64_t h) {
  const std::int64_t query = a.heads * (a.nope_dim + a.rope_dim);
  const std::int64_t queries = a.query_rank ? h * *a.query_rank + *a.query_rank * query : h * query;
  return {.matrices = queries + h * (a.kv_rank + a.rope_dim) +
                      a.kv_rank * a.heads * (a.nope_dim + a.value_dim) + a.heads * a.value_dim * h,
          .vectors = a.query_rank.value_or(0) + a.kv_rank};
}

Size size_of(const Mamba1& m, std::int64_t h) {
  return {.matrices = 2 * h * m.inner + m.inner * (m.step_rank + 2 * m.state) +
                      m.step_rank * m.inner + m.inner * h,
          .vectors = m.inner * m.convolution + m.inner + m.inner + m.inner * m.state + m.inner +
                     m.vectors};
}

Size size_of(const Mamba2& m, std::int64_t h) {
  const std::int64_t inner = m.heads * m.head_dim;
  const std::int64_t mixed = inner + 2 * m.groups * m.state;
  return {.matrices = h * (inner + mixed + m.heads) + inner * h,
          .vectors = mixed * m.convolution + mixed + 3 * m.heads + inner + m.vectors};
}

Size size_of(const GatedDelta& g, std::int64_t h) {
  const std::int64_t keys = g.key_heads * g.key_dim;
  const std::int64_t values = g.value_heads * g.value_dim;
  return {.matrices = h * (2 * keys + 2 * values) + h * 2 * g.value_heads + values * h,
          .vectors = (2 * keys + values) * g.convolution + 2 * g.value_heads + g.value_dim};
}

Size size_of(const LinearAttention& l, std::int64_t h) {
  const std::int64_t width = l.heads * l.head_dim;
  return {.matrices = 5 * h * width, .vectors = width};
}

std::int64_t mlp_matrices(std::int64_t h, std::int64_t width, bool gated) {
  return (gated ? 3 : 2) * h * width;
}

std::int64_t mlp_biases(std::int64_t h, std::int64_t width, bool gated) {
  return (gated ? 2 : 1) * width + h;
}

class Counter {
 public:
  explicit Counter(const Model& model) : h_(model.hidden_size) {}

  void add(Part part, std::int64_t parameters) { count_.parts[part] += parameters; }

  void add_layers(const LayerGroup& group) {
    const Size mixer = std::visit([&](const auto& m) { return size_of(m, h_); }, group.mixer);
    add(Part::mixer, group.count * mixer.matrices);
    add(Part::vectors, group.count * (mixer.vectors + group.norm_parameters));
    for (const LinearMap& map : group.extra_maps) {
      add(Part::mlp, group.count * map.inputs * map.outputs);
    }
    if (const auto* mlp = std::get_if<Mlp>(&group.feed_forward)) {
      add(Part::mlp, group.count * mlp_matrices(h_, mlp->width, mlp->gated));
      if (mlp->bias) add(Part::vectors, group.count * mlp_biases(h_, mlp->width, mlp->gated));
    }
    if (const auto* experts = std::get_if<Experts>(&group.feed_forward)) {
      add_experts(*experts, group.count);
    }
  }

  void add_idle(std::int64_t parameters) { count_.idle += parameters; }

  [[nodiscard]] const ParameterCount& count() const { return count_; }

 private:
  void add_experts(const Experts& e, std::int64_t layers) {
    const std::int64_t matrices = mlp_matrices(h_, e.width, e.gated);
    const std::int64_t biases = e.bias ? mlp_biases(h_, e.width, e.gated) : 0;
    add(Part::experts, layers * e.count * matrices);
    add(Part::vectors, layers * (e.count * biases + (e.router_bias ? e.count : 0)));
    add(Part::shared_experts, layers * mlp_matrices(h_, e.shared_width, e.gated));
    add(Part::router, layers * h_ * (e.count + (e.shared_gate ? 1 : 0)));
    count_.idle += layers * (e.count - e.per_token) * (matrices + biases);
  }

  std::int64_t h_;
  ParameterCount count_;
};

}  // namespace

std::int64_t ParameterCount::total() const {
  std::int64_t sum = 0;
  for (const Part part : all_parts) sum += parts[part];
  return sum;
}

std::int64_t layer_count(const Model& model) {
  std::int64_t count = 0;
  for (const LayerGroup& group : model.layers) count += group.count;
  return count;
}

ParameterCount count_parameters(const Model& model) {
  const std::int64_t h = model.hidden_size;
  Counter counter(model);
  counter.add(Part::embedding, (model.vocabulary + model.learned_positions) * h +
                                   model.lookup_rows * model.lookup_width);
  counter.add_idle(model.lookup_rows * model.lookup_width);
  if (!model.tied_embeddings) counter.add(Part::lm_head, model.vocabulary * h);
  counter.add(Part::vectors, model.final_norm_parameters);
  for (const LinearMap& map : model.extra_maps) counter.add(Part::mlp, map.inputs * map.outputs);
  for (const LayerGroup& group : model.layers) counter.add_layers(group);
  return counter.count();
}

std::int64_t kv_elements(const Mixer& mixer) {
  if (const auto* attention = std::get_if<Attention>(&mixer)) {
    return attention->reuses_cache ? 0 : 2 * attention->kv_heads * attention->head_dim;
  }
  if (const auto* latent = std::get_if<LatentAttention>(&mixer)) {
    return latent->kv_rank + latent->rope_dim;
  }
  return 0;
}

std::int64_t kept_tokens(const Mixer& mixer, std::int64_t tokens) {
  const auto* attention = std::get_if<Attention>(&mixer);
  if (attention == nullptr) return tokens;
  return std::min({tokens, attention->window.value_or(tokens), attention->chunk.value_or(tokens)});
}

std::int64_t kv_elements_per_token(const Model& model) {
  std::int64_t elements = 0;
  for (const LayerGroup& group : model.layers) elements += group.count * kv_elements(group.mixer);
  return elements;
}

StateSize state_size(const Mixer& mixer) {
  if (const auto* m = std::get_if<Mamba1>(&mixer)) {
    return {.recurrent = m->inner * m->state, .convolution = m->inner * (m->convolution - 1)};
  }
  if (const auto* m = std::get_if<Mamba2>(&mixer)) {
    const std::int64_t inner = m->heads * m->head_dim;
    return {.recurrent = inner * m->state,
            .convolution = (inner + 2 * m->groups * m->state) * (m->convolution - 1)};
  }
  if (const auto* g = std::get_if<GatedDelta>(&mixer)) {
    return {.recurrent = g->value_heads * g->key_dim * g->value_dim,
            .convolution = (2 * g->key_heads * g->key_dim + g->value_heads * g->value_dim) *
                           (g->convolution - 1)};
  }
  if (const auto* l = std::get_if<LinearAttention>(&mixer)) {
    return {.recurrent = l->heads * l->head_dim * l->head_dim, .convolution = 0};
  }
  return {};
}

StateSize state_size(const Model& model) {
  StateSize sum;
  for (const LayerGroup& group : model.layers) {
    const StateSize one = state_size(group.mixer);
    sum.recurrent += group.count * one.recurrent;
    sum.convolution += group.count * one.convolution;
  }
  return sum;
}

}  // namespace roofline
