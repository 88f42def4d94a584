// Curves over the batch or the context, drawn.
#pragma once

#include <string>
#include <vector>

#include "report/chart.hpp"
#include "roofline/curves.hpp"

namespace roofline::report {

/// What tells each curve from the others: "A100-SXM-80GB, context 2,048"; of one alone its device.
[[nodiscard]] std::vector<std::string> names_of(const CurvesResult& result);

/// What the points of a curve are called: "decode"; where that differs, what they all are.
[[nodiscard]] std::string workload_name(const CurvesResult& result, const Curve& curve);

/// "batch 341", "295.2 FLOP/byte", "30 ms"; "any batch fits", "no batch keeps to it".
[[nodiscard]] std::string edge_text(const CurvesResult& result, const CurveEdge& edge,
                                    int significant_digits);

/// "throughput", "arithmetic intensity", "TPOT", "cost".
[[nodiscard]] std::string_view figure_name(CurveY y);

/// Title and question are left to the caller. Limits of x are drawn where they lie within the axes;
/// those of y grow theirs. Throws Error for what has no place on a logarithmic axis.
[[nodiscard]] Chart curves_chart(const CurvesResult& result, int significant_digits);

}  // namespace roofline::report
