// Symbols and names of lines on a canvas and beside it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/chart.hpp"
#include "report/text_canvas.hpp"
#include "report/text_chart_rules.hpp"

namespace roofline::report {

/// The symbols of the lines that reach the right side in a row; none for a chart of one line key.
[[nodiscard]] LineEnds line_ends(const Chart& chart, std::size_t rows);

/// A symbol at each line key that neither `ends` nor a marker names, where there is room.
void draw_line_symbols(TextCanvas& canvas, const LineEnds& ends, const Chart& chart);

/// '+' on a line at each spot that has a label: a ridge. Markers come over it.
void draw_spots(TextCanvas& canvas, const Chart& chart);

/// Labels of a single line's parts, and those of markers that no key names, where there is room.
void draw_free_labels(TextCanvas& canvas, const Chart& chart,
                      const std::vector<std::size_t>& drawn_markers);

}  // namespace roofline::report
