#include "base/file.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include "roofline/error.hpp"

namespace roofline {
namespace {

constexpr std::size_t largest_file = 4UL * 1024 * 1024;

[[noreturn]] void refuse(const std::string& path, std::string why, std::string fix) {
  throw Error(Diagnostic{
      .what = fmt::format("cannot read '{}'", path), .why = std::move(why), .fix = std::move(fix)});
}

void close_unless_stdin(std::FILE* file) {
  if (file != stdin) std::fclose(file);
}

}  // namespace

std::string read_file(const std::string& path) {
  std::error_code ignored;
  if (path != "-" && std::filesystem::is_directory(path, ignored)) {
    const std::string config = path + (path.ends_with('/') ? "config.json" : "/config.json");
    const bool has_config = std::filesystem::exists(config, ignored);
    refuse(path, "it is a directory", has_config ? "name the file in it: " + config : "");
  }
  const std::unique_ptr<std::FILE, void (*)(std::FILE*)> file(
      path == "-" ? stdin : std::fopen(path.c_str(), "rb"), close_unless_stdin);
  if (!file) refuse(path, std::strerror(errno), {});
  std::string text;
  std::array<char, 65536> buffer{};
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    text.append(buffer.data(), n);
    if (text.size() > largest_file) refuse(path, "it is larger than 4 MiB", {});
  }
  if (std::ferror(file.get()) != 0) refuse(path, std::strerror(errno), {});
  return text;
}

}  // namespace roofline
