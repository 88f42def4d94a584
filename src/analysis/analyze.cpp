#include "roofline/analyze.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "roofline/error.hpp"

namespace roofline {
namespace {

std::int64_t longest_sequence(const Step& step) {
  std::int64_t longest = 0;
  for (const StepGroup& group : step.groups) {
    longest = std::max(longest, group.cached_tokens + group.new_tokens);
  }
  return longest;
}

void note_context_limit(const Model& model, const Step& step, std::vector<std::string>& notes) {
  const std::int64_t longest = longest_sequence(step);
  if (model.max_context && longest > *model.max_context) {
    notes.push_back(fmt::format("context {} is beyond the {} tokens that {} is made for", longest,
                                *model.max_context, model.name));
  }
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

bool has_experts(const Model& model) {
  return count_parameters(model).parts[Part::experts] > 0;
}

/// Says how the number of experts that are read came about, where it decides the time.
void note_experts(const Model& model, const StepAnalysis& analysis,
                  std::vector<std::string>& notes) {
  using Kind = ExpertChoice::Kind;
  const Kind kind = analysis.step.experts.kind;
  if (kind == Kind::expected && analysis.routing_decides()) {
    notes.emplace_back(
        "experts read: the expectation for uniform routing, no floor (--experts fewest for one)");
  } else if (kind == Kind::fewest && has_experts(model)) {
    notes.emplace_back("experts read: as if every token were routed alike, a floor");
  }
}

void require_experts(const Model& model, const ExpertChoice& choice) {
  for (const LayerGroup& layer : model.layers) {
    const auto* experts = std::get_if<Experts>(&layer.feed_forward);
    if (experts == nullptr) continue;
    if (choice.kind != ExpertChoice::Kind::fixed) continue;
    if (choice.count >= experts->per_token && choice.count <= experts->count) continue;
    throw Error(Diagnostic{
        .what = fmt::format("{} cannot read {} experts a layer", model.name, choice.count),
        .why = fmt::format("a token passes {} of {}", experts->per_token, experts->count),
        .fix = fmt::format("a number from {} to {}", experts->per_token, experts->count)});
  }
}

/// Throws for a choice that none of the models knows of.
void require_choices(const AnalyzeRequest& request) {
  const std::vector<Model>& models = request.models;
  const bool experts = std::any_of(models.begin(), models.end(), has_experts);
  const bool states = std::any_of(models.begin(), models.end(), [](const Model& model) {
    return state_size(model).recurrent > 0;
  });
  if (request.experts.kind != ExpertChoice::Kind::expected && !experts) {
    throw Error(Diagnostic{.what = "no model here has experts to choose from",
                           .why = "all layers are dense",
                           .fix = "leave --experts out"});
  }
  if (request.precision.state && !states) {
    throw Error(Diagnostic{.what = "no model here has a recurrent state",
                           .why = "all layers keep a cache",
                           .fix = "leave --state-dtype out"});
  }
}

/// What all points of a model on a device share.
struct Setting {
  const Model& model;
  const Device& device;
  Precision precision;
  Rates rates;
  std::vector<std::string> notes;
};

Setting setting_of(const Model& model, const Device& device, const PrecisionRequest& request) {
  ResolvedPrecision resolved = resolve_precision(model, request);
  Rates rates = choose_rates(device, model, resolved.precision, request.accumulate);
  std::vector<std::string> notes = model.left_out;
  notes.insert(notes.end(), model.warnings.begin(), model.warnings.end());
  notes.insert(notes.end(), resolved.notes.begin(), resolved.notes.end());
  notes.insert(notes.end(), rates.notes.begin(), rates.notes.end());
  return {model, device, std::move(resolved.precision), std::move(rates), std::move(notes)};
}

AnalyzePoint analyze_step(const Setting& setting, const NamedWorkload& workload,
                          const AnalyzeRequest& request) {
  Step step = step_of(workload.workload);
  step.experts = request.experts;
  StepAnalysis detail;
  detail.model = setting.model.name;
  detail.step = step;
  detail.precision = setting.precision;
  detail.rates = setting.rates;
  list_operators(setting.model, step, detail.precision, detail.operators);
  detail.time = time_step(detail.operators, detail.rates, setting.device.bandwidth);
  detail.memory = memory_need(setting.model, step, detail.precision, detail.operators);
  detail.usable_memory = usable_memory(setting.device);
  detail.tokens_per_second = new_tokens(step) / detail.time.roofline.value();
  if (request.price) {
    constexpr double seconds_per_hour = 3600;
    detail.dollars_per_million_tokens =
        request.price->value() / seconds_per_hour / detail.tokens_per_second * 1e6;
  }
  AnalyzePoint point{.gpu = setting.device.name,
                     .workload = workload,
                     .roof = detail.time.roof,
                     .flops = detail.time.flops,
                     .bytes = detail.time.compulsory(),
                     .compute_time = detail.time.compute,
                     .memory_time = detail.time.memory,
                     .roofline_time = detail.time.roofline,
                     .detail = {},
                     .notes = setting.notes};
  note_context_limit(setting.model, step, point.notes);
  note_windows(setting.model, step, point.notes);
  note_experts(setting.model, detail, point.notes);
  if (setting.device.capacity_configurable && !setting.device.usable) {
    point.notes.emplace_back("memory is that of the largest configuration (--memory to set it)");
  }
  point.detail = std::move(detail);
  return point;
}

KernelCost cost_of(const Workload& workload, const Precision& precision) {
  const Bytes weight = precision.weights[Part::mlp].element_size();
  const Bytes activation = precision.activations.element_size();
  const Bytes cache = precision.kv.element_size();
  if (const auto* matmul = std::get_if<MatmulShape>(&workload)) {
    return matmul_cost(*matmul, activation, weight);
  }
  if (const auto* attention = std::get_if<AttentionShape>(&workload)) {
    return attention_cost(*attention, activation, cache);
  }
  return textbook_decode_cost(std::get<TextbookDecode>(workload), weight, activation, cache);
}

AnalyzePoint analyze_kernel(const Device& device, const NamedWorkload& workload,
                            const PrecisionRequest& request) {
  KernelAnalysis detail;
  std::vector<std::string> notes;
  detail.precision = kernel_precision(request);
  detail.cost = cost_of(workload.workload, detail.precision);
  const MatrixType activations = detail.precision.activations.element;
  if (std::holds_alternative<AttentionShape>(workload.workload)) {
    detail.rate = rate_product(device, detail.precision.kv.element, activations,
                               detail.precision.kv.name + " K/V", request.accumulate, notes);
  } else {
    detail.rate = rate_weights(device, detail.precision.weights[Part::mlp], "weights", activations,
                               request.accumulate, notes);
  }
  const auto* textbook = std::get_if<TextbookDecode>(&workload.workload);
  if (textbook != nullptr && textbook->layers == 1) {
    notes.emplace_back("bare numbers: K/V of one layer counted, as the textbook does");
  }
  const Seconds compute = detail.cost.flops / detail.rate.peak;
  const Seconds memory = detail.cost.bytes / device.bandwidth;
  return {.gpu = device.name,
          .workload = workload,
          .roof = {.peak = detail.rate.peak, .bandwidth = device.bandwidth},
          .flops = detail.cost.flops,
          .bytes = detail.cost.bytes,
          .compute_time = compute,
          .memory_time = memory,
          .roofline_time = std::max(compute, memory),
          .detail = detail,
          .notes = std::move(notes)};
}

}  // namespace

Step step_of(const Workload& workload) {
  if (const auto* decode = std::get_if<Decode>(&workload)) {
    return decode_step(decode->batch, decode->context);
  }
  const auto& prefill = std::get<Prefill>(workload);
  Step step = prefill_step(prefill.batch, prefill.context);
  step.causal = prefill.causal;
  return step;
}

bool needs_model(const Workload& workload) {
  return std::holds_alternative<Decode>(workload) || std::holds_alternative<Prefill>(workload);
}

bool StepAnalysis::routing_decides() const {
  if (time.memory < time.compute) return false;
  const double tokens = new_tokens(step);
  return std::any_of(operators.begin(), operators.end(), [&](const Operator& op) {
    return op.part == Part::experts && op.matrices * tokens > op.rows;  // more than one token's
  });
}

std::optional<bool> StepAnalysis::fits() const {
  if (!usable_memory) return std::nullopt;
  return memory.total() <= *usable_memory;
}

void require_few_points(const AnalyzeRequest& request) {
  std::size_t points = 0;
  for (const NamedWorkload& named : request.workloads) {
    const std::size_t models = needs_model(named.workload) ? request.models.size() : 1;
    points += models * request.devices.size();
  }
  if (points <= most_points) return;
  throw Error(
      Diagnostic{.what = fmt::format("{} points are too many for one answer", points),
                 .why = fmt::format("models x devices x workloads are at most {}", most_points),
                 .fix = "shorter lists"});
}

AnalyzeResult analyze(const AnalyzeRequest& request) {
  require_few_points(request);
  AnalyzeResult result;
  ErrorCollector errors;
  errors.collect([&] { require_choices(request); });
  for (const Model& model : request.models) {
    errors.collect([&] { require_experts(model, request.experts); });
  }
  errors.throw_if_any();
  for (const Model& model : request.models) {
    for (const Device& device : request.devices) {
      errors.collect([&] {
        const Setting setting = setting_of(model, device, request.precision);
        for (const NamedWorkload& workload : request.workloads) {
          if (!needs_model(workload.workload)) continue;
          result.points.push_back(analyze_step(setting, workload, request));
        }
      });
    }
  }
  for (const Device& device : request.devices) {
    errors.collect([&] {
      for (const NamedWorkload& workload : request.workloads) {
        if (needs_model(workload.workload)) continue;
        result.points.push_back(analyze_kernel(device, workload, request.precision));
      }
    });
  }
  errors.throw_if_any();
  return result;
}

}  // namespace roofline
