#include "report/text_chart_legend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/format.hpp"
#include "report/text_chart_symbols.hpp"
#include "report/text_chart_words.hpp"

namespace roofline::report {
namespace {

struct Entry {
  std::string symbol;
  std::string name;
  std::string detail;
};

constexpr std::string_view indent = "  ";
constexpr std::string_view gap = "  ";

std::string padded(std::string_view text, std::size_t columns) {
  const std::size_t width = columns_of(text);
  return std::string(text) + std::string(columns > width ? columns - width : 0, ' ');
}

/// Details begin below each other, unless names are long.
std::size_t name_width(const std::vector<Entry>& entries) {
  constexpr std::size_t most = 36;
  std::size_t width = 0;
  for (const Entry& entry : entries) {
    const std::size_t columns = columns_of(entry.name);
    if (columns <= most) width = std::max(width, columns);
  }
  return width;
}

std::string start_of(const Entry& entry) {
  if (entry.symbol.empty()) return std::string(indent);
  return fmt::format("{}{}{}", indent, entry.symbol, gap);
}

std::string whole(const Entry& entry, std::size_t names) {
  std::string line = start_of(entry);
  if (entry.detail.empty()) return line + entry.name;
  return line + padded(entry.name, names) + std::string(gap) + entry.detail;
}

void append_one_a_line(std::string& out, const std::vector<Entry>& entries, std::size_t names) {
  for (const Entry& entry : entries) {
    if (columns_of(entry.name) > names || entry.detail.empty()) {
      append_words(out, start_of(entry), entry.name + std::string(gap) + entry.detail);
    } else {
      append_words(out, start_of(entry) + padded(entry.name, names) + std::string(gap),
                   entry.detail);
    }
  }
}

/// In newspaper columns where all are short.
void append_entries(std::string& out, const std::vector<Entry>& entries) {
  const std::size_t names = name_width(entries);
  std::size_t widest = 0;
  for (const Entry& entry : entries) widest = std::max(widest, columns_of(whole(entry, names)));
  const std::size_t columns = std::min(chart_width / (widest + gap.size()), std::size_t{4});
  constexpr std::size_t few = 3;
  if (columns < 2 || entries.size() <= few) return append_one_a_line(out, entries, names);
  const std::size_t rows = (entries.size() + columns - 1) / columns;
  for (std::size_t row = 0; row < rows; ++row) {
    std::string line;
    for (std::size_t e = row; e < entries.size(); e += rows) {
      const std::string entry = whole(entries[e], names);
      line += e + rows < entries.size() ? padded(entry, widest + gap.size()) : entry;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
}

void append_section(std::string& out, std::string_view title, const std::vector<Entry>& entries) {
  if (entries.empty()) return;
  if (!title.empty()) {
    if (!out.empty()) out += '\n';
    append_words(out, "", terminal_text(title));
  }
  append_entries(out, entries);
}

std::vector<Entry> line_entries(const Chart& chart) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < chart.line_keys.size(); ++i) {
    const LineKey& key = chart.line_keys[i];
    // One line needs no symbol.
    entries.push_back({chart.line_keys.size() > 1 ? std::string(1, line_symbol(i)) : std::string(),
                       terminal_text(key.name), terminal_text(key.detail)});
  }
  return entries;
}

std::vector<Entry> point_entries(const Chart& chart) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < chart.point_keys.size(); ++i) {
    const PointKey& key = chart.point_keys[i];
    const char symbol = point_symbol(i, chart.line_keys.size());
    std::string detail = terminal_text(key.detail);
    if (key.measured) detail += detail.empty() ? "measured" : ", measured";
    entries.push_back({std::string(1, symbol), terminal_text(key.name), detail});
  }
  return entries;
}

/// Those without a key of their own: where each is, as far as a few lines say it.
std::vector<Entry> measured_entries(const Chart& chart) {
  constexpr std::size_t most = 12;
  std::vector<Entry> entries;
  std::size_t more = 0;
  for (const ChartMarker& marker : chart.markers) {
    if (!marker.measured || marker_symbol(chart, marker) != measured_symbol) continue;
    if (entries.size() == most) {
      ++more;
      continue;
    }
    const std::string& title = marker.title.empty() ? marker.label : marker.title;
    const std::string figure = marker.figures.empty() ? std::string() : marker.figures[0].second;
    entries.push_back(
        {std::string(1, measured_symbol), terminal_text(title), terminal_text(figure)});
  }
  if (more == 0) return entries;
  entries.push_back({std::string(1, measured_symbol),
                     fmt::format("and {} more that were measured: see the table",
                                 format_count(static_cast<double>(more))),
                     {}});
  return entries;
}

std::string times(const std::vector<std::string>& places) {
  std::vector<std::pair<std::string, std::size_t>> counted;
  for (const std::string& place : places) {
    const auto known = std::find_if(counted.begin(), counted.end(),
                                    [&](const auto& other) { return other.first == place; });
    if (known == counted.end()) {
      counted.emplace_back(place, 1);
    } else {
      ++known->second;
    }
  }
  std::string text;
  for (const auto& [place, count] : counted) {
    text += fmt::format("{}{}", text.empty() ? "" : "; ", place);
    if (count > 1) text += fmt::format(" ({} times)", count);
  }
  return text;
}

std::string plural(std::size_t count, std::string_view one, std::string_view several) {
  return fmt::format("{} {}", format_count(static_cast<double>(count)), count == 1 ? one : several);
}

void append_notes(std::string& out, const MarkerAccount& markers, const RuleLabels& rules) {
  std::string notes;
  if (!markers.shared.empty()) {
    append_words(notes, "in one place, the first is drawn: ", times(markers.shared));
  }
  if (markers.doubles > 0) {
    append_words(notes, "",
                 plural(markers.doubles, "marker lies", "markers lie") +
                     " under one with the same symbol: " + with_commas(markers.double_symbols));
  }
  if (markers.left_out > 0) {
    append_words(notes, "",
                 plural(markers.left_out, "point of a line has", "points of lines have") +
                     " no marker, for want of room: see the table");
  }
  if (!rules.shared.empty()) {
    append_words(notes, "vertical lines in one column: ", times(rules.shared));
  }
  if (notes.empty()) return;
  if (!out.empty()) out += '\n';
  out += notes;
}

}  // namespace

void append_legend(std::string& out, const Chart& chart, const MarkerAccount& markers,
                   const RuleLabels& rules) {
  append_section(out, chart.line_keys_title, line_entries(chart));
  append_section(out, chart.point_keys_title, point_entries(chart));
  append_section(out, "", measured_entries(chart));
  std::vector<Entry> rule_entries;
  for (const auto& [symbol, name] : rules.legend) {
    rule_entries.push_back({std::string(1, symbol), terminal_text(name), {}});
  }
  append_section(out, "limits", rule_entries);
  append_notes(out, markers, rules);
}

}  // namespace roofline::report
