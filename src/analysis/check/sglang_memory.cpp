// SGLang: what is free after loading - (1 - mem-fraction-static) x what was free before. So
// activations and graphs are not charged: they have the part that the fraction leaves out. What was
// free before loading is the total without the driver's reserve, the context and, with several
// ranks, communication buffers.
#include <algorithm>
#include <cmath>

#include "analysis/check/engine_memory_parts.hpp"
#include "analysis/check/engine_weights.hpp"
#include "analysis/check/step_activations.hpp"
#include "base/number.hpp"
#include "roofline/memory.hpp"

namespace roofline {
namespace {

/// The largest decode step that is captured, by the GPU's memory; more over four ranks.
double largest_graph(double memory_gib, bool four_ranks) {
  if (memory_gib < 20) return 8;
  if (memory_gib < 35) return four_ranks ? 80 : 24;
  if (memory_gib < 60) return four_ranks ? 160 : 32;
  if (memory_gib < 160) return four_ranks ? 512 : 256;
  return 512;
}

BytesEstimate before_loading(const ResolvedServing& serving) {
  const Device& device = serving.server.device;
  if (!has_context(device)) return {};
  BytesEstimate taken =
      driver_reserve(device) + BytesEstimate{Bytes(0.5 * gib), Bytes(0.2 * gib), Bytes(0.9 * gib)};
  if (serving.plan.tensor.value > 1) {
    taken = taken + BytesEstimate{Bytes(0.7 * gib), Bytes(0.2 * gib), Bytes(1.5 * gib)};
  }
  return taken;
}

}  // namespace

double sglang_memory_fraction(const ResolvedServing& serving) {
  const ServingPlan& plan = serving.plan;
  const double total = usable_memory(serving.server.device, 1)->value() / mib;
  const double ranks = number(serving.plan.tensor.value * plan.pipeline.value);
  const double graph = largest_graph(total / 1024, serving.plan.tensor.value >= 4);
  // MiB: metadata, activations, graphs, ranks.
  double reserved = 512 + 1.5 * number(std::max<std::int64_t>(plan.batched_tokens.value, 2048)) +
                    2 * graph + ranks / 8 * 1024;
  if (plan.attention_dp.value) {
    reserved += graph * number(plan.data.value) * (graph > 300 ? 4.5 : 3);
  }
  constexpr double large_gpu = 60 * 1024;
  if (total > large_gpu) reserved = std::max(reserved, 10.0 * 1024);
  return std::round((total - reserved) / total * 1000) / 1000;
}

void count_sglang(const ResolvedServing& serving, EngineMemoryBudget& budget) {
  const Given<double>& given = serving.plan.memory_share;
  const bool derived = !given.given || !(given.value > 0);
  const double share = derived ? sglang_memory_fraction(serving) : given.value;
  budget.allowed = budget.total * share;
  budget.weights = engine_weights(serving);
  budget.other = before_loading(serving) * share;
  if (derived) {
    // The rule changes from release to release.
    budget.other.high += budget.total * 0.03;
    budget.other.low = {};
    budget.assumptions.push_back(
        "--mem-fraction-static as SGLang derives it from the GPU's memory");
  }
  // Buffers beside the weights.
  budget.other = budget.other + BytesEstimate{Bytes(0.1 * gib), {}, Bytes(0.6 * gib)};
  budget.kv = left_for_kv(budget);
  budget.assumptions.push_back("SGLang leaves activations and CUDA graphs outside its fraction");
}

}  // namespace roofline
