// The operators of a step, each formula with its numbers: matrices here, the mixers beside it.
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

std::string token_numbers(const Step& step) {
  Sum numbers;
  for (const StepGroup& group : step.groups) {
    numbers.add(fmt::format("{} * {}", group.count, group.new_tokens));
  }
  return numbers.text();
}

std::string divided(std::int64_t ways) {
  return ways == 1 ? "" : fmt::format(" / {}", ways);
}

std::string divided(std::int64_t ways, const char* symbol) {
  return ways == 1 ? "" : fmt::format(" / {}", symbol);
}

std::string rounded_up(std::int64_t count, std::int64_t ways) {
  return fmt::format("(({} + {} - 1) // {})", count, ways, ways);
}

std::string own_kv_heads(const Attention& attention, std::int64_t tensor) {
  return tensor == 1 ? fmt::format("{}", attention.kv_heads)
                     : rounded_up(attention.kv_heads, tensor);
}

std::string name_of(const Context& c, const Operator& op) {
  std::string marks;
  if (op.window) marks = fmt::format("{} {}", op.chunked ? "chunk" : "window", *op.window);
  const auto& all = c.analysis.operators;
  const auto same = std::count_if(all.begin(), all.end(), [&](const Operator& other) {
    return other.name == op.name && other.window == op.window && other.chunked == op.chunked;
  });
  if (same > 1) {
    marks += fmt::format("{}{} {}", marks.empty() ? "" : ", ", op.layers,
                         op.layers == 1 ? "layer" : "layers");
  }
  return marks.empty() ? std::string(op.name) : fmt::format("{} ({})", op.name, marks);
}

namespace {

/// The symbol of the rows that a linear map runs on.
const char* rows_symbol(const Operator& op) {
  if (op.name == "lm_head") return "R";
  return op.name == "kv_b" ? "U" : "T";
}

/// "(K + N / G)": the dimension that is split divides.
std::string width_of(const Operator& op, const std::string& inputs, const std::string& outputs,
                     const std::string& by) {
  return fmt::format("({}{} + {}{})", inputs, op.split_inputs ? by : "", outputs,
                     op.split_inputs ? "" : by);
}

std::string width_numbers(const Operator& op) {
  return width_of(op, fmt::format("{}", op.inputs), fmt::format("{}", op.outputs),
                  divided(op.ways));
}

void derive_linear(const Context& c, const Operator& op) {
  const std::string name = name_of(c, op);
  const char* rows = rows_symbol(op);
  const std::string by = divided(op.ways, "G");
  const std::string shape =
      fmt::format("{} * {} * {}{}", op.inputs, op.outputs, op.layers, divided(op.ways));
  c.d.add(name + ": FLOP", fmt::format("2 {} K N L{}", rows, by),
          fmt::format("2 * {} * {}", number(op.rows), shape), op.flops.value(), "FLOP");
  c.d.add(name + ": weights", "w K N L" + by,
          fmt::format("{} * {}", size(c.precision.weights[op.part]), shape), op.weights.value(),
          "bytes");
  c.d.add(name + ": activations", fmt::format("a {} {} L", rows, width_of(op, "K", "N", by)),
          fmt::format("{} * {} * {} * {}", size(c.precision.activations), number(op.rows),
                      width_numbers(op), op.layers),
          op.activations.value(), "bytes");
}

/// The tokens that meet at a device's experts: of all replicas that share them.
double expert_tokens(const Step& step) {
  return step.joined_tokens > 0 ? step.joined_tokens : new_tokens(step);
}

/// Experts are spread over X devices, each cut into G / X slices: in all over the larger of the
/// two.
void derive_routed(const Context& c, const Operator& op, const Experts& experts) {
  const std::string name = name_of(c, op);
  const std::int64_t spread = c.deployment.expert;
  const std::int64_t all = spread * op.ways;
  const std::string rows = c.step.joined_tokens > 0 ? "J k" : "T k";
  const double tokens = expert_tokens(c.step);
  const std::string row_numbers = number(tokens * static_cast<double>(experts.per_token));
  const std::string by = divided(all, op.ways > 1 ? "G" : "X");
  const std::string shape = fmt::format("{} * {} * {}", op.inputs, op.outputs, op.layers);
  c.d.add(name + ": FLOP", fmt::format("2 {} K N L{}", rows, by),
          fmt::format("2 * {} * {}{}", row_numbers, shape, divided(all)), op.flops.value(), "FLOP");
  c.d.add(name + ": weights", "w K N L D" + by,
          fmt::format("{} * {} * {}{}", size(c.precision.weights[op.part]), shape,
                      number(distinct_experts(experts, tokens, c.step.experts)), divided(all)),
          op.weights.value(), "bytes");
  const std::string slices = divided(op.ways, spread > 1 ? "(G / X)" : "G");
  c.d.add(name + ": activations",
          fmt::format("a {} {} L{}", rows, width_of(op, "K", "N", slices), divided(spread, "X")),
          fmt::format("{} * {} * {} * {}{}", size(c.precision.activations), row_numbers,
                      width_numbers(op), op.layers, divided(spread)),
          op.activations.value(), "bytes");
}

void derive_distinct(const Context& c, const Experts& experts) {
  const double tokens = expert_tokens(c.step);
  const double distinct = distinct_experts(experts, tokens, c.step.experts);
  if (c.step.experts.kind == ExpertChoice::Kind::expected) {
    c.d.add("distinct experts, D",
            c.step.joined_tokens > 0 ? "E (1 - (1 - k / E)^J)" : "E (1 - (1 - k / E)^T)",
            fmt::format("{} * (1 - (1 - {} / {}) ** {})", experts.count, experts.per_token,
                        experts.count, number(tokens)),
            distinct, "experts");
  } else {
    c.d.add("distinct experts, D", "as --experts says", number(distinct), distinct, "experts");
  }
}

/// T, and where they are not the same those of all replicas, those at the experts, logit rows.
void derive_tokens(const Context& c, const AnalyzePoint& point) {
  const std::int64_t replicas = c.deployment.data;
  const double tokens = new_tokens(c.step);
  if (replicas > 1) {
    const Step whole = step_of(point.workload.workload);
    c.d.add("new tokens of all replicas", "n q", token_numbers(whole), new_tokens(whole), "tokens");
    c.d.add("new tokens, T", "n q of the fullest replica", token_numbers(c.step), tokens, "tokens");
    if (c.step.joined_tokens > 0) {
      const Deployment groups{.data = replicas / c.deployment.joined_replicas()};
      c.d.add("tokens at the experts, J", "n q of the fullest X / G replicas",
              token_numbers(replica_step(whole, groups)), c.step.joined_tokens, "tokens");
    }
  } else {
    c.d.add("new tokens, T", "n q", token_numbers(c.step), tokens, "tokens");
  }
  Sum rows;
  double logit_rows = 0;
  bool several = false;
  for (const StepGroup& group : c.step.groups) {
    rows.add(fmt::format("{} * {}", group.count, group.logit_rows));
    logit_rows += static_cast<double>(group.count) * static_cast<double>(group.logit_rows);
    several = several || group.logit_rows > 1;
  }
  if (several) c.d.add("logit rows, R", "n rows of each", rows.text(), logit_rows, "rows");
}

void derive_embedding(const Context& c, const Model& model, const Operator& op) {
  const bool second = model.lookup_width > 0;
  const std::string width = second ? fmt::format("({} + {})", model.hidden_size, model.lookup_width)
                                   : fmt::format("{}", model.hidden_size);
  c.d.add("embedding: activations", second ? "2 a T (h + second table)" : "2 a T h",
          fmt::format("2 * {} * {} * {}", size(c.precision.activations), number(new_tokens(c.step)),
                      width),
          op.activations.value(), "bytes");
}

/// The mixers and experts of a model, in the order in which their operators run.
struct Layers {
  std::vector<const Mixer*> mixers;
  std::vector<const Experts*> experts;
};

Layers layers_of(const Model& model) {
  Layers layers;
  for (const LayerGroup& layer : model.layers) {
    if (!std::holds_alternative<std::monostate>(layer.mixer)) layers.mixers.push_back(&layer.mixer);
    const auto* experts = std::get_if<Experts>(&layer.feed_forward);
    if (experts != nullptr) layers.experts.push_back(experts);
  }
  return layers;
}

void derive_all_distinct(const Context& c, const Layers& layers) {
  std::vector<Experts> seen;
  for (const Experts* experts : layers.experts) {
    if (std::find(seen.begin(), seen.end(), *experts) != seen.end()) continue;
    derive_distinct(c, *experts);
    seen.push_back(*experts);
  }
}

}  // namespace

void derive_operators(Derivation& d, const Model& model, const AnalyzePoint& point) {
  const auto& analysis = std::get<StepAnalysis>(point.detail);
  const Context c{d, analysis, analysis.step, analysis.precision, analysis.deployment};
  const Layers layers = layers_of(model);
  derive_tokens(c, point);
  derive_all_distinct(c, layers);
  std::size_t mixer = 0;
  std::size_t experts = 0;  // of this layer and before: a router comes before its experts
  for (const Operator& op : analysis.operators) {
    if (op.operands == Operands::none) {
      derive_embedding(c, model, op);
    } else if (op.operands != Operands::weights) {
      ensure(mixer < layers.mixers.size(), "operators of another model");
      derive_mixer(c, op, *layers.mixers[mixer++]);
    } else if (op.part == Part::experts) {
      ensure(experts > 0 && experts <= layers.experts.size(), "operators of another model");
      derive_routed(c, op, *layers.experts[experts - 1]);
    } else {
      if (op.part == Part::router) ++experts;
      derive_linear(c, op);
    }
  }
}

}  // namespace roofline::derivation
