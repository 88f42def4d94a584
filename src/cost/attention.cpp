// Softmax attention with K/V heads, whole or within a window or chunk.
#include "base/number.hpp"
#include "cost/cost_list.hpp"

namespace roofline {

void add_operators(const Attention& attention, CostList& list) {
  const std::int64_t h = list.hidden_size();
  const std::int64_t query = attention.query_heads * attention.head_dim;
  const std::int64_t kv = 2 * attention.kv_heads * attention.head_dim;
  const std::int64_t projected = (attention.output_gate ? 2 : 1) * query;
  if (attention.reuses_cache) {
    list.linear("q", Part::mixer, h, projected);
  } else {
    list.linear("qkv", Part::mixer, h, projected + kv);
  }
  const std::int64_t tensor = list.deployment().tensor;
  const std::int64_t own_kv = 2 * device_kv_heads(attention, tensor) * attention.head_dim;
  const double own_query = number(query) / list.ways();
  Operator& op = list.add("attention", Operands::cache);
  op.window = attention.chunk ? attention.chunk : attention.window;
  op.chunked = attention.chunk.has_value();
  op.ways = tensor;
  for (const StepGroup& group : list.step().groups) {
    const double sequences = number(group.count) * list.layers();
    const double pairs = attended_pairs(attention, group, list.step().causal);
    op.flops += Flops(4 * sequences * own_query * pairs);
    op.kv += list.cache() * (sequences * kv_span(attention, group) * number(own_kv));
    op.activations += list.activation() * (sequences * number(group.new_tokens) * 2 * own_query);
  }
  list.linear("o", Part::mixer, query, h, CostList::Split::inputs);
}

}  // namespace roofline
