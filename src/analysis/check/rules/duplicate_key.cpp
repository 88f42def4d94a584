// A key that is there twice: the readers saw it.
#include "analysis/check/rules/remarks.hpp"
#include "analysis/check/rules/rules.hpp"

namespace roofline::rules {

void duplicate_key(const RuleSubject& subject, RuleFindings& findings) {
  add_remarks("duplicate-key", subject, findings);
}

}  // namespace roofline::rules
