#include "report/svg_legend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/palette.hpp"
#include "report/svg_style.hpp"
#include "report/svg_text.hpp"
#include "report/text_width.hpp"

namespace roofline::report {
namespace {

constexpr double key_width = 24;   // of a piece of line
constexpr double text_left = 32;   // of an entry
constexpr double narrowest = 120;  // of a column
constexpr double widest = 236;
constexpr double column_gap = 22;
constexpr double heading_height = 21;
constexpr double name_height = 15;
constexpr double detail_height = 13;
constexpr double entry_gap = 6;
constexpr double list_gap = 8;  // between two lists
constexpr double shape_radius = 6;
constexpr std::size_t most_detail_lines = 12;

LegendEntry measure(const std::string& heading, const std::string& name, const std::string& detail,
                    double width) {
  LegendEntry entry;
  entry.heading = cut_text(heading, heading_size * bold_factor, width);
  const double text_space = width - text_left;
  entry.name = cut_text(name, name_size, text_space);
  if (!detail.empty()) entry.detail = wrap_text(detail, detail_size, text_space, most_detail_lines);
  entry.height = (heading.empty() ? 0 : heading_height) + name_height +
                 detail_height * static_cast<double>(entry.detail.size()) + entry_gap;
  return entry;
}

double column_width(const Chart& chart) {
  double text = std::max(text_width(chart.line_keys_title, heading_size * bold_factor),
                         text_width(chart.point_keys_title, heading_size * bold_factor)) -
                text_left;
  for (const LineKey& key : chart.line_keys) {
    text = std::max({text, text_width(key.name, name_size), text_width(key.detail, detail_size)});
  }
  for (const PointKey& key : chart.point_keys) {
    text = std::max({text, text_width(key.name, name_size), text_width(key.detail, detail_size)});
  }
  return std::clamp(std::ceil(text + text_left), narrowest, widest);
}

/// Of entries from `first` on in columns no higher than `height`.
std::size_t columns_needed(const std::vector<LegendEntry>& entries, std::size_t first,
                           double height) {
  std::size_t columns = 1;
  double used = 0;
  for (std::size_t i = first; i < entries.size(); ++i) {
    if (used > 0 && used + entries[i].height > height) {
      ++columns;
      used = 0;
    }
    used += entries[i].height;
  }
  return columns;
}

/// The others, below the frame: as low as they can be in `columns`.
void place_below(Legend& legend, std::size_t first, std::size_t columns, double left, double top) {
  double total = 0;
  for (std::size_t i = first; i < legend.entries.size(); ++i) total += legend.entries[i].height;
  double height = total / static_cast<double>(columns);
  while (columns_needed(legend.entries, first, height) > columns) height += detail_height;
  double x = left;
  double y = top;
  for (std::size_t i = first; i < legend.entries.size(); ++i) {
    LegendEntry& entry = legend.entries[i];
    if (y > top && y + entry.height > top + height) {
      x += legend.width + column_gap;
      y = top;
    }
    entry.x = x;
    entry.y = y;
    y += entry.height;
    legend.bottom = std::max(legend.bottom, y);
  }
}

/// A piece of the line; where markers have their line's shape, with one of them on it.
std::string line_key_element(const Chart& chart, const LegendEntry& entry, double y) {
  std::string out =
      fmt::format("<line class=\"key{}{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n",
                  color_class(entry.index), dash_class(entry.index), coordinate(entry.x),
                  coordinate(y), coordinate(entry.x + key_width), coordinate(y));
  if (!chart.point_keys.empty() || chart.markers.empty()) return out;
  return out + fmt::format("<path class=\"shape{}\" transform=\"translate({} {})\" d=\"{}\"/>\n",
                           color_class(entry.index), coordinate(entry.x + key_width / 2),
                           coordinate(y), marker_path(shape_of_key(entry.index), shape_radius));
}

std::string point_key_element(const Chart& chart, const LegendEntry& entry, double y) {
  const PointKey& key = chart.point_keys[entry.index];
  return fmt::format("<path class=\"shape{}{}\" transform=\"translate({} {})\" d=\"{}\"/>\n",
                     chart.color_by_point ? color_class(entry.index) : std::string(" c"),
                     key.measured ? " measured" : "", coordinate(entry.x + key_width / 2),
                     coordinate(y), marker_path(shape_of_key(entry.index), shape_radius));
}

std::string entry_elements(const Chart& chart, const LegendEntry& entry) {
  std::string out;
  double y = entry.y;
  if (!entry.heading.empty()) {
    out += text_element({.x = entry.x, .y = y + 12, .style = "heading"}, entry.heading);
    y += heading_height;
  }
  out += fmt::format("<g class=\"entry\" data-{}=\"{}\">\n", entry.line ? "line" : "point",
                     entry.index);
  const double middle = y + 7.5;
  out +=
      entry.line ? line_key_element(chart, entry, middle) : point_key_element(chart, entry, middle);
  const double x = entry.x + text_left;
  out += text_element({.x = x, .y = y + 12, .style = "name"}, entry.name);
  y += name_height;
  for (const std::string& line : entry.detail) {
    out += text_element({.x = x, .y = y + 10, .style = "detail"}, line);
    y += detail_height;
  }
  return out + "</g>\n";
}

}  // namespace

Legend measure_legend(const Chart& chart) {
  Legend legend;
  if (chart.line_keys.empty() && chart.point_keys.empty()) return legend;
  legend.width = column_width(chart);
  for (std::size_t i = 0; i < chart.line_keys.size(); ++i) {
    const LineKey& key = chart.line_keys[i];
    const std::string heading = i == 0 ? chart.line_keys_title : std::string();
    legend.entries.push_back(measure(heading, key.name, key.detail, legend.width));
    legend.entries.back().index = i;
  }
  for (std::size_t i = 0; i < chart.point_keys.size(); ++i) {
    const PointKey& key = chart.point_keys[i];
    const std::string heading = i == 0 ? chart.point_keys_title : std::string();
    legend.entries.push_back(measure(heading, key.name, key.detail, legend.width));
    legend.entries.back().line = false;
    legend.entries.back().index = i;
  }
  return legend;
}

void place_legend(Legend& legend, double x, double top, double bottom, double left) {
  double total = 0;
  for (const LegendEntry& entry : legend.entries) total += entry.height;
  constexpr double little_more = 120;  // than there is room for: then the picture grows by it
  const bool alone = total + list_gap <= bottom - top + little_more;
  double y = top;
  for (std::size_t i = 0; i < legend.entries.size(); ++i) {
    LegendEntry& entry = legend.entries[i];
    if (i > 0 && !entry.heading.empty()) y += list_gap;
    if (!alone && y + entry.height > bottom) {
      const double columns = std::floor((x - left + column_gap) / (legend.width + column_gap)) + 1;
      place_below(legend, i, static_cast<std::size_t>(columns), left, bottom + list_gap);
      return;
    }
    entry.x = x;
    entry.y = y;
    y += entry.height;
    legend.bottom = std::max(legend.bottom, y);
  }
}

std::string legend_elements(const Chart& chart, const Legend& legend) {
  std::string out;
  for (const LegendEntry& entry : legend.entries) out += entry_elements(chart, entry);
  return out;
}

}  // namespace roofline::report
