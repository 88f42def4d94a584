// What the answers of fit, serve and solve say alike of a model's context, of memory and of prices.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "roofline/deployment.hpp"
#include "roofline/device.hpp"
#include "roofline/model.hpp"
#include "roofline/quantity.hpp"
#include "roofline/timing.hpp"

namespace roofline {

/// Where `context` is longer than what the model is made for.
void note_context(const Model& model, std::int64_t context, std::vector<std::string>& notes);

/// Where a capacity is not known, or is one of several.
void note_memory(const Device& device, std::vector<std::string>& notes);

/// Where an answer hangs on memory and nothing is laid aside for what engines keep there besides.
void note_overhead(Bytes overhead, std::vector<std::string>& notes);

/// Where a pipeline's stages are idle but one: a step on its own.
void note_stages(const Deployment& deployment, std::vector<std::string>& notes);

/// Where a link's latency is known, and the times are floors that count none.
void note_latency_left_out(const Network& network, std::vector<std::string>& notes);

/// Where a link's latency is not known, and a serial time is told.
void note_latency_unknown(const Network& network, std::vector<std::string>& notes);

/// Whose price, and from when.
void note_price(const Device& device, const Price& price, std::vector<std::string>& notes);

}  // namespace roofline
