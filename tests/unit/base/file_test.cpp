// Reading whole files: contents, standard input, and what is refused with which reason.
#include "base/file.hpp"

#include <stdlib.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "roofline/error.hpp"

using namespace roofline;
namespace fs = std::filesystem;

namespace {

/// A directory that goes away with its test.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (fs::temp_directory_path() / "roofline-file-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TemporaryDirectory() { fs::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

Diagnostic refusal(const std::string& path) {
  try {
    (void)read_file(path);
  } catch (const Error& error) {
    return error.diagnostics().at(0);
  }
  return {};
}

constexpr std::uintmax_t limit = 4ULL * 1024 * 1024;

}  // namespace

TEST_CASE("A file is read byte for byte", "[base]") {
  const TemporaryDirectory directory;
  const std::string text = GENERATE(std::string(), std::string("{}\n"),
                                    std::string("a\0b\r\n\xFF end", 10), std::string(200'000, 'x'));
  CHECK(read_file(directory.write("file", text)) == text);
}

TEST_CASE("A dash is standard input", "[base]") {
  const TemporaryDirectory directory;
  const std::string path = directory.write("input", "from standard input\n");
  REQUIRE(std::freopen(path.c_str(), "rb", stdin) != nullptr);
  CHECK(read_file("-") == "from standard input\n");
}

TEST_CASE("A missing file is refused with the system's reason", "[base]") {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "none.json").string();
  const Diagnostic diagnostic = refusal(path);
  CHECK(diagnostic.what == "cannot read '" + path + "'");
  CHECK(diagnostic.why == "No such file or directory");
}

TEST_CASE("An empty path is refused", "[base]") {
  CHECK(refusal("").what == "cannot read ''");
}

TEST_CASE("A directory is refused and its config is named", "[base]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path().string();
  CHECK(refusal(path).what == "cannot read '" + path + "'");
  CHECK(refusal(path).why == "it is a directory");
  CHECK(refusal(path).fix.empty());

  const std::string config = directory.write("config.json", "{}");
  CHECK_THAT(refusal(path).fix, Catch::Matchers::EndsWith(config));
  CHECK_THAT(refusal(path + "/").fix, Catch::Matchers::EndsWith(config));
}

TEST_CASE("A file of 4 MiB is read and a larger one is refused", "[base]") {
  const TemporaryDirectory directory;
  const std::string path = directory.write("large", "");
  fs::resize_file(path, limit);
  CHECK(read_file(path).size() == limit);
  fs::resize_file(path, limit + 1);
  CHECK(refusal(path).what == "cannot read '" + path + "'");
  CHECK(refusal(path).why == "it is larger than 4 MiB");
}
