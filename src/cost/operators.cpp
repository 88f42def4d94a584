#include "cost/cost_list.hpp"

namespace roofline {

void list_operators(const Model& model, const Step& step, const Precision& precision,
                    const Deployment& deployment, std::vector<Operator>& operators) {
  CostList list(model, step, precision, deployment, operators);
  const std::int64_t h = model.hidden_size;
  list.add("embedding", Operands::none).activations =
      list.activation() * (2 * list.tokens() * static_cast<double>(h + model.lookup_width));
  for (const LinearMap& map : model.extra_maps) {
    list.linear(map.name, Part::mlp, map.inputs, map.outputs);
  }
  for (const LayerGroup& group : model.layers) {
    list.set_layers(group.count);
    std::visit([&](const auto& mixer) { add_operators(mixer, list); }, group.mixer);
    std::visit([&](const auto& layer) { add_operators(layer, list); }, group.feed_forward);
    for (const LinearMap& map : group.extra_maps) {
      list.linear(map.name, Part::mlp, map.inputs, map.outputs);
    }
  }
  list.set_layers(1);
  list.linear_over(list.logit_rows(), "lm_head", lm_head_part(model), h, model.vocabulary);
}

}  // namespace roofline
