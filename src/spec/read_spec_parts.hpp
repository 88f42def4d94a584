// Readers of values that stand inside a larger document: a spec file holds devices and models.
#pragma once

#include "roofline/device.hpp"
#include "roofline/model.hpp"
#include "spec/json_node.hpp"

namespace roofline {

[[nodiscard]] Device read_device(const JsonNode& root);
[[nodiscard]] Model read_model(const JsonNode& root, const std::string& name,
                               const ReadOptions& options = {});

}  // namespace roofline
