// What a project demands of its deployments: `require: {max-ttft: 500ms, fits: true}`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/check/rule.hpp"

namespace roofline {

/// "fits", "min-ttft", "max-ttft", ... in alphabetical order.
[[nodiscard]] std::vector<std::string> requirement_names();

/// Throws Error, at its place, for a name that is no requirement or a value that it cannot have.
void require_requirement(const EngineSetting& requirement);

/// The findings of those of the plan's requirements that belong to `rule`. Throws Error for one
/// that cannot be judged. Times are floors and
/// rates ceilings: what does not meet a limit then, never will; what meets it, may not in practice.
void apply_requirements(std::string_view rule, const RuleSubject& subject, RuleFindings& findings);

}  // namespace roofline
