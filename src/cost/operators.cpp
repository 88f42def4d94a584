// A step of a model as a list of operators: FLOP, and bytes by kind.
#include "roofline/error.hpp"
#include "roofline/step.hpp"

namespace roofline {
namespace {

double number(std::int64_t count) {
  return static_cast<double>(count);
}

/// What the operators of a step have in common.
struct Sizes {
  Bytes weight;
  Bytes lm_head;
  Bytes cache;
  Bytes activation;
  double tokens = 0;      ///< T: new tokens of all groups
  double logit_rows = 0;  ///< R
};

Sizes sizes_of(const Model& model, const Step& step, const Precision& precision) {
  Sizes sizes;
  sizes.weight = precision.weights.element_size();
  sizes.lm_head = lm_head_format(model, precision).element_size();
  sizes.cache = precision.kv.element_size();
  sizes.activation = precision.activations.element_size();
  sizes.tokens = new_tokens(step);
  for (const StepGroup& group : step.groups) {
    sizes.logit_rows += number(group.count) * number(group.logit_rows);
  }
  return sizes;
}

/// A linear map of `inputs` to `outputs` elements, in each of `layers` layers.
Operator linear(OperatorKind kind, bool gated, std::int64_t layers, std::int64_t inputs,
                std::int64_t outputs, const Sizes& sizes) {
  const double n = number(layers);
  const double elements = number(inputs) * number(outputs);
  Operator op;
  op.kind = kind;
  op.name = operator_name(kind, gated);
  op.layers = layers;
  op.operands = Operands::weights_activations;
  op.inputs = inputs;
  op.outputs = outputs;
  op.flops = Flops(2 * sizes.tokens * elements * n);
  op.weights = sizes.weight * (elements * n);
  op.activations = sizes.activation * (sizes.tokens * number(inputs + outputs) * n);
  return op;
}

Operator attend(const LayerGroup& layer, const Step& step, const Sizes& sizes) {
  const Attention& attention = layer.attention;
  const double n = number(layer.count);
  const double query_width = number(attention.query_heads) * number(attention.head_dim);
  const double kv_width = 2 * number(attention.kv_heads) * number(attention.head_dim);
  Operator op;
  op.kind = OperatorKind::attention;
  op.name = operator_name(op.kind, false);
  op.layers = layer.count;
  op.window = attention.window;
  op.operands = Operands::activations_kv;
  for (const StepGroup& group : step.groups) {
    const double sequences = number(group.count) * n;
    const double pairs =
        attended_pairs(group.new_tokens, group.cached_tokens, attention.window, step.causal);
    const double span = kv_span(group.new_tokens, group.cached_tokens, attention.window);
    op.flops += Flops(4 * sequences * query_width * pairs);
    op.kv += sizes.cache * (sequences * span * kv_width);
    op.activations += sizes.activation * (sequences * number(group.new_tokens) * 2 * query_width);
  }
  return op;
}

Operator embed(const Model& model, const Sizes& sizes) {
  Operator op;
  op.kind = OperatorKind::embedding;
  op.name = operator_name(op.kind, false);
  op.activations = sizes.activation * (2 * sizes.tokens * number(model.hidden_size));
  return op;
}

Operator project_to_vocabulary(const Model& model, const Sizes& sizes) {
  const double h = number(model.hidden_size);
  const double v = number(model.vocabulary);
  Operator op;
  op.kind = OperatorKind::lm_head;
  op.name = operator_name(op.kind, false);
  op.operands = Operands::lm_head_activations;
  op.inputs = model.hidden_size;
  op.outputs = model.vocabulary;
  op.flops = Flops(2 * sizes.logit_rows * h * v);
  op.weights = sizes.lm_head * (h * v);
  op.activations = sizes.activation * (sizes.logit_rows * (h + v));
  return op;
}

}  // namespace

std::string_view operator_name(OperatorKind kind, bool gated) {
  switch (kind) {
    case OperatorKind::embedding:
      return "embedding";
    case OperatorKind::qkv_projection:
      return "qkv";
    case OperatorKind::attention:
      return "attention";
    case OperatorKind::output_projection:
      return "o";
    case OperatorKind::up_projection:
      return gated ? "gate+up" : "up";
    case OperatorKind::down_projection:
      return "down";
    case OperatorKind::lm_head:
      return "lm_head";
  }
  ensure(false, "unknown operator");
  return {};
}

void list_operators(const Model& model, const Step& step, const Precision& precision,
                    std::vector<Operator>& operators) {
  const Sizes sizes = sizes_of(model, step, precision);
  const std::int64_t h = model.hidden_size;
  operators.clear();
  operators.push_back(embed(model, sizes));
  for (const LayerGroup& layer : model.layers) {
    const Attention& attention = layer.attention;
    const Mlp& mlp = layer.mlp;
    const std::int64_t query_width = attention.query_heads * attention.head_dim;
    const std::int64_t qkv_width = query_width + 2 * attention.kv_heads * attention.head_dim;
    const std::int64_t up_width = mlp.gated ? 2 * mlp.width : mlp.width;
    operators.push_back(
        linear(OperatorKind::qkv_projection, false, layer.count, h, qkv_width, sizes));
    operators.push_back(attend(layer, step, sizes));
    operators.push_back(
        linear(OperatorKind::output_projection, false, layer.count, query_width, h, sizes));
    operators.push_back(
        linear(OperatorKind::up_projection, mlp.gated, layer.count, h, up_width, sizes));
    operators.push_back(
        linear(OperatorKind::down_projection, false, layer.count, mlp.width, h, sizes));
  }
  operators.push_back(project_to_vocabulary(model, sizes));
}

}  // namespace roofline
