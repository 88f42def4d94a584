#include "spec/model_limits.hpp"

#include <fmt/format.h>

namespace roofline {
namespace {

constexpr std::int64_t widest_hidden = 1'000'000;
constexpr std::int64_t widest = 10'000'000;  // of anything that a matrix leads to
constexpr std::int64_t most_layers = 10'000;
constexpr std::int64_t most_rows = 100'000'000;

using Problem = std::optional<std::string>;

Problem product(std::int64_t a, const char* what, std::int64_t b, const char* each) {
  if (a <= widest && b <= widest && a * b <= widest) return std::nullopt;
  return fmt::format("{} {} of {} {} are out of range", a, what, b, each);
}

Problem problem_of(const std::monostate& /*none*/) {
  return std::nullopt;
}
Problem problem_of(const Attention& a) {
  return product(a.query_heads, "heads", a.head_dim, "elements");
}
Problem problem_of(const LatentAttention& a) {
  if (auto problem = product(1, "latent", a.kv_rank, "elements")) return problem;
  if (auto problem = product(1, "latent", a.query_rank.value_or(0), "elements")) return problem;
  for (const std::int64_t size : {a.rope_dim, a.nope_dim, a.value_dim}) {
    if (auto problem = product(a.heads, "heads", size, "elements")) return problem;
  }
  return std::nullopt;
}
Problem problem_of(const Mamba1& m) {
  return product(m.inner, "channels", 1, "element");
}
Problem problem_of(const Mamba2& m) {
  if (auto problem = product(m.heads, "heads", m.head_dim, "channels")) return problem;
  return product(m.groups, "groups", m.state, "elements");
}
Problem problem_of(const GatedDelta& g) {
  if (auto problem = product(g.key_heads, "key heads", g.key_dim, "elements")) return problem;
  return product(g.value_heads, "value heads", g.value_dim, "elements");
}
Problem problem_of(const LinearAttention& l) {
  return product(l.heads, "heads", l.head_dim, "elements");
}
Problem problem_of(const Mlp& mlp) {
  return product(1, "MLP", mlp.width, "channels");
}
Problem problem_of(const Experts& e) {
  if (auto problem = product(1, "shared MLP", e.shared_width, "channels")) return problem;
  return product(e.count, "experts", e.width, "channels");
}

}  // namespace

std::optional<std::string> size_problem(const Model& model) {
  if (model.hidden_size > widest_hidden) {
    return fmt::format("a hidden size of {} is out of range", model.hidden_size);
  }
  if (model.vocabulary + model.learned_positions + model.lookup_rows > most_rows ||
      model.lookup_width > widest) {
    return fmt::format("{} rows of embeddings are out of range",
                       model.vocabulary + model.learned_positions + model.lookup_rows);
  }
  if (layer_count(model) > most_layers) {
    return fmt::format("{} layers are out of range", layer_count(model));
  }
  for (const LayerGroup& group : model.layers) {
    Problem problem = std::visit([](const auto& m) { return problem_of(m); }, group.mixer);
    if (!problem) {
      problem = std::visit([](const auto& f) { return problem_of(f); }, group.feed_forward);
    }
    if (problem) return problem;
  }
  return std::nullopt;
}

}  // namespace roofline
