// What tells rows apart is what not all of them have alike.
#include "report/differences.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace roofline::report {
namespace {

using Strings = std::vector<std::string>;

TEST_CASE("Parts that all rows have alike are left out", "[report]") {
  CHECK(joined_differences({{"gpt2", "decode", "batch 1"}, {"gpt2", "decode", "batch 8"}}) ==
        Strings{"batch 1", "batch 8"});
  CHECK(joined_differences({{"a", "x", "1"}, {"b", "x", "1"}, {"a", "x", "2"}}) ==
        Strings{"a, 1", "b, 1", "a, 2"});
}

TEST_CASE("A part that does not apply says nothing", "[report]") {
  CHECK(joined_differences({{"matmul", ""}, {"decode", "batch 8"}}) ==
        Strings{"matmul", "decode, batch 8"});
}

TEST_CASE("What is alike or alone has no differences", "[report]") {
  CHECK(joined_differences({{"a", "b"}}) == Strings{""});
  CHECK(joined_differences({{"a"}, {"a"}}) == Strings{"", ""});
  CHECK(joined_differences({}).empty());
}

}  // namespace
}  // namespace roofline::report
