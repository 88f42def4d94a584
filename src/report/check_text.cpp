// Findings as lines that editors and people read, and the count of them.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "base/printable.hpp"
#include "report/check_formats.hpp"
#include "report/row_writers.hpp"

namespace roofline::report {
namespace {

std::string_view color_of(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "1;31";
    case Severity::warning:
      return "1;33";
    case Severity::note:
    case Severity::off:
      break;
  }
  return "1";
}

std::string word_of(Severity severity, bool color) {
  if (!color) return fmt::format("{}:", to_string(severity));
  return fmt::format("\033[{}m{}:\033[0m", color_of(severity), to_string(severity));
}

/// A text of several lines keeps them.
void append_detail(std::string& out, std::string_view label, std::string_view text) {
  std::string start = fmt::format("  {}: ", label);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    append_wrapped(out, start, printable(text.substr(0, end)));
    start.assign(start.size(), ' ');
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// Behind the last line if there is room, else in a line of its own.
void append_page(std::string& out, const std::string& rule) {
  constexpr std::size_t line_width = 100;
  const std::string page = fmt::format("(roofline explain {})", rule);
  const std::size_t start = out.rfind('\n', out.size() - 2) + 1;
  const std::size_t used = out.size() - 1 - start;
  const bool detail = out.compare(start, 2, "  ") == 0;
  if (detail && used + 2 + page.size() <= line_width) {
    out.insert(out.size() - 1, "  " + page);
  } else {
    out += "  " + page + '\n';
  }
}

void append_finding(std::string& out, const Finding& finding, const std::string& file,
                    const CheckReportOptions& options, std::set<std::string>& explained) {
  const std::string& path = finding.place.file.empty() ? file : finding.place.file;
  out += fmt::format("{}:{}:{}: {} {} [{}]\n", printable(path), finding.place.line,
                     finding.place.column, word_of(finding.severity, options.color),
                     printable(finding.what), finding.rule);
  append_detail(out, "why", finding.why);
  append_detail(out, "fix", finding.fix);
  if (explained.insert(finding.rule).second) append_page(out, finding.rule);
}

}  // namespace

std::string write_check_text(const CheckResult& result, const CheckReportOptions& options) {
  std::string out;
  std::set<std::string> explained;
  for (const CheckedFile& file : result.files) {
    for (const Finding& finding : file.findings) {
      if (options.quiet && finding.severity == Severity::note) continue;
      append_finding(out, finding, file.file, options, explained);
    }
    if (!options.passes) continue;
    for (const CheckedLaunch& launch : file.launches) {
      append_launch(out, file, launch, options.significant_digits);
    }
  }
  return out + summary_of(result) + '\n';
}

}  // namespace roofline::report
