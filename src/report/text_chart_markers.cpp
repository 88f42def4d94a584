#include "report/text_chart_markers.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "report/text_chart_strokes.hpp"
#include "report/text_chart_symbols.hpp"

namespace roofline::report {
namespace {

/// Nothing but its line names it.
bool is_line_point(const ChartMarker& marker) {
  return !marker.point_key && !marker.measured && marker.line_key;
}

std::size_t distance(std::size_t a, std::size_t b) {
  return a > b ? a - b : b - a;
}

/// Says of which points of a line there are too many to be told from the line.
class LinePoints {
 public:
  explicit LinePoints(const Chart& chart) {
    for (std::size_t m = 0; m < chart.markers.size(); ++m) {
      const ChartMarker& marker = chart.markers[m];
      if (is_line_point(marker)) last_[*marker.line_key] = m;
    }
  }

  bool too_close(std::size_t index, const ChartMarker& marker, Cell cell) {
    if (!is_line_point(marker)) return false;
    constexpr std::size_t columns_apart = 4;
    constexpr std::size_t rows_apart = 2;
    const auto before = drawn_.find(*marker.line_key);
    const bool close = before != drawn_.end() &&
                       distance(before->second.column, cell.column) < columns_apart &&
                       distance(before->second.row, cell.row) < rows_apart;
    if (close && last_.at(*marker.line_key) != index) return true;
    drawn_[*marker.line_key] = cell;
    return false;
  }

 private:
  std::map<std::size_t, std::size_t> last_;
  std::map<std::size_t, Cell> drawn_;
};

}  // namespace

std::string with_commas(const std::string& symbols) {
  std::string text;
  for (const char symbol : symbols) {
    if (!text.empty()) text += ',';
    text += symbol;
  }
  return text;
}

MarkerAccount draw_markers(TextCanvas& canvas, const Chart& chart) {
  const ChartGrid grid(chart, canvas.columns(), canvas.rows());
  MarkerAccount account;
  LinePoints line_points(chart);
  std::map<std::pair<std::size_t, std::size_t>, std::string> symbols_in;
  for (std::size_t m = 0; m < chart.markers.size(); ++m) {
    const ChartMarker& marker = chart.markers[m];
    const Cell cell = grid.cell_of(marker.at);
    if (line_points.too_close(m, marker, cell)) {
      ++account.left_out;
      continue;
    }
    const char symbol = marker_symbol(chart, marker);
    std::string& symbols = symbols_in[{cell.row, cell.column}];
    if (canvas.put(cell, symbol, Ink::marker)) account.drawn.push_back(m);
    if (symbols.find(symbol) == std::string::npos) {
      symbols += symbol;
    } else {
      ++account.doubles;
      if (account.double_symbols.find(symbol) == std::string::npos) {
        account.double_symbols += symbol;
      }
    }
  }
  for (const auto& [cell, symbols] : symbols_in) {
    if (symbols.size() > 1) account.shared.push_back(with_commas(symbols));
  }
  return account;
}

}  // namespace roofline::report
