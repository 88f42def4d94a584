// The parts of a question about curves: the one value of a workload that varies, what cannot be
// drawn, and where a curve's limits lie.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "roofline/curves.hpp"

namespace roofline {

/// The batch or context of a workload; none where it has no such thing.
[[nodiscard]] std::optional<std::int64_t> value_of(const Workload& workload, CurveX x);

/// The workload with another batch or context; it has one.
[[nodiscard]] Workload with_value(Workload workload, CurveX x, std::int64_t value);

/// Throws Error for all workloads that have no such x, y or limit, and for prices that are missing.
void require_curves(const CurvesRequest& request);

/// Of the curve that `shape` is a workload of, but for the ridge.
[[nodiscard]] std::vector<CurveEdge> limits_of(const CurvesRequest& request, const Model& model,
                                               const Device& device, const Workload& shape);

}  // namespace roofline
