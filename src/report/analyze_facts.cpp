// An analysis in words: the question in a line, the answer in a few.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "report/analyze_parts.hpp"

namespace roofline::report {
namespace {

std::string precision_text(const Precision& precision) {
  const std::string& weights = precision.weights_name;
  if (weights == precision.kv.name && weights == precision.activations.name) return weights;
  return fmt::format("weights {}, K/V {}, activations {}", weights, precision.kv.name,
                     precision.activations.name);
}

/// "batch 32", "3 batches"; empty where nothing has one.
std::string counted(const AnalyzeResult& result, Value (*get)(const AnalyzePoint&),
                    std::string_view one, std::string_view many) {
  std::set<double> values;
  for (const AnalyzePoint& point : result.points) {
    const Value value = get(point);
    if (const auto* number = std::get_if<double>(&value)) values.insert(*number);
  }
  if (values.empty()) return {};
  if (values.size() == 1) return fmt::format(", {} {}", one, format_count(*values.begin()));
  return fmt::format(", {} {}", values.size(), many);
}

template <class Get>
std::string named(const AnalyzeResult& result, Get get, std::string_view one_prefix,
                  std::string_view many) {
  std::set<std::string> values;
  for (const AnalyzePoint& point : result.points) values.insert(get(point));
  if (values.size() == 1) return fmt::format("{}{}", one_prefix, *values.begin());
  return fmt::format("{} {}", values.size(), many);
}

std::string count(std::int64_t value) {
  return format_count(static_cast<double>(value));
}

std::string shape_text(const AnalyzePoint& point) {
  if (const auto* m = std::get_if<MatmulShape>(&point.workload.workload)) {
    return fmt::format(" {} x {} x {}", count(m->m), count(m->k), count(m->n));
  }
  if (const auto* a = std::get_if<AttentionShape>(&point.workload.workload)) {
    return fmt::format(", {} heads, {} K/V heads, head size {}, {} queries, {} keys, {}",
                       count(a->heads), count(a->kv_heads), count(a->head_dim), count(a->seq_q),
                       count(a->seq_k), a->causal ? "causal" : "not causal");
  }
  if (const auto* t = std::get_if<TextbookDecode>(&point.workload.workload)) {
    return fmt::format(" of {} parameters, {} K/V heads of {}, {} {}", count(t->parameters),
                       count(t->kv_heads), count(t->head_dim), count(t->layers),
                       t->layers == 1 ? "layer" : "layers");
  }
  return {};
}

std::string distance_text(const AnalyzePoint& point) {
  const double ratio = point.intensity() / point.roof.ridge();
  if (ratio == 1) return "at the ridge";
  return ratio > 1 ? fmt::format("{} times above", format_significant(ratio, 3))
                   : fmt::format("{} times below", format_significant(1 / ratio, 3));
}

/// Numbers with the digits that were asked for.
class Writer {
 public:
  explicit Writer(int digits) : digits_(digits) {}

  [[nodiscard]] std::string number(double value) const {
    return format_significant(value, digits_);
  }
  [[nodiscard]] std::string scaled(double value, std::string_view unit) const {
    return format_scaled(value, unit, digits_);
  }

 private:
  int digits_;
};

/// False where more experts than a single token's are taken to be read: routing may be kinder.
bool is_floor(const StepAnalysis* step) {
  return step == nullptr || !step->routing_decides() ||
         step->step.experts.kind == ExpertChoice::Kind::fewest;
}

Fact memory_fact(const StepAnalysis& step, const Writer& write) {
  const auto bytes = [&](Bytes size) { return write.scaled(size.value(), "B"); };
  const MemoryNeed& need = step.memory;
  std::string parts = fmt::format("weights {}", bytes(need.weights));
  if (need.kv > Bytes(0)) parts += fmt::format(", K/V {}", bytes(need.kv));
  if (need.state > Bytes(0)) parts += fmt::format(", state {}", bytes(need.state));
  parts += fmt::format(", activations {}", bytes(need.activations));
  if (!step.usable_memory) {
    return {"memory", "not known", fmt::format("needs {}: {}", bytes(need.total()), parts)};
  }
  return {
      "memory", *step.fits() ? "fits" : "does not fit",
      fmt::format("{} of {} usable: {}", bytes(need.total()), bytes(*step.usable_memory), parts)};
}

}  // namespace

std::string question_of(const AnalyzeResult& result, const std::string& spec) {
  const AnalyzePoint& first = result.points.front();
  const std::string gpus = named(
      result, [](const auto& p) { return p.gpu; }, "1 x ", "GPUs");
  const std::string workloads = named(
      result, [](const auto& p) { return p.workload.name; }, "", "workloads");
  if (!spec.empty()) return fmt::format("{}: {} on {}", spec, workloads, gpus);
  std::string subject;
  const StepAnalysis* step = step_of_point(first);
  if (step != nullptr) {
    const std::string models = named(
        result, [](const auto& p) { return std::get<StepAnalysis>(p.detail).model; }, "", "models");
    const std::string precisions = named(
        result,
        [](const auto& p) { return precision_text(std::get<StepAnalysis>(p.detail).precision); },
        "", "precisions");
    subject = fmt::format(" of {} ({})", models, precisions);
  } else {
    const Precision& precision = std::get<KernelAnalysis>(first.detail).precision;
    const bool attention = std::holds_alternative<AttentionShape>(first.workload.workload);
    const std::string& stored = attention ? precision.kv.name : precision.weights_name;
    const std::string& other = precision.activations.name;
    subject = fmt::format("{} ({})", shape_text(first),
                          stored == other ? stored : fmt::format("{} x {}", stored, other));
  }
  const auto* prefill = std::get_if<Prefill>(&first.workload.workload);
  if (prefill != nullptr && !prefill->causal) subject += " without causal mask";
  return fmt::format("{}{}{}{}, on {}", workloads, subject,
                     counted(result, batch_of, "batch", "batches"),
                     counted(result, context_of, "context", "contexts"), gpus);
}

std::vector<Fact> facts_of(const AnalyzePoint& point, int significant_digits) {
  const Writer write(significant_digits);
  const StepAnalysis* step = step_of_point(point);
  std::vector<Fact> facts;
  facts.push_back(
      {"verdict", std::string(to_string(point.verdict())),
       fmt::format("{} FLOP/byte, ridge {}: {}", write.number(point.intensity().value()),
                   write.number(point.roof.ridge().value()), distance_text(point))});
  facts.push_back({"work", write.scaled(point.flops.value(), "FLOP"),
                   write.scaled(point.bytes.value(), "B") + " through memory"});
  const Scale scale = scale_for(point.roofline_time.value(), significant_digits);
  const auto time = [&](Seconds t) { return write.number(t.value() / scale.factor); };
  facts.push_back({"roofline time", write.scaled(point.roofline_time.value(), "s"),
                   fmt::format("{}: memory {}, compute {}",
                               is_floor(step) ? "floor" : "floor for these experts",
                               time(point.memory_time), time(point.compute_time))});
  if (step != nullptr) {
    facts.push_back({"serial time", write.scaled(step->time.serial.value(), "s"),
                     "operators one after another, activations through memory"});
  }
  facts.push_back({"achievable", write.scaled(point.achievable().value(), "FLOP/s"),
                   fmt::format("of {} dense, {}", write.scaled(point.roof.peak.value(), "FLOP/s"),
                               write.scaled(point.roof.bandwidth.value(), "B/s"))});
  if (step == nullptr) return facts;
  const double batch = std::get<double>(batch_of(point));
  facts.push_back(
      {"throughput", fmt::format("{} tok/s", write.number(step->tokens_per_second)),
       fmt::format("at most{}; {} tok/s per sequence", is_floor(step) ? "" : " for these experts",
                   write.number(step->tokens_per_second / batch))});
  if (step->dollars_per_million_tokens) {
    facts.push_back({"cost", fmt::format("{} USD", write.number(*step->dollars_per_million_tokens)),
                     "per 1M tokens, at least"});
  }
  if (const Operator* experts = routed_operator(*step)) {
    facts.push_back(
        {"experts", write.number(experts->matrices), "distinct ones are read in each layer"});
  }
  const bool too_large = step->fits() == false;
  facts.insert(too_large ? facts.begin() : facts.end(), memory_fact(*step, write));
  return facts;
}

}  // namespace roofline::report
