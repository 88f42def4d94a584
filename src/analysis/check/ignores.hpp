// Which findings are left out, and which ignores left nothing out.
#pragma once

#include <vector>

#include "roofline/check.hpp"

namespace roofline {

/// Takes out of `file.findings` what comments and the project's settings ignore; marks outcomes;
/// adds findings of unused-ignore (unless something could not be judged) and
/// ignore-without-reason. `used` has an element for each of `project.ignores`.
void apply_ignores(const std::vector<IgnoreComment>& comments, const Project& project,
                   std::vector<bool>& used, CheckedFile& file);

}  // namespace roofline
