// What was noticed while the file was read, as findings of the rule that it belongs to.
#pragma once

#include <string_view>

#include "analysis/check/rule.hpp"

namespace roofline::rules {

void add_remarks(std::string_view rule, const RuleSubject& subject, RuleFindings& findings);

}  // namespace roofline::rules
