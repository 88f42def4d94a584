// How the picture is divided: heading, axes, frame, legend.
#pragma once

#include <string>
#include <vector>

#include "report/chart.hpp"
#include "report/label_placement.hpp"
#include "report/svg_legend.hpp"

namespace roofline::report {

/// A tick that is drawn: its grid line, and its text where there is room for one.
struct DrawnTick {
  double at = 0;  ///< pixels
  bool major = false;
  std::string text{};
};

struct PictureLayout {
  double width = 0;
  double height = 0;
  std::vector<std::string> title;
  std::vector<std::string> question;
  Box frame;  ///< upright, on whole pixels
  std::vector<DrawnTick> x_ticks;
  std::vector<DrawnTick> y_ticks;
  Legend legend;
};

[[nodiscard]] double left_of(const Box& box);
[[nodiscard]] double right_of(const Box& box);
[[nodiscard]] double top_of(const Box& box);
[[nodiscard]] double bottom_of(const Box& box);

[[nodiscard]] PictureLayout lay_out(const Chart& chart);

/// Pixels of a position on the chart's axes.
[[nodiscard]] Spot spot_of(const Chart& chart, const Box& frame, const ChartPosition& position);

/// Title, question, frame; the group "grid"; the group "ticks", with the labels of the axes.
[[nodiscard]] std::string heading_elements(const PictureLayout& layout);
[[nodiscard]] std::string grid_elements(const PictureLayout& layout);
[[nodiscard]] std::string tick_elements(const Chart& chart, const PictureLayout& layout);

}  // namespace roofline::report
