// Reads a whole file, within a limit.
#pragma once

#include <string>

namespace roofline {

/// The bytes of `path`; "-" is standard input. Throws Error for a directory, a file that cannot
/// be read, and one of more than 4 MiB: no config or device file comes near it.
[[nodiscard]] std::string read_file(const std::string& path);

}  // namespace roofline
