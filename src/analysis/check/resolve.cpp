#include "analysis/check/resolve.hpp"

#include <algorithm>
#include <charconv>

#include "analysis/check/plan_parts.hpp"
#include "analysis/check/precision_of_plan.hpp"
#include "analysis/check/step_activations.hpp"
#include "roofline/serve.hpp"

namespace roofline {
namespace {

/// New tokens and sequences of a step, by the device's memory: the defaults of vLLM's server
/// (get_batch_defaults of vllm/engine/arg_utils.py).
struct StepLimits {
  std::int64_t tokens;
  std::int64_t sequences;
};

StepLimits vllm_limits(const Device& device, bool first_engine, std::int64_t length, bool chunked) {
  if (first_engine) {
    return {chunked ? 2048 : std::max<std::int64_t>(length, 2048), 256};
  }
  const double memory = usable_memory(device, 1).value_or(Bytes()).value() / gib;
  const bool a100 = device.name.find("A100") != std::string::npos;
  if (memory >= 160) return {16384, 1024};
  if (memory >= 70 && !a100) return {8192, 1024};
  return {2048, 256};
}

void fill_vllm(const Device& device, ServingPlan& plan) {
  const bool first_engine = !is_at_least(plan.version, "0.8");
  constexpr std::int64_t long_context = 32768;
  const std::int64_t length = plan.max_model_len.value;
  fill(plan.chunked_prefill, !first_engine || length > long_context);
  const StepLimits limits = vllm_limits(device, first_engine, length, plan.chunked_prefill.value);
  std::int64_t tokens = limits.tokens;
  if (!plan.chunked_prefill.value) tokens = std::max(tokens, length);
  fill(plan.max_sequences, plan.batched_tokens.given
                               ? std::min(limits.sequences, plan.batched_tokens.value)
                               : limits.sequences);
  const bool all_fit = plan.max_sequences.value <= tokens / std::max<std::int64_t>(1, length);
  fill(plan.batched_tokens, !first_engine && all_fit ? plan.max_sequences.value * length : tokens);
}

/// Tokens of a chunk by the GPU's memory (_handle_gpu_memory_settings of SGLang's server_args.py).
std::int64_t sglang_chunk(const Device& device) {
  const double memory = usable_memory(device, 1).value_or(Bytes()).value() / gib;
  if (memory < 35) return 2048;
  if (memory < 60) return 4096;
  return memory < 160 ? 8192 : 16384;
}

void fill_sglang(const Device& device, ServingPlan& plan) {
  fill(plan.batched_tokens, sglang_chunk(device));
  fill(plan.max_sequences, std::int64_t{2048});
}

/// Without -c the cells are as many as the model is made for; without -np 4 slots share them.
void fill_llama_cpp(ServingPlan& plan) {
  const bool shared = !plan.max_sequences.given;
  if (plan.kv_token_limit.given) return;
  plan.kv_token_limit = {.value = plan.max_model_len.value, .given = true};
  if (shared) return;
  plan.max_model_len.value =
      std::max<std::int64_t>(1, plan.max_model_len.value / plan.max_sequences.value);
}

void fill_defaults(const Model& model, const Device& device, ServingPlan& plan) {
  constexpr std::int64_t length_without_any = 2048;
  if (plan.max_model_len.value == 0) {
    plan.max_model_len.value = model.max_context.value_or(length_without_any);
  }
  for (Given<std::int64_t>* ways :
       {&plan.tensor, &plan.pipeline, &plan.data, &plan.context_parallel, &plan.expert}) {
    fill(*ways, std::max<std::int64_t>(1, ways->value));
  }
  const RequestShape shape;
  fill(plan.prompt, shape.prompt);
  fill(plan.output, shape.output);
  fill_engine_defaults(plan);
  switch (plan.engine) {
    case Engine::vllm:
      return fill_vllm(device, plan);
    case Engine::sglang:
      return fill_sglang(device, plan);
    case Engine::tensorrt_llm:
      return;
    case Engine::llama_cpp:
      return fill_llama_cpp(plan);
  }
}

/// Under attention DP the tensor ranks are replicas of attention that share their experts.
Deployment attention_deployment(const ServingPlan& plan) {
  const bool all_ranks = plan.engine == Engine::tensorrt_llm;
  const std::int64_t replicas = all_ranks ? plan.tensor.value : plan.data.value;
  return {.tensor = std::max<std::int64_t>(1, plan.tensor.value / replicas),
          .pipeline = plan.pipeline.value,
          .expert = plan.tensor.value,
          .data = replicas};
}

/// Of a dense model engines pass over what is said of experts.
Deployment deployment_of(const ServingPlan& plan, const Model& model) {
  if (plan.attention_dp.value) {
    Deployment deployment = attention_deployment(plan);
    if (!has_experts(model)) deployment.expert = 1;
    return deployment;
  }
  Deployment deployment{.tensor = plan.tensor.value,
                        .pipeline = plan.pipeline.value,
                        .expert = 1,
                        .data = plan.data.value};
  if (has_experts(model) && (plan.expert_parallel.value || plan.expert.given)) {
    deployment.expert = plan.expert.given ? plan.expert.value : deployment.tensor * deployment.data;
  }
  return deployment;
}

/// As long as fits for certain, where the engine is asked to find that out.
void fit_length(ResolvedServing& serving) {
  if (!can_deploy(serving.server.model, serving.precision, serving.server.deployment)) return;
  const CountEstimate longest = engine_memory(serving).longest;
  serving.plan.max_model_len.value =
      std::max<std::int64_t>(1, longest.low > 0 ? longest.low : longest.value);
}

/// The number that `text` starts with; moves past it.
int leading_number(std::string_view& text) {
  int value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc()) return -1;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.starts_with('.')) text.remove_prefix(1);
  return value;
}

}  // namespace

bool has_experts(const Model& model) {
  return std::any_of(model.layers.begin(), model.layers.end(), [](const LayerGroup& layer) {
    return std::holds_alternative<Experts>(layer.feed_forward);
  });
}

std::string_view assumed_version(Engine engine) {
  switch (engine) {
    case Engine::vllm:
      return "0.30.0";
    case Engine::sglang:
      return "0.5.0";
    case Engine::tensorrt_llm:
      return "1.0.0";
    case Engine::llama_cpp:
      break;
  }
  return "2026";
}

bool is_at_least(std::string_view version, std::string_view release) {
  if (version.starts_with('v')) version.remove_prefix(1);
  while (!release.empty()) {
    const int wanted = leading_number(release);
    const int found = version.empty() ? 0 : leading_number(version);
    if (found < 0) return true;
    if (found != wanted) return found > wanted;
  }
  return true;
}

ResolvedServing resolve_serving(const ServingPlan& plan, const Model& model, const Device& device,
                                const Catalog& catalog) {
  ResolvedServing result;
  result.plan = plan;
  if (result.plan.version.empty()) {
    result.plan.version = assumed_version(plan.engine);
    result.plan.version_assumed = true;
  }
  fill_defaults(model, device, result.plan);
  result.server.model = model;
  result.server.device = device;
  result.server.deployment = deployment_of(result.plan, model);
  result.server.precision = precision_of(result.plan, model, catalog);
  if (plan.engine == Engine::llama_cpp) {
    result.value_format = cache_format(plan.value_dtype, plan, catalog);
  }
  if (result.plan.memory_share.value > 0) {
    result.server.limits.utilization = std::min(1.0, result.plan.memory_share.value);
  }
  result.server.limits.block_tokens = result.plan.block_tokens.value;
  result.server.limits.batched_tokens = result.plan.batched_tokens.value;
  if (plan.price.given) result.server.price = plan.price.value;
  result.precision = resolve_precision(model, result.server.precision).precision;
  if (plan.max_model_len.given && plan.max_model_len.value == 0) fit_length(result);
  return result;
}

}  // namespace roofline
