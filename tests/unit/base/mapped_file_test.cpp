#include "base/mapped_file.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "roofline/error.hpp"

using namespace roofline;

namespace {

/// A directory that goes away with the test.
class Directory {
 public:
  Directory()
      : path_(std::filesystem::temp_directory_path() /
              ("roofline_mapped_file_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Directory() { std::filesystem::remove_all(path_); }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  [[nodiscard]] std::string file(const std::string& name, std::string_view text) const {
    const std::string path = (path_ / name).string();
    std::FILE* file = std::fopen(path.c_str(), "wb");
    std::fwrite(text.data(), 1, text.size(), file);
    std::fclose(file);
    return path;
  }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::string why_not(const std::string& path) {
  try {
    const MappedFile file(path);
  } catch (const Error& error) {
    CHECK(error.diagnostics().front().what == "cannot read '" + path + "'");
    return error.diagnostics().front().why;
  }
  return "it was read";
}

}  // namespace

TEST_CASE("a mapped file has the file's bytes", "[base]") {
  const Directory directory;
  const MappedFile file(directory.file("a", std::string_view("ab\0c", 4)));
  CHECK(file.bytes() == std::string_view("ab\0c", 4));
}

TEST_CASE("a mapped file stays where it is moved to", "[base]") {
  const Directory directory;
  MappedFile first(directory.file("a", "first"));
  MappedFile second(std::move(first));
  CHECK(second.bytes() == "first");
  MappedFile third(directory.file("b", "third"));
  third = std::move(second);
  CHECK(third.bytes() == "first");
}

TEST_CASE("what cannot be mapped says why", "[base]") {
  const Directory directory;
  CHECK(why_not(directory.path() + "/none") == "No such file or directory");
  CHECK(why_not(directory.path()) == "it is a directory");
  CHECK(why_not(directory.file("empty", "")) == "it is empty");
  CHECK(why_not("/dev/null") == "it is no regular file");
}

TEST_CASE("a file far larger than memory is mapped", "[base]") {
  const Directory directory;
  const std::string path = directory.file("large", "start");
  constexpr std::uintmax_t size = 40'000'000'000;
  std::filesystem::resize_file(path, size);
  const MappedFile file(path);
  CHECK(file.bytes().size() == size);
  CHECK(file.bytes().starts_with("start"));
  CHECK(file.bytes().back() == '\0');
}
