// Paths as machines on any system read them.
#pragma once

#include <string>
#include <string_view>

namespace roofline {

/// `path` with '/' between names, without "./" at its start and without "." and ".." inside it:
/// "deploy\\prod\\..\\a.yaml" is "deploy/a.yaml". A path below `directory` is relative to it; an
/// empty `directory` changes nothing.
[[nodiscard]] std::string portable_path(std::string_view path, std::string_view directory = {});

}  // namespace roofline
