// Charts in text: lines and dots where a hand would draw them, and nothing lost without a word.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "report/report.hpp"
#include "report/text_chart_labels.hpp"
#include "report/text_chart_legend.hpp"
#include "report/text_chart_markers.hpp"
#include "report/text_chart_rules.hpp"
#include "report/text_chart_strokes.hpp"
#include "report/text_chart_symbols.hpp"
#include "report/text_chart_words.hpp"

namespace roofline::report {
namespace {

using Strings = std::vector<std::string>;

/// Two decades each way: x 1 to 100, y 10 to 1000.
Chart empty_chart() {
  return {.title = "title",
          .question = "question",
          .x = {.label = "intensity", .unit = "FLOP/byte", .low = 1, .high = 100},
          .y = {.label = "speed", .unit = "FLOP/s", .low = 10, .high = 1000}};
}

/// Peak 100, bandwidth 10: the ridge is in the middle of both axes.
ChartLine roof() {
  return {.points = {{1, 10}, {10, 100}, {100, 100}}};
}

Chart roof_chart() {
  Chart chart = empty_chart();
  chart.line_keys.push_back({"device", "100 FLOP/s"});
  chart.lines.push_back(roof());
  return chart;
}

Strings lines_of(const std::string& text) {
  std::istringstream stream(text);
  Strings lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

Strings rows_of(const TextCanvas& canvas) {
  Strings rows;
  for (std::size_t row = 0; row < canvas.rows(); ++row) rows.push_back(canvas.line(row));
  return rows;
}

bool has_line(const std::string& text, const std::string& line) {
  const Strings lines = lines_of(text);
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

void check_format(const std::string& text) {
  REQUIRE_FALSE(text.empty());
  CHECK(text.back() == '\n');
  for (const std::string& line : lines_of(text)) {
    CAPTURE(line);
    CHECK(columns_of(line) <= 100);
    CHECK((line.empty() || line.back() != ' '));
  }
}

bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); });
}

}  // namespace

// In 8 x 4 cells the ridge is at (4, 2). The slope falls half a row a column from there: the
// middles of columns 3 to 0 are at rows 2.25, 2.75, 3.25 and 3.75.
TEST_CASE("A roof in characters by hand", "[report]") {
  TextCanvas canvas(8, 4);
  draw_line(canvas, empty_chart(), roof(), false);
  CHECK(rows_of(canvas) == Strings{"", "", "  //----", "//"});
}

// In 16 x 16 dots the ridge is at (8, 8), the slope is a diagonal: dots (0, 15) to (7, 8), then the
// top row of cells of row 2. Dots 7 and 6 of a cell are 0x60, 2 and 4 are 0x0a, 1 and 4 are 0x09.
TEST_CASE("A roof in dots by hand", "[report]") {
  TextCanvas canvas(8, 4);
  draw_line(canvas, empty_chart(), roof(), true);
  CHECK(rows_of(canvas) ==
        Strings{"", "", "  \u2860\u280a\u2809\u2809\u2809\u2809", "\u2860\u280a"});
}

TEST_CASE("A character says how steep a line is", "[report]") {
  const auto [columns, rows, symbol] = GENERATE(table<double, double, char>({{8, 0, '-'},
                                                                             {8, -1.9, '-'},
                                                                             {8, -2, '/'},
                                                                             {1, -2, '/'},
                                                                             {1, -2.1, '|'},
                                                                             {0, 4, '|'},
                                                                             {1, 2, '\\'},
                                                                             {-8, 4, '/'},
                                                                             {-8, -4, '\\'}}));
  CAPTURE(columns, rows);
  CHECK(slope_symbol({10, 10}, {10 + columns, 10 + rows}) == symbol);
}

TEST_CASE("A falling line and an upright one", "[report]") {
  TextCanvas canvas(8, 4);
  // From (0, 0) to (4, 4), one row a column; then all rows of column 6, which is at 10^1.5.
  draw_line(canvas, empty_chart(), {.points = {{1, 1000}, {10, 10}}}, false);
  draw_line(canvas, empty_chart(), {.points = {{31.6228, 10}, {31.6228, 1000}}}, false);
  CHECK(rows_of(canvas) == Strings{"\\     |", " \\    |", "  \\   |", "   \\  |"});
}

TEST_CASE("Dashed lines have gaps", "[report]") {
  const ChartLine line{.points = {{1, 1000}, {100, 1000}}, .dashed = true};
  TextCanvas characters(8, 1);
  draw_line(characters, empty_chart(), line, false);
  CHECK(characters.line(0) == "- - - -");
  // Dots 0 to 2, 6 to 8 and 12 to 14 of 16.
  TextCanvas dots(8, 1);
  draw_line(dots, empty_chart(), line, true);
  CHECK(dots.line(0) == "\u2809\u2801 \u2809\u2801 \u2809\u2801");
}

TEST_CASE("A line shorter than a cell is seen", "[report]") {
  const bool unicode = GENERATE(false, true);
  TextCanvas canvas(8, 4);
  draw_line(canvas, empty_chart(), {.points = {{1.001, 11}, {1.002, 11}}}, unicode);
  CHECK(canvas.line(3) == (unicode ? "\u2840" : "-"));
}

TEST_CASE("Rules cross the frame under the lines", "[report]") {
  TextCanvas canvas(8, 4);
  const Chart chart = empty_chart();
  draw_rule(canvas, chart, {.vertical = true, .at = 10, .label = ""}, false);
  draw_rule(canvas, chart, {.vertical = false, .at = 500, .label = ""}, false);
  draw_line(canvas, chart, roof(), false);
  // 500 is 1.699 of two decades above 10: 0.6 rows from the top.
  CHECK(rows_of(canvas) == Strings{"....:...", "    :", "  //----", "//  :"});
}

TEST_CASE("Rules in dots have a gap after each dot", "[report]") {
  TextCanvas canvas(2, 2);
  const Chart chart = empty_chart();
  // The middle of four columns of dots and of eight rows.
  draw_rule(canvas, chart, {.vertical = true, .at = 10, .label = ""}, true);
  draw_rule(canvas, chart, {.vertical = false, .at = 100, .label = ""}, true);
  CHECK(rows_of(canvas) == Strings{" \u2805", "\u2801\u2805"});
}

TEST_CASE("Keys of lines and points are letters and digits in turn", "[report]") {
  CHECK(line_symbol(0) == 'A');
  CHECK(line_symbol(25) == 'Z');
  CHECK(line_symbol(26) == 'a');
  CHECK(line_symbol(1000) == '*');
  CHECK(point_symbol(0, 1) == '1');
  CHECK(point_symbol(8, 1) == '9');
  CHECK(point_symbol(9, 1) == 'a');
  CHECK(point_symbol(9, 28) == 'c');  // a and b are lines
  CHECK(point_symbol(1000, 1) == '*');
}

TEST_CASE("Keys of 28 lines and 56 points are 84 different characters", "[report]") {
  std::set<char> symbols;
  for (std::size_t line = 0; line < 28; ++line) symbols.insert(line_symbol(line));
  for (std::size_t point = 0; point < 56; ++point) symbols.insert(point_symbol(point, 28));
  CHECK(symbols.size() == 84);
  // What lines, rules, spots and the others are drawn with is none of them.
  for (const char drawn : std::string("/-\\|:.+*o ")) CHECK(symbols.count(drawn) == 0);
}

TEST_CASE("What a marker is drawn as", "[report]") {
  Chart chart = empty_chart();
  chart.line_keys = {{"one", ""}, {"two", ""}};
  chart.point_keys = {{"decode", ""}, {"mine", "", true}};
  CHECK(marker_symbol(chart, {.at = {}, .label = "", .line_key = 1, .point_key = 0, .title = ""}) ==
        '1');
  CHECK(marker_symbol(
            chart, {.at = {}, .label = "", .measured = true, .point_key = 0, .title = ""}) == 'o');
  CHECK(marker_symbol(
            chart, {.at = {}, .label = "", .measured = true, .point_key = 1, .title = ""}) == '2');
  CHECK(marker_symbol(chart, {.at = {}, .label = "", .line_key = 1, .title = ""}) == 'B');
  chart.line_keys.pop_back();
  CHECK(marker_symbol(chart, {.at = {}, .label = "", .line_key = 0, .title = ""}) == '*');
}

TEST_CASE("Markers lie over lines and the first of a cell stays", "[report]") {
  Chart chart = roof_chart();
  chart.point_keys = {{"a", ""}, {"b", ""}, {"c", ""}};
  chart.markers = {{.at = {10, 100}, .label = "", .point_key = 1, .title = ""},
                   {.at = {10, 100}, .label = "", .point_key = 0, .title = ""},
                   {.at = {10, 99.9}, .label = "", .measured = true, .point_key = 1, .title = ""},
                   {.at = {10, 100}, .label = "", .point_key = 1, .title = ""},
                   {.at = {1, 1000}, .label = "", .point_key = 2, .title = ""}};
  TextCanvas canvas(8, 4);
  draw_line(canvas, chart, chart.lines[0], false);
  const MarkerAccount account = draw_markers(canvas, chart);
  CHECK(rows_of(canvas) == Strings{"3", "", "  //2---", "//"});
  CHECK(account.shared == Strings{"2,1,o"});
  CHECK(account.doubles == 1);
  CHECK(account.double_symbols == "2");
  CHECK(account.drawn == std::vector<std::size_t>{0, 4});

  const std::string text = write_text_chart(chart, false);
  CHECK(has_line(text, "in one place, the first is drawn: 2,1,o"));
  CHECK(has_line(text, "1 marker lies under one with the same symbol: 2"));
}

TEST_CASE("Points of a line that are close have fewer markers and a word on it", "[report]") {
  Chart chart = empty_chart();
  chart.line_keys = {{"curve", ""}};
  for (int i = 0; i < 60; ++i) {
    // One a column of 60: 100^(i / 60), in the middle of it.
    const double x = std::pow(100, (i + 0.5) / 60);
    chart.markers.push_back({.at = {x, 100}, .label = "", .line_key = 0, .title = ""});
  }
  TextCanvas canvas(60, 4);
  const MarkerAccount account = draw_markers(canvas, chart);
  // Columns 0, 4, ..., 56, and the last.
  CHECK(account.drawn.size() == 16);
  CHECK(account.left_out == 44);
  CHECK(canvas.line(2).substr(0, 9) == "*   *   *");
  CHECK(canvas.line(2).substr(56) == "*  *");
  const std::string text = write_text_chart(chart, false);
  CHECK(text.find("points of lines have no marker, for want of room: see the table") !=
        std::string::npos);
}

TEST_CASE("No marker of a crowd is lost without account", "[report]") {
  Chart chart = empty_chart();
  for (std::size_t key = 0; key < 28; ++key) chart.line_keys.push_back({"device", ""});
  for (std::size_t key = 0; key < 56; ++key) chart.point_keys.push_back({"workload", ""});
  for (std::size_t m = 0; m < 28 * 56; ++m) {
    const double share = static_cast<double>(m * 7919 % 1000) / 1000;
    chart.markers.push_back({.at = {std::pow(100, share), 10 * std::pow(100, share * share)},
                             .label = "",
                             .measured = m % 5 == 0,
                             .line_key = m % 28,
                             .point_key = m % 3 == 0 ? std::optional<std::size_t>() : m % 56,
                             .title = ""});
  }
  TextCanvas canvas(80, 22);
  const MarkerAccount account = draw_markers(canvas, chart);
  std::size_t others = 0;
  for (const std::string& symbols : account.shared) others += symbols.size() / 2;
  CHECK(account.drawn.size() + others + account.doubles + account.left_out == 28 * 56);
}

TEST_CASE("Lines are lettered beside the frame where they end", "[report]") {
  Chart chart = empty_chart();
  chart.line_keys = {{"a", ""}, {"b", ""}, {"c", ""}};
  chart.lines = {{.points = {{1, 100}, {100, 100}}, .line_key = 0},
                 {.points = {{1, 1000}, {100, 1000}}, .line_key = 1},
                 {.points = {{10, 100}, {100, 100}}, .line_key = 2},
                 {.points = {{1, 100}, {100, 100}}, .line_key = 0}};
  CHECK(line_ends(chart, 4) == LineEnds{"B", "", "AC", ""});
  chart.line_keys.resize(1);
  CHECK(line_ends(chart, 4) == LineEnds(4));
}

TEST_CASE("A line that ends within the frame has its letter at its end", "[report]") {
  Chart chart = empty_chart();
  chart.line_keys = {{"a", ""}, {"b", ""}};
  chart.lines = {{.points = {{1, 1000}, {10, 1000}}, .line_key = 0},
                 {.points = {{1, 100}, {10, 100}}, .line_key = 1}};
  chart.markers = {{.at = {12, 100}, .label = "", .measured = true, .title = ""},
                   {.at = {12, 300}, .label = "", .measured = true, .title = ""},
                   {.at = {12, 20}, .label = "", .measured = true, .title = ""}};
  TextCanvas canvas(8, 4);
  for (const ChartLine& line : chart.lines) draw_line(canvas, chart, line, false);
  (void)draw_markers(canvas, chart);
  draw_line_symbols(canvas, LineEnds(4), chart);
  // The second finds the cells beside its end taken: 12 is in column 4.3, the line ends at 4.
  CHECK(rows_of(canvas) == Strings{"----A", "    o", "---Bo", "    o"});
}

TEST_CASE("Symbols of vertical rules stand above them", "[report]") {
  Chart chart = empty_chart();
  chart.line_keys = {{"device", ""}};
  for (std::size_t key = 0; key < 6; ++key) chart.point_keys.push_back({"workload", ""});
  // Column 4 of 8 five times, column 0 once.
  for (std::size_t key = 0; key < 5; ++key) {
    chart.rules.push_back({.at = 10, .label = "workload", .point_key = key});
  }
  chart.rules.push_back({.at = 1, .label = "workload", .point_key = 5});
  TextCanvas canvas(8, 4);
  LineEnds ends(4);
  const RuleLabels labels = draw_rule_labels(canvas, ends, chart);
  CHECK(labels.above == Strings{"    4", "    3", "    2", "6   1"});
  CHECK(labels.shared == Strings{"1,2,3,4,5"});
  CHECK(has_line(write_text_chart(chart, false), "vertical lines in one column: 1,2,3,4,5"));
}

TEST_CASE("Names of vertical rules stand above them and clear of each other", "[report]") {
  Chart chart = empty_chart();
  chart.rules = {{.at = 1, .label = "first"}, {.at = 10, .label = "second limit"}};
  TextCanvas canvas(40, 4);
  LineEnds ends(4);
  CHECK(draw_rule_labels(canvas, ends, chart).above == Strings{"first               second limit"});
  // In 20 columns the second, in column 10, begins two columns left of it to end at the side.
  TextCanvas narrow(20, 4);
  CHECK(draw_rule_labels(narrow, ends, chart).above == Strings{"first   second limit"});
  // In 16 it begins at column 4, too near to the first. The one on the right is placed first.
  TextCanvas tight(16, 4);
  CHECK(draw_rule_labels(tight, ends, chart).above == Strings{"first", ":   second limit"});
}

TEST_CASE("A name leaves room for the rule beside it", "[report]") {
  Chart chart = empty_chart();
  // Columns 15 and 13 of 20. Names of 8 begin at 12 at most: either would hide the other rule, but
  // for the left one that ends at its rule.
  chart.rules = {{.at = 31.7, .label = "limit aa"}, {.at = 21.2, .label = "limit bb"}};
  TextCanvas canvas(20, 4);
  LineEnds ends(4);
  const RuleLabels labels = draw_rule_labels(canvas, ends, chart);
  CHECK(labels.above == Strings{"            limit aa", "      limit bb :"});
  CHECK(labels.legend.empty());
}

TEST_CASE("A name without a place above is in the legend", "[report]") {
  Chart chart = empty_chart();
  chart.line_keys = {{"device", ""}};
  for (int i = 0; i < 5; ++i) chart.rules.push_back({.at = 10, .label = "same place"});
  TextCanvas canvas(40, 4);
  LineEnds ends(4);
  const RuleLabels labels = draw_rule_labels(canvas, ends, chart);
  CHECK(labels.above.size() == 4);
  REQUIRE(labels.legend.size() == 1);
  CHECK(labels.legend[0] == std::pair<char, std::string>(':', "same place"));
}

TEST_CASE("A horizontal rule has its name on it", "[report]") {
  Chart chart = empty_chart();
  chart.rules = {{.vertical = false, .at = 100, .label = "limit"}};
  TextCanvas canvas(20, 4);
  LineEnds ends(4);
  draw_rule(canvas, chart, chart.rules[0], false);
  CHECK(draw_rule_labels(canvas, ends, chart).legend.empty());
  CHECK(canvas.line(2) == "............. limit");
  // A line along it leaves the row above.
  TextCanvas covered(20, 4);
  draw_rule(covered, chart, chart.rules[0], false);
  draw_line(covered, chart, {.points = {{1, 100}, {100, 100}}}, false);
  CHECK(draw_rule_labels(covered, ends, chart).legend.empty());
  CHECK(rows_of(covered) == Strings{"", "             limit", "--------------------", ""});
  CHECK(ends == LineEnds(4));
  // No room at all: a symbol beside the frame.
  TextCanvas full(20, 1);
  draw_line(full, chart, {.points = {{1, 100}, {100, 100}}}, false);
  LineEnds one(1);
  const RuleLabels labels = draw_rule_labels(full, one, chart);
  CHECK(one == LineEnds{"1"});
  CHECK(labels.legend == std::vector<std::pair<char, std::string>>{{'1', "limit"}});
}

TEST_CASE("The frame has ticks on both sides and the axes' names", "[report]") {
  const std::string text = write_text_chart(roof_chart(), false);
  check_format(text);
  const Strings lines = lines_of(text);
  REQUIRE(lines.size() >= 28);
  CHECK(lines[0] == "speed (FLOP/s)");
  // 22 rows: 1,000 in the first, 100 in the twelfth, 10 in the last. 100 columns less "1,000 |" are
  // 93; the ridge is in column 46.5 at row 11, the slope falls by 11 rows in 46.5 columns, 0.2366
  // a column: the middle of column 42 is at 11.946, that of column 41 at 12.183.
  CHECK(lines[1] == "1,000 |");
  CHECK(lines[12] == "  100 |" + std::string(42, ' ') + std::string(51, '-'));
  CHECK(lines[13].substr(0, 7) == "      |");
  CHECK(lines[22].substr(0, 9) == "   10 |--");
  // Ticks in columns 0, 46 and 92.
  CHECK(lines[23] == "      ++" + std::string(45, '-') + '+' + std::string(45, '-') + '+');
  CHECK(lines[24] == "       1" + std::string(44, ' ') + "10" + std::string(43, ' ') + "100");
  CHECK(lines[25].find_first_not_of(' ') == 7 + (93 - 21) / 2);  // "intensity (FLOP/byte)"
  CHECK(lines[26].empty());
  CHECK(lines[27] == "devices");
  CHECK(lines[28] == "  device  100 FLOP/s");
}

TEST_CASE("Labels of the only device stand at its parts", "[report]") {
  Chart chart = roof_chart();
  chart.line_labels = {{{10, 100}, {100, 100}, "100 FLOP/s"},
                       {{1, 10}, {10, 100}, "10 B/s"},
                       {{10, 100}, {10, 100}, "ridge 10"}};
  const Strings lines = lines_of(write_text_chart(chart, false));
  CHECK(lines[11] == "      |" + std::string(83, ' ') + "100 FLOP/s");
  CHECK(lines[12].find("----+----") == 7 + 42);
  CHECK(lines[13].find("ridge 10") == 7 + 47);
  // The middle of the slope is in column 23 of row 16, where columns 21 to 24 are the line's. To
  // its left two columns off there is no room for the text and a blank, to its right there is.
  CHECK(lines[17].find("10 B/s") == 7 + 26);
}

TEST_CASE("The legend is in columns where entries are short", "[report]") {
  Chart chart = empty_chart();
  chart.line_keys = {{"T4", "65 TFLOP/s"}, {"H100", "989 TFLOP/s"}};
  for (int i = 0; i < 5; ++i) chart.point_keys.push_back({"batch 1", std::string(30, 'x')});
  std::string legend;
  append_legend(legend, chart, {}, {});
  const std::string entry = "  batch 1  " + std::string(30, 'x');
  // "  1" and the entry are 44 columns: two fit with two blanks, three do not.
  CHECK(legend ==
        "devices\n"
        "  A  T4    65 TFLOP/s\n"
        "  B  H100  989 TFLOP/s\n"
        "\n"
        "workloads\n"
        "  1" +
            entry + "    4" + entry + "\n  2" + entry + "    5" + entry + "\n  3" + entry + "\n");
}

TEST_CASE("What was measured is told from what was computed", "[report]") {
  Chart chart = roof_chart();
  chart.point_keys = {{"decode", "5 FLOP/byte"}, {"mine", "20 FLOP/byte", true}};
  chart.markers = {
      {.at = {5, 50}, .label = "decode", .point_key = 0, .title = ""},
      {.at = {5, 30},
       .label = "measured, 60 %",
       .measured = true,
       .point_key = 0,
       .title = "measured: decode on device",
       .figures = {{"measured", "30 FLOP/s"}}},
      {.at = {20, 40}, .label = "mine", .measured = true, .point_key = 1, .title = ""}};
  const std::string text = write_text_chart(chart, false);
  CHECK(has_line(text, "  2  mine    20 FLOP/byte, measured"));
  CHECK(has_line(text, "  o  measured: decode on device  30 FLOP/s"));
}

namespace {

Chart crowded_chart(const std::string& name) {
  Chart chart = empty_chart();
  for (std::size_t d = 0; d < 28; ++d) {
    const double peak = 15 * std::pow(1.15, static_cast<double>(d));
    chart.line_keys.push_back({name, name + ' ' + name});
    chart.lines.push_back({.points = {{1, 10}, {peak / 10, peak}, {100, peak}}, .line_key = d});
    chart.line_labels.push_back({{peak / 10, peak}, {peak / 10, peak}, name, d});
    chart.rules.push_back({.vertical = d % 2 == 0,
                           .at = peak / 10 * (d % 2 == 0 ? 1 : 10),
                           .label = name,
                           .line_key = d});
    for (std::size_t p = 0; p < 56; ++p) {
      const double x = std::pow(1.08, static_cast<double>(p));
      chart.markers.push_back({.at = {x, std::min(peak, 10 * x)},
                               .label = name,
                               .line_key = d,
                               .point_key = p,
                               .title = ""});
    }
    chart.markers.push_back({.at = {50, 50}, .label = name, .measured = true, .title = name});
  }
  for (std::size_t p = 0; p < 56; ++p) {
    chart.point_keys.push_back({name, p % 2 == 0 ? name : "short"});
  }
  return chart;
}

}  // namespace

TEST_CASE("Any crowd with any names stays within 100 columns", "[report]") {
  const auto [unicode, name] = GENERATE(
      table<bool, std::string>({{false, "a device"},
                                {true, "a device"},
                                {false, std::string(300, 'w')},
                                {false, "\u4e2d\u6587\u8bbe\u5907 \U0001f680 caf\u00e9"},
                                {true, "\u4e2d\u6587\u8bbe\u5907\u4e2d\u6587\u8bbe\u5907 \xff"},
                                {false, ""},
                                {false, "\033[2J<script>\n"}}));
  const Chart chart = crowded_chart(name);
  const std::string text = write_text_chart(chart, unicode);
  check_format(text);
  CHECK(text == write_text_chart(chart, unicode));
  CHECK(text.find('\033') == std::string::npos);
}

TEST_CASE("A chart of ASCII names is ASCII unless dots are wanted", "[report]") {
  const Chart chart = crowded_chart("device");
  CHECK(is_ascii(write_text_chart(chart, false)));
  CHECK_FALSE(is_ascii(write_text_chart(chart, true)));
}

TEST_CASE("Names of axes and ticks of any length fit as well", "[report]") {
  Chart chart = roof_chart();
  chart.x.label = std::string(200, 'x');
  chart.y.label = std::string(200, 'y');
  chart.y.unit = std::string(150, 'u');
  chart.y.scaled = true;
  check_format(write_text_chart(chart, false));
}

TEST_CASE("A chart of nothing but axes is a frame", "[report]") {
  const std::string text = write_text_chart(empty_chart(), false);
  check_format(text);
  CHECK(lines_of(text).size() == 26);  // name, 22 rows, side, ticks, name
}

}  // namespace roofline::report
