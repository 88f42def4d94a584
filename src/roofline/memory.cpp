#include "roofline/memory.hpp"

#include <algorithm>

#include "base/number.hpp"

namespace roofline {
namespace {

/// The share of all layers that the fullest stage of a pipeline has.
double stage_share(const Model& model, const Deployment& deployment) {
  const std::int64_t layers = layer_count(model);
  const std::int64_t stages = deployment.pipeline;
  return stages == 1 ? 1 : number((layers + stages - 1) / stages) / number(layers);
}

/// The devices that a part's weights are split over; vectors are on every one.
double ways_of(Part part, const Deployment& deployment) {
  if (part == Part::vectors) return 1;
  if (part == Part::experts) return number(std::max(deployment.tensor, deployment.expert));
  return number(deployment.tensor);
}

/// The elements of a layer's cache that a device keeps of one token.
double own_kv_elements(const Mixer& mixer, const Deployment& deployment) {
  const auto* attention = std::get_if<Attention>(&mixer);
  const double elements = number(kv_elements(mixer));
  if (attention == nullptr || attention->kv_heads == 0) return elements;
  return elements / number(attention->kv_heads) *
         number(device_kv_heads(*attention, deployment.tensor));
}

}  // namespace

Bytes weight_bytes(const Model& model, const Precision& precision, const Deployment& deployment) {
  const ParameterCount count = count_parameters(model);
  const bool staged = deployment.pipeline > 1;
  const double share = stage_share(model, deployment);
  Bytes total;
  Bytes tables;
  for (const Part part : all_parts) {
    const Bytes bytes = precision.weights[part].element_size() *
                        (number(count.parts[part]) / ways_of(part, deployment));
    const bool table = part == Part::embedding || part == Part::lm_head;
    if (staged && table) {
      tables = std::max(tables, bytes);  // the first stage has the one, the last the other
    } else {
      total += staged ? bytes * share : bytes;
    }
  }
  return total + tables;
}

Bytes kv_bytes(const Model& model, const NumberFormat& kv, std::int64_t tokens,
               const Deployment& deployment) {
  Bytes total;
  for (const LayerGroup& layer : model.layers) {
    total += kv.element_size() * (number(layer.count) * number(kept_tokens(layer.mixer, tokens)) *
                                  own_kv_elements(layer.mixer, deployment));
  }
  return total * stage_share(model, deployment);
}

Bytes state_bytes(const Model& model, const Precision& precision, const Deployment& deployment) {
  const StateSize size = state_size(model);
  const Bytes all = precision.state.element_size() * number(size.recurrent) +
                    precision.activations.element_size() * number(size.convolution);
  return all * (stage_share(model, deployment) / number(deployment.tensor));
}

MemoryNeed memory_need(const Model& model, const Step& step, const Precision& precision,
                       const Deployment& deployment, std::span<const Operator> operators) {
  MemoryNeed need;
  need.weights = weight_bytes(model, precision, deployment);
  const double tokens = new_tokens(step);
  for (const StepGroup& group : step.groups) {
    need.kv += kv_bytes(model, precision.kv, group.cached_tokens + group.new_tokens, deployment) *
               number(group.count);
  }
  for (const StepGroup& group : step.groups) {
    need.state += state_bytes(model, precision, deployment) * number(group.count);
  }
  Bytes largest;
  for (const Operator& op : operators) {
    largest = std::max(largest, op.activations / number(op.layers));
  }
  const Bytes residual =
      precision.activations.element_size() * (tokens * number(model.hidden_size));
  need.activations = largest + residual;
  return need;
}

std::optional<Bytes> usable_memory(const Device& device, double utilization) {
  const std::optional<Bytes> reported = device.usable ? device.usable : device.capacity;
  if (!reported) return std::nullopt;
  return *reported * utilization;
}

}  // namespace roofline
