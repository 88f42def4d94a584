// What the formats of check share: findings and what could not be judged as one list, so that all
// formats carry the same.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/check_report.hpp"

namespace roofline::report {

/// Something to show at a place.
struct CheckItem {
  Severity severity = Severity::error;
  std::string rule{};
  std::string launch{};
  std::string file{};  ///< portable, see portable_path
  std::int64_t line = 1;
  std::int64_t column = 1;
  std::int64_t end_column = 2;  ///< behind `column`
  std::string what{};
  std::vector<std::string> details{};  ///< lines: "why: ...", "fix: ..."
  std::string fix{};
  /// The same as long as file, rule, launch and subject are: "0123456789abcdef:1". The number
  /// behind the colon counts what is alike in all of them.
  std::string fingerprint{};
};

/// Of one file: why it could not be judged, then its findings.
[[nodiscard]] std::vector<CheckItem> check_items(const CheckedFile& file,
                                                 const CheckReportOptions& options);
/// Of all files, in order.
[[nodiscard]] std::vector<CheckItem> check_items(const CheckResult& result,
                                                 const CheckReportOptions& options);

/// `what` and the details, a line each.
[[nodiscard]] std::string message_of(const CheckItem& item);

/// "FILE:LINE:COL: error: WHAT [rule]" and the details, a line each.
[[nodiscard]] std::string lines_of(const CheckItem& item);

/// Without control characters but tab and line feed.
[[nodiscard]] std::string without_controls(std::string_view text);

/// Files that could not be judged in whole.
[[nodiscard]] std::int64_t files_not_judged(const CheckResult& result);

/// "1 error, 0 warnings, 2 notes in 1 file".
[[nodiscard]] std::string summary_of(const CheckResult& result);

/// Figures of a launch and what its rules said, in text.
void append_launch(std::string& out, const CheckedFile& file, const CheckedLaunch& launch,
                   int significant_digits);

[[nodiscard]] std::string write_check_github(const CheckResult& result,
                                             const CheckReportOptions& options);
[[nodiscard]] std::string write_check_gitlab(const CheckResult& result,
                                             const CheckReportOptions& options);
[[nodiscard]] std::string write_check_json(const CheckResult& result,
                                           const CheckReportOptions& options);
[[nodiscard]] std::string write_check_junit(const CheckResult& result,
                                            const CheckReportOptions& options);
[[nodiscard]] std::string write_check_sarif(const CheckResult& result,
                                            const CheckReportOptions& options);
[[nodiscard]] std::string write_check_text(const CheckResult& result,
                                           const CheckReportOptions& options);

}  // namespace roofline::report
