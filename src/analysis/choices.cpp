// What can be asked of some models only: how many experts are read, the type of a state.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/routed_experts.hpp"
#include "roofline/analyze.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

void require_experts(const Model& model, const ExpertChoice& choice) {
  for (const LayerGroup& layer : model.layers) {
    const auto* experts = std::get_if<Experts>(&layer.feed_forward);
    if (experts == nullptr) continue;
    if (choice.kind != ExpertChoice::Kind::fixed) continue;
    if (choice.count >= experts->per_token && choice.count <= experts->count) continue;
    throw Error(Diagnostic{
        .what = fmt::format("{} cannot read {} experts a layer", model.name, choice.count),
        .why = fmt::format("a token passes {} of {}", experts->per_token, experts->count),
        .fix = fmt::format("a number from {} to {}", experts->per_token, experts->count)});
  }
}

}  // namespace

void require_choices(std::span<const Model> models, const PrecisionRequest& precision,
                     const ExpertChoice& experts) {
  ErrorCollector errors;
  const bool routed = std::any_of(models.begin(), models.end(), has_routed_experts);
  const bool states = std::any_of(models.begin(), models.end(), [](const Model& model) {
    return state_size(model).recurrent > 0;
  });
  if (experts.kind != ExpertChoice::Kind::expected && !routed) {
    errors.add(Error(Diagnostic{.what = "no model here has experts to choose from",
                                .why = "all layers are dense",
                                .fix = "leave --experts out"}));
  }
  if (precision.state && !states) {
    errors.add(Error(Diagnostic{.what = "no model here has a recurrent state",
                                .why = "all layers keep a cache",
                                .fix = "leave --state-dtype out"}));
  }
  for (const Model& model : models) {
    errors.collect([&] { require_experts(model, experts); });
  }
  errors.throw_if_any();
}

}  // namespace roofline
