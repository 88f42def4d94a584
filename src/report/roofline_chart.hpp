// The roofline drawn: devices' roofs, workloads on them, and what was measured.
#pragma once

#include "report/chart.hpp"
#include "roofline/plot.hpp"

namespace roofline::report {

/// How workloads are drawn.
enum class MarkWorkloads {
  by_number_of_devices,  ///< points on one device, lines across the roofs of several
  as_points,             ///< a labelled point each
  as_lines               ///< a vertical line at each intensity, and points where it meets a roof
};

/// Title and question are left to the caller. Throws Error for what has no place on a logarithmic
/// axis.
[[nodiscard]] Chart roofline_chart(const PlotResult& result, MarkWorkloads mark,
                                   int significant_digits);

}  // namespace roofline::report
