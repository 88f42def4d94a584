// RFC 4180: one header line of keys, one line a result. Tables that belong to a row have no place.
#include <fmt/format.h>

#include "base/format.hpp"
#include "report/row_writers.hpp"

namespace roofline::report {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

std::string cell(const Value& value) {
  if (const auto* number = std::get_if<double>(&value)) return format_exact(*number);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&value)) return quoted(*text);
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    return quoted(fmt::format("{}", fmt::join(*texts, "; ")));
  }
  return "";
}

}  // namespace

void append_csv_header(std::string& out, const std::vector<Column>& columns) {
  bool first = true;
  for (const Column& column : columns) {
    if (column.show == Show::text) continue;
    if (!first) out += ',';
    out += column.key;
    first = false;
  }
  out += '\n';
}

void append_csv_row(std::string& out, const std::vector<Column>& columns, const Row& row) {
  bool first = true;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].show == Show::text) continue;
    if (!first) out += ',';
    out += cell(row[c]);
    first = false;
  }
  out += '\n';
}

std::string write_csv(const Report& report) {
  std::string out;
  append_csv_header(out, report.results.columns);
  for (const Row& row : report.results.rows) append_csv_row(out, report.results.columns, row);
  return out;
}

}  // namespace roofline::report
