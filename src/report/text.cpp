// Reports as plain text of 100 columns.
#include <fmt/format.h>

#include <algorithm>

#include "base/format.hpp"
#include "report/report.hpp"

namespace roofline::report {
namespace {

constexpr std::size_t line_width = 100;

void trim_right(std::string& line) {
  line.erase(line.find_last_not_of(' ') + 1);
}

/// `text` behind `start`, broken between words; further lines are indented to where it began.
void append_wrapped(std::string& out, const std::string& start, std::string_view text) {
  std::string line = start;
  const std::string indent(start.size(), ' ');
  bool empty = true;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    if (!empty && line.size() + 1 + word.size() > line_width) {
      out += line + '\n';
      line = indent;
      empty = true;
    }
    if (!empty) line += ' ';
    line += word;
    empty = false;
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  trim_right(line);
  out += line + '\n';
}

void write_blocks(std::string& out, const Table& table) {
  const std::string_view indent = table.layout == Layout::derivation ? "  = " : "    ";
  for (const Row& row : table.rows) {
    bool first = true;
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (table.columns[c].show == Show::machine) continue;
      const auto* text = std::get_if<std::string>(&row[c]);
      const auto* number = std::get_if<double>(&row[c]);
      if (text != nullptr && !text->empty()) {
        append_wrapped(out, std::string(first ? "" : indent), *text);
      }
      if (number != nullptr) out += fmt::format("{}{}\n", indent, format_exact(*number));
      first = false;
    }
  }
}

std::vector<std::size_t> widths_of(const TextTable& text) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < text.headers.size(); ++c) {
    std::size_t width = text.headers[c].size();
    for (const auto& row : text.rows) width = std::max(width, row[c].size());
    widths.push_back(width);
  }
  return widths;
}

std::size_t line_width_of(const std::vector<std::size_t>& widths) {
  constexpr std::size_t between = 2;
  std::size_t width = 0;
  for (const std::size_t column : widths) width += column + (width > 0 ? between : 0);
  return width;
}

/// Takes the last column away that is there only where there is room; false if there is none.
bool drop_column(TextTable& text) {
  const auto last = std::find(text.where_room.rbegin(), text.where_room.rend(), true);
  if (last == text.where_room.rend()) return false;
  const auto at = std::distance(last, text.where_room.rend()) - 1;
  text.headers.erase(text.headers.begin() + at);
  text.right_aligned.erase(text.right_aligned.begin() + at);
  text.where_room.erase(text.where_room.begin() + at);
  for (auto& row : text.rows) row.erase(row.begin() + at);
  return true;
}

void write_columns(std::string& out, const Table& table, const TextOptions& options) {
  TextTable text = text_table(table, options.significant_digits);
  std::vector<std::size_t> widths = widths_of(text);
  while (line_width_of(widths) > line_width && drop_column(text)) widths = widths_of(text);
  const auto write_row = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (c > 0) line += "  ";
      line += text.right_aligned[c] ? fmt::format("{:>{}}", cells[c], widths[c])
                                    : fmt::format("{:<{}}", cells[c], widths[c]);
    }
    trim_right(line);
    out += line + '\n';
  };
  write_row(text.headers);
  for (const auto& row : text.rows) write_row(row);
}

void write_table(std::string& out, const Table& table, const TextOptions& options) {
  if (!table.title.empty()) out += table.title + '\n';
  if (table.layout == Layout::columns) {
    write_columns(out, table, options);
  } else {
    write_blocks(out, table);
  }
}

void write_facts(std::string& out, const Report& report, const TextOptions& options) {
  std::size_t label_width = 0;
  std::size_t value_width = 0;
  for (const Fact& fact : report.facts) {
    label_width = std::max(label_width, fact.label.size());
    if (!fact.detail.empty()) value_width = std::max(value_width, fact.value.size());
  }
  for (const Fact& fact : report.facts) {
    std::string start = fmt::format("{:<{}}  ", fact.label, label_width);
    if (value_width > 0) start += fmt::format("{:<{}}  ", fact.value, value_width);
    std::string lines;
    if (fact.detail.empty() && fact.value.size() > value_width) {
      append_wrapped(lines, fmt::format("{:<{}}  ", fact.label, label_width), fact.value);
    } else {
      append_wrapped(lines, start, fact.detail);
    }
    if (options.bold && report.first_fact_matters_most && &fact == &report.facts.front()) {
      const std::size_t at = lines.find(fact.value);
      if (at != std::string::npos) {
        lines.replace(at, fact.value.size(), "\033[1m" + fact.value + "\033[0m");
      }
    }
    out += lines;
  }
}

}  // namespace

std::string write_text(const Report& report, const TextOptions& options) {
  std::string out;
  const auto separate = [&] {
    if (!out.empty()) out += '\n';
  };
  if (!report.title.empty()) append_wrapped(out, "", report.title);
  if (!report.facts.empty()) {
    separate();
    write_facts(out, report, options);
  }
  if (report.results_in_text) {
    separate();
    write_table(out, report.results, options);
  }
  for (const auto& tables : report.details) {
    for (const Table& table : tables) {
      if (table.rows.empty() || !table.in_text) continue;
      separate();
      write_table(out, table, options);
    }
  }
  return out;
}

}  // namespace roofline::report
