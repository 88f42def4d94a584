// How the weights of a checkpoint are stored, as its files say: quantization_config of config.json
// and hf_quant_config.json beside it. Bits are those of the tensors' layout, scales and zero points
// included, summed over the matrices of each part.
#pragma once

#include "roofline/model.hpp"
#include "spec/huggingface/config.hpp"
#include "spec/json_node.hpp"

namespace roofline::huggingface {

/// Fills model.stored and model.kv_format from quantization_config (or compression_config, or MLX's
/// quantization), if the file has one; model.layers must be complete. Throws Error for a method or
/// a layout that is not read, and where the config leaves open which tensors are quantised.
void read_quantization(Config& config, Model& model);

/// The same from the hf_quant_config.json that lies beside a config.json. Where the two differ, it
/// is the later word (Model Optimizer writes it into a checkpoint that it converts), with a
/// warning.
void read_quantization_file(const JsonNode& root, Model& model);

}  // namespace roofline::huggingface
