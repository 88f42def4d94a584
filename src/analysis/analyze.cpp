#include "roofline/analyze.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/evaluator.hpp"
#include "analysis/improvements.hpp"
#include "analysis/step_point.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

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
          .network_time = {},
          .roofline_time = std::max(compute, memory),
          .detail = detail,
          .improvements = {},
          .notes = std::move(notes)};
}

}  // namespace

Verdict AnalyzePoint::verdict() const {
  const auto* step = std::get_if<StepAnalysis>(&detail);
  return step != nullptr ? step->time.verdict() : roof.verdict(intensity());
}

FlopsPerSecond AnalyzePoint::achievable() const {
  if (verdict() == Verdict::network_bound) return flops / roofline_time;
  return roof.achievable(intensity());
}

bool StepAnalysis::routing_decides() const {
  if (time.memory < std::max(time.compute, time.network)) return false;
  const double tokens = step.joined_tokens > 0 ? step.joined_tokens : new_tokens(step);
  return std::any_of(operators.begin(), operators.end(), [&](const Operator& op) {
    return op.part == Part::experts && op.matrices * tokens > op.rows;  // more than one token's
  });
}

std::optional<bool> StepAnalysis::fits() const {
  if (!usable_memory) return std::nullopt;
  return memory.total() <= *usable_memory;
}

std::size_t point_count(const AnalyzeRequest& request) {
  std::size_t points = 0;
  for (const NamedWorkload& named : request.workloads) {
    const std::size_t models = needs_model(named.workload) ? request.models.size() : 1;
    points += models * request.devices.size();
  }
  return points;
}

void require_few_points(const AnalyzeRequest& request) {
  const std::size_t points = point_count(request);
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
  errors.collect([&] { require_choices(request.models, request.precision, request.experts); });
  errors.throw_if_any();
  const PointTerms terms{.price = request.price, .utilization = request.utilization};
  for (const Model& model : request.models) {
    for (const Device& device : request.devices) {
      errors.collect([&] {
        const Setting setting = make_setting(model, device, request.deployment, request.precision);
        Evaluator evaluator(setting, request.experts);
        for (const NamedWorkload& workload : request.workloads) {
          if (!needs_model(workload.workload)) continue;
          const Step step = step_of(workload.workload);
          evaluator.evaluate(step);
          result.points.push_back(step_point(evaluator, workload, step, terms));
        }
        if (point_count(request) == 1 && result.points.size() == 1) {
          AnalyzePoint& only = result.points.front();
          only.improvements = find_improvements(setting, request, only);
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
  if (result.points.size() == 1 && result.points.front().improvements.empty()) {
    result.points.front().improvements = find_improvements(result.points.front());
  }
  return result;
}

}  // namespace roofline
