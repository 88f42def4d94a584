// The files that the words of a command line mean: files, directories, globs, standard input.
#pragma once

#include <string>
#include <vector>

#include "roofline/check.hpp"
#include "roofline/error.hpp"

namespace roofline::cli {

/// Reads each file once, in the order of the words; those of a directory (*.yaml, *.yml, *.json,
/// *.sh, not in hidden directories) and of a glob by name. What cannot be read goes to `unread`.
/// Throws nothing.
[[nodiscard]] std::vector<NamedText> read_config_files(const std::vector<std::string>& words,
                                                       ErrorCollector& unread);

}  // namespace roofline::cli
