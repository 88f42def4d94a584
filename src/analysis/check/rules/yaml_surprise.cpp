// A value that YAML 1.1 reads as something else than it looks like: the reader saw it.
#include "analysis/check/rules/remarks.hpp"
#include "analysis/check/rules/rules.hpp"

namespace roofline::rules {

void yaml_surprise(const RuleSubject& subject, RuleFindings& findings) {
  add_remarks("yaml-surprise", subject, findings);
}

}  // namespace roofline::rules
