// Cells and dots of a canvas, and words on a terminal.
#include "report/text_canvas.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <tuple>

#include "report/text_chart_words.hpp"

namespace roofline::report {
namespace {

TEST_CASE("Each dot of a cell has its bit in the braille block", "[report]") {
  // Unicode's table of U+2800: dots 1 2 3 7 from the top on the left, 4 5 6 8 on the right.
  const auto [column, row, braille] =
      GENERATE(table<std::size_t, std::size_t, std::string>({{0, 0, "\u2801"},
                                                             {0, 1, "\u2802"},
                                                             {0, 2, "\u2804"},
                                                             {1, 0, "\u2808"},
                                                             {1, 1, "\u2810"},
                                                             {1, 2, "\u2820"},
                                                             {0, 3, "\u2840"},
                                                             {1, 3, "\u2880"}}));
  TextCanvas canvas(1, 1);
  canvas.put_dot({column, row}, Ink::line);
  CHECK(canvas.line(0) == braille);
}

TEST_CASE("Dots of a cell add up", "[report]") {
  TextCanvas canvas(1, 1);
  for (std::size_t row = 0; row < 4; ++row) {
    canvas.put_dot({0, row}, Ink::rule);
    canvas.put_dot({1, row}, Ink::line);
  }
  CHECK(canvas.line(0) == "\u28ff");
}

TEST_CASE("A later ink covers an earlier one and nothing else does", "[report]") {
  TextCanvas canvas(3, 1);
  CHECK(canvas.put({0, 0}, ':', Ink::rule));
  CHECK(canvas.put({0, 0}, '/', Ink::line));
  CHECK_FALSE(canvas.put({0, 0}, '-', Ink::line));
  CHECK_FALSE(canvas.put({0, 0}, ':', Ink::rule));
  CHECK(canvas.line(0) == "/");
  CHECK(canvas.put({0, 0}, '1', Ink::marker));
  CHECK_FALSE(canvas.put({0, 0}, '2', Ink::marker));
  canvas.put_dot({0, 0}, Ink::line);
  CHECK(canvas.line(0) == "1");
}

TEST_CASE("Text finds the first place with a blank around it", "[report]") {
  TextCanvas canvas(8, 2);
  canvas.put({3, 0}, '-', Ink::line);
  CHECK(canvas.has_room({4, 0}, 4));
  CHECK_FALSE(canvas.has_room({4, 0}, 5));
  CHECK_FALSE(canvas.has_room({3, 0}, 2));
  CHECK(canvas.has_room({3, 0}, 2, Ink::line));
  CHECK_FALSE(canvas.put_where_room({{4, 0}, {1, 0}, {7, 0}}, "ab"));
  CHECK(canvas.put_where_room({{4, 0}, {6, 0}, {0, 1}}, "ab"));
  CHECK(canvas.line(0) == "   -  ab");
  CHECK(canvas.line(1).empty());
}

TEST_CASE("A wide character takes two cells", "[report]") {
  TextCanvas canvas(6, 1);
  canvas.put_text({1, 0}, "\u4e2d\u00e9");
  CHECK(canvas.put({4, 0}, '1', Ink::marker));
  CHECK_FALSE(canvas.has_room({2, 0}, 1));
  CHECK(canvas.line(0) == " \u4e2d\u00e91");
}

TEST_CASE("Columns of text in UTF-8", "[report]") {
  const auto [text, columns] = GENERATE(table<std::string, std::size_t>({{"", 0},
                                                                         {"ridge", 5},
                                                                         {"caf\u00e9", 4},
                                                                         {"\u4e2d\u6587", 4},
                                                                         {"\uac00", 2},
                                                                         {"\U0001f680 fast", 7},
                                                                         {"a\xff", 2}}));
  CAPTURE(text);
  CHECK(columns_of(text) == columns);
}

TEST_CASE("A terminal is shown no control and nothing that is not UTF-8", "[report]") {
  const auto [text, shown] =
      GENERATE(table<std::string, std::string>({{"plain", "plain"},
                                                {"\033[31mred", "?[31mred"},
                                                {"two\nlines", "two?lines"},
                                                {"\u009b31m", "?31m"},
                                                {"a\u202eb", "a?b"},
                                                {"\xc3(", "?("},
                                                {"caf\u00e9", "caf\u00e9"}}));
  CHECK(terminal_text(text) == shown);
}

TEST_CASE("What is too long ends in dots", "[report]") {
  CHECK(cut_to("abcdef", 6) == "abcdef");
  CHECK(cut_to("abcdefg", 6) == "abc...");
  // Two columns each: one fits beside the dots, not one and a half.
  CHECK(cut_to("\u4e2d\u6587\u4e2d\u6587", 6) == "\u4e2d...");
}

TEST_CASE("Words break at 100 columns and long ones within", "[report]") {
  const std::string half(48, 'x');
  std::string out;
  append_words(out, "A  ", half + ' ' + half + ' ' + half);
  // 3 + 48 + 1 + 48 is 100.
  CHECK(out == "A  " + half + ' ' + half + "\n   " + half + '\n');
  out.clear();
  append_words(out, "A  ", std::string(150, 'y'));
  CHECK(out == "A  " + std::string(97, 'y') + "\n   " + std::string(53, 'y') + '\n');
}

}  // namespace
}  // namespace roofline::report
