// An analysis in words: the question in a line, the answer in a few.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/counted.hpp"
#include "base/format.hpp"
#include "report/analyze_inputs.hpp"
#include "report/analyze_parts.hpp"
#include "report/writer.hpp"

namespace roofline::report {
namespace {

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

/// "8 x H100 (tp 8)", "5 GPUs".
std::string devices_text(const AnalyzeResult& result) {
  const StepAnalysis* step = step_of_point(result.points.front());
  const Deployment deployment = step == nullptr ? Deployment() : step->deployment;
  const auto devices = static_cast<double>(deployment.devices());
  const std::string gpus = named(
      result, [](const auto& p) { return p.gpu; }, fmt::format("{} x ", format_count(devices)),
      "GPUs");
  return gpus + to_string(deployment);
}

/// ", 512x8, 4096x2": of sequences of several lengths.
std::string lengths_text(const AnalyzePoint& point) {
  const Value contexts = contexts_of(point);
  const auto* texts = std::get_if<std::vector<std::string>>(&contexts);
  if (texts == nullptr) return {};
  constexpr std::size_t most = 4;
  std::vector<std::string> shown = *texts;
  if (shown.size() > most) {
    shown.resize(most);
    shown.emplace_back("...");
  }
  return fmt::format(", contexts {}", fmt::join(shown, ", "));
}

std::string shape_text(const AnalyzePoint& point) {
  if (const auto* m = std::get_if<MatmulShape>(&point.workload.workload)) {
    return fmt::format(" {} x {} x {}", count_text(m->m), count_text(m->k), count_text(m->n));
  }
  if (const auto* a = std::get_if<AttentionShape>(&point.workload.workload)) {
    return fmt::format(", {} heads, {} K/V heads, head size {}, {} queries, {} keys, {}",
                       count_text(a->heads), count_text(a->kv_heads), count_text(a->head_dim),
                       count_text(a->seq_q), count_text(a->seq_k),
                       a->causal ? "causal" : "not causal");
  }
  if (const auto* t = std::get_if<TextbookDecode>(&point.workload.workload)) {
    return fmt::format(" of {} parameters, {} K/V heads of {}, {} {}", count_text(t->parameters),
                       count_text(t->kv_heads), count_text(t->head_dim), count_text(t->layers),
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

/// False where more experts than a single token's are taken to be read: routing may be kinder.
bool is_floor(const StepAnalysis* step) {
  return step == nullptr || !step->routing_decides() ||
         step->step.experts.kind == ExpertChoice::Kind::fewest;
}

Fact memory_fact(const StepAnalysis& step, const Writer& write) {
  const auto bytes = [&](Bytes size) { return write.size(size); };
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

std::string throughput_detail(const AnalyzePoint& point, const StepAnalysis& step,
                              const Writer& write) {
  const double batch = std::get<double>(batch_of(point));
  if (const auto* mixed = std::get_if<Mixed>(&point.workload.workload)) {
    return fmt::format("{} tokens decoded and {} of a prompt in the step", format_count(batch),
                       count_text(mixed->chunk));
  }
  const std::string each = write.number(step.tokens_per_second / batch) + " tok/s per sequence";
  return step.deployment.pipeline > 1 ? "one step in flight; " + each : each;
}

/// Whose work the figures are.
std::string_view work_scope(const Deployment& deployment) {
  if (deployment.pipeline > 1) return ", over all stages";
  return deployment.devices() > 1 ? ", of each device" : "";
}

/// "NVLink 4, 450.0 GB/s one way".
std::string link_text(const Link& link, const Writer& write) {
  return fmt::format("{}, {} one way", link.name, write.scaled(link.per_direction.value(), "B/s"));
}

Fact network_fact(const StepAnalysis& step, const Writer& write) {
  const NetworkLoad& load = step.time.load;
  std::string detail;
  const auto add = [&](std::string_view what, Bytes bytes, const std::optional<Link>& link) {
    if (!link) return;
    detail += fmt::format("{}{} {} over {}", detail.empty() ? "" : "; ", what,
                          write.scaled(bytes.value(), "B"), link_text(*link, write));
  };
  add("all-reduces", load.all_reduce, step.network.tensor);
  add("experts' exchange", load.exchange, step.network.expert);
  add("stages", load.boundary, step.network.pipeline);
  if (load.latency > Seconds()) {
    detail += fmt::format("; hops {} in the serial time", write.scaled(load.latency.value(), "s"));
  }
  if (detail.empty()) detail = "replicas exchange nothing";
  return {"network", write.scaled(load.bandwidth.value(), "s"), detail};
}

constexpr double no_change = 1.0005;

std::string improvement_text(const Improvement& improvement) {
  const bool batch = improvement.change == Change::batch_twice;
  return fmt::format("{} {}x{}{}", to_string(improvement.change),
                     format_significant(improvement.speedup, 3), batch ? " tok/s" : "",
                     improvement.fits == false ? " (does not fit)" : "");
}

Fact help_fact(const AnalyzePoint& point) {
  std::vector<std::string> helpful;
  std::vector<std::string_view> useless;
  for (const Improvement& improvement : point.improvements) {
    if (improvement.speedup >= no_change) {
      helpful.push_back(improvement_text(improvement));
    } else {
      useless.push_back(to_string(improvement.change));
    }
  }
  std::string text = fmt::format("{}", fmt::join(helpful, ", "));
  if (!useless.empty()) {
    text += fmt::format("{}no help: {}", helpful.empty() ? "" : "; ", fmt::join(useless, ", "));
  }
  return {"would help", text, ""};
}

}  // namespace

std::string step_shape_text(const AnalyzePoint& point) {
  const Workload& workload = point.workload.workload;
  if (const auto* p = std::get_if<Prefill>(&workload)) {
    return p->cached == 0 ? "" : fmt::format(", {} cached", count_text(p->cached));
  }
  if (const auto* m = std::get_if<Mixed>(&workload)) {
    return fmt::format(", a chunk of {} at {}", count_text(m->chunk), count_text(m->position));
  }
  if (const auto* v = std::get_if<Verify>(&workload)) {
    return fmt::format(", {} drafts", count_text(v->drafts));
  }
  return {};
}

std::string step_text(const AnalyzePoint& point) {
  const Value batch = batch_of(point);
  const Value context = context_of(point);
  std::string text;
  if (const auto* number = std::get_if<double>(&batch)) {
    text += ", batch " + format_count(*number);
  }
  if (const auto* number = std::get_if<double>(&context)) {
    text += ", context " + format_count(*number);
  }
  return text + lengths_text(point) + step_shape_text(point);
}

namespace {

/// The workloads of a spec file: those of the first model on the first device, and kernels.
std::string workloads_text(const AnalyzeResult& result) {
  const AnalyzePoint& first = result.points.front();
  const StepAnalysis* first_step = nullptr;
  std::int64_t workloads = 0;
  for (const AnalyzePoint& point : result.points) {
    const StepAnalysis* step = step_of_point(point);
    if (first_step == nullptr) first_step = step;
    const bool other_model = step != nullptr && step->model != first_step->model;
    if (point.gpu == first.gpu && !other_model) ++workloads;
  }
  if (workloads == 1) return first.workload.name;
  return fmt::format("{} workloads", count_text(workloads));
}

}  // namespace

std::string question_of(const AnalyzeResult& result, const std::string& spec) {
  const AnalyzePoint& first = result.points.front();
  const std::string gpus = devices_text(result);
  const std::string workloads = named(
      result, [](const auto& p) { return p.workload.name; }, "", "workloads");
  if (!spec.empty() && result.points.size() > 1) {
    return fmt::format("{}: {} on {}", spec, workloads_text(result), gpus);
  }
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
  return fmt::format("{}{}{}{}{}{}{}, on {}", spec.empty() ? "" : spec + ": ", workloads, subject,
                     counted(result, batch_of, "batch", "batches"),
                     counted(result, context_of, "context", "contexts"), lengths_text(first),
                     step_shape_text(first), gpus);
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
                   write.scaled(point.bytes.value(), "B") + " through memory" +
                       std::string(step == nullptr ? "" : work_scope(step->deployment))});
  const Scale scale = scale_for(point.roofline_time.value(), significant_digits);
  const auto time = [&](Seconds t) { return write.number(t.value() / scale.factor); };
  const bool networked = step != nullptr && step->deployment.devices() > 1;
  facts.push_back(
      {"roofline time", write.scaled(point.roofline_time.value(), "s"),
       fmt::format("{}: memory {}, compute {}{}",
                   is_floor(step) ? "floor" : "floor for these experts", time(point.memory_time),
                   time(point.compute_time),
                   networked ? fmt::format(", network {}", time(point.network_time)) : "")});
  if (networked) facts.push_back(network_fact(*step, write));
  if (step != nullptr) {
    facts.push_back({"serial time", write.scaled(step->time.serial.value(), "s"),
                     "operators one after another, activations through memory"});
  }
  facts.push_back({"achievable", write.scaled(point.achievable().value(), "FLOP/s"),
                   fmt::format("of {} dense, {}", write.scaled(point.roof.peak.value(), "FLOP/s"),
                               write.scaled(point.roof.bandwidth.value(), "B/s"))});
  if (step == nullptr) {
    if (!point.improvements.empty()) facts.push_back(help_fact(point));
    return facts;
  }
  facts.push_back({"throughput", fmt::format("{} tok/s", write.number(step->tokens_per_second)),
                   fmt::format("at most{}; {}", is_floor(step) ? "" : " for these experts",
                               throughput_detail(point, *step, write))});
  if (step->dollars_per_million_tokens) {
    facts.push_back({"cost", fmt::format("{} USD", write.number(*step->dollars_per_million_tokens)),
                     "per 1M tokens, at least"});
  }
  if (const Operator* experts = routed_operator(*step)) {
    facts.push_back({"experts", write.number(experts->matrices),
                     step->deployment.expert > 1
                         ? "distinct ones are read in each layer, a device's share"
                         : "distinct ones are read in each layer"});
  }
  const bool too_large = step->fits() == false;
  facts.insert(too_large ? facts.begin() : facts.end(), memory_fact(*step, write));
  if (!point.improvements.empty()) facts.push_back(help_fact(point));
  return facts;
}

}  // namespace roofline::report
