// Reports as plain text of 100 columns.
#include <fmt/format.h>

#include <algorithm>

#include "base/format.hpp"
#include "report/row_writers.hpp"

namespace roofline::report {
namespace {

constexpr std::size_t line_width = 100;

void trim_right(std::string& line) {
  line.erase(line.find_last_not_of(' ') + 1);
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

std::size_t line_width_of(const std::vector<TextColumn>& columns) {
  constexpr std::size_t between = 2;
  std::size_t width = 0;
  for (const TextColumn& column : columns) width += column.width + (width > 0 ? between : 0);
  return width;
}

void append_padded(std::string& line, const TextColumn& column, const std::string& cell) {
  if (!line.empty()) line += "  ";
  line += column.right_aligned ? fmt::format("{:>{}}", cell, column.width)
                               : fmt::format("{:<{}}", cell, column.width);
}

void write_columns(std::string& out, const Table& table, const TextOptions& options) {
  auto columns = text_columns(table.columns, summaries_of(table), options.significant_digits);
  fit_line(columns);
  append_text_header(out, columns);
  for (const Row& row : table.rows) append_text_row(out, columns, row);
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

void fit_line(std::vector<TextColumn>& columns) {
  while (line_width_of(columns) > line_width) {
    const auto last = std::find_if(columns.rbegin(), columns.rend(),
                                   [](const TextColumn& column) { return column.where_room; });
    if (last == columns.rend()) return;
    columns.erase(std::next(last).base());
  }
}

void append_text_header(std::string& out, const std::vector<TextColumn>& columns) {
  std::string line;
  for (const TextColumn& column : columns) append_padded(line, column, column.header);
  trim_right(line);
  out += line + '\n';
}

void append_text_row(std::string& out, const std::vector<TextColumn>& columns, const Row& row) {
  std::string line;
  for (const TextColumn& column : columns)
    append_padded(line, column, column.cell(row[column.index]));
  trim_right(line);
  out += line + '\n';
}

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
  if (report.chart) {
    separate();
    out += write_text_chart(*report.chart, options.unicode);
  }
  if (report.results_in_text) {
    separate();
    write_table(out, report.results, options);
  }
  for (const Table& table : report.tables) {
    separate();
    write_table(out, table, options);
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
