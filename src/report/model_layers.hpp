// A model's groups of layers as a table.
#pragma once

#include <cstdint>

#include "report/report.hpp"
#include "roofline/model.hpp"

namespace roofline::report {

/// One row a group; columns that no group has are left out.
[[nodiscard]] Table layer_table(const Model& model);

/// Layers that have a K/V cache of their own.
[[nodiscard]] std::int64_t cached_layers(const Model& model);

}  // namespace roofline::report
