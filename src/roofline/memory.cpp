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
  return precision.weights.element_size() * number(count.layers) +
         embedding_format(precision).element_size() * number(count.embedding) +
         lm_head_format(model, precision).element_size() * number(count.lm_head) +
         norm_format(precision).element_size() * number(count.norms + count.biases);
}

Bytes kv_bytes(const Model& model, const NumberFormat& kv, std::int64_t tokens) {
  Bytes total;
  for (const LayerGroup& layer : model.layers) {
    const Attention& attention = layer.attention;
    const std::int64_t kept = std::min(tokens, attention.window.value_or(tokens));
    total += kv.element_size() * (number(layer.count) * number(kept) * 2 *
                                  number(attention.kv_heads) * number(attention.head_dim));
  }
  return total;
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
