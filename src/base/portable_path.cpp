#include "base/portable_path.hpp"

#include <algorithm>
#include <filesystem>

namespace roofline {
namespace {

std::string with_slashes(std::string_view path) {
  std::string text(path);
  std::replace(text.begin(), text.end(), '\\', '/');
  return std::filesystem::path(text).lexically_normal().generic_string();
}

}  // namespace

std::string portable_path(std::string_view path, std::string_view directory) {
  std::string text = with_slashes(path);
  if (directory.empty()) return text;
  std::string above = with_slashes(directory);
  if (!above.ends_with('/')) above += '/';
  if (text.starts_with(above) && text.size() > above.size()) text.erase(0, above.size());
  return text;
}

}  // namespace roofline
