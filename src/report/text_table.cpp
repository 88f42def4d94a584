// Typed columns to text: one unit a column (that of its largest value), as many decimals as give
// its smallest value the wanted digits.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/format.hpp"
#include "report/report.hpp"

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

/// How the numbers of one column are written.
struct NumberStyle {
  Scale scale{1, ""};
  int decimals = 0;
};

NumberStyle style_of(const Table& table, std::size_t column, int significant_digits) {
  double smallest = std::numeric_limits<double>::infinity();
  double largest = 0;
  for (const Row& row : table.rows) {
    const auto* number = std::get_if<double>(&row[column]);
    if (number == nullptr || *number == 0) continue;
    smallest = std::min(smallest, std::abs(*number));
    largest = std::max(largest, std::abs(*number));
  }
  const Unit unit = table.columns[column].unit;
  NumberStyle style;
  if (largest == 0) return style;
  const std::string_view prefix = table.columns[column].prefix;
  if (!prefix.empty()) {
    style.scale = scale_named(prefix);
  } else if (is_scaled(unit)) {
    style.scale = scale_for(largest, significant_digits);
  }
  // A tiny value among large ones must not make the large ones endless; it keeps one digit.
  constexpr int most_extra_digits = 2;
  if (unit == Unit::percent) {
    style.decimals = 1;
  } else if (unit != Unit::count || !prefix.empty()) {
    const double small = smallest / style.scale.factor;
    const double large = largest / style.scale.factor;
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

TextTable text_table(const Table& table, int significant_digits) {
  TextTable result;
  result.rows.resize(table.rows.size());
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    if (column.show == Show::machine) continue;
    const NumberStyle style = style_of(table, c, significant_digits);
    const std::string unit = fmt::format("{}{}", style.scale.prefix, unit_text(column.unit));
    const bool space = !column.header.empty() && !unit.empty();
    result.headers.push_back(fmt::format("{}{}{}", column.header, space ? " " : "", unit));
    bool numbers = column.unit != Unit::none;
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const Value& value = table.rows[r][c];
      numbers = numbers || std::holds_alternative<double>(value);
      result.rows[r].push_back(cell_text(value, column.unit, style));
    }
    result.right_aligned.push_back(numbers);
    result.where_room.push_back(column.where_room);
  }
  return result;
}

}  // namespace roofline::report
