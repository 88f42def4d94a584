#include "roofline/derivation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/format.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

std::string number(double value) {
  return format_exact(value);
}
std::string size(const NumberFormat& format) {
  return number(format.bits / 8);
}

class Derivation {
 public:
  void add(std::string quantity, std::string formula, std::string numbers, double value,
           std::string unit) {
    steps_.push_back(
        {std::move(quantity), std::move(formula), std::move(numbers), value, std::move(unit)});
  }

  [[nodiscard]] std::vector<DerivationStep> take() { return std::move(steps_); }

 private:
  std::vector<DerivationStep> steps_;
};

std::string joined(const std::vector<double>& values) {
  std::string result;
  for (const double value : values) {
    if (value == 0) continue;
    result += (result.empty() ? "" : " + ") + number(value);
  }
  return result.empty() ? "0" : result;
}

/// "32 * 1": sequences times new tokens, of each group.
std::string token_numbers(const Step& step) {
  std::string numbers;
  for (const StepGroup& group : step.groups) {
    numbers +=
        fmt::format("{}{} * {}", numbers.empty() ? "" : " + ", group.count, group.new_tokens);
  }
  return numbers;
}

void derive_linear(Derivation& d, const Operator& op, double rows, const char* rows_symbol,
                   const NumberFormat& weights, const NumberFormat& activations) {
  const std::string name(op.name);
  const std::string shape = fmt::format("{} * {} * {}", op.inputs, op.outputs, op.layers);
  d.add(name + ": FLOP", fmt::format("2 {} K N L", rows_symbol),
        fmt::format("2 * {} * {}", number(rows), shape), op.flops.value(), "FLOP");
  d.add(name + ": weights", "w K N L", fmt::format("{} * {}", size(weights), shape),
        op.weights.value(), "bytes");
  d.add(name + ": activations", fmt::format("a {} (K + N) L", rows_symbol),
        fmt::format("{} * {} * ({} + {}) * {}", size(activations), number(rows), op.inputs,
                    op.outputs, op.layers),
        op.activations.value(), "bytes");
}

void derive_pairs(Derivation& d, const std::string& name, const StepGroup& group,
                  std::optional<std::int64_t> window, bool causal) {
  const std::int64_t q = group.new_tokens;
  const std::int64_t p = group.cached_tokens;
  const double pairs = attended_pairs(q, p, window, causal);
  const double span = kv_span(q, p, window);
  if (window) {
    d.add(name + ": tokens of K/V, s", "min(p + q, W + q - 1)",
          fmt::format("min({} + {}, {} + {} - 1)", p, q, *window, q), span, "tokens");
  } else {
    d.add(name + ": tokens of K/V, s", "p + q", fmt::format("{} + {}", p, q), span, "tokens");
  }
  if (!causal) {
    d.add(name + ": pairs, A", "q (p + q)", fmt::format("{} * ({} + {})", q, p, q), pairs, "pairs");
  } else if (window) {
    const std::int64_t g = std::clamp<std::int64_t>(*window - p, 0, q);
    d.add(name + ": pairs, A", "g p + g (g + 1) / 2 + (q - g) W, g = min(max(W - p, 0), q)",
          fmt::format("{} * {} + {} * ({} + 1) / 2 + ({} - {}) * {}", g, p, g, g, q, g, *window),
          pairs, "pairs");
  } else {
    d.add(name + ": pairs, A", "q p + q (q + 1) / 2",
          fmt::format("{} * {} + {} * ({} + 1) / 2", q, p, q, q), pairs, "pairs");
  }
}

void derive_attention(Derivation& d, const Operator& op, const Attention& attention,
                      const Step& step, const Precision& precision) {
  const std::string name =
      op.window ? fmt::format("attention (window {})", *op.window) : std::string("attention");
  std::string flop;
  std::string kv;
  std::string activations;
  for (const StepGroup& group : step.groups) {
    derive_pairs(d, name, group, op.window, step.causal);
    const char* plus = flop.empty() ? "" : " + ";
    const double pairs =
        attended_pairs(group.new_tokens, group.cached_tokens, op.window, step.causal);
    const double span = kv_span(group.new_tokens, group.cached_tokens, op.window);
    flop += fmt::format("{}4 * {} * {} * {} * {} * {}", plus, group.count, attention.query_heads,
                        attention.head_dim, number(pairs), op.layers);
    kv += fmt::format("{}{} * {} * {} * 2 * {} * {} * {}", plus, size(precision.kv), group.count,
                      number(span), attention.kv_heads, attention.head_dim, op.layers);
    activations += fmt::format("{}{} * {} * {} * 2 * {} * {} * {}", plus,
                               size(precision.activations), group.count, group.new_tokens,
                               attention.query_heads, attention.head_dim, op.layers);
  }
  d.add(name + ": FLOP", "4 n H d A L", flop, op.flops.value(), "FLOP");
  d.add(name + ": K/V", "c n s 2 H_kv d L", kv, op.kv.value(), "bytes");
  d.add(name + ": activations", "a n q 2 H d L", activations, op.activations.value(), "bytes");
}

void derive_operators(Derivation& d, const Model& model, const Step& step,
                      const StepAnalysis& analysis) {
  const Precision& precision = analysis.precision;
  const double tokens = new_tokens(step);
  double logit_rows = 0;
  for (const StepGroup& group : step.groups) {
    logit_rows += static_cast<double>(group.count) * static_cast<double>(group.logit_rows);
  }
  std::size_t group = 0;
  for (const Operator& op : analysis.operators) {
    switch (op.kind) {
      case OperatorKind::embedding:
        d.add("embedding: activations", "2 a T h",
              fmt::format("2 * {} * {} * {}", size(precision.activations), number(tokens),
                          model.hidden_size),
              op.activations.value(), "bytes");
        break;
      case OperatorKind::attention:
        ensure(group < model.layers.size(), "operators of another model");
        derive_attention(d, op, model.layers[group++].attention, step, precision);
        break;
      case OperatorKind::lm_head:
        derive_linear(d, op, logit_rows, "R", lm_head_format(model, precision),
                      precision.activations);
        break;
      default:
        derive_linear(d, op, tokens, "T", precision.weights, precision.activations);
    }
  }
}

void derive_roof(Derivation& d, const AnalyzePoint& point) {
  const std::string flop = number(point.flops.value());
  const std::string bandwidth = number(point.roof.bandwidth.value());
  const std::string peak = number(point.roof.peak.value());
  const std::string intensity = number(point.intensity().value());
  d.add("memory time", "bytes / bandwidth",
        fmt::format("{} / {}", number(point.bytes.value()), bandwidth), point.memory_time.value(),
        "s");
  d.add("intensity", "FLOP / bytes", fmt::format("{} / {}", flop, number(point.bytes.value())),
        point.intensity().value(), "FLOP/byte");
  d.add("ridge", "peak / bandwidth", fmt::format("{} / {}", peak, bandwidth),
        point.roof.ridge().value(), "FLOP/byte");
  d.add("achievable", "min(peak, bandwidth x intensity)",
        fmt::format("min({}, {} * {})", peak, bandwidth, intensity), point.achievable().value(),
        "FLOP/s");
}

void derive_totals(Derivation& d, const AnalyzePoint& point, const StepAnalysis& analysis) {
  std::vector<double> flop;
  std::vector<double> weights;
  std::vector<double> kv;
  std::string compute;
  std::string serial;
  for (const Operator& op : analysis.operators) {
    flop.push_back(op.flops.value());
    weights.push_back(op.weights.value());
    kv.push_back(op.kv.value());
    const std::string bytes = number((op.compulsory() + op.activations).value());
    const std::string bandwidth = number(point.roof.bandwidth.value());
    const std::string moved = fmt::format("{} / {}", bytes, bandwidth);
    if (op.operands == Operands::none) {
      serial += moved;
      continue;
    }
    const std::string run = fmt::format("{} / {}", number(op.flops.value()),
                                        number(analysis.rates.of(op.operands).peak.value()));
    compute += (compute.empty() ? "" : " + ") + run;
    serial += fmt::format("{}max({}, {})", serial.empty() ? "" : " + ", run, moved);
  }
  const StepTime& time = analysis.time;
  d.add("FLOP of the step", "sum over operators", joined(flop), time.flops.value(), "FLOP");
  d.add("weights of the step", "sum over operators", joined(weights), time.weights.value(),
        "bytes");
  d.add("K/V of the step", "sum over operators", joined(kv), time.kv.value(), "bytes");
  d.add("bytes", "weights + K/V + state",
        fmt::format("{} + {} + {}", number(time.weights.value()), number(time.kv.value()),
                    number(time.state.value())),
        time.compulsory().value(), "bytes");
  d.add("compute time", "sum of FLOP / peak of the operator's type", compute, time.compute.value(),
        "s");
  d.add("effective peak", "FLOP / compute time",
        fmt::format("{} / {}", number(time.flops.value()), number(time.compute.value())),
        time.roof.peak.value(), "FLOP/s");
  derive_roof(d, point);
  d.add("roofline time", "max(compute time, memory time, network time)",
        fmt::format("max({}, {}, {})", number(time.compute.value()), number(time.memory.value()),
                    number(time.network.value())),
        time.roofline.value(), "s");
  d.add("serial time", "sum of max(FLOP / peak, all bytes / bandwidth)", serial,
        time.serial.value(), "s");
}

void derive_memory(Derivation& d, const Model& model, const Step& step,
                   const StepAnalysis& analysis) {
  const Precision& precision = analysis.precision;
  const ParameterCount count = count_parameters(model);
  d.add("memory: weights", "layers w + embedding w_e + lm_head w_l + (norms + biases) w_n",
        fmt::format("{} * {} + {} * {} + {} * {} + ({} + {}) * {}", count.layers,
                    size(precision.weights), count.embedding, size(embedding_format(precision)),
                    count.lm_head, size(lm_head_format(model, precision)), count.norms,
                    count.biases, size(norm_format(precision))),
        analysis.memory.weights.value(), "bytes");
  std::string kv;
  for (const StepGroup& group : step.groups) {
    const std::int64_t tokens = group.cached_tokens + group.new_tokens;
    for (const LayerGroup& layer : model.layers) {
      const std::int64_t kept = std::min(tokens, layer.attention.window.value_or(tokens));
      kv += fmt::format("{}{} * {} * {} * {} * 2 * {} * {}", kv.empty() ? "" : " + ", group.count,
                        size(precision.kv), layer.count, kept, layer.attention.kv_heads,
                        layer.attention.head_dim);
    }
  }
  d.add("memory: K/V", "n c L min(S, W) 2 H_kv d, over layers", kv, analysis.memory.kv.value(),
        "bytes");
  std::string largest;
  for (const Operator& op : analysis.operators) {
    largest += fmt::format("{}{} / {}", largest.empty() ? "" : ", ", number(op.activations.value()),
                           op.layers);
  }
  d.add("memory: activations", "those of one layer's largest operator + a T h",
        fmt::format("max({}) + {} * {} * {}", largest, size(precision.activations),
                    number(new_tokens(step)), model.hidden_size),
        analysis.memory.activations.value(), "bytes");
}

}  // namespace

std::vector<DerivationStep> derive(const Model& model, const AnalyzePoint& point) {
  const auto& analysis = std::get<StepAnalysis>(point.detail);
  const Step step = step_of(point.workload.workload);
  Derivation d;
  const double tokens = new_tokens(step);
  d.add("new tokens, T", "n q", token_numbers(step), tokens, "tokens");
  derive_operators(d, model, step, analysis);
  derive_totals(d, point, analysis);
  d.add("throughput", "T / roofline time",
        fmt::format("{} / {}", number(tokens), number(analysis.time.roofline.value())),
        analysis.tokens_per_second, "tok/s");
  derive_memory(d, model, step, analysis);
  return d.take();
}

std::vector<DerivationStep> derive(const AnalyzePoint& point) {
  const auto& kernel = std::get<KernelAnalysis>(point.detail);
  const std::string a = size(kernel.precision.activations);
  const std::string w = size(kernel.precision.weights);
  const std::string c = size(kernel.precision.kv);
  Derivation d;
  const auto cost = [&](const char* flop_formula, std::string flop, const char* byte_formula,
                        std::string bytes) {
    d.add("FLOP", flop_formula, std::move(flop), point.flops.value(), "FLOP");
    d.add("bytes", byte_formula, std::move(bytes), point.bytes.value(), "bytes");
  };
  if (const auto* matmul = std::get_if<MatmulShape>(&point.workload.workload)) {
    const auto [m, k, n] = *matmul;
    cost("2 m k n", fmt::format("2 * {} * {} * {}", m, k, n), "a (m k + m n) + w k n",
         fmt::format("{} * ({} * {} + {} * {}) + {} * {} * {}", a, m, k, m, n, w, k, n));
  } else if (const auto* shape = std::get_if<AttentionShape>(&point.workload.workload)) {
    const auto& s = *shape;
    const std::string pairs = s.causal ? fmt::format("({} * ({} - {}) + {} * ({} + 1) / 2)",
                                                     s.seq_q, s.seq_k, s.seq_q, s.seq_q, s.seq_q)
                                       : fmt::format("{} * {}", s.seq_q, s.seq_k);
    cost(s.causal ? "4 b h d (q (s - q) + q (q + 1) / 2)" : "4 b h d q s",
         fmt::format("4 * {} * {} * {} * {}", s.batch, s.heads, s.head_dim, pairs),
         "b d (2 a h q + 2 c h_kv s)",
         fmt::format("{} * {} * (2 * {} * {} * {} + 2 * {} * {} * {})", s.batch, s.head_dim, a,
                     s.heads, s.seq_q, c, s.kv_heads, s.seq_k));
  } else {
    const auto& t = std::get<TextbookDecode>(point.workload.workload);
    cost("2 P b + 4 b h_kv s d L",
         fmt::format("2 * {} * {} + 4 * {} * {} * {} * {} * {}", t.parameters, t.batch, t.batch,
                     t.kv_heads, t.context, t.head_dim, t.layers),
         "w P + L b h_kv d (a + 2 c s + a)",
         fmt::format("{} * {} + {} * {} * {} * {} * ({} + 2 * {} * {} + {})", w, t.parameters,
                     t.layers, t.batch, t.kv_heads, t.head_dim, a, c, t.context, a));
  }
  d.add("compute time", "FLOP / peak",
        fmt::format("{} / {}", number(point.flops.value()), number(point.roof.peak.value())),
        point.compute_time.value(), "s");
  derive_roof(d, point);
  d.add("roofline time", "max(compute time, memory time)",
        fmt::format("max({}, {})", number(point.compute_time.value()),
                    number(point.memory_time.value())),
        point.roofline_time.value(), "s");
  return d.take();
}

}  // namespace roofline
