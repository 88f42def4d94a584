// A table written row by row, without ever being held: for answers of any length.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/report.hpp"
#include "report/row_writers.hpp"

namespace roofline::report {

/// Writes the rows as the whole report of that table would. Text and Markdown need to have seen
/// every row once before the first is written; csv has to have seen rows that have every column
/// that any row has; jsonl nothing.
class Stream {
 public:
  /// Format::json is no stream. Columns whose keys are in `in_title` are left out of text where all
  /// rows have the same in them.
  Stream(Format format, std::vector<Column> columns, std::vector<std::string> in_title,
         const TextOptions& options);

  [[nodiscard]] bool needs_all_rows() const;
  [[nodiscard]] bool needs_columns() const { return format_ == Format::csv; }

  /// A row that will be written later.
  void look_at(const Row& row);

  /// Appends what comes before the rows.
  void begin(std::string& out, std::string_view title);
  void append(std::string& out, const Row& row) const;
  /// Appends what comes after them; Markdown has the notes.
  void end(std::string& out, const std::vector<std::string>& notes) const;

  /// What was seen of the column with that key; null if there is none.
  [[nodiscard]] const ColumnSummary* summary(std::string_view key) const;

 private:
  Format format_;
  std::vector<Column> columns_;
  std::vector<std::string> in_title_;
  TextOptions options_;
  std::vector<ColumnSummary> summaries_;
  std::vector<TextColumn> text_columns_;
};

}  // namespace roofline::report
