// Configs that command lines name: `vllm serve --config vllm.yaml` beside vllm.yaml.
#pragma once

#include <vector>

#include "roofline/serving_config.hpp"

namespace roofline {

/// Puts the settings of configs that launches name into those launches, as their engines do, and
/// takes the configs' own launches away. A launch that names a file which is not among `configs`
/// has it among its `missing_configs`.
void join_named_configs(std::vector<ServingConfig>& configs);

}  // namespace roofline
