#include "roofline/analyze.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "roofline/error.hpp"

namespace roofline {
namespace {

double new_tokens(const Step& step) {
  double tokens = 0;
  for (const StepGroup& group : step.groups) {
    tokens += static_cast<double>(group.count) * static_cast<double>(group.new_tokens);
  }
  return tokens;
}

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

AnalyzePoint analyze_step(const Model& model, const Device& device, const NamedWorkload& workload,
                          const AnalyzeRequest& request) {
  const Step step = step_of(workload.workload);
  ResolvedPrecision resolved = resolve_precision(model, request.precision);
  StepAnalysis detail;
  detail.model = model.name;
  detail.precision = resolved.precision;
  detail.rates = choose_rates(device, model, detail.precision, request.precision.accumulate);
  list_operators(model, step, detail.precision, detail.operators);
  detail.time = time_step(detail.operators, detail.rates, device.bandwidth);
  detail.memory = memory_need(model, step, detail.precision, detail.operators);
  detail.usable_memory = usable_memory(device);
  detail.tokens_per_second = new_tokens(step) / detail.time.roofline.value();
  if (request.price) {
    constexpr double seconds_per_hour = 3600;
    detail.dollars_per_million_tokens =
        request.price->value() / seconds_per_hour / detail.tokens_per_second * 1e6;
  }

  AnalyzePoint point{.gpu = device.name,
                     .workload = workload,
                     .roof = detail.time.roof,
                     .flops = detail.time.flops,
                     .bytes = detail.time.compulsory(),
                     .compute_time = detail.time.compute,
                     .memory_time = detail.time.memory,
                     .roofline_time = detail.time.roofline,
                     .detail = {},
                     .notes = std::move(resolved.notes)};
  point.notes.insert(point.notes.end(), detail.rates.notes.begin(), detail.rates.notes.end());
  note_context_limit(model, step, point.notes);
  point.detail = std::move(detail);
  return point;
}

KernelCost cost_of(const Workload& workload, const Precision& precision) {
  const Bytes weight = precision.weights.element_size();
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
  const bool attention = std::holds_alternative<AttentionShape>(workload.workload);
  detail.rate = rate_product(device, attention ? detail.precision.kv : detail.precision.weights,
                             attention ? "K/V" : "weights", detail.precision.activations.element,
                             request.accumulate, notes);
  const auto* textbook = std::get_if<TextbookDecode>(&workload.workload);
  if (textbook != nullptr && textbook->layers == 1) {
    notes.emplace_back("bare numbers: K/V of one layer counted (--layers N counts all of them)");
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

std::optional<bool> StepAnalysis::fits() const {
  if (!usable_memory) return std::nullopt;
  return memory.total() <= *usable_memory;
}

AnalyzeResult analyze(const AnalyzeRequest& request) {
  AnalyzeResult result;
  ErrorCollector errors;
  const auto add = [&](auto&& evaluate) {
    errors.collect([&] { result.points.push_back(evaluate()); });
  };
  for (const Model& model : request.models) {
    for (const Device& device : request.devices) {
      for (const NamedWorkload& workload : request.workloads) {
        if (!needs_model(workload.workload)) continue;
        add([&] { return analyze_step(model, device, workload, request); });
      }
    }
  }
  for (const Device& device : request.devices) {
    for (const NamedWorkload& workload : request.workloads) {
      if (needs_model(workload.workload)) continue;
      add([&] { return analyze_kernel(device, workload, request.precision); });
    }
  }
  errors.throw_if_any();
  return result;
}

}  // namespace roofline
