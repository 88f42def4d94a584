// Counts in words.
#include "base/counted.hpp"

#include <catch2/catch.hpp>

using namespace roofline;

TEST_CASE("Counts have commas between thousands", "[base]") {
  CHECK(count_text(0) == "0");
  CHECK(count_text(999) == "999");
  CHECK(count_text(1'024) == "1,024");
  CHECK(count_text(1'000'000'000'000) == "1,000,000,000,000");
}

TEST_CASE("A noun is in the plural but for 1", "[base]") {
  CHECK(counted(0, "device") == "0 devices");
  CHECK(counted(1, "device") == "1 device");
  CHECK(counted(2'048, "token") == "2,048 tokens");
}
