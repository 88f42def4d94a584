// Rows one at a time, in every format that has rows: what a whole report and a stream share.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "report/report.hpp"

namespace roofline::report {

/// What has to be known of all cells of a column before one of them is written as text.
struct ColumnSummary {
  bool absent = true;  ///< no row has it
  bool shared = true;  ///< all rows have the same
  bool numbers = false;
  double smallest = std::numeric_limits<double>::infinity();  ///< magnitude, zeros left out
  double largest = 0;                                         ///< magnitude
  double least = 0;                                           ///< with sign
  std::size_t widest_text = 0;                                ///< of cells that are no numbers
  Value first{};
  bool any = false;

  void add(const Value& value, Unit unit);
};

[[nodiscard]] std::vector<ColumnSummary> summaries_of(const Table& table);

/// How the numbers of one column are written.
struct NumberStyle {
  Scale scale{1, ""};
  int decimals = 0;
};

/// A column of a table in text.
struct TextColumn {
  std::size_t index = 0;  ///< in the table
  std::string header;
  bool right_aligned = false;
  bool where_room = false;
  Unit unit = Unit::none;
  NumberStyle style;
  std::size_t width = 0;

  [[nodiscard]] std::string cell(const Value& value) const;
};

/// The columns that text has, with one unit each: that of the largest value, and as many decimals
/// as give the smallest value the wanted digits.
[[nodiscard]] std::vector<TextColumn> text_columns(const std::vector<Column>& columns,
                                                   const std::vector<ColumnSummary>& summaries,
                                                   int significant_digits);

/// Leaves out, from the right, columns that are there only where there is room in a line.
void fit_line(std::vector<TextColumn>& columns);

void append_text_header(std::string& out, const std::vector<TextColumn>& columns);
void append_text_row(std::string& out, const std::vector<TextColumn>& columns, const Row& row);

/// `text` behind `start`, broken between words; further lines are indented to where it began.
void append_wrapped(std::string& out, const std::string& start, std::string_view text);

[[nodiscard]] std::string markdown_title(std::string_view title);
[[nodiscard]] std::string markdown_note(std::string_view note);
void append_markdown_header(std::string& out, const std::vector<TextColumn>& columns);
void append_markdown_row(std::string& out, const std::vector<TextColumn>& columns, const Row& row);

void append_csv_header(std::string& out, const std::vector<Column>& columns);
void append_csv_row(std::string& out, const std::vector<Column>& columns, const Row& row);

/// What does not apply is left out.
void append_jsonl_row(std::string& out, const std::vector<Column>& columns, const Row& row);

}  // namespace roofline::report
