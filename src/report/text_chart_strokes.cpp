#include "report/text_chart_strokes.hpp"

#include <algorithm>
#include <cmath>

#include "report/chart_scale.hpp"

namespace roofline::report {
namespace {

constexpr double rounding = 1e-9;

/// The cell or dot that a coordinate lies in; those on the far side belong to the last.
std::size_t index_of(double coordinate, std::size_t count) {
  const double whole = std::floor(coordinate + rounding);
  return static_cast<std::size_t>(std::clamp(whole, 0.0, static_cast<double>(count - 1)));
}

bool is_steep(const GridPlace& from, const GridPlace& to) {
  return std::abs(to.row - from.row) > std::abs(to.column - from.column);
}

double share_within(const ChartAxis& axis, double value) {
  return std::clamp(share_of(axis, value), 0.0, 1.0);
}

/// Every second cell of a dashed line is left out, of its dots three after every three.
bool is_gap(Cell cell, bool steep, bool unicode) {
  const std::size_t index = steep ? cell.row : cell.column;
  return (unicode ? index / 3 : index) % 2 == 1;
}

}  // namespace

GridPlace ChartGrid::place_of(const ChartPosition& position) const {
  return {share_within(chart_.x, position.x) * static_cast<double>(columns_),
          (1 - share_within(chart_.y, position.y)) * static_cast<double>(rows_)};
}

Cell ChartGrid::cell_at(const GridPlace& place) const {
  return {index_of(place.column, columns_), index_of(place.row, rows_)};
}

Cell ChartGrid::cell_of(const ChartPosition& position) const {
  return cell_at(place_of(position));
}

std::vector<Cell> ChartGrid::cells_between(GridPlace from, GridPlace to) const {
  const bool steep = is_steep(from, to);
  if (steep ? from.row > to.row : from.column > to.column) std::swap(from, to);
  const double start = steep ? from.row : from.column;
  const double length = steep ? to.row - from.row : to.column - from.column;
  const std::size_t count = steep ? rows_ : columns_;
  std::vector<Cell> cells;
  for (std::size_t i = index_of(start, count); i < count; ++i) {
    const double along = static_cast<double>(i) + 0.5 - start;
    if (along < -rounding) continue;
    if (along >= length - rounding) break;
    const double share = along / length;
    cells.push_back(cell_at(
        {from.column + share * (to.column - from.column), from.row + share * (to.row - from.row)}));
    // Its middle is known exactly.
    (steep ? cells.back().row : cells.back().column) = i;
  }
  return cells;
}

char slope_symbol(const GridPlace& from, const GridPlace& to) {
  constexpr double flat = 0.25;
  constexpr double steep = 2;
  const double columns = std::abs(to.column - from.column);
  const double rows = std::abs(to.row - from.row);
  if (rows < flat * columns) return '-';
  if (rows > steep * columns) return '|';
  const bool rises = (to.row < from.row) == (to.column > from.column);
  return rises ? '/' : '\\';
}

std::vector<Cell> cells_of(const ChartGrid& grid, const ChartLine& line) {
  std::vector<Cell> cells;
  for (std::size_t i = 1; i < line.points.size(); ++i) {
    const auto some =
        grid.cells_between(grid.place_of(line.points[i - 1]), grid.place_of(line.points[i]));
    cells.insert(cells.end(), some.begin(), some.end());
  }
  // Shorter than a cell: it is seen all the same.
  if (cells.empty() && !line.points.empty()) cells.push_back(grid.cell_of(line.points.front()));
  std::stable_sort(cells.begin(), cells.end(),
                   [](const Cell& a, const Cell& b) { return a.column < b.column; });
  return cells;
}

ChartPosition start_of(const Chart& chart, const ChartRule& rule) {
  if (rule.vertical) return {rule.at, chart.y.low};
  return {chart.x.low, rule.at};
}

void draw_line(TextCanvas& canvas, const Chart& chart, const ChartLine& line, bool unicode) {
  const ChartGrid grid(chart, canvas.columns() * (unicode ? dot_columns : 1),
                       canvas.rows() * (unicode ? dot_rows : 1));
  bool seen = false;
  for (std::size_t i = 1; i < line.points.size(); ++i) {
    const GridPlace from = grid.place_of(line.points[i - 1]);
    const GridPlace to = grid.place_of(line.points[i]);
    for (const Cell cell : grid.cells_between(from, to)) {
      seen = true;
      if (line.dashed && is_gap(cell, is_steep(from, to), unicode)) continue;
      if (unicode) {
        canvas.put_dot(cell, Ink::line);
      } else {
        canvas.put(cell, slope_symbol(from, to), Ink::line);
      }
    }
  }
  if (seen || line.points.empty()) return;
  const Cell only = grid.cell_of(line.points.front());
  if (unicode) return canvas.put_dot(only, Ink::line);
  canvas.put(only, '-', Ink::line);
}

void draw_rule(TextCanvas& canvas, const Chart& chart, const ChartRule& rule, bool unicode) {
  const ChartGrid grid(chart, canvas.columns() * (unicode ? dot_columns : 1),
                       canvas.rows() * (unicode ? dot_rows : 1));
  const Cell on = grid.cell_of(start_of(chart, rule));
  constexpr std::size_t dots_apart = 2;
  const std::size_t step = unicode ? dots_apart : 1;
  const std::size_t length = rule.vertical ? canvas.rows() * (unicode ? dot_rows : 1)
                                           : canvas.columns() * (unicode ? dot_columns : 1);
  for (std::size_t i = 0; i < length; i += step) {
    const Cell cell = rule.vertical ? Cell{on.column, i} : Cell{i, on.row};
    if (unicode) {
      canvas.put_dot(cell, Ink::rule);
    } else {
      canvas.put(cell, rule.vertical ? ':' : '.', Ink::rule);
    }
  }
}

}  // namespace roofline::report
