// The rules of check as a report.
#include <fmt/format.h>

#include "report/catalog_report.hpp"

namespace roofline::report {

Report list_rules(const std::vector<RuleInfo>& rules) {
  Report report;
  report.command = "list rules";
  report.results = {.key = "results",
                    .columns = {{"name", "name"}, {"severity", "severity"}, {"summary", "finds"}}};
  for (const RuleInfo& rule : rules) {
    report.results.rows.push_back(
        {std::string(rule.id), std::string(to_string(rule.severity)), std::string(rule.summary)});
  }
  report.title = fmt::format("{} rules of check (roofline explain RULE)", rules.size());
  return report;
}

}  // namespace roofline::report
