// Reports in Markdown: facts as a list, tables with pipes.
#include <fmt/format.h>

#include "report/report.hpp"

namespace roofline::report {
namespace {

/// Text from files must not end a cell or start markup.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      result += ' ';
      continue;
    }
    if (std::string_view("\\|*_`<>[]").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

void write_table(std::string& out, const Table& table, const TextOptions& options) {
  const TextTable text = text_table(table, options.significant_digits);
  for (const std::string& header : text.headers) out += fmt::format("| {} ", escaped(header));
  out += "|\n";
  for (const bool right : text.right_aligned) out += right ? "|---:" : "|---";
  out += "|\n";
  for (const auto& row : text.rows) {
    for (const std::string& cell : row) out += fmt::format("| {} ", escaped(cell));
    out += "|\n";
  }
}

}  // namespace

std::string write_markdown(const Report& report, const TextOptions& options) {
  std::string out = fmt::format("**{}**\n", escaped(report.title));
  if (!report.facts.empty()) out += '\n';
  for (const Fact& fact : report.facts) {
    out += fmt::format("- {}: {}{}{}\n", escaped(fact.label), escaped(fact.value),
                       fact.detail.empty() || fact.value.empty() ? "" : ", ", escaped(fact.detail));
  }
  if (report.results_in_text) {
    out += '\n';
    write_table(out, report.results, options);
  }
  for (const auto& tables : report.details) {
    for (const Table& table : tables) {
      if (table.rows.empty() || !table.in_text) continue;
      out += '\n';
      if (!table.title.empty()) out += fmt::format("{}\n\n", escaped(table.title));
      write_table(out, table, options);
    }
  }
  for (const std::string& note : report.notes) out += fmt::format("\n> {}\n", escaped(note));
  return out;
}

}  // namespace roofline::report
