// Dense MLPs, and routed experts beside a shared one.
#include "cost/cost_list.hpp"

namespace roofline {

void add_operators(const Mlp& mlp, CostList& list) {
  const std::int64_t h = list.hidden_size();
  list.linear(mlp.gated ? "gate+up" : "up", Part::mlp, h, mlp.gated ? 2 * mlp.width : mlp.width);
  list.linear("down", Part::mlp, mlp.width, h, CostList::Split::inputs);
}

void add_operators(const Experts& experts, CostList& list) {
  const std::int64_t h = list.hidden_size();
  const std::int64_t up = experts.gated ? 2 : 1;
  list.linear("router", Part::router, h, experts.count + (experts.shared_gate ? 1 : 0));
  list.routed(experts.gated ? "experts gate+up" : "experts up", h, up * experts.width, experts);
  list.routed("experts down", experts.width, h, experts, CostList::Split::inputs);
  if (experts.shared_width == 0) return;
  list.linear(experts.gated ? "shared gate+up" : "shared up", Part::shared_experts, h,
              up * experts.shared_width);
  list.linear("shared down", Part::shared_experts, experts.shared_width, h,
              CostList::Split::inputs);
}

}  // namespace roofline
