// Text from files without what would steer a terminal, cut where it is long.
#include "base/printable.hpp"

#include <catch2/catch.hpp>

using namespace roofline;

TEST_CASE("Control characters are those below the space and DEL", "[base]") {
  for (const char c : {'\0', '\t', '\n', '\x1b', '\x1f', '\x7f'}) CHECK(is_control_character(c));
  for (const char c : {' ', 'a', '~', '\x80', '\xc3', '\xff'}) CHECK_FALSE(is_control_character(c));
}

TEST_CASE("Printable text has question marks for control characters", "[base]") {
  CHECK(printable("a\x1b[31mb\n") == "a?[31mb?");
  CHECK(printable("gr\xc3\xbc\xc3\x9f") == "gr\xc3\xbc\xc3\x9f");
  CHECK(printable("").empty());
}

TEST_CASE("Long text is cut and no character is split", "[base]") {
  CHECK(printable("abcdef", 6) == "abcdef");
  CHECK(printable("abcdefg", 6) == "abcdef...");
  CHECK(printable("abcde\xc3\xbc", 6) == "abcde?...");
  CHECK(printable("abcd\xc3\xbc", 6) == "abcd\xc3\xbc");
}
