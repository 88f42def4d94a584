// The legend: what the colours, dash patterns and shapes stand for.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/chart.hpp"

namespace roofline::report {

/// One key, measured: where it is comes later. Pixels.
struct LegendEntry {
  bool line = true;  ///< of Chart::line_keys, else of point_keys
  std::size_t index = 0;
  std::string heading;  ///< above it: of the first one of a list; may be empty
  std::string name;     ///< cut where it is too long
  std::vector<std::string> detail;
  double height = 0;
  double x = 0;
  double y = 0;  ///< of its top
};

struct Legend {
  double width = 0;  ///< of a column; 0: there are no keys
  std::vector<LegendEntry> entries;
  double bottom = 0;  ///< of the lowest one
};

/// Names, details and heights.
[[nodiscard]] Legend measure_legend(const Chart& chart);

/// Places the entries in a column at `x` from `top` to about `bottom`. Where they are many more,
/// the others come in columns below `bottom`, from `left` to the end of the first.
void place_legend(Legend& legend, double x, double top, double bottom, double left);

/// Of the group "legend".
[[nodiscard]] std::string legend_elements(const Chart& chart, const Legend& legend);

}  // namespace roofline::report
