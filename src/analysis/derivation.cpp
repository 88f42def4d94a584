#include "roofline/derivation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/derivation_parts.hpp"
#include "base/format.hpp"
#include "roofline/error.hpp"

namespace roofline {

using derivation::Derivation;

namespace {

using derivation::number;
using derivation::size;

std::string joined(const std::vector<double>& values) {
  std::string result;
  for (const double value : values) {
    if (value == 0) continue;
    result += (result.empty() ? "" : " + ") + number(value);
  }
  return result.empty() ? "0" : result;
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
  if (point.verdict() == Verdict::network_bound) return;  // what follows from the roofline time
  d.add("achievable", "min(peak, bandwidth x intensity)",
        fmt::format("min({}, {} * {})", peak, bandwidth, intensity), point.achievable().value(),
        "FLOP/s");
}

/// Gives the operators' share of the serial time.
std::string derive_totals(Derivation& d, const AnalyzePoint& point, const StepAnalysis& analysis) {
  std::vector<double> flop;
  std::vector<double> weights;
  std::vector<double> kv;
  std::vector<double> state;
  std::string compute;
  std::string serial;
  for (const Operator& op : analysis.operators) {
    flop.push_back(op.flops.value());
    weights.push_back(op.weights.value());
    kv.push_back(op.kv.value());
    state.push_back(op.state.value());
    const std::string bytes = number((op.compulsory() + op.activations).value());
    const std::string bandwidth = number(point.roof.bandwidth.value());
    const std::string moved = fmt::format("{} / {}", bytes, bandwidth);
    if (op.operands == Operands::none) {
      serial += moved;
      continue;
    }
    const std::string run = fmt::format("{} / {}", number(op.flops.value()),
                                        number(analysis.rates.of(op).peak.value()));
    compute += (compute.empty() ? "" : " + ") + run;
    serial += fmt::format("{}max({}, {})", serial.empty() ? "" : " + ", run, moved);
  }
  const StepTime& time = analysis.time;
  d.add("FLOP of the step", "sum over operators", joined(flop), time.flops.value(), "FLOP");
  d.add("weights of the step", "sum over operators", joined(weights), time.weights.value(),
        "bytes");
  d.add("K/V of the step", "sum over operators", joined(kv), time.kv.value(), "bytes");
  if (time.state > Bytes(0)) {
    d.add("state of the step", "sum over operators", joined(state), time.state.value(), "bytes");
  }
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
  return serial;
}

/// The network, and the times that it is part of; `serial` is the operators' share.
void derive_times(Derivation& d, const Model& model, const AnalyzePoint& point,
                  std::string serial) {
  const auto& analysis = std::get<StepAnalysis>(point.detail);
  const StepTime& time = analysis.time;
  derivation::derive_network(d, model, analysis);
  d.add("roofline time", "max(compute time, memory time, network time)",
        fmt::format("max({}, {}, {})", number(time.compute.value()), number(time.memory.value()),
                    number(time.network.value())),
        time.roofline.value(), "s");
  if (point.verdict() == Verdict::network_bound) {
    d.add("achievable", "FLOP / roofline time",
          fmt::format("{} / {}", number(time.flops.value()), number(time.roofline.value())),
          point.achievable().value(), "FLOP/s");
  }
  std::string formula = "sum of max(FLOP / peak, all bytes / bandwidth)";
  if (time.network > Seconds(0)) {
    formula += " + network time";
    serial += " + " + number(time.network.value());
  }
  if (time.load.latency > Seconds(0)) {
    formula += " + network latency";
    serial += " + " + number(time.load.latency.value());
  }
  d.add("serial time", formula, serial, time.serial.value(), "s");
}

/// New tokens of all sequences, a second.
void derive_throughput(Derivation& d, const AnalyzePoint& point) {
  const auto& analysis = std::get<StepAnalysis>(point.detail);
  const bool replicas = analysis.deployment.data > 1;
  const double tokens = new_tokens(replicas ? step_of(point.workload.workload) : analysis.step);
  d.add("throughput", replicas ? "new tokens of all replicas / roofline time" : "T / roofline time",
        fmt::format("{} / {}", number(tokens), number(analysis.time.roofline.value())),
        analysis.tokens_per_second, "tok/s");
}

}  // namespace

std::vector<DerivationStep> derive(const Model& model, const AnalyzePoint& point) {
  const auto& analysis = std::get<StepAnalysis>(point.detail);
  Derivation d;
  derivation::derive_operators(d, model, point);
  derive_times(d, model, point, derive_totals(d, point, analysis));
  derive_throughput(d, point);
  derivation::derive_memory(d, model, analysis);
  return d.take();
}

std::vector<DerivationStep> derive(const AnalyzePoint& point) {
  const auto& kernel = std::get<KernelAnalysis>(point.detail);
  const std::string a = size(kernel.precision.activations);
  const std::string w = size(kernel.precision.weights[Part::mlp]);
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
