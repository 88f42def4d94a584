// Limits on a model's dimensions that keep every count within 63 bits; no real model comes near.
#pragma once

#include <optional>
#include <string>

#include "roofline/model.hpp"

namespace roofline {

/// What is out of range in a model that a reader has put together ("64 heads of 1000000
/// elements"); none if all of it can be counted.
[[nodiscard]] std::optional<std::string> size_problem(const Model& model);

}  // namespace roofline
