#include "report/text_chart_labels.hpp"

#include <algorithm>
#include <optional>

#include "report/text_chart_strokes.hpp"
#include "report/text_chart_symbols.hpp"
#include "report/text_chart_words.hpp"

namespace roofline::report {
namespace {

ChartGrid grid_of(const TextCanvas& canvas, const Chart& chart) {
  return {chart, canvas.columns(), canvas.rows()};
}

bool reaches_right_side(const Chart& chart, const ChartLine& line) {
  constexpr double rounding = 1 + 1e-9;
  return !line.points.empty() && line.points.back().x * rounding >= chart.x.high;
}

bool contains(const std::string& text, char symbol) {
  return text.find(symbol) != std::string::npos;
}

/// Adds the cell `columns` and `rows` away if the grid may have it.
void add_start(std::vector<Cell>& starts, Cell from, long columns, long rows) {
  const long column = static_cast<long>(from.column) + columns;
  const long row = static_cast<long>(from.row) + rows;
  if (column < 0 || row < 0) return;
  starts.push_back({static_cast<std::size_t>(column), static_cast<std::size_t>(row)});
}

/// The cell beside the end of a line, or else one on the line, from its end on, that nothing hides.
std::optional<Cell> place_for_symbol(const TextCanvas& canvas, const std::vector<Cell>& cells) {
  std::vector<Cell> beside;
  add_start(beside, cells.back(), 1, 0);
  add_start(beside, cells.back(), 1, -1);
  add_start(beside, cells.back(), 1, 1);
  for (const Cell cell : beside) {
    if (canvas.has_room(cell, 1)) return cell;
  }
  for (auto cell = cells.rbegin(); cell != cells.rend(); ++cell) {
    if (canvas.ink(*cell) <= Ink::line) return *cell;
  }
  return {};
}

bool is_named(const LineEnds& ends, const Chart& chart, std::size_t line_key) {
  const char symbol = line_symbol(line_key);
  return std::any_of(ends.begin(), ends.end(),
                     [&](const std::string& end) { return contains(end, symbol); }) ||
         std::any_of(chart.markers.begin(), chart.markers.end(), [&](const ChartMarker& marker) {
           return marker.line_key == line_key && marker_symbol(chart, marker) == symbol;
         });
}

bool is_spot(const LineLabel& label) {
  return label.from == label.to;
}

/// Places for the label of a spot: to the right below it, where a roof has nothing.
std::vector<Cell> starts_at_spot(Cell spot, std::size_t columns) {
  std::vector<Cell> starts;
  const auto width = static_cast<long>(columns);
  for (long rows = 1; rows <= 3; ++rows) add_start(starts, spot, 1, rows);
  for (long rows = 1; rows <= 2; ++rows) add_start(starts, spot, -width / 2, -rows);
  for (long rows = 0; rows <= 2; ++rows) add_start(starts, spot, -width - 1, -rows);
  return starts;
}

/// Above a ceiling, from its right end on; left above a slope or right below it, its middle first.
std::vector<Cell> starts_along(const ChartGrid& grid, const LineLabel& label, std::size_t columns) {
  const GridPlace from = grid.place_of(label.from);
  const GridPlace to = grid.place_of(label.to);
  const auto width = static_cast<long>(columns);
  std::vector<Cell> starts;
  if (grid.cell_at(from).row == grid.cell_at(to).row) {
    for (const long row : {-1L, 1L}) {
      for (long back = width; back <= static_cast<long>(to.column - from.column); ++back) {
        add_start(starts, grid.cell_at(to), 1 - back, row);
      }
    }
    return starts;
  }
  for (const double share : {0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8}) {
    const Cell cell = grid.cell_at(
        {from.column + share * (to.column - from.column), from.row + share * (to.row - from.row)});
    for (const long gap : {2L, 3L, 4L}) {
      add_start(starts, cell, -width - gap, 0);
      add_start(starts, cell, gap + 1, 0);
    }
    add_start(starts, cell, -width, -1);
    add_start(starts, cell, 1, 1);
  }
  return starts;
}

void draw_marker_label(TextCanvas& canvas, const ChartGrid& grid, const ChartMarker& marker) {
  const std::string text = label_text(marker.label);
  const auto width = static_cast<long>(columns_of(text));
  const Cell cell = grid.cell_of(marker.at);
  std::vector<Cell> starts;
  add_start(starts, cell, -width / 2, -1);
  add_start(starts, cell, -width / 2, 1);
  add_start(starts, cell, 2, 0);
  add_start(starts, cell, -width - 1, 0);
  add_start(starts, cell, -width, -1);
  add_start(starts, cell, 1, 1);
  canvas.put_where_room(starts, text);
}

}  // namespace

LineEnds line_ends(const Chart& chart, std::size_t rows) {
  LineEnds ends(rows);
  if (chart.line_keys.size() < 2) return ends;
  const ChartGrid grid(chart, 1, rows);
  for (const ChartLine& line : chart.lines) {
    if (!reaches_right_side(chart, line)) continue;
    std::string& end = ends[grid.cell_of(line.points.back()).row];
    const char symbol = line_symbol(line.line_key);
    if (!contains(end, symbol)) end += symbol;
  }
  return ends;
}

void draw_line_symbols(TextCanvas& canvas, const LineEnds& ends, const Chart& chart) {
  if (chart.line_keys.size() < 2) return;
  const ChartGrid grid = grid_of(canvas, chart);
  for (std::size_t key = 0; key < chart.line_keys.size(); ++key) {
    if (is_named(ends, chart, key)) continue;
    for (const ChartLine& line : chart.lines) {
      if (line.line_key != key || line.points.empty()) continue;
      const std::optional<Cell> cell = place_for_symbol(canvas, cells_of(grid, line));
      if (!cell) continue;
      canvas.put(*cell, line_symbol(key), Ink::text);
      break;
    }
  }
}

void draw_spots(TextCanvas& canvas, const Chart& chart) {
  const ChartGrid grid = grid_of(canvas, chart);
  for (const LineLabel& label : chart.line_labels) {
    if (is_spot(label)) canvas.put(grid.cell_of(label.from), '+', Ink::text);
  }
}

void draw_free_labels(TextCanvas& canvas, const Chart& chart,
                      const std::vector<std::size_t>& drawn_markers) {
  const ChartGrid grid = grid_of(canvas, chart);
  for (const LineLabel& label : chart.line_labels) {
    if (chart.line_keys.size() > 1) break;
    const std::string text = label_text(label.text);
    const std::size_t columns = columns_of(text);
    canvas.put_where_room(is_spot(label) ? starts_at_spot(grid.cell_of(label.from), columns)
                                         : starts_along(grid, label, columns),
                          text);
  }
  for (const std::size_t m : drawn_markers) {
    const ChartMarker& marker = chart.markers[m];
    if (!marker.point_key && !marker.label.empty()) draw_marker_label(canvas, grid, marker);
  }
}

}  // namespace roofline::report
