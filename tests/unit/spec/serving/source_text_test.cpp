// Places in a file, and texts found again behind quotes, folds and escapes.
#include "spec/serving/source_text.hpp"

#include <catch2/catch.hpp>

using namespace roofline;

namespace {

/// What the file has where each byte of the text is said to stand.
std::string found(const std::string& file, const std::string& text, std::size_t begin,
                  Spelling spelling) {
  const SourceText source(file, "f");
  std::string result;
  for (const std::size_t offset : placed_text(source, text, begin, spelling).offsets) {
    result += offset < file.size() ? file[offset] : '?';
  }
  return result;
}

}  // namespace

TEST_CASE("Places count lines and bytes from one", "[serving]") {
  const SourceText source("ab\ncde\r\n\nf", "f");
  CHECK(source.place(0, 2) == Place{.file = "f", .line = 1, .column = 1, .end_column = 3});
  CHECK(source.place(4, 6) == Place{.file = "f", .line = 2, .column = 2, .end_column = 4});
  CHECK(source.place(9, 10) == Place{.file = "f", .line = 4, .column = 1, .end_column = 2});
  // What goes over several lines ends with its first; what lies behind the end, at the end.
  CHECK(source.place(0, 5) == Place{.file = "f", .line = 1, .column = 1, .end_column = 3});
  CHECK(source.place(90, 99) == Place{.file = "f", .line = 4, .column = 2, .end_column = 2});
}

TEST_CASE("Every byte of a text stands in the file", "[serving]") {
  const auto [file, text, begin, spelling] =
      GENERATE(table<std::string, std::string, std::size_t, Spelling>({
          {"k: a b", "a b", 3, Spelling::plain},
          {"k: 'it''s x'", "it's x", 4, Spelling::single_quoted},
          {R"(k: "a \"b\" \\c")", R"(a "b" \c)", 4, Spelling::double_quoted},
          {R"(x 'a b'"c"\ d)", "a bc d", 2, Spelling::shell},
      }));
  CAPTURE(file);
  // Blanks may stand anywhere between; all else is the byte itself.
  const std::string bytes = found(file, text, begin, spelling);
  REQUIRE(bytes.size() == text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    CAPTURE(i);
    if (text[i] != ' ') CHECK(bytes[i] == text[i]);
  }
}

TEST_CASE("Folded lines and escaped line breaks are passed over", "[serving]") {
  const std::string folded = ">\n  --a 1\n  --b 2\n";
  const PlacedText text = placed_text(SourceText(folded, "f"), "--a 1 --b 2\n", 2, Spelling::block);
  CHECK(text.offsets[6] == folded.find("--b"));
  CHECK(text.offsets[10] == folded.find('2'));
  const std::string escaped = "\"a \\\n   b\\nc\"";
  const PlacedText quoted =
      placed_text(SourceText(escaped, "f"), "a b\nc", 1, Spelling::double_quoted);
  CHECK(quoted.offsets[2] == escaped.find('b'));
  CHECK(quoted.offsets[4] == escaped.find("c\""));
}

TEST_CASE("From where a text is not as spelled its offsets stay", "[serving]") {
  const PlacedText text = placed_text(SourceText("ab${X}cd", "f"), "ab12cd", 0, Spelling::shell);
  CHECK(text.offsets == std::vector<std::size_t>{0, 1, 1, 1, 1, 1});
}
