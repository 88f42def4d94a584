// What the answers of fit, serve and solve say alike of a model's context, of memory and of prices.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "roofline/device.hpp"
#include "roofline/model.hpp"

namespace roofline {

/// Where `context` is longer than what the model is made for.
void note_context(const Model& model, std::int64_t context, std::vector<std::string>& notes);

/// Where a capacity is not known, or is one of several.
void note_memory(const Device& device, std::vector<std::string>& notes);

/// Whose price, and from when.
void note_price(const Device& device, const Price& price, std::vector<std::string>& notes);

}  // namespace roofline
