// Layers that keep a constant state instead of a cache. The state is read (where there is one) and
// written once a sequence and step; the recurrence runs on every token.
#include "base/number.hpp"
#include "cost/cost_list.hpp"

namespace roofline {
namespace {

constexpr std::int64_t tap_flop = 2;  // a multiply-add

double flop_of(const Mamba1& m) {
  // dA = exp(dt A) as dt A, dt B x, h = dA h + dt B x, y = C h
  constexpr std::int64_t state_flop = 6;
  return number(m.inner * (tap_flop * m.convolution + state_flop * m.state));
}

double flop_of(const Mamba2& m) {
  // h = a h + (dt x) B, y = C h
  constexpr std::int64_t state_flop = 5;
  const std::int64_t inner = m.heads * m.head_dim;
  const std::int64_t mixed = inner + 2 * m.groups * m.state;
  return number(tap_flop * m.convolution * mixed + state_flop * inner * m.state);
}

double flop_of(const GatedDelta& g) {
  // S = g S, S k, S + (v - S k) k, S q
  constexpr std::int64_t state_flop = 7;
  const std::int64_t keys = g.key_heads * g.key_dim;
  const std::int64_t values = g.value_heads * g.value_dim;
  return number(tap_flop * g.convolution * (2 * keys + values) + state_flop * values * g.key_dim);
}

double flop_of(const LinearAttention& l) {
  // S = g S + k v, S q
  constexpr std::int64_t state_flop = 5;
  return number(state_flop * l.heads * l.head_dim * l.head_dim);
}

template <class Other>
double flop_of(const Other& /*no recurrence*/) {
  return 0;
}

/// The recurrence of every token, and the state of every sequence; `width` elements go in and out.
void add_recurrence(const Mixer& mixer, std::int64_t width, CostList& list) {
  const StateSize size = state_size(mixer);
  Operator& op = list.add("recurrence", Operands::state);
  op.ways = list.deployment().tensor;
  op.flops = Flops(list.tokens() * recurrence_flop(mixer) * list.layers() / list.ways());
  double moves = 0;  // a prompt without a cached prefix has no state to read
  for (const StepGroup& group : list.step().groups) {
    moves += number(group.count) * (group.cached_tokens > 0 ? 2 : 1);
  }
  op.state =
      (list.state() * number(size.recurrent) + list.activation() * number(size.convolution)) *
      (moves * list.layers() / list.ways());
  op.activations =
      list.activation() * (list.tokens() * number(width) * list.layers() / list.ways());
}

}  // namespace

double recurrence_flop(const Mixer& mixer) {
  return std::visit([](const auto& m) { return flop_of(m); }, mixer);
}

void add_operators(const Mamba1& m, CostList& list) {
  const std::int64_t h = list.hidden_size();
  list.linear("in", Part::mixer, h, 2 * m.inner);
  list.linear("x", Part::mixer, m.inner, m.step_rank + 2 * m.state, CostList::Split::inputs);
  list.linear("dt", Part::mixer, m.step_rank, m.inner);
  add_recurrence(m, 2 * m.inner, list);
  list.linear("out", Part::mixer, m.inner, h, CostList::Split::inputs);
}

void add_operators(const Mamba2& m, CostList& list) {
  const std::int64_t h = list.hidden_size();
  const std::int64_t inner = m.heads * m.head_dim;
  const std::int64_t mixed = inner + 2 * m.groups * m.state;
  list.linear("in", Part::mixer, h, inner + mixed + m.heads);
  add_recurrence(m, mixed + inner, list);
  list.linear("out", Part::mixer, inner, h, CostList::Split::inputs);
}

void add_operators(const GatedDelta& g, CostList& list) {
  const std::int64_t h = list.hidden_size();
  const std::int64_t keys = g.key_heads * g.key_dim;
  const std::int64_t values = g.value_heads * g.value_dim;
  list.linear("qkvz", Part::mixer, h, 2 * keys + 2 * values);
  list.linear("ba", Part::mixer, h, 2 * g.value_heads);
  add_recurrence(g, 2 * keys + 2 * values, list);
  list.linear("out", Part::mixer, values, h, CostList::Split::inputs);
}

void add_operators(const LinearAttention& l, CostList& list) {
  const std::int64_t h = list.hidden_size();
  const std::int64_t width = l.heads * l.head_dim;
  list.linear("linear qkv", Part::mixer, h, 3 * width);
  list.linear("linear gate", Part::mixer, h, width);
  add_recurrence(l, 4 * width, list);
  list.linear("linear out", Part::mixer, width, h, CostList::Split::inputs);
}

}  // namespace roofline
