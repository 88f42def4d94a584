// The points of a sweep as rows: those of analyze, and the reason of one that cannot be run.
#pragma once

#include <string>
#include <vector>

#include "report/report.hpp"
#include "roofline/sweep.hpp"

namespace roofline::report {

/// Every column that a row may have. For csv and jsonl they are those of analyze, in its order; in
/// text and Markdown what the lists of a sweep may vary comes first.
class SweepTable {
 public:
  explicit SweepTable(bool for_reading);

  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
  /// Keys of the columns that a title says where all rows have the same.
  [[nodiscard]] const std::vector<std::string>& in_title() const { return in_title_; }

  /// `analysis` is that of the point.
  [[nodiscard]] Row row(const SweepPoint& point, const AnalyzePoint& analysis) const;

 private:
  std::vector<std::size_t> order_;  ///< of analyze's columns
  std::vector<Column> columns_;
  std::vector<std::string> in_title_;
};

/// The question, resolved, in a line. `overrides` are figures that were given instead of the
/// devices' own, or empty.
[[nodiscard]] std::string title_of(const SweepRequest& request, const std::string& overrides);

}  // namespace roofline::report
