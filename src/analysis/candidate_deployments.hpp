// The ways of spreading a model that a search for the fewest devices tries.
#pragma once

#include <vector>

#include "roofline/deployment.hpp"
#include "roofline/model.hpp"
#include "roofline/step.hpp"

namespace roofline {

/// Every tensor and pipeline parallel deployment of up to `most_devices` that the model can be
/// spread by, routed experts cut and whole. By number of devices; of those alike the most tensor
/// parallel first, within the fastest link's reach before what is beyond it.
[[nodiscard]] std::vector<Deployment> candidate_deployments(const Device& device,
                                                            const Model& model,
                                                            const Precision& precision);

}  // namespace roofline
