#include <fmt/format.h>

#include <algorithm>

#include "base/format.hpp"
#include "report/report.hpp"

namespace roofline::report {
namespace {

void trim_right(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

void write_steps(std::string& out, const Table& table) {
  for (const Row& row : table.rows) {
    bool first = true;
    for (const Value& value : row) {
      const auto* text = std::get_if<std::string>(&value);
      const auto* number = std::get_if<double>(&value);
      if (text != nullptr && text->empty()) continue;
      if (text != nullptr) out += (first ? "" : "  = ") + *text + '\n';
      if (number != nullptr) out += fmt::format("  = {}\n", format_exact(*number));
      first = false;
    }
  }
}

void write_table(std::string& out, const Table& table, const TextOptions& options) {
  if (table.as_steps) return write_steps(out, table);
  const TextTable text = text_table(table, options.significant_digits);
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < text.headers.size(); ++c) {
    std::size_t width = text.headers[c].size();
    for (const auto& row : text.rows) width = std::max(width, row[c].size());
    widths.push_back(width);
  }
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

void write_facts(std::string& out, const Report& report, const TextOptions& options) {
  std::size_t label_width = 0;
  std::size_t value_width = 0;
  for (const Fact& fact : report.facts) {
    label_width = std::max(label_width, fact.label.size());
    if (!fact.detail.empty()) value_width = std::max(value_width, fact.value.size());
  }
  for (const Fact& fact : report.facts) {
    const std::string value = fmt::format("{:<{}}", fact.value, value_width);
    const bool bold = options.bold && &fact == &report.facts.front();
    std::string line = fmt::format("{:<{}}  {}  {}", fact.label, label_width,
                                   bold ? "\033[1m" + value + "\033[0m" : value, fact.detail);
    trim_right(line);
    out += line + '\n';
  }
}

}  // namespace

std::string write_text(const Report& report, const TextOptions& options) {
  std::string out;
  const auto separate = [&] {
    if (!out.empty()) out += '\n';
  };
  if (!report.title.empty()) out += report.title + '\n';
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
      if (!table.title.empty()) out += table.title + '\n';
      write_table(out, table, options);
    }
  }
  return out;
}

}  // namespace roofline::report
