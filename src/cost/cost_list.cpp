#include "cost/cost_list.hpp"

#include "base/number.hpp"

namespace roofline {

CostList::CostList(const Model& model, const Step& step, const Precision& precision,
                   const Deployment& deployment, std::vector<Operator>& operators)
    : step_(step),
      precision_(precision),
      deployment_(deployment),
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

void CostList::add_linear(std::string_view name, Part part, std::int64_t inputs,
                          std::int64_t outputs, Split split, const Rows& rows) {
  const double elements = number(inputs) * number(outputs);
  const double ways = number(rows.ways);
  Operator& op = add(name, Operands::weights);
  op.part = part;
  op.rows = rows.rows;
  op.matrices = rows.matrices;
  op.ways = rows.ways;
  op.split_inputs = split == Split::inputs;
  op.inputs = inputs;
  op.outputs = outputs;
  op.flops = Flops(2 * rows.rows * elements * layers() / ways);
  op.weights =
      precision_.weights[part].element_size() * (elements * rows.matrices * layers() / ways);
  const double width = op.split_inputs ? number(inputs) / ways + number(outputs)
                                       : number(inputs) + number(outputs) / ways;
  op.activations = activation_ * (rows.rows * width * layers());
}

void CostList::linear(std::string_view name, Part part, std::int64_t inputs, std::int64_t outputs,
                      Split split) {
  linear_over(tokens_, name, part, inputs, outputs, split);
}

void CostList::linear_over(double rows, std::string_view name, Part part, std::int64_t inputs,
                           std::int64_t outputs, Split split) {
  add_linear(name, part, inputs, outputs, split,
             {.rows = rows, .matrices = 1, .ways = deployment_.tensor});
}

void CostList::routed(std::string_view name, std::int64_t inputs, std::int64_t outputs,
                      const Experts& experts, Split split) {
  const double tokens = step_.joined_tokens > 0 ? step_.joined_tokens : tokens_;
  const double spread = number(deployment_.expert);
  add_linear(name, Part::experts, inputs, outputs, split,
             {.rows = tokens * number(experts.per_token) / spread,
              .matrices = distinct_experts(experts, tokens, step_.experts) / spread,
              .ways = deployment_.expert_slices()});
}

Operator& CostList::add(std::string_view name, Operands operands) {
  Operator& op = operators_.emplace_back();
  op.name = name;
  op.layers = layers_;
  op.operands = operands;
  return op;
}

}  // namespace roofline
