// quantization_config: how the weights of a checkpoint are stored.
#pragma once

#include "roofline/model.hpp"
#include "spec/json_node.hpp"

namespace roofline::huggingface {

/// Fills model.quantization (and model.kv_format) from `config`'s quantization_config, if it has
/// one. Throws Error for a method or a shape that is not known: sizes would be wrong.
/// Bits of each method: the layout of its tensors, scales and zero points included.
void read_quantization(const JsonNode& config, Model& model);

}  // namespace roofline::huggingface
