// The operators of a step, each formula with its numbers.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/derivation_parts.hpp"
#include "base/format.hpp"
#include "roofline/error.hpp"

namespace roofline::derivation {

std::string number(double value) {
  return format_exact(value);
}
std::string size(const NumberFormat& format) {
  return number(format.bits / 8);
}

namespace {

/// "32 * 1": sequences times new tokens, of each group.
std::string token_numbers(const Step& step) {
  std::string numbers;
  for (const StepGroup& group : step.groups) {
    numbers +=
        fmt::format("{}{} * {}", numbers.empty() ? "" : " + ", group.count, group.new_tokens);
  }
  return numbers;
}

/// Terms of a sum.
class Sum {
 public:
  void add(const std::string& term) { text_ += (text_.empty() ? "" : " + ") + term; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// What the derivations of a step's operators have in common.
struct Context {
  Derivation& d;
  const StepAnalysis& analysis;
  const Step& step;
  const Precision& precision;
};

/// The operator's name, with its layers where another has it too.
std::string name_of(const Context& c, const Operator& op) {
  const auto& all = c.analysis.operators;
  const auto same = std::count_if(all.begin(), all.end(),
                                  [&](const Operator& other) { return other.name == op.name; });
  if (same < 2) return std::string(op.name);
  return fmt::format("{} ({} {})", op.name, op.layers, op.layers == 1 ? "layer" : "layers");
}

/// The symbol of the rows that a linear map runs on.
const char* rows_symbol(const Operator& op) {
  if (op.part == Part::experts) return "T k";
  if (op.name == "lm_head") return "R";
  return op.name == "kv_b" ? "U" : "T";
}

void derive_linear(const Context& c, const Operator& op) {
  const std::string name = name_of(c, op);
  const char* rows = rows_symbol(op);
  const bool routed = op.part == Part::experts;
  const std::string shape = fmt::format("{} * {} * {}", op.inputs, op.outputs, op.layers);
  c.d.add(name + ": FLOP", fmt::format("2 {} K N L", rows),
          fmt::format("2 * {} * {}", number(op.rows), shape), op.flops.value(), "FLOP");
  c.d.add(name + ": weights", routed ? "w K N L D" : "w K N L",
          fmt::format("{} * {}{}", size(c.precision.weights[op.part]), shape,
                      routed ? " * " + number(op.matrices) : ""),
          op.weights.value(), "bytes");
  c.d.add(name + ": activations", fmt::format("a {} (K + N) L", rows),
          fmt::format("{} * {} * ({} + {}) * {}", size(c.precision.activations), number(op.rows),
                      op.inputs, op.outputs, op.layers),
          op.activations.value(), "bytes");
}

void derive_distinct(const Context& c, const Experts& experts) {
  const double distinct = distinct_experts(experts, new_tokens(c.step), c.step.experts);
  if (c.step.experts.kind == ExpertChoice::Kind::expected) {
    c.d.add("distinct experts, D", "E (1 - (1 - k / E)^T)",
            fmt::format("{} * (1 - (1 - {} / {}) ** {})", experts.count, experts.per_token,
                        experts.count, number(new_tokens(c.step))),
            distinct, "experts");
  } else {
    c.d.add("distinct experts, D", "as --experts says", number(distinct), distinct, "experts");
  }
}

void derive_span(const Context& c, const std::string& name, const StepGroup& group,
                 const Attention& attention) {
  const std::int64_t q = group.new_tokens;
  const std::int64_t p = group.cached_tokens;
  const double span = kv_span(attention, group);
  const std::string quantity = name + ": tokens of K/V, s";
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
  const std::string quantity = name + ": pairs, A";
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

void derive_mixer(const Context& c, const Operator& op, const Attention& attention) {
  const std::string name =
      op.window ? fmt::format("attention ({} {})", attention.chunk ? "chunk" : "window", *op.window)
                : std::string("attention");
  Sum flop;
  Sum kv;
  Sum activations;
  for (const StepGroup& group : c.step.groups) {
    derive_span(c, name, group, attention);
    derive_pairs(c, name, group, attention);
    flop.add(fmt::format("4 * {} * {} * {} * {} * {}", group.count, attention.query_heads,
                         attention.head_dim,
                         number(attended_pairs(attention, group, c.step.causal)), op.layers));
    kv.add(fmt::format("{} * {} * {} * 2 * {} * {} * {}", size(c.precision.kv), group.count,
                       number(kv_span(attention, group)), attention.kv_heads, attention.head_dim,
                       op.layers));
    activations.add(fmt::format("{} * {} * {} * 2 * {} * {} * {}", size(c.precision.activations),
                                group.count, group.new_tokens, attention.query_heads,
                                attention.head_dim, op.layers));
  }
  c.d.add(name + ": FLOP", "4 n H d A L", flop.text(), op.flops.value(), "FLOP");
  c.d.add(name + ": K/V", "c n s 2 H_kv d L", kv.text(), op.kv.value(), "bytes");
  c.d.add(name + ": activations", "a n q 2 H d L", activations.text(), op.activations.value(),
          "bytes");
}

void derive_mixer(const Context& c, const Operator& op, const LatentAttention& a) {
  const std::string name = name_of(c, op);
  Sum flop;
  Sum kv;
  Sum activations;
  bool any_absorbed = false;
  bool any_expanded = false;
  for (const StepGroup& group : c.step.groups) {
    const LatentCost cost = latent_cost(a, group, c.step.causal);
    derive_pairs(c, name, group, {});
    const std::string n = number(static_cast<double>(group.count));
    const std::string rank = fmt::format("(2 * {} + {})", a.kv_rank, a.rope_dim);
    const std::string heads = fmt::format("({} + {} + {})", a.nope_dim, a.rope_dim, a.value_dim);
    const std::string& width = cost.absorbed ? rank : heads;
    flop.add(fmt::format("2 * {} * {} * {} * {} * {}", n, a.heads, number(cost.pairs), width,
                         op.layers));
    kv.add(fmt::format("{} * {} * {} * ({} + {}) * {}", size(c.precision.kv), n, number(cost.span),
                       a.kv_rank, a.rope_dim, op.layers));
    const std::string queries =
        fmt::format("{} * {} * {} * {}", n, group.new_tokens, a.heads, width);
    const std::string unfolded =
        cost.absorbed ? ""
                      : fmt::format("{} * {} * ({} * ({} + {}) + {}) + ", n, number(cost.span),
                                    a.heads, a.nope_dim, a.value_dim, a.rope_dim);
    activations.add(fmt::format("{} * ({}{}) * {}", size(c.precision.activations), unfolded,
                                queries, op.layers));
    any_absorbed = any_absorbed || cost.absorbed;
    any_expanded = any_expanded || !cost.absorbed;
  }
  std::string form = any_absorbed ? "absorbed: 2 n H A (2 r_kv + r) L" : "";
  if (any_expanded) {
    form += std::string(form.empty() ? "" : ", ") + "expanded: 2 n H A (u + r + v) L";
  }
  c.d.add(name + ": FLOP", form, flop.text(), op.flops.value(), "FLOP");
  c.d.add(name + ": K/V", "c n s (r_kv + r) L", kv.text(), op.kv.value(), "bytes");
  c.d.add(name + ": activations", "queries and outputs, and what is unfolded", activations.text(),
          op.activations.value(), "bytes");
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
  const std::string tokens = number(new_tokens(c.step));
  const StateSize size_of_state = state_size(mixer);
  Sum sequences;
  for (const StepGroup& group : c.step.groups) {
    sequences.add(fmt::format("{}{}", group.cached_tokens > 0 ? "2 * " : "", group.count));
  }
  c.d.add(name + ": FLOP", "T (FLOP of the states and taps of a token) L",
          fmt::format("{} * {} * {}", tokens, recurrence_numbers(mixer), op.layers),
          op.flops.value(), "FLOP");
  c.d.add(name + ": state", "reads and writes (recurrent elements times bytes + a convolution) L",
          fmt::format("({}) * ({} * {} + {} * {}) * {}", sequences.text(), size(c.precision.state),
                      size_of_state.recurrent, size(c.precision.activations),
                      size_of_state.convolution, op.layers),
          op.state.value(), "bytes");
  const double width =
      op.activations.value() / (c.precision.activations.element_size().value() *
                                new_tokens(c.step) * static_cast<double>(op.layers));
  c.d.add(name + ": activations", "a T (inputs + outputs) L",
          fmt::format("{} * {} * {} * {}", size(c.precision.activations), tokens, number(width),
                      op.layers),
          op.activations.value(), "bytes");
}

void derive_mixer_of(const Context& c, const Operator& op, const Mixer& mixer) {
  if (const auto* attention = std::get_if<Attention>(&mixer)) {
    derive_mixer(c, op, *attention);
  } else if (const auto* latent = std::get_if<LatentAttention>(&mixer)) {
    derive_mixer(c, op, *latent);
  } else {
    derive_recurrence(c, op, mixer);
  }
}

}  // namespace

void derive_operators(Derivation& d, const Model& model, const StepAnalysis& analysis) {
  const Step& step = analysis.step;
  const Context c{d, analysis, step, analysis.precision};
  d.add("new tokens, T", "n q", token_numbers(step), new_tokens(step), "tokens");
  std::vector<const Mixer*> mixers;
  std::vector<Experts> seen;
  for (const LayerGroup& layer : model.layers) {
    if (!std::holds_alternative<std::monostate>(layer.mixer)) mixers.push_back(&layer.mixer);
    const auto* experts = std::get_if<Experts>(&layer.feed_forward);
    if (experts == nullptr || std::find(seen.begin(), seen.end(), *experts) != seen.end()) continue;
    derive_distinct(c, *experts);
    seen.push_back(*experts);
  }
  std::size_t next = 0;
  for (const Operator& op : analysis.operators) {
    switch (op.operands) {
      case Operands::none:
        d.add("embedding: activations",
              model.lookup_width > 0 ? "2 a T (h + second table)" : "2 a T h",
              fmt::format("2 * {} * {} * {}", size(analysis.precision.activations),
                          number(new_tokens(step)),
                          model.lookup_width > 0
                              ? fmt::format("({} + {})", model.hidden_size, model.lookup_width)
                              : fmt::format("{}", model.hidden_size)),
              op.activations.value(), "bytes");
        break;
      case Operands::cache:
      case Operands::state:
        ensure(next < mixers.size(), "operators of another model");
        derive_mixer_of(c, op, *mixers[next++]);
        break;
      case Operands::weights:
        derive_linear(c, op);
    }
  }
}

}  // namespace roofline::derivation
