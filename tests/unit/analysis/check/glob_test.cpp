#include <catch2/catch.hpp>
#include <string>
#include <tuple>

#include "roofline/check.hpp"

using roofline::glob_matches;

TEST_CASE("globs match paths as gitignore's do", "[analysis][check]") {
  const auto [glob, path, matches] = GENERATE(table<std::string, std::string, bool>({
      {"a.yaml", "a.yaml", true},
      {"a.yaml", "b.yaml", false},
      {"*.yaml", "a.yaml", true},
      {"*.yaml", "dir/a.yaml", false},
      {"dir/*.yaml", "dir/a.yaml", true},
      {"dir/*.yaml", "./dir/a.yaml", true},
      {"dir/**", "dir/a/b/c.yaml", true},
      {"dir/**", "dirt/a.yaml", false},
      {"**/a.yaml", "a.yaml", true},
      {"**/a.yaml", "x/y/a.yaml", true},
      {"**/a.yaml", "x/ya.yaml", false},
      {"x/**/a.yaml", "x/a.yaml", true},
      {"x/**/a.yaml", "x/y/z/a.yaml", true},
      {"x/**/a.yaml", "xy/a.yaml", false},
      {"?.yaml", "a.yaml", true},
      {"?.yaml", "/.yaml", false},
      {"*", "", true},
      {"", "", true},
      {"", "a", false},
      {"a*b*c", "a-b-b-c", true},
      {"a*b*c", "a-c", false},
  }));
  CAPTURE(glob, path);
  CHECK(glob_matches(glob, path) == matches);
}

TEST_CASE("a glob of many stars ends soon", "[analysis][check]") {
  std::string glob;
  for (int i = 0; i < 2000; ++i) glob += "*a";
  CHECK_FALSE(glob_matches(glob, std::string(1000, 'a') + "b"));
}
