// Widths of text before any font is at hand, and what is cut and wrapped by them.
#include "report/text_width.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <tuple>
#include <vector>

namespace roofline::report {
namespace {

// Advance widths from the fonts' hmtx tables, in em: DejaVu Sans 'M' 0.8628, 'i' 0.2778, '0'
// 0.6362, ' ' 0.3179; Liberation Sans 'M' 0.8330, 'i' 0.2222, '0' 0.5562, ' ' 0.2783, '@' 1.0151.
TEST_CASE("A text is as wide as in the wider font", "[report]") {
  const auto [text, em] = GENERATE(table<std::string, double>({{"", 0},
                                                               {"M", 0.8628},
                                                               {"i", 0.2778},
                                                               {"0", 0.6362},
                                                               {"@", 1.0151},
                                                               {"M 0i", 2.0947},
                                                               {"\u00fc", 1},
                                                               {"\u4e2d\u6587", 2.8},
                                                               {"\xff", 1.4},
                                                               {"\n", 1}}));
  CAPTURE(text);
  CHECK(text_width(text, 10) >= em * 10 - 1e-9);
  CHECK(text_width(text, 10) <= em * 10 + 0.05);
}

TEST_CASE("A long text is cut and ends in an ellipsis", "[report]") {
  CHECK(cut_text("decode", 10, 100) == "decode");
  // Seven M are 60.4, four and the ellipsis 34.5 + 14 = 48.5, five 57.1.
  CHECK(cut_text("MMMMMMM", 10, 50) == "MMMM\u2026");
  CHECK(cut_text("MMM MMM", 10, 45) == "MMM\u2026");
  CHECK(cut_text("\u4e2d\u6587\u4e2d\u6587", 10, 50) == "\u4e2d\u6587\u2026");
  CHECK(cut_text("MMM", 10, 3) == "\u2026");
}

TEST_CASE("Text wraps between words and splits what is longer than a line", "[report]") {
  using Lines = std::vector<std::string>;
  CHECK(wrap_text("", 10, 100, 3) == Lines{""});
  CHECK(wrap_text("one line", 10, 100, 3) == Lines{"one line"});
  // "MMM MMM" is 55.0 wide.
  CHECK(wrap_text("MMM MMM MMM", 10, 56, 3) == Lines{"MMM MMM", "MMM"});
  CHECK(wrap_text("MMM MMM MMM", 10, 54, 3) == Lines{"MMM", "MMM", "MMM"});
  CHECK(wrap_text("MMMMMMM M", 10, 35, 9) == Lines{"MMMM", "MMM", "M"});
  CHECK(wrap_text("MMM MMM MMM", 10, 40, 2) == Lines{"MMM", "MMM\u2026"});
  CHECK(wrap_text("  MMM   MMM  ", 10, 30, 3) == Lines{"MMM", "MMM"});
}

TEST_CASE("Wrapped lines are no wider than asked and lose no character", "[report]") {
  const double width = GENERATE(1.0, 12.0, 40.0, 77.7, 300.0);
  const std::string text =
      "989.0 TFLOP/s bf16, ridge 295.2; averyverylongnamewithoutspaces 3.350 TB/s";
  std::string joined;
  for (const std::string& line : wrap_text(text, 10, width, 1000)) {
    CAPTURE(line);
    CHECK((line.size() == 1 || text_width(line, 10) <= width));
    joined += line;
  }
  const auto without_spaces = [](std::string all) {
    std::erase(all, ' ');
    return all;
  };
  CHECK(without_spaces(joined) == without_spaces(text));
}

}  // namespace
}  // namespace roofline::report
