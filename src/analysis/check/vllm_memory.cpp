// vLLM: ceil(total x gpu-memory-utilization) - weights - the profiling step's peak - what is taken
// outside PyTorch - (since 0.21) the graphs that it will capture.
//
// The peak is the larger of the forward pass of max-num-batched-tokens (step_activations.hpp) and
// the sampler on max-num-seqs rows of logits. A compiled forward pass keeps less alive, down to 0.6
// of that. Before 0.17 the sampler sorted the logits: published peaks of five models at 1024
// sequences are 38.2 to 38.4 bytes a logit beside one residual stream, but 11 where FlashInfer was
// installed. Since then kernels without a sort need the logits and 2 to 5 fp32 copies of them. In
// about half of the published starts of 0.21 and later on one device another V h of a bytes stays
// allocated: in the interval, not in the value.
#include <algorithm>
#include <cmath>

#include "analysis/check/engine_kv.hpp"
#include "analysis/check/engine_memory_parts.hpp"
#include "analysis/check/engine_weights.hpp"
#include "analysis/check/resolve.hpp"
#include "analysis/check/step_activations.hpp"
#include "base/number.hpp"

namespace roofline {
namespace {

/// What the sampler has alive, beside the residual stream.
BytesEstimate sampler(const ResolvedServing& serving) {
  const double logits = logit_elements(serving);
  const std::string& version = serving.plan.version;
  const bool sorts = !is_at_least(version, "0.8");  // since then FlashInfer may sample instead
  const BytesEstimate each = is_at_least(version, "0.17")
                                 ? BytesEstimate{Bytes(16), Bytes(8), Bytes(24)}
                                 : BytesEstimate{Bytes(38.3), Bytes(sorts ? 37.5 : 8), Bytes(40)};
  const Bytes residual =
      serving.precision.activations.element_size() *
      (number(serving.plan.batched_tokens.value) * number(serving.server.model.hidden_size));
  return each * logits + spread(residual, 1, 2);
}

/// The first engine (before 0.8) did not sample in a profiling step of chunked prefill.
bool samples_in_profile(const ServingPlan& plan) {
  return is_at_least(plan.version, "0.8") || !plan.chunked_prefill.value;
}

BytesEstimate peak(const ResolvedServing& serving) {
  const ServingPlan& plan = serving.plan;
  BytesEstimate estimate = spread(forward_activations(serving), 0.6, 1.35);
  if (samples_in_profile(plan)) estimate = larger(estimate, sampler(serving));
  if (is_at_least(plan.version, "0.21") && plan.tensor.value == 1) {
    const Model& model = serving.server.model;
    estimate.high += serving.precision.activations.element_size() *
                     (number(model.vocabulary) * number(model.hidden_size));
  }
  return estimate;
}

/// Decode steps that are captured: 1, 2, 4, each 8 up to 256, each 16 up to 512, none above B.
std::int64_t captured_steps(std::int64_t sequences) {
  std::int64_t steps = 0;
  for (const std::int64_t size : {1, 2, 4}) steps += size <= sequences ? 1 : 0;
  steps += std::min<std::int64_t>(sequences, 256) / 8;
  return steps + (std::clamp<std::int64_t>(sequences, 256, 512) - 256) / 16;
}

/// Layers x captured steps x 0.25 to 0.69 MiB (latent attention 0.63 to 1.39), and up to 128 MiB.
/// Of experts up to twice that.
BytesEstimate graphs(const ResolvedServing& serving) {
  const ServingPlan& plan = serving.plan;
  const bool charged = is_at_least(plan.version, "0.21") && plan.cuda_graphs.value;
  if (!charged || !has_context(serving.server.device)) return {};
  BytesEstimate each;
  for (const LayerGroup& layer : serving.server.model.layers) {
    const bool latent = std::holds_alternative<LatentAttention>(layer.mixer);
    const bool experts = std::holds_alternative<Experts>(layer.feed_forward);
    BytesEstimate one = latent
                            ? BytesEstimate{Bytes(mib), Bytes(0.63 * mib), Bytes(1.39 * mib)}
                            : BytesEstimate{Bytes(0.4 * mib), Bytes(0.25 * mib), Bytes(0.69 * mib)};
    if (experts) one.high = one.high * 2;
    each = each + one * number(layer.count);
  }
  const double steps = number(captured_steps(plan.max_sequences.value));
  return each * (steps * stage_share(serving)) +
         BytesEstimate{Bytes(64 * mib), {}, Bytes(128 * mib)};
}

/// What is taken outside PyTorch, and buffers beside the weights; with experts the workspaces of
/// their kernels.
BytesEstimate outside_torch(const ResolvedServing& serving) {
  if (!has_context(serving.server.device)) return spread(Bytes(0.15 * gib), 0, 4);
  if (!is_at_least(serving.plan.version, "0.8")) {
    const double ranks = serving.plan.tensor.value > 1 ? 2 : 1;
    return {Bytes(0.3 * gib), Bytes(0.05 * gib), Bytes(2 * gib * ranks)};
  }
  BytesEstimate taken = serving.plan.tensor.value > 1
                            ? BytesEstimate{Bytes(0.5 * gib), {}, Bytes(1.3 * gib)}
                            : BytesEstimate{Bytes(0.15 * gib), {}, Bytes(0.55 * gib)};
  taken.low = Bytes(0.05 * gib);
  if (has_experts(serving.server.model)) taken.high += Bytes(gib);
  return taken;
}

}  // namespace

void count_vllm(const ResolvedServing& serving, EngineMemoryBudget& budget) {
  const ServingPlan& plan = serving.plan;
  const double share = plan.memory_share.value;
  budget.allowed = Bytes(std::ceil(budget.total.value() * share));
  budget.weights = engine_weights(serving);
  budget.activations = peak(serving);
  budget.graphs = graphs(serving);
  budget.other = outside_torch(serving) + driver_reserve(serving.server.device) * share;
  budget.kv = left_for_kv(budget);
  if (plan.kv_memory.given) {
    budget.assumptions.push_back("--kv-cache-memory-bytes replaces what the share leaves");
  }
  budget.assumptions.push_back(is_at_least(plan.version, "0.21")
                                   ? "vLLM since 0.21 charges its CUDA graphs to the share"
                                   : "vLLM before 0.21 does not charge its CUDA graphs");
  budget.assumptions.push_back("the peak of the profiling step is estimated, not measured");
}

}  // namespace roofline
