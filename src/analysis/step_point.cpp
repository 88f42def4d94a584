#include "analysis/step_point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/routed_experts.hpp"
#include "analysis/server_notes.hpp"
#include "base/counted.hpp"

namespace roofline {
namespace {

std::int64_t longest_sequence(const Step& step) {
  std::int64_t longest = 0;
  for (const StepGroup& group : step.groups) {
    longest = std::max(longest, group.cached_tokens + group.new_tokens);
  }
  return longest;
}

void note_windows(const Model& model, const Step& step, std::vector<std::string>& notes) {
  const std::int64_t longest = longest_sequence(step);
  std::vector<std::pair<std::string, std::int64_t>> layers_by_span;
  for (const LayerGroup& layer : model.layers) {
    const auto* attention = std::get_if<Attention>(&layer.mixer);
    if (attention == nullptr || kept_tokens(layer.mixer, longest) == longest) continue;
    const std::string span = attention->chunk
                                 ? fmt::format("their own chunk of {} tokens", *attention->chunk)
                                 : fmt::format("the last {} tokens", *attention->window);
    auto known = std::find_if(layers_by_span.begin(), layers_by_span.end(),
                              [&](const auto& entry) { return entry.first == span; });
    if (known == layers_by_span.end()) known = layers_by_span.insert(known, {span, 0});
    known->second += layer.count;
  }
  for (const auto& [span, layers] : layers_by_span) {
    notes.push_back(
        fmt::format("{} of {} layers attend {} only", layers, layer_count(model), span));
  }
}

void note_drafts(const Workload& workload, std::vector<std::string>& notes) {
  if (std::holds_alternative<Verify>(workload)) {
    notes.emplace_back("throughput counts every draft as accepted");
  }
}

void note_uneven_replicas(const Step& step, const Deployment& deployment,
                          std::vector<std::string>& notes) {
  std::int64_t sequences = 0;
  for (const StepGroup& group : step.groups) sequences += group.count;
  if (sequences % deployment.data == 0) return;
  notes.push_back(fmt::format("{} over {} replicas: the time is that of the fullest",
                              counted(sequences, "sequence"), deployment.data));
}

StepAnalysis step_detail(const Evaluator& evaluator, const PointTerms& terms, double tokens) {
  const Setting& setting = evaluator.setting();
  StepAnalysis detail;
  detail.model = setting.model.name;
  detail.deployment = setting.deployment;
  detail.step = evaluator.replica();
  detail.precision = setting.precision;
  detail.operators = evaluator.operators();
  detail.rates = setting.rates;
  detail.network = setting.network;
  detail.time = evaluator.time();
  detail.memory = evaluator.memory();
  detail.usable_memory = usable_memory(setting.device, terms.utilization);
  detail.tokens_per_second = tokens / detail.time.roofline.value();
  if (terms.price) {
    constexpr double seconds_per_hour = 3600;
    const double price = terms.price->value() * static_cast<double>(setting.deployment.devices());
    detail.dollars_per_million_tokens = price / seconds_per_hour / detail.tokens_per_second * 1e6;
  }
  return detail;
}

}  // namespace

AnalyzePoint step_point(const Evaluator& evaluator, const NamedWorkload& workload, const Step& step,
                        const PointTerms& terms) {
  const Setting& setting = evaluator.setting();
  StepAnalysis detail = step_detail(evaluator, terms, new_tokens(step));
  AnalyzePoint point{.gpu = setting.device.name,
                     .workload = workload,
                     .roof = detail.time.roof,
                     .flops = detail.time.flops,
                     .bytes = detail.time.compulsory(),
                     .compute_time = detail.time.compute,
                     .memory_time = detail.time.memory,
                     .network_time = detail.time.network,
                     .roofline_time = detail.time.roofline,
                     .detail = {},
                     .improvements = {},
                     .notes = setting.notes};
  note_context(setting.model, longest_sequence(step), point.notes);
  note_windows(setting.model, step, point.notes);
  const ExpertChoice& experts = detail.step.experts;
  if (experts.kind != ExpertChoice::Kind::expected || detail.routing_decides()) {
    note_experts(setting.model, experts, point.notes);
  }
  note_drafts(workload.workload, point.notes);
  note_uneven_replicas(step, setting.deployment, point.notes);
  note_stages(setting.deployment, point.notes);
  note_latency_unknown(setting.network, point.notes);
  if (setting.device.capacity_configurable && !setting.device.usable) {
    point.notes.emplace_back("memory is that of the largest configuration (--memory to set it)");
  }
  point.detail = std::move(detail);
  return point;
}

}  // namespace roofline
