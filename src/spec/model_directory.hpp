// A model's directory as it is downloaded: config.json says what the model is, the headers of its
// safetensors files say how it is stored.
#pragma once

#include <string>

#include "roofline/model.hpp"

namespace roofline {

/// Reads config.json, hf_quant_config.json where config.json has no quantisation, and the headers
/// of the safetensors files. Without those files the sizes are computed, and Model::defaults says
/// so. The model is named after the directory. Throws Error.
[[nodiscard]] Model load_model_directory(const std::string& directory,
                                         const ReadOptions& options = {});

}  // namespace roofline
