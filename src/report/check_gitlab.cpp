// GitLab code quality: a list of issues for the widget of a merge request.
#include <nlohmann/json.hpp>

#include "report/check_formats.hpp"
#include "report/json_value.hpp"

namespace roofline::report {
namespace {

using nlohmann::ordered_json;

/// What is asked of a deployment and not met is major; what keeps the server from starting, or from
/// doing what its author means, is critical.
const char* severity_of(const CheckItem& item) {
  if (item.rule == not_judged_rule) return "blocker";
  switch (item.severity) {
    case Severity::error:
      return item.rule == "regression" || item.rule.starts_with("require-") ? "major" : "critical";
    case Severity::warning:
      return "minor";
    case Severity::note:
    case Severity::off:
      break;
  }
  return "info";
}

ordered_json issue_of(const CheckItem& item) {
  ordered_json issue;
  issue["description"] = item.fix.empty() ? item.what : item.what + "; fix: " + item.fix;
  issue["check_name"] = item.rule;
  issue["fingerprint"] = item.fingerprint;
  issue["severity"] = severity_of(item);
  issue["location"]["path"] = item.file;
  issue["location"]["lines"]["begin"] = item.line;
  return issue;
}

}  // namespace

std::string write_check_gitlab(const CheckResult& result, const CheckReportOptions& options) {
  ordered_json issues = ordered_json::array();
  for (const CheckItem& item : check_items(result, options)) issues.push_back(issue_of(item));
  return json_text(issues, 2);
}

}  // namespace roofline::report
