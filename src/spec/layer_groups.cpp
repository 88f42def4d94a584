#include "spec/layer_groups.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "roofline/error.hpp"

namespace roofline {

void add_layer(Model& model, LayerGroup layer) {
  for (LayerGroup& group : model.layers) {
    layer.count = group.count;
    if (group == layer) {
      ++group.count;
      return;
    }
  }
  constexpr std::size_t most_kinds = 300;
  if (model.layers.size() == most_kinds) {
    throw Error(Diagnostic{
        .what = fmt::format("{}: more than {} kinds of layers", model.family, most_kinds),
        .why = "layers that differ are analysed one by one",
        .fix = "check the file's lists of one value a layer"});
  }
  layer.count = 1;
  model.layers.push_back(std::move(layer));
}

}  // namespace roofline
