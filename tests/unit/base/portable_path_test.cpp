// Paths as machines on any system read them.
#include "base/portable_path.hpp"

#include <catch2/catch.hpp>

using namespace roofline;

TEST_CASE("Paths with one kind of slash and no detours", "[base]") {
  const auto [path, directory, expected] = GENERATE(table<std::string, std::string, std::string>({
      {"a.yaml", "", "a.yaml"},
      {"./a.yaml", "", "a.yaml"},
      {R"(.\deploy\a.yaml)", "", "deploy/a.yaml"},
      {"deploy//b/../a.yaml", "", "deploy/a.yaml"},
      {"../a.yaml", "", "../a.yaml"},
      {"-", "", "-"},
      {"", "", ""},
      {"/srv/repo/a.yaml", "/srv/repo", "a.yaml"},
      {"/srv/repo/a.yaml", "/srv/repo/", "a.yaml"},
      {"/srv/repository/a.yaml", "/srv/repo", "/srv/repository/a.yaml"},
      {"/srv/repo/../a.yaml", "/srv/repo", "/srv/a.yaml"},
      {"a.yaml", "/srv/repo", "a.yaml"},
  }));
  CHECK(portable_path(path, directory) == expected);
}
