#include "roofline/memory.hpp"

#include <algorithm>

namespace roofline {
namespace {

double number(std::int64_t count) {
  return static_cast<double>(count);
}

}  // namespace

Bytes weight_bytes(const Model& model, const Precision& precision) {
  const ParameterCount count = count_parameters(model);
  Bytes total;
  for (const Part part : all_parts) {
    total += precision.weights[part].element_size() * number(count.parts[part]);
  }
  return total;
}

Bytes kv_bytes(const Model& model, const NumberFormat& kv, std::int64_t tokens) {
  Bytes total;
  for (const LayerGroup& layer : model.layers) {
    total += kv.element_size() * (number(layer.count) * number(kept_tokens(layer.mixer, tokens)) *
                                  number(kv_elements(layer.mixer)));
  }
  return total;
}

Bytes state_bytes(const Model& model, const Precision& precision) {
  const StateSize size = state_size(model);
  return precision.state.element_size() * number(size.recurrent) +
         precision.activations.element_size() * number(size.convolution);
}

MemoryNeed memory_need(const Model& model, const Step& step, const Precision& precision,
                       std::span<const Operator> operators) {
  MemoryNeed need;
  need.weights = weight_bytes(model, precision);
  const double tokens = new_tokens(step);
  for (const StepGroup& group : step.groups) {
    need.kv +=
        kv_bytes(model, precision.kv, group.cached_tokens + group.new_tokens) * number(group.count);
  }
  for (const StepGroup& group : step.groups) {
    need.state += state_bytes(model, precision) * number(group.count);
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
