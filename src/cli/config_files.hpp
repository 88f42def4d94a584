// The files that the words of a command line mean: files, directories, globs, standard input.
#pragma once

#include <string>
#include <vector>

#include "roofline/check.hpp"

namespace roofline::cli {

struct ConfigFiles {
  std::vector<NamedText> texts;
  std::vector<CheckedFile> unread;  ///< words and files that could not be read, and why
};

/// Reads each file once, in the order of the words; those of a directory (*.yaml, *.yml, *.json,
/// *.sh, not in hidden directories) and of a glob by name. Throws nothing.
[[nodiscard]] ConfigFiles read_config_files(const std::vector<std::string>& words);

}  // namespace roofline::cli
