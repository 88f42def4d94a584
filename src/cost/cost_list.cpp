#include "cost/cost_list.hpp"

namespace roofline {
namespace {

double number(std::int64_t count) {
  return static_cast<double>(count);
}

}  // namespace

CostList::CostList(const Model& model, const Step& step, const Precision& precision,
                   std::vector<Operator>& operators)
    : step_(step),
      precision_(precision),
      operators_(operators),
      hidden_size_(model.hidden_size),
      tokens_(new_tokens(step)),
      activation_(precision.activations.element_size()),
      cache_(precision.kv.element_size()),
      state_(precision.state.element_size()) {
  operators_.clear();
  for (const StepGroup& group : step.groups) {
    logit_rows_ += number(group.count) * number(group.logit_rows);
  }
}

void CostList::linear(std::string_view name, Part part, std::int64_t inputs, std::int64_t outputs,
                      double rows, double matrices) {
  const double elements = number(inputs) * number(outputs);
  Operator& op = add(name, Operands::weights);
  op.part = part;
  op.rows = rows;
  op.matrices = matrices;
  op.inputs = inputs;
  op.outputs = outputs;
  op.flops = Flops(2 * rows * elements * layers());
  op.weights = precision_.weights[part].element_size() * (elements * matrices * layers());
  op.activations = activation_ * (rows * number(inputs + outputs) * layers());
}

void CostList::linear(std::string_view name, Part part, std::int64_t inputs, std::int64_t outputs) {
  linear(name, part, inputs, outputs, tokens_);
}

Operator& CostList::add(std::string_view name, Operands operands) {
  Operator& op = operators_.emplace_back();
  op.name = name;
  op.layers = layers_;
  op.operands = operands;
  return op;
}

}  // namespace roofline
