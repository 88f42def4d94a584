// Puts layers that are alike into one group.
#pragma once

#include "roofline/model.hpp"

namespace roofline {

/// Adds one layer to the group of those that are like it, or a group. Throws Error for more kinds
/// of layers than any model has: each layer is compared with all of them.
void add_layer(Model& model, LayerGroup layer);

}  // namespace roofline
