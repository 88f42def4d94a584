// Multi-head latent attention. A group of sequences takes the form with the fewer FLOP: absorbed
// (heads attend the latent itself: decode) or expanded (the latent is unfolded: a prompt).
#include "base/number.hpp"
#include "cost/cost_list.hpp"

namespace roofline {

LatentCost latent_cost(const LatentAttention& a, const StepGroup& group, bool causal) {
  const double n = number(group.count);
  const double q = number(group.new_tokens);
  const double heads = number(a.heads);
  const double absorbed_width = heads * number(2 * a.kv_rank + a.rope_dim);
  const double expanded_width = heads * number(a.nope_dim + a.rope_dim + a.value_dim);
  const double unfolded = heads * number(a.nope_dim + a.value_dim);
  LatentCost cost;
  cost.pairs = attended_pairs(group.new_tokens, group.cached_tokens, std::nullopt, causal);
  cost.span = number(group.cached_tokens + group.new_tokens);
  const double absorbed = cost.pairs * absorbed_width + q * number(a.kv_rank) * unfolded;
  const double expanded = cost.pairs * expanded_width + cost.span * number(a.kv_rank) * unfolded;
  cost.absorbed = absorbed <= expanded;
  if (cost.absorbed) {
    cost.unfolded_rows = n * q;
    cost.flops = Flops(2 * n * cost.pairs * absorbed_width);
    cost.activations = n * q * absorbed_width;
  } else {
    cost.unfolded_rows = n * cost.span;
    cost.flops = Flops(2 * n * cost.pairs * expanded_width);
    cost.activations = n * cost.span * unfolded + n * q * expanded_width;
    cost.shared_activations = n * cost.span * number(a.rope_dim);
  }
  return cost;
}

void add_operators(const LatentAttention& a, CostList& list) {
  const std::int64_t h = list.hidden_size();
  const std::int64_t query = a.heads * (a.nope_dim + a.rope_dim);
  if (a.query_rank) {
    list.linear("q_a", Part::mixer, h, *a.query_rank);
    list.linear("q_b", Part::mixer, *a.query_rank, query);
  } else {
    list.linear("q", Part::mixer, h, query);
  }
  list.linear("kv_a", Part::mixer, h, a.kv_rank + a.rope_dim);
  double unfolded_rows = 0;
  Flops flops;
  Bytes kv;
  Bytes activations;
  for (const StepGroup& group : list.step().groups) {
    const LatentCost cost = latent_cost(a, group, list.step().causal);
    unfolded_rows += cost.unfolded_rows;
    flops += cost.flops * (list.layers() / list.ways());
    kv += list.cache() *
          (number(group.count) * cost.span * number(a.kv_rank + a.rope_dim) * list.layers());
    activations += list.activation() *
                   ((cost.activations / list.ways() + cost.shared_activations) * list.layers());
  }
  list.linear_over(unfolded_rows, "kv_b", Part::mixer, a.kv_rank,
                   a.heads * (a.nope_dim + a.value_dim));
  Operator& op = list.add("attention", Operands::cache);
  op.flops = flops;
  op.kv = kv;
  op.activations = activations;
  op.ways = list.deployment().tensor;
  list.linear("o", Part::mixer, a.heads * a.value_dim, h, CostList::Split::inputs);
}

}  // namespace roofline
