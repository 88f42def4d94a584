// What mixes tokens in a layer, each formula with its numbers: attention, latents, recurrences.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "analysis/derivation_parts.hpp"

namespace roofline::derivation {
namespace {

/// " of group 2" where there are several: in the order of the terms of T.
std::string of_group(const Context& c, const StepGroup& group) {
  if (c.step.groups.size() == 1) return {};
  return fmt::format(" of group {}", &group - c.step.groups.data() + 1);
}

void derive_span(const Context& c, const std::string& name, const StepGroup& group,
                 const Attention& attention) {
  const std::int64_t q = group.new_tokens;
  const std::int64_t p = group.cached_tokens;
  const double span = kv_span(attention, group);
  const std::string quantity = name + ": tokens of K/V, s" + of_group(c, group);
  if (attention.chunk) {
    c.d.add(quantity, "p mod W + q", fmt::format("{} % {} + {}", p, *attention.chunk, q), span,
            "tokens");
  } else if (attention.window) {
    c.d.add(quantity, "min(p + q, W + q - 1)",
            fmt::format("min({} + {}, {} + {} - 1)", p, q, *attention.window, q), span, "tokens");
  } else {
    c.d.add(quantity, "p + q", fmt::format("{} + {}", p, q), span, "tokens");
  }
}

void derive_pairs(const Context& c, const std::string& name, const StepGroup& group,
                  const Attention& attention) {
  const std::int64_t q = group.new_tokens;
  const std::int64_t p = group.cached_tokens;
  const double pairs = attended_pairs(attention, group, c.step.causal);
  const std::string quantity = name + ": pairs, A" + of_group(c, group);
  if (!c.step.causal) {
    c.d.add(quantity, "q (p + q)", fmt::format("{} * ({} + {})", q, p, q), pairs, "pairs");
  } else if (attention.chunk) {
    const std::int64_t w = *attention.chunk;
    const auto before = [w](std::int64_t n) {
      return fmt::format("{} // {} * {} * ({} + 1) / 2 + {} % {} * ({} % {} + 1) / 2", n, w, w, w,
                         n, w, n, w);
    };
    c.d.add(quantity, "B(p + q) - B(p), B(n) = whole chunks W (W + 1) / 2 + r (r + 1) / 2",
            fmt::format("({}) - ({})", before(p + q), before(p)), pairs, "pairs");
  } else if (attention.window) {
    const std::int64_t w = *attention.window;
    const std::int64_t g = std::clamp<std::int64_t>(w - p, 0, q);
    c.d.add(quantity, "g p + g (g + 1) / 2 + (q - g) W, g = min(max(W - p, 0), q)",
            fmt::format("{} * {} + {} * ({} + 1) / 2 + ({} - {}) * {}", g, p, g, g, q, g, w), pairs,
            "pairs");
  } else {
    c.d.add(quantity, "q p + q (q + 1) / 2", fmt::format("{} * {} + {} * ({} + 1) / 2", q, p, q, q),
            pairs, "pairs");
  }
}

void derive_attention(const Context& c, const Operator& op, const Attention& attention) {
  const std::string name = name_of(c, op);
  const std::string by = divided(op.ways, "G");
  Sum flop;
  Sum kv;
  Sum activations;
  for (const StepGroup& group : c.step.groups) {
    derive_span(c, name, group, attention);
    derive_pairs(c, name, group, attention);
    flop.add(fmt::format(
        "4 * {} * {} * {} * {} * {}{}", group.count, attention.query_heads, attention.head_dim,
        number(attended_pairs(attention, group, c.step.causal)), op.layers, divided(op.ways)));
    kv.add(fmt::format("{} * {} * {} * 2 * {} * {} * {}", size(c.precision.kv), group.count,
                       number(kv_span(attention, group)), own_kv_heads(attention, op.ways),
                       attention.head_dim, op.layers));
    activations.add(fmt::format("{} * {} * {} * 2 * {} * {} * {}{}", size(c.precision.activations),
                                group.count, group.new_tokens, attention.query_heads,
                                attention.head_dim, op.layers, divided(op.ways)));
  }
  c.d.add(name + ": FLOP", "4 n H d A L" + by, flop.text(), op.flops.value(), "FLOP");
  c.d.add(name + ": K/V", op.ways > 1 ? "c n s 2 ceil(H_kv / G) d L" : "c n s 2 H_kv d L",
          kv.text(), op.kv.value(), "bytes");
  c.d.add(name + ": activations", "a n q 2 H d L" + by, activations.text(), op.activations.value(),
          "bytes");
}

/// What a group of sequences costs a latent: FLOP, elements that are read and written.
struct LatentNumbers {
  std::string flop;
  std::string elements;
};

LatentNumbers latent_numbers(const LatentAttention& a, const StepGroup& group,
                             const LatentCost& cost, const std::string& by) {
  const std::string width =
      cost.absorbed ? fmt::format("(2 * {} + {})", a.kv_rank, a.rope_dim)
                    : fmt::format("({} + {} + {})", a.nope_dim, a.rope_dim, a.value_dim);
  const std::string unfolded = cost.absorbed ? ""
                                             : fmt::format("{} * {} * ({} * ({} + {}){} + {}) + ",
                                                           group.count, number(cost.span), a.heads,
                                                           a.nope_dim, a.value_dim, by, a.rope_dim);
  return {
      .flop = fmt::format("2 * {} * {} * {} * {}", group.count, a.heads, number(cost.pairs), width),
      .elements = fmt::format("{}{} * {} * {} * {}{}", unfolded, group.count, group.new_tokens,
                              a.heads, width, by)};
}

void derive_latent(const Context& c, const Operator& op, const LatentAttention& a) {
  const std::string name = name_of(c, op);
  const std::string by = divided(op.ways, "G");
  Sum flop;
  Sum kv;
  Sum activations;
  bool any_absorbed = false;
  bool any_expanded = false;
  for (const StepGroup& group : c.step.groups) {
    const LatentCost cost = latent_cost(a, group, c.step.causal);
    const LatentNumbers numbers = latent_numbers(a, group, cost, divided(op.ways));
    derive_pairs(c, name, group, {});
    flop.add(fmt::format("{} * {}{}", numbers.flop, op.layers, divided(op.ways)));
    kv.add(fmt::format("{} * {} * {} * ({} + {}) * {}", size(c.precision.kv), group.count,
                       number(cost.span), a.kv_rank, a.rope_dim, op.layers));
    activations.add(
        fmt::format("{} * ({}) * {}", size(c.precision.activations), numbers.elements, op.layers));
    any_absorbed = any_absorbed || cost.absorbed;
    any_expanded = any_expanded || !cost.absorbed;
  }
  std::string form = any_absorbed ? "absorbed: 2 n H A (2 r_kv + r) L" + by : "";
  if (any_expanded) {
    form += std::string(form.empty() ? "" : ", ") + "expanded: 2 n H A (u + r + v) L" + by;
  }
  c.d.add(name + ": FLOP", form, flop.text(), op.flops.value(), "FLOP");
  c.d.add(name + ": K/V", "c n s (r_kv + r) L", kv.text(), op.kv.value(), "bytes");
  c.d.add(name + ": activations",
          "queries and outputs, and what is unfolded" +
              std::string(by.empty() ? "" : ", of the own heads"),
          activations.text(), op.activations.value(), "bytes");
}

/// FLOP of one token: 2 for each tap of a convolution, more for each element of the state.
std::string recurrence_numbers(const Mixer& mixer) {
  if (const auto* m = std::get_if<Mamba1>(&mixer)) {
    return fmt::format("{} * (2 * {} + 6 * {})", m->inner, m->convolution, m->state);
  }
  if (const auto* m = std::get_if<Mamba2>(&mixer)) {
    return fmt::format("(2 * {} * ({} * {} + 2 * {} * {}) + 5 * {} * {} * {})", m->convolution,
                       m->heads, m->head_dim, m->groups, m->state, m->heads, m->head_dim, m->state);
  }
  if (const auto* g = std::get_if<GatedDelta>(&mixer)) {
    return fmt::format("(2 * {} * (2 * {} * {} + {} * {}) + 7 * {} * {} * {})", g->convolution,
                       g->key_heads, g->key_dim, g->value_heads, g->value_dim, g->value_heads,
                       g->value_dim, g->key_dim);
  }
  const auto& l = std::get<LinearAttention>(mixer);
  return fmt::format("5 * {} * {} * {}", l.heads, l.head_dim, l.head_dim);
}

void derive_recurrence(const Context& c, const Operator& op, const Mixer& mixer) {
  const std::string name = name_of(c, op);
  const std::string by = divided(op.ways, "G");
  const std::string per_device = divided(op.ways);
  const std::string tokens = number(new_tokens(c.step));
  const StateSize size_of_state = state_size(mixer);
  Sum sequences;
  for (const StepGroup& group : c.step.groups) {
    sequences.add(fmt::format("{}{}", group.cached_tokens > 0 ? "2 * " : "", group.count));
  }
  c.d.add(name + ": FLOP", "T (FLOP of the states and taps of a token) L" + by,
          fmt::format("{} * {} * {}{}", tokens, recurrence_numbers(mixer), op.layers, per_device),
          op.flops.value(), "FLOP");
  c.d.add(
      name + ": state", "reads and writes (recurrent elements times bytes + a convolution) L" + by,
      fmt::format("({}) * ({} * {} + {} * {}) * {}{}", sequences.text(), size(c.precision.state),
                  size_of_state.recurrent, size(c.precision.activations), size_of_state.convolution,
                  op.layers, per_device),
      op.state.value(), "bytes");
  const double width = op.activations.value() * static_cast<double>(op.ways) /
                       (c.precision.activations.element_size().value() * new_tokens(c.step) *
                        static_cast<double>(op.layers));
  c.d.add(name + ": activations", "a T (inputs + outputs) L" + by,
          fmt::format("{} * {} * {} * {}{}", size(c.precision.activations), tokens,
                      number(std::round(width)), op.layers, per_device),
          op.activations.value(), "bytes");
}

}  // namespace

void derive_mixer(const Context& c, const Operator& op, const Mixer& mixer) {
  if (const auto* attention = std::get_if<Attention>(&mixer)) {
    derive_attention(c, op, *attention);
  } else if (const auto* latent = std::get_if<LatentAttention>(&mixer)) {
    derive_latent(c, op, *latent);
  } else {
    derive_recurrence(c, op, mixer);
  }
}

}  // namespace roofline::derivation
