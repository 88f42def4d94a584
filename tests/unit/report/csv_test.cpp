// CSV: one line of keys, one line a result, RFC 4180 quoting, SI values.
#include <catch2/catch.hpp>

#include "report/report.hpp"

using namespace roofline::report;

namespace {

/// A report whose only cell is `value`.
Report one_cell(Value value) {
  Report report;
  report.results.columns = {{.key = "cell", .header = "cell"}};
  report.results.rows = {{std::move(value)}};
  return report;
}

}  // namespace

TEST_CASE("The header has the keys and each row a line that ends in a line feed", "[report]") {
  Report report;
  report.title = "not in CSV";
  report.facts = {{"nor", "this", ""}};
  report.notes = {"nor this"};
  report.results.columns = {{.key = "device", .header = "device"},
                            {.key = "bandwidth_bytes_per_s", .unit = Unit::bytes_per_s},
                            {.key = "time_s", .header = "time", .unit = Unit::seconds}};
  report.results.rows = {{std::string("T4"), 320e9, 0.0125}, {std::string("L4"), 300e9, 0.25}};
  CHECK(write_csv(report) ==
        "device,bandwidth_bytes_per_s,time_s\n"
        "T4,320000000000,0.0125\n"
        "L4,300000000000,0.25\n");
}

TEST_CASE("A table without rows is a header", "[report]") {
  Report report;
  report.results.columns = {{.key = "a"}, {.key = "b"}};
  CHECK(write_csv(report) == "a,b\n");
}

TEST_CASE("Cells are quoted where RFC 4180 asks for it and nowhere else", "[report]") {
  const auto [text, cell] = GENERATE(table<std::string, std::string>({
      {"plain", "plain"},
      {"two words", "two words"},
      {"semi; colon", "semi; colon"},
      {"it's", "it's"},
      {"a,b", "\"a,b\""},
      {"say \"hi\"", "\"say \"\"hi\"\"\""},
      {"\"", "\"\"\"\""},
      {"two\nlines", "\"two\nlines\""},
      {"carriage\rreturn", "\"carriage\rreturn\""},
      {"", ""},
      {"K\xC3\xB6ln", "K\xC3\xB6ln"},
  }));
  CHECK(write_csv(one_cell(text)) == "cell\n" + cell + "\n");
}

TEST_CASE("Values are written by their kind", "[report]") {
  const auto [value, cell] = GENERATE(table<Value, std::string>({
      {true, "true"},
      {false, "false"},
      {2048.0, "2048"},
      {0.0, "0"},
      {70553706496.0, "70553706496"},
      {21.808228916733317, "21.808228916733317"},
      {-1.5, "-1.5"},
      {std::monostate{}, ""},
      {std::vector<std::string>{"fp8", "int8"}, "fp8; int8"},
      {std::vector<std::string>{"a, b", "c"}, "\"a, b; c\""},
      {std::vector<std::string>{}, ""},
  }));
  CHECK(write_csv(one_cell(value)) == "cell\n" + cell + "\n");
}

TEST_CASE("What does not apply is an empty cell between its commas", "[report]") {
  Report report;
  report.results.columns = {{.key = "a"}, {.key = "b"}, {.key = "c"}};
  report.results.rows = {{Value(), Value(), Value()}, {1.0, Value(), 3.0}, {Value(), 2.0, Value()}};
  CHECK(write_csv(report) == "a,b,c\n,,\n1,,3\n,2,\n");
}

TEST_CASE("Columns for text stay out of CSV and those for machines are in", "[report]") {
  Report report;
  report.results.columns = {{.key = "a", .show = Show::text},
                            {.key = "b"},
                            {.key = "c", .show = Show::text},
                            {.key = "d", .show = Show::machine}};
  report.results.rows = {{1.0, 2.0, 3.0, 4.0}};
  CHECK(write_csv(report) == "b,d\n2,4\n");
}

TEST_CASE("Tables of a row have no place in CSV", "[report]") {
  Report report = one_cell(1.0);
  report.details = {{Table{.key = "operators", .columns = {{.key = "flop"}}, .rows = {{2.0}}}}};
  CHECK(write_csv(report) == "cell\n1\n");
}
