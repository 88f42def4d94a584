// Text from files inside XML and HTML.
#include "report/markup.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <tuple>

namespace roofline::report {
namespace {

using namespace std::string_literals;

TEST_CASE("Text with markup in it stays text", "[report]") {
  const auto [text, escaped] = GENERATE(table<std::string, std::string>(
      {{"", ""},
       {"decode, batch 32", "decode, batch 32"},
       {"<script>alert(1)</script>&\"'", "&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;&#39;"},
       {"&amp;", "&amp;amp;"},
       {"Qwen\u00fc \u4e2d\u6587 \U0001f600", "Qwen\u00fc \u4e2d\u6587 \U0001f600"},
       {"a\tb\nc", "a\tb\nc"}}));
  CHECK(escape_markup(text) == escaped);
}

// XML 1.0, production 2; Unicode standard, table 3-7.
TEST_CASE("What XML forbids and what is not UTF-8 becomes a replacement character", "[report]") {
  const auto [text, escaped] = GENERATE(table<std::string, std::string>(
      {{"a\0b"s, "a\ufffdb"},
       {"\x01\x1f", "\ufffd\ufffd"},
       {"\x7f", "\x7f"},                                  // allowed, if discouraged
       {"\x80", "\ufffd"},                                // continues nothing
       {"\xc3", "\ufffd"},                                // is cut off
       {"\xc3(", "\ufffd("},                              // is not continued
       {"\xc0\xaf", "\ufffd\ufffd"},                      // '/' in two bytes
       {"\xe0\x80\xaf", "\ufffd\ufffd\ufffd"},            // in three
       {"\xed\xa0\x80", "\ufffd\ufffd\ufffd"},            // half of a UTF-16 pair
       {"\xef\xbf\xbe", "\ufffd"},                        // U+FFFE
       {"\xf4\x90\x80\x80", "\ufffd\ufffd\ufffd\ufffd"},  // beyond U+10FFFF
       {"\xff<", "\ufffd&lt;"}}));
  CAPTURE(text);
  CHECK(escape_markup(text) == escaped);
}

TEST_CASE("A character is read with the bytes that it takes", "[report]") {
  const auto [text, code, bytes] =
      GENERATE(table<std::string, char32_t, std::size_t>({{"a", U'a', 1},
                                                          {"\u00fc", 0xfc, 2},
                                                          {"\u4e2d", 0x4e2d, 3},
                                                          {"\U0001f600", 0x1f600, 4},
                                                          {"\xe4\xb8", 0xfffd, 1}}));
  const Character character = character_at(text, 0);
  CHECK(character.code == code);
  CHECK(character.bytes == bytes);
}

}  // namespace
}  // namespace roofline::report
