// Markers of a chart on a canvas, and an account of those that cannot be seen there.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/chart.hpp"
#include "report/text_canvas.hpp"

namespace roofline::report {

struct MarkerAccount {
  /// "3,4,o" for markers of different symbols in one cell: the first is drawn.
  std::vector<std::string> shared;
  std::size_t doubles = 0;       ///< markers in the cell of one with the same symbol
  std::string double_symbols{};  ///< each of theirs once
  /// Without a key of their own, on a line that has others close by: not drawn.
  std::size_t left_out = 0;
  std::vector<std::size_t> drawn;  ///< indexes into Chart::markers
};

/// "3,4,o"
[[nodiscard]] std::string with_commas(const std::string& symbols);

[[nodiscard]] MarkerAccount draw_markers(TextCanvas& canvas, const Chart& chart);

}  // namespace roofline::report
