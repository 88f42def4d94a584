// llama.cpp: the cells of all slots are allocated beside the weights of the layers that are on the
// device and a compute buffer. That buffer is for -ub tokens: the logits (ub V 4) beside the last
// hidden state, or in the layers the mask (ub cells in fp32 and fp16) beside the widest pair of
// tensors in fp32. Flash attention is on: no scores are kept. Published buffers: 258.5 MiB for
// Llama-3-8B (512 x (128256 + 4096) x 4), 304 MiB for Qwen2.5-7B.
#include <algorithm>

#include "analysis/check/engine_kv.hpp"
#include "analysis/check/engine_memory_parts.hpp"
#include "analysis/check/engine_weights.hpp"
#include "analysis/check/step_activations.hpp"
#include "base/number.hpp"
#include "roofline/memory.hpp"

namespace roofline {
namespace {

BytesEstimate compute_buffer(const ResolvedServing& serving) {
  const ServingPlan& plan = serving.plan;
  const Model& model = serving.server.model;
  constexpr double fp32 = 4;
  const double tokens = number(plan.batched_tokens.value);
  const double logits = tokens * fp32 * number(model.vocabulary + model.hidden_size);
  const double cells = number(plan.max_model_len.value);
  const double mask = tokens * cells * (fp32 + 2);
  const double wide = forward_activations(serving).value() * fp32 /
                      serving.precision.activations.element_size().value();
  const Bytes value(std::max(logits, mask + wide));
  return {value, Bytes(logits), value * 1.25 + Bytes(64 * mib)};
}

BytesEstimate context(const Device& device) {
  if (!has_context(device)) return {};
  return driver_reserve(device) +
         BytesEstimate{Bytes(0.4 * gib), Bytes(0.2 * gib), Bytes(0.8 * gib)};
}

}  // namespace

void count_llama_cpp(const ResolvedServing& serving, EngineMemoryBudget& budget) {
  const ServingPlan& plan = serving.plan;
  budget.allowed = budget.total;
  budget.weights = engine_weights(serving);
  budget.activations = compute_buffer(serving);
  budget.other = context(serving.server.device);
  budget.kv = left_for_kv(budget);
  budget.shrinks = !plan.max_model_len.given || !plan.gpu_layers.given;
  budget.assumptions.push_back("flash attention is on, and the embedding table in host memory");
  if (budget.shrinks) {
    budget.assumptions.push_back("llama.cpp shrinks -c and -ngl that are not given until they fit");
  }
}

}  // namespace roofline
