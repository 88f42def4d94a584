// Reports in Markdown: facts as a list, tables with pipes.
#include <fmt/format.h>

#include "report/row_writers.hpp"

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
  const auto columns = text_columns(table.columns, summaries_of(table), options.significant_digits);
  append_markdown_header(out, columns);
  for (const Row& row : table.rows) append_markdown_row(out, columns, row);
}

}  // namespace

std::string markdown_title(std::string_view title) {
  return fmt::format("**{}**\n", escaped(title));
}

std::string markdown_note(std::string_view note) {
  return fmt::format("\n> {}\n", escaped(note));
}

void append_markdown_header(std::string& out, const std::vector<TextColumn>& columns) {
  for (const TextColumn& column : columns) out += fmt::format("| {} ", escaped(column.header));
  out += "|\n";
  for (const TextColumn& column : columns) out += column.right_aligned ? "|---:" : "|---";
  out += "|\n";
}

void append_markdown_row(std::string& out, const std::vector<TextColumn>& columns, const Row& row) {
  for (const TextColumn& column : columns) {
    out += fmt::format("| {} ", escaped(column.cell(row[column.index])));
  }
  out += "|\n";
}

std::string write_markdown(const Report& report, const TextOptions& options) {
  std::string out = markdown_title(report.title);
  if (!report.facts.empty()) out += '\n';
  for (const Fact& fact : report.facts) {
    out += fmt::format("- {}: {}{}{}\n", escaped(fact.label), escaped(fact.value),
                       fact.detail.empty() || fact.value.empty() ? "" : ", ", escaped(fact.detail));
  }
  if (report.results_in_text) {
    out += '\n';
    write_table(out, report.results, options);
  }
  for (const Table& table : report.tables) {
    out += '\n';
    write_table(out, table, options);
  }
  for (const auto& tables : report.details) {
    for (const Table& table : tables) {
      if (table.rows.empty() || !table.in_text) continue;
      out += '\n';
      if (!table.title.empty()) out += fmt::format("{}\n\n", escaped(table.title));
      write_table(out, table, options);
    }
  }
  for (const std::string& note : report.notes) out += markdown_note(note);
  return out;
}

}  // namespace roofline::report
