#include "report/check_report.hpp"

#include "report/check_formats.hpp"
#include "roofline/error.hpp"

namespace roofline::report {

const std::vector<CheckFormatName>& check_formats() {
  static const std::vector<CheckFormatName> formats{
      {"github", "", CheckFormat::github},
      {"gitlab", "gl-code-quality-report.json", CheckFormat::gitlab},
      {"json", ".json", CheckFormat::json},
      {"junit", ".xml", CheckFormat::junit},
      {"sarif", ".sarif", CheckFormat::sarif},
      {"text", ".txt", CheckFormat::text}};
  return formats;
}

std::string write_check(const CheckResult& result, CheckFormat format,
                        const CheckReportOptions& options) {
  switch (format) {
    case CheckFormat::github:
      return write_check_github(result, options);
    case CheckFormat::gitlab:
      return write_check_gitlab(result, options);
    case CheckFormat::json:
      return write_check_json(result, options);
    case CheckFormat::junit:
      return write_check_junit(result, options);
    case CheckFormat::sarif:
      return write_check_sarif(result, options);
    case CheckFormat::text:
      break;
  }
  return write_check_text(result, options);
}

}  // namespace roofline::report
