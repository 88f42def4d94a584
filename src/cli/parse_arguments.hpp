// The words of a command line to a finished run.
#pragma once

#include <string>
#include <vector>

#include "cli/session.hpp"

namespace roofline::cli {

/// Parses `words`, runs the command and returns its exit code. Throws Error for every word that is
/// wrong, all at once, and whatever the command throws.
[[nodiscard]] int run(const std::vector<std::string>& words, Session& session);

}  // namespace roofline::cli
