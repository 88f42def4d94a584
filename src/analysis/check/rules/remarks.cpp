#include "analysis/check/rules/remarks.hpp"

namespace roofline::rules {

void add_remarks(std::string_view rule, const RuleSubject& subject, RuleFindings& findings) {
  for (const ConfigRemark& remark : subject.launch->remarks) {
    if (remark.rule != rule) continue;
    Finding finding;
    finding.place = remark.place;
    finding.what = remark.what;
    finding.why = remark.why;
    finding.fix = remark.fix;
    finding.subject = remark.what;
    findings.add(std::move(finding));
  }
}

}  // namespace roofline::rules
