// Typed columns to text: one unit a column (that of its largest value), as many decimals as give
// its smallest value the wanted digits.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/format.hpp"
#include "report/row_writers.hpp"

namespace roofline::report {
namespace {

std::string_view unit_text(Unit unit) {
  switch (unit) {
    case Unit::bytes:
      return "B";
    case Unit::bytes_per_s:
      return "B/s";
    case Unit::flop:
      return "FLOP";
    case Unit::flop_per_byte:
      return "FLOP/byte";
    case Unit::flop_per_s:
      return "FLOP/s";
    case Unit::percent:
      return "%";
    case Unit::seconds:
      return "s";
    case Unit::tok_per_s:
      return "tok/s";
    case Unit::usd:
      return "USD";
    case Unit::plain:
    case Unit::count:
    case Unit::none:
      break;
  }
  return "";
}

bool is_scaled(Unit unit) {
  return unit == Unit::bytes || unit == Unit::bytes_per_s || unit == Unit::flop ||
         unit == Unit::flop_per_s || unit == Unit::seconds;
}

NumberStyle style_of(const Column& column, const ColumnSummary& summary, int significant_digits) {
  NumberStyle style;
  if (summary.largest == 0) return style;
  const Unit unit = column.unit;
  const std::string_view prefix = column.prefix;
  if (!prefix.empty()) {
    style.scale = scale_named(prefix);
  } else if (is_scaled(unit)) {
    style.scale = scale_for(summary.largest, significant_digits);
  }
  // A tiny value among large ones must not make the large ones endless; it keeps one digit.
  constexpr int most_extra_digits = 2;
  if (unit == Unit::percent) {
    style.decimals = 1;
  } else if (unit != Unit::count || !prefix.empty()) {
    const double small = summary.smallest / style.scale.factor;
    const double large = summary.largest / style.scale.factor;
    style.decimals =
        std::max(decimals_for(small, 1),
                 std::min(decimals_for(small, significant_digits),
                          decimals_for(large, significant_digits + most_extra_digits)));
  }
  return style;
}

std::string cell_text(const Value& value, Unit unit, const NumberStyle& style) {
  if (const auto* number = std::get_if<double>(&value)) {
    if (unit == Unit::plain) return format_exact(*number);
    if (*number == 0) return "-";
    return format_fixed(*number / style.scale.factor, style.decimals);
  }
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "yes" : "no";
  if (const auto* text = std::get_if<std::string>(&value)) return text->empty() ? "-" : *text;
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    return texts->empty() ? "-" : fmt::format("{}", fmt::join(*texts, ", "));
  }
  return "-";
}

}  // namespace

void ColumnSummary::add(const Value& value, Unit unit) {
  if (!any) first = value;
  any = true;
  shared = shared && value == first;
  absent = absent && std::holds_alternative<std::monostate>(value);
  const auto* number = std::get_if<double>(&value);
  numbers = numbers || number != nullptr;
  if (number != nullptr && *number != 0) {
    smallest = std::min(smallest, std::abs(*number));
    largest = std::max(largest, std::abs(*number));
    least = std::min(least, *number);
  }
  if (number == nullptr || *number == 0 || unit == Unit::plain) {
    widest_text = std::max(widest_text, cell_text(value, unit, {}).size());
  }
}

std::string TextColumn::cell(const Value& value) const {
  return cell_text(value, unit, style);
}

std::vector<TextColumn> text_columns(const std::vector<Column>& columns,
                                     const std::vector<ColumnSummary>& summaries,
                                     int significant_digits) {
  std::vector<TextColumn> result;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Column& column = columns[c];
    const ColumnSummary& summary = summaries[c];
    if (column.show == Show::machine) continue;
    TextColumn text{.index = c,
                    .header = {},
                    .right_aligned = column.unit != Unit::none || summary.numbers,
                    .where_room = column.where_room,
                    .unit = column.unit,
                    .style = style_of(column, summary, significant_digits)};
    const std::string unit = fmt::format("{}{}", text.style.scale.prefix, unit_text(column.unit));
    const bool space = !column.header.empty() && !unit.empty();
    text.header = fmt::format("{}{}{}", column.header, space ? " " : "", unit);
    text.width = std::max(text.header.size(), summary.widest_text);
    if (summary.largest > 0 && column.unit != Unit::plain) {
      // A number of that scale is the longer, the larger it is.
      text.width = std::max(text.width, text.cell(summary.largest).size());
      if (summary.least < 0) text.width = std::max(text.width, text.cell(summary.least).size());
    }
    result.push_back(std::move(text));
  }
  return result;
}

std::vector<ColumnSummary> summaries_of(const Table& table) {
  std::vector<ColumnSummary> summaries(table.columns.size());
  for (const Row& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) summaries[c].add(row[c], table.columns[c].unit);
  }
  return summaries;
}

TextTable text_table(const Table& table, int significant_digits) {
  TextTable result;
  result.rows.resize(table.rows.size());
  for (const TextColumn& column :
       text_columns(table.columns, summaries_of(table), significant_digits)) {
    result.headers.push_back(column.header);
    result.right_aligned.push_back(column.right_aligned);
    result.where_room.push_back(column.where_room);
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      result.rows[r].push_back(column.cell(table.rows[r][column.index]));
    }
  }
  return result;
}

}  // namespace roofline::report
