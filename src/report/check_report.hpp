// What check answers, in the formats that people and CI systems read.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/check.hpp"

namespace roofline::report {

enum class CheckFormat {
  github,  ///< workflow commands of GitHub Actions
  gitlab,  ///< GitLab code quality
  json,    ///< everything that is known
  junit,   ///< JUnit XML, for the strictest of its readers
  sarif,   ///< SARIF 2.1.0, with what GitHub code scanning asks for
  text
};

struct CheckFormatName {
  std::string_view name;
  std::string_view suffix;  ///< of a file in this format; empty where it has none of its own
  CheckFormat format;
};

/// In alphabetical order. Of two suffixes that a file has, the first counts.
[[nodiscard]] const std::vector<CheckFormatName>& check_formats();

struct CheckReportOptions {
  bool color = false;  ///< escape codes, in text alone
  int significant_digits = 4;
  bool quiet = false;   ///< text: no notes
  bool passes = false;  ///< text: the figures of each launch and what passed, too
  /// junit: a finding of this severity fails its test, one below it is output of a test that
  /// passes. An error always fails.
  Severity fail_on = Severity::error;
  std::string version{};    ///< of the program, for sarif: "0.1.0"; empty: left out
  std::string directory{};  ///< absolute paths below it are relative to it, in machine formats
  /// A rule's page, for sarif; where there is none, or it is empty, the summary is the help.
  std::function<std::string(std::string_view rule)> explain_text{};
};

/// The whole output, ending in a line feed: the same bytes for the same result. What could not be
/// judged is in every format but text, where messages on standard error say it.
[[nodiscard]] std::string write_check(const CheckResult& result, CheckFormat format,
                                      const CheckReportOptions& options);

}  // namespace roofline::report
