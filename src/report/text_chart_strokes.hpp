// Lines and rules of a chart as characters or dots on a canvas.
#pragma once

#include <cstddef>
#include <vector>

#include "report/chart.hpp"
#include "report/text_canvas.hpp"

namespace roofline::report {

/// A place in a grid: columns from its left side, rows from its top.
struct GridPlace {
  double column = 0;
  double row = 0;
};

/// The axes of a chart over a grid of cells, or of the finer dots.
class ChartGrid {
 public:
  ChartGrid(const Chart& chart, std::size_t columns, std::size_t rows)
      : chart_(chart), columns_(columns), rows_(rows) {}

  [[nodiscard]] GridPlace place_of(const ChartPosition& position) const;
  [[nodiscard]] Cell cell_of(const ChartPosition& position) const;
  [[nodiscard]] Cell cell_at(const GridPlace& place) const;

  /// The cells of a straight line, one a column, or one a row where it is steeper than a cell's
  /// diagonal: those whose middle it passes. Lines that share an end share no cell so.
  [[nodiscard]] std::vector<Cell> cells_between(GridPlace from, GridPlace to) const;

 private:
  const Chart& chart_;
  std::size_t columns_;
  std::size_t rows_;
};

/// '-' for a rise below 1 row in 4 columns, '|' above 2 rows a column, else '/' or '\'.
[[nodiscard]] char slope_symbol(const GridPlace& from, const GridPlace& to);

/// Left to right, one for each column or row that it passes: all cells of a line.
[[nodiscard]] std::vector<Cell> cells_of(const ChartGrid& grid, const ChartLine& line);

/// Its lower or left end.
[[nodiscard]] ChartPosition start_of(const Chart& chart, const ChartRule& rule);

void draw_line(TextCanvas& canvas, const Chart& chart, const ChartLine& line, bool unicode);
void draw_rule(TextCanvas& canvas, const Chart& chart, const ChartRule& rule, bool unicode);

}  // namespace roofline::report
