// Text: title, facts and tables, aligned and wrapped; the digits and the unit of each column.
#include <catch2/catch.hpp>
#include <sstream>

#include "report/report.hpp"

using namespace roofline::report;
using Strings = std::vector<std::string>;

namespace {

/// The cells of one column.
Strings column(const Column& like, const std::vector<Value>& values, int significant_digits = 4) {
  Table table{.columns = {like}};
  for (const Value& value : values) table.rows.push_back({value});
  Strings cells;
  for (const auto& row : text_table(table, significant_digits).rows) cells.push_back(row.at(0));
  return cells;
}

std::string header(const Column& like, const std::vector<Value>& values) {
  Table table{.columns = {like}};
  for (const Value& value : values) table.rows.push_back({value});
  return text_table(table, 4).headers.at(0);
}

std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

}  // namespace

// The table of `roofline sweep` in the command line's contract.
TEST_CASE("A table has two spaces between columns and numbers to the right", "[report]") {
  Report report;
  report.results.columns = {
      {.key = "batch", .header = "batch", .unit = Unit::count},
      {.key = "intensity", .header = "", .unit = Unit::flop_per_byte},
      {.key = "time", .header = "roofline", .unit = Unit::seconds, .prefix = "m"},
      {.key = "rate", .header = "", .unit = Unit::tok_per_s},
      {.key = "bound", .header = "bound"},
      {.key = "fits", .header = "fits"}};
  report.results.rows = {
      {1.0, 1.0533, 0.0045614, 219.31, std::string("memory"), true},
      {8.0, 7.4994, 0.0051211, 1562.13, std::string("memory"), true},
      {32.0, 21.8082, 0.0070446, 4542.51, std::string("memory"), true},
      {256.0, 49.1744, 0.0249937, 10242.6, std::string("memory"), std::string("no: needs more")}};
  CHECK(write_text(report, {}) ==
        "batch  FLOP/byte  roofline ms     tok/s  bound   fits\n"
        "    1      1.053        4.561     219.3  memory  yes\n"
        "    8      7.499        5.121   1,562.1  memory  yes\n"
        "   32     21.808        7.045   4,542.5  memory  yes\n"
        "  256     49.174       24.994  10,242.6  memory  no: needs more\n");
}

// The table of `roofline analyze` there, from its FLOP and bytes.
TEST_CASE("The operators of a decode step in text", "[report]") {
  Table table{
      .columns = {{.key = "operator", .header = "operator"},
                  {.key = "count", .header = "count", .unit = Unit::count},
                  {.key = "flop", .header = "", .unit = Unit::flop, .prefix = "G"},
                  {.key = "weights", .header = "weights", .unit = Unit::bytes},
                  {.key = "kv", .header = "K/V", .unit = Unit::bytes},
                  {.key = "intensity", .header = "", .unit = Unit::flop_per_byte},
                  {.key = "share", .header = "share", .unit = Unit::percent}},
      .rows = {{std::string("attention"), 32.0, 34359738368.0, Value(), 8589934592.0, 4.0, 36.4},
               {std::string("gate+up"), 32.0, 240518168576.0, 7516192768.0, 0.0, 32.0, 31.83},
               {std::string("lm_head"), 1.0, 33621540864.0, 1050673152.0, Value(), 32.0, 4.452}}};
  Report report;
  report.results = table;
  CHECK(write_text(report, {}) ==
        "operator   count   GFLOP  weights GB  K/V GB  FLOP/byte  share %\n"
        "attention     32   34.36           -   8.590      4.000     36.4\n"
        "gate+up       32  240.52       7.516       -     32.000     31.8\n"
        "lm_head        1   33.62       1.051       -     32.000      4.5\n");
}

TEST_CASE("The smallest value of a column has four significant digits", "[report]") {
  const Column time{.header = "time", .unit = Unit::flop_per_byte};
  CHECK(column(time, {1.0, 2.5}) == Strings{"1.000", "2.500"});
  CHECK(column(time, {12.3456, 7.0449}) == Strings{"12.346", "7.045"});
  CHECK(column(time, {12.3456, 7.0449, Value()}) == Strings{"12.346", "7.045", "-"});
  CHECK(column(time, {1234.5, 99.996}) == Strings{"1,234.5", "100.0"});
  CHECK(column(time, {-0.5, 12.0}) == Strings{"-0.5000", "12.0000"});
  CHECK(column(time, {12.3456, 7.0449}, 2) == Strings{"12.3", "7.0"});
  CHECK(column(time, {12.3456, 7.0449}, 6) == Strings{"12.34560", "7.04490"});
}

// Four digits of 0.0012 would be 6 decimals. The largest value gets two digits beyond its own four,
// and more only where the smallest would vanish.
TEST_CASE("A tiny value does not make the large ones endless and does not vanish", "[report]") {
  const Column intensity{.header = "", .unit = Unit::flop_per_byte};
  CHECK(column(intensity, {9.5, 0.0012}) == Strings{"9.50000", "0.00120"});
  CHECK(column(intensity, {1234.567, 0.12}) == Strings{"1,234.57", "0.12"});
  CHECK(column(intensity, {12345.678, 0.0012}) == Strings{"12,345.678", "0.001"});
}

TEST_CASE("A column has one unit and that is its largest value's", "[report]") {
  const Column size{.header = "size", .unit = Unit::bytes};
  CHECK(header(size, {1.5e6, 2e9}) == "size GB");
  CHECK(column(size, {1.5e8, 2e9}) == Strings{"0.1500", "2.0000"});
  CHECK(header(size, {1.5e6, -2e9}) == "size GB");
  CHECK(header(size, {999.96e6}) == "size GB");
  CHECK(column(size, {999.96e6}) == Strings{"1.000"});
  CHECK(header({.header = "", .unit = Unit::seconds}, {0.007}) == "ms");
  CHECK(header({.header = "peak", .unit = Unit::flop_per_s}, {989e12}) == "peak TFLOP/s");
  CHECK(header({.header = "link", .unit = Unit::bytes_per_s}, {9e11}) == "link GB/s");
  CHECK(header({.header = "work", .unit = Unit::flop}, {5e17}) == "work PFLOP");
}

TEST_CASE("A prefix of the column's own is kept for any value", "[report]") {
  const Column size{.header = "", .unit = Unit::bytes, .prefix = "G"};
  CHECK(header(size, {5e6}) == "GB");
  CHECK(column(size, {5e7, 2e10}) == Strings{"0.0500", "20.0000"});
  CHECK(column(size, {5e6, 2e13}) == Strings{"0.005", "20,000.000"});
  const Column parameters{.header = "parameters", .unit = Unit::count, .prefix = "G"};
  CHECK(header(parameters, {7e9}) == "parameters G");
  CHECK(column(parameters, {70.55e9, 8.03e9}) == Strings{"70.550", "8.030"});
}

TEST_CASE("Units without prefixes are not scaled", "[report]") {
  CHECK(header({.header = "", .unit = Unit::flop_per_byte}, {5000.0}) == "FLOP/byte");
  CHECK(header({.header = "", .unit = Unit::tok_per_s}, {5e6}) == "tok/s");
  CHECK(header({.header = "price", .unit = Unit::usd}, {5000.0}) == "price USD");
  CHECK(header({.header = "TDP", .unit = Unit::usd}, {1200.0}) == "TDP USD");
  CHECK(column({.unit = Unit::usd}, {1200.0, 72.0}) == Strings{"1,200.00", "72.00"});
}

TEST_CASE("Counts are whole and percents have one decimal and years no comma", "[report]") {
  CHECK(column({.unit = Unit::count}, {1.0, 131072.0}) == Strings{"1", "131,072"});
  CHECK(header({.header = "layers", .unit = Unit::count}, {32.0}) == "layers");
  CHECK(column({.unit = Unit::percent}, {36.44, 0.05, 100.0}) == Strings{"36.4", "0.1", "100.0"});
  CHECK(column({.unit = Unit::plain}, {2022.0, 1999.0}) == Strings{"2022", "1999"});
}

TEST_CASE("Cells that are no numbers", "[report]") {
  CHECK(column({.header = "x"}, {true, false, std::string("words"), std::string(), Value()}) ==
        Strings{"yes", "no", "words", "-", "-"});
  CHECK(column({.header = "x"}, {Strings{"fp8", "int8"}, Strings{}}) == Strings{"fp8, int8", "-"});
  CHECK(column({.header = "x", .unit = Unit::bytes}, {Value(), Value()}) == Strings{"-", "-"});
  CHECK(header({.header = "x", .unit = Unit::bytes}, {Value()}) == "x B");
}

TEST_CASE("Numbers align to the right and words to the left", "[report]") {
  const Table table{.columns = {{.header = "words"},
                                {.header = "bytes", .unit = Unit::bytes},
                                {.header = "bare"},
                                {.header = "machine", .show = Show::machine},
                                {.header = "truth"}},
                    .rows = {{std::string("w"), Value(), 1.0, 1.0, true}}};
  const TextTable text = text_table(table, 4);
  CHECK(text.headers == Strings{"words", "bytes B", "bare", "truth"});
  CHECK(text.right_aligned == std::vector<bool>{false, true, true, false});
  CHECK(text.rows == std::vector<Strings>{{"w", "-", "1.000", "yes"}});
}

TEST_CASE("Title and facts and table are separated by empty lines", "[report]") {
  Report report;
  report.title = "decode of llama-3.1-8b";
  report.facts = {{"verdict", "memory-bound", "21.81 FLOP/byte, ridge 295.2"},
                  {"roofline time", "7.045 ms", "memory 7.045, compute 0.5204"},
                  {"memory", "fits", ""},
                  {"tip", "", "a larger batch"}};
  report.results = {.columns = {{.header = "device"}}, .rows = {{std::string("H100")}}};
  report.notes = {"notes go to stderr"};
  CHECK(write_text(report, {}) ==
        "decode of llama-3.1-8b\n"
        "\n"
        "verdict        memory-bound  21.81 FLOP/byte, ridge 295.2\n"
        "roofline time  7.045 ms      memory 7.045, compute 0.5204\n"
        "memory         fits\n"
        "tip                          a larger batch\n"
        "\n"
        "device\n"
        "H100\n");
}

TEST_CASE("Facts without details need no second column", "[report]") {
  Report report;
  report.results_in_text = false;
  report.facts = {{"name", "H100-SXM5-80GB", ""}, {"architecture", "Hopper", ""}};
  CHECK(write_text(report, {}) ==
        "name          H100-SXM5-80GB\n"
        "architecture  Hopper\n");
}

TEST_CASE("Only the first fact is bold and only when asked for", "[report]") {
  Report report;
  report.results_in_text = false;
  report.facts = {{"verdict", "memory-bound", "ridge 295.2"}, {"memory", "fits", "all"}};
  CHECK(write_text(report, {.bold = true}).find('\033') == std::string::npos);
  report.first_fact_matters_most = true;
  CHECK(write_text(report, {.bold = true}) ==
        "verdict  \033[1mmemory-bound\033[0m  ridge 295.2\n"
        "memory   fits          all\n");
  CHECK(write_text(report, {}).find('\033') == std::string::npos);
}

TEST_CASE("A long title breaks between words at 100 columns", "[report]") {
  Report report;
  report.results_in_text = false;
  // 25 words of 4 letters: 20 of them are 20 x 4 + 19 = 99 columns, 21 would be 104.
  for (int word = 0; word < 25; ++word) report.title += word == 0 ? "word" : " word";
  std::string first = "word";
  for (int word = 1; word < 20; ++word) first += " word";
  CHECK(write_text(report, {}) == first + "\nword word word word word\n");

  report.title = std::string(50, 'a') + ' ' + std::string(49, 'b');  // 100 columns: fits
  CHECK(write_text(report, {}) == report.title + "\n");
  report.title += 'b';  // 101
  CHECK(write_text(report, {}) == std::string(50, 'a') + "\n" + std::string(50, 'b') + "\n");
  report.title = std::string(120, 'x');  // nowhere to break
  CHECK(write_text(report, {}) == report.title + "\n");
}

TEST_CASE("A long fact goes on under where it began", "[report]") {
  Report report;
  report.results_in_text = false;
  std::string words = "first";
  for (int word = 0; word < 40; ++word) words += " word";
  report.facts = {{"label", "value", words}, {"long", words, ""}};
  const std::string text = write_text(report, {});
  CHECK(longest_line(text) <= 100);
  // "label  value  " is 14 columns: 5 + 16 x 5 = 85 more make 99.
  std::string expected = "label  value  first";
  for (int word = 0; word < 16; ++word) expected += " word";
  expected += "\n" + std::string(14, ' ') + "word";
  CHECK_THAT(text, Catch::Matchers::StartsWith(expected));
  CHECK_THAT(text, Catch::Matchers::Contains("\nlong   first word"));
  CHECK_THAT(text, Catch::Matchers::Contains("\n       word word"));
}

TEST_CASE("No line ends in a space", "[report]") {
  Report report;
  report.facts = {{"label", "value", ""}, {"other", "v", "detail"}};
  report.results = {.columns = {{.header = "n", .unit = Unit::count}, {.header = "a long header"}},
                    .rows = {{1.0, std::string("x")}, {2.0, std::string("yy")}}};
  CHECK_THAT(write_text(report, {}), !Catch::Matchers::Contains(" \n"));
}

TEST_CASE("Tables of a row follow with their titles", "[report]") {
  const Table shown{.title = "Operators",
                    .columns = {{.header = "name"}, {.header = "n", .unit = Unit::count}},
                    .rows = {{std::string("qkv"), 32.0}}};
  Table hidden = shown;
  hidden.in_text = false;
  Table empty = shown;
  empty.rows.clear();
  Table untitled = shown;
  untitled.title.clear();
  Report report;
  report.results_in_text = false;
  report.title = "t";
  report.details = {{hidden, shown}, {empty, untitled}};
  CHECK(write_text(report, {}) ==
        "t\n"
        "\n"
        "Operators\n"
        "name   n\n"
        "qkv   32\n"
        "\n"
        "name   n\n"
        "qkv   32\n");
}

TEST_CASE("Columns that need room give way from the last on", "[report]") {
  const auto with_words_of = [](std::size_t length) {
    Report report;
    report.results.columns = {{.key = "a", .header = "a"},
                              {.key = "b", .header = "b", .where_room = true},
                              {.key = "c", .header = "c"},
                              {.key = "d", .header = "d", .where_room = true}};
    const std::string word(length, 'x');
    report.results.rows = {{word, std::string("b"), word, std::string("d")}};
    return write_text(report, {});
  };
  const std::string w46(46, 'x');
  CHECK(with_words_of(46) == "a" + std::string(47, ' ') + "b  c" + std::string(47, ' ') + "d\n" +
                                 w46 + "  b  " + w46 + "  d\n");
  const std::string w47(47, 'x');  // 47 + 2 + 1 + 2 + 47 + 2 + 1 are 102
  CHECK(with_words_of(47) == "a" + std::string(48, ' ') + "b  c\n" + w47 + "  b  " + w47 + "\n");
  const std::string w49(49, 'x');
  CHECK(with_words_of(49) == "a" + std::string(50, ' ') + "c\n" + w49 + "  " + w49 + "\n");
  const std::string w60(60, 'x');  // nothing is left to give way
  CHECK(with_words_of(60) == "a" + std::string(61, ' ') + "c\n" + w60 + "  " + w60 + "\n");
}

TEST_CASE("Blocks have the first cell and the rest indented", "[report]") {
  const std::vector<Column> columns{
      {.key = "source"}, {.key = "note"}, {.key = "id", .show = Show::machine}, {.key = "value"}};
  Report report;
  report.results_in_text = false;
  report.details = {{Table{.columns = columns,
                           .rows = {{std::string("datasheet"), std::string("read"), 1.0, Value()},
                                    {std::string("paper"), std::string(), 2.0, 2.5}},
                           .layout = Layout::blocks}}};
  CHECK(write_text(report, {}) ==
        "datasheet\n"
        "    read\n"
        "paper\n"
        "    2.5\n");
  report.details[0][0].layout = Layout::derivation;
  CHECK(write_text(report, {}) ==
        "datasheet\n"
        "  = read\n"
        "paper\n"
        "  = 2.5\n");
}

TEST_CASE("A long line of a block is wrapped under its indent", "[report]") {
  std::string words = "1";
  for (int word = 0; word < 40; ++word) words += " + 1";
  Report report;
  report.results_in_text = false;
  report.details = {{Table{.columns = {{.key = "a"}, {.key = "b"}},
                           .rows = {{std::string("sum"), words}},
                           .layout = Layout::derivation}}};
  const std::string text = write_text(report, {});
  CHECK(longest_line(text) <= 100);
  CHECK_THAT(text, Catch::Matchers::StartsWith("sum\n  = 1 + 1"));
  CHECK(std::count(text.begin(), text.end(), '\n') == 3);  // 161 columns of words take two lines
}

TEST_CASE("Digits of a table follow the option", "[report]") {
  Report report;
  report.results = {.columns = {{.header = "x"}}, .rows = {{2.0 / 3}}};
  CHECK(write_text(report, {.significant_digits = 2}) == "   x\n0.67\n");
  CHECK(write_text(report, {.significant_digits = 7}) == "        x\n0.6666667\n");
}

TEST_CASE("Every format is in the list and written by its name", "[report]") {
  Report report;
  report.command = "list";
  report.title = "t";
  report.results = {.columns = {{.key = "k", .header = "h"}}, .rows = {{std::string("x")}}};
  Strings names;
  for (const FormatName& format : formats()) names.emplace_back(format.name);
  CHECK(names == Strings{"csv", "html", "json", "jsonl", "markdown", "svg", "text"});
  const TextOptions options;
  report.chart = Chart{.title = "c", .question = {}, .x = {}, .y = {}};
  CHECK(write(report, Format::svg, options) == write_svg(*report.chart));
  CHECK(write(report, Format::html, options) == write_html(report, options));
  report.chart.reset();
  CHECK(write(report, Format::csv, options) == "k\nx\n");
  CHECK(write(report, Format::json, options) == write_json(report));
  CHECK(write(report, Format::jsonl, options) == "{\"k\":\"x\"}\n");
  CHECK(write(report, Format::markdown, options) == "**t**\n\n| h |\n|---|\n| x |\n");
  CHECK(write(report, Format::text, options) == "t\n\nh\nx\n");
  Strings suffixes;
  for (const FormatName& format : formats()) suffixes.emplace_back(format.suffix);
  CHECK(suffixes == Strings{".csv", ".html", ".json", ".jsonl", ".md", ".svg", ".txt"});
}
