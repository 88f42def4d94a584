#include "analysis/check/engine_weights.hpp"

#include <algorithm>
#include <variant>

#include "analysis/check/engine_kv.hpp"
#include "base/number.hpp"
#include "roofline/memory.hpp"

namespace roofline {
namespace {

/// The deployment that weights are divided by.
Deployment weight_deployment(const ResolvedServing& serving) {
  const ServingPlan& plan = serving.plan;
  Deployment deployment = serving.server.deployment;
  deployment.tensor = serving.plan.tensor.value;
  deployment.pipeline = plan.pipeline.value;
  if (plan.engine == Engine::vllm) {
    deployment.expert = std::max(deployment.expert, plan.tensor.value * plan.data.value);
  }
  if (plan.attention_dp.value) {
    deployment.expert = std::max(deployment.expert, deployment.tensor);
  }
  return deployment;
}

/// Matrices that go down to a latent, of all layers.
Bytes latent_bytes(const Model& model, const Precision& precision) {
  double elements = 0;
  for (const LayerGroup& layer : model.layers) {
    const auto* latent = std::get_if<LatentAttention>(&layer.mixer);
    if (latent == nullptr) continue;
    const std::int64_t outputs =
        latent->query_rank.value_or(0) + latent->kv_rank + latent->rope_dim;
    elements += number(model.hidden_size * outputs) * number(layer.count);
  }
  return precision.weights[Part::mixer].element_size() * elements;
}

Bytes router_bytes(const Model& model, const Precision& precision) {
  double elements = 0;
  for (const LayerGroup& layer : model.layers) {
    const auto* experts = std::get_if<Experts>(&layer.feed_forward);
    if (experts == nullptr) continue;
    const std::int64_t outputs = experts->count + (experts->shared_gate ? 1 : 0);
    elements += number(model.hidden_size * outputs) * number(layer.count);
  }
  return precision.weights[Part::router].element_size() * elements;
}

/// What a device has beyond its part of a matrix that is whole on each of `ways`.
double beyond(std::int64_t ways) {
  return number(ways - 1) / number(ways);
}

/// K and V of heads that more than one of `ways` devices have, beyond H_kv / ways.
Bytes repeated_heads(const Model& model, const Precision& precision, std::int64_t ways) {
  Bytes total;
  for (const LayerGroup& layer : model.layers) {
    const auto* attention = std::get_if<Attention>(&layer.mixer);
    if (attention == nullptr || attention->kv_heads == 0) continue;
    const double own = number(device_kv_heads(*attention, ways));
    const double repeated = own - number(attention->kv_heads) / number(ways);
    total += precision.weights[Part::mixer].element_size() *
             (2 * number(model.hidden_size) * number(attention->head_dim) * repeated *
              number(layer.count));
  }
  return total;
}

/// What attention DP keeps whole: attention, the embedding, and of TensorRT-LLM the lm_head.
Bytes replicated_bytes(const ResolvedServing& serving) {
  const ServingPlan& plan = serving.plan;
  if (!plan.attention_dp.value) return {};
  const ParameterCount count = count_parameters(serving.server.model);
  const auto bytes = [&](Part part) {
    return serving.precision.weights[part].element_size() * number(count.parts[part]);
  };
  const double split = 1 / number(serving.plan.tensor.value);
  Bytes extra =
      bytes(Part::mixer) * (stage_share(serving) * (1 / number(attention_ways(serving)) - split));
  extra += bytes(Part::embedding) * (1 - split);
  if (plan.engine == Engine::tensorrt_llm) extra += bytes(Part::lm_head) * (1 - split);
  return extra;
}

Bytes split_weights(const ResolvedServing& serving) {
  const Model& model = serving.server.model;
  const Precision& precision = serving.precision;
  const std::int64_t ways = attention_ways(serving);
  const Bytes whole = latent_bytes(model, precision) * beyond(ways) +
                      router_bytes(model, precision) * beyond(serving.plan.tensor.value) +
                      repeated_heads(model, precision, ways);
  return weight_bytes(model, precision, weight_deployment(serving)) + whole * stage_share(serving) +
         replicated_bytes(serving);
}

Bytes llama_cpp_weights(const ResolvedServing& serving) {
  const Model& model = serving.server.model;
  const ParameterCount count = count_parameters(model);
  const Given<std::int64_t>& asked = serving.plan.gpu_layers;
  const std::int64_t layers = layer_count(model);
  Bytes of_layers;
  Bytes output;
  for (const Part part : all_parts) {
    const Bytes bytes = serving.precision.weights[part].element_size() * number(count.parts[part]);
    if (part == lm_head_part(model)) {
      output = bytes;
    } else if (part != Part::embedding && part != Part::lm_head) {
      of_layers += bytes;
    }
  }
  const bool has_output = !asked.given || asked.value < 0 || asked.value > layers;
  const double share = stage_share(serving) * number(offloaded_layers(serving)) / number(layers);
  const Bytes own = of_layers * share + (has_output ? output : Bytes());
  return own / number(serving.plan.tensor.value);
}

}  // namespace

Bytes engine_weights(const ResolvedServing& serving) {
  if (serving.plan.engine == Engine::llama_cpp) return llama_cpp_weights(serving);
  return std::max(Bytes(), split_weights(serving) - serving.plan.cpu_offload.value);
}

}  // namespace roofline
