// JSON and JSON Lines: key order, numbers, what is left out, tables of a row, text that is no
// UTF-8.
#include <catch2/catch.hpp>
#include <limits>
#include <nlohmann/json.hpp>

#include "report/report.hpp"

using namespace roofline::report;

namespace {

Report one_cell(Value value) {
  Report report;
  report.command = "list";
  report.results.columns = {{.key = "cell", .header = "cell"}};
  report.results.rows = {{std::move(value)}};
  return report;
}

}  // namespace

TEST_CASE("The whole of a report in the order that is promised", "[report]") {
  Report report;
  report.command = "analyze";
  report.title = "only text has a title";
  report.facts = {{"nor", "facts", ""}};
  report.data_source = {{"model", std::string("built-in")}, {"device", std::string("x.json")}};
  report.inputs = {{"batch", 32.0},
                   {"context_tokens", std::vector<double>{512, 2048.5}},
                   {"causal", true},
                   {"kv_dtype", Value()}};
  report.results.columns = {
      {.key = "verdict", .header = "bound"},
      {.key = "time_s", .header = "time", .unit = Unit::seconds, .prefix = "m"},
      {.key = "types", .header = "types"}};
  report.results.rows = {
      {std::string("memory-bound"), 0.0125, std::vector<std::string>{"fp8", "int8"}},
      {std::string("compute-bound"), 2.0, std::vector<std::string>{}}};
  report.notes = {"a row's own notes are among its columns"};
  CHECK(write_json(report) == R"({
  "schema_version": 1,
  "command": "analyze",
  "data_source": {
    "model": "built-in",
    "device": "x.json"
  },
  "inputs": {
    "batch": 32,
    "context_tokens": [
      512,
      2048.5
    ],
    "causal": true,
    "kv_dtype": null
  },
  "results": [
    {
      "verdict": "memory-bound",
      "time_s": 0.0125,
      "types": [
        "fp8",
        "int8"
      ]
    },
    {
      "verdict": "compute-bound",
      "time_s": 2,
      "types": []
    }
  ]
}
)");
}

TEST_CASE("Keys are in the order of the columns and not of the alphabet", "[report]") {
  Report report;
  report.results.columns = {{.key = "z"}, {.key = "a"}, {.key = "m"}};
  report.results.rows = {{1.0, 2.0, 3.0}};
  CHECK(write_jsonl(report) == "{\"z\":1,\"a\":2,\"m\":3}\n");
}

TEST_CASE("A report without results has an empty list and no empty parts", "[report]") {
  Report report;
  report.command = "list";
  CHECK(write_json(report) ==
        "{\n  \"schema_version\": 1,\n  \"command\": \"list\",\n  \"results\": []\n}\n");
  CHECK(write_jsonl(report).empty());
}

TEST_CASE("Integers stay integers and doubles are the shortest that read back", "[report]") {
  const auto [value, text] = GENERATE(table<double, std::string>({
      {0, "0"},
      {-0.0, "0"},
      {-7, "-7"},
      {2048, "2048"},
      {144372137984.0, "144372137984"},
      {9007199254740991.0, "9007199254740991"},
      {0.1, "0.1"},
      {21.808228916733317, "21.808228916733317"},
      {0.0070445526734328355, "0.0070445526734328355"},
      {-0.5, "-0.5"},
  }));
  CHECK(write_jsonl(one_cell(value)) == "{\"cell\":" + text + "}\n");
}

TEST_CASE("Large doubles keep their value", "[report]") {
  const double value = GENERATE(9007199254740992.0, 4.6e18, 1e22, 1.7976931348623157e308);
  const std::string line = write_jsonl(one_cell(value));
  CHECK(nlohmann::json::parse(line).at("cell").get<double>() == value);
}

TEST_CASE("There is no infinity and no NaN", "[report]") {
  const double value =
      GENERATE(std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
               std::numeric_limits<double>::quiet_NaN());
  CHECK(write_jsonl(one_cell(value)) == "{\"cell\":null}\n");
}

TEST_CASE("Text is escaped and other languages are not", "[report]") {
  const auto [text, json] = GENERATE(table<std::string, std::string>({
      {"say \"hi\"", R"(say \"hi\")"},
      {"back\\slash", R"(back\\slash)"},
      {"two\nlines\t", R"(two\nlines\t)"},
      {std::string(1, '\x01'), R"(\u0001)"},
      {"K\xC3\xB6ln", "K\xC3\xB6ln"},
      {"a/b", "a/b"},
      {"bad \xFF byte", "bad \xEF\xBF\xBD byte"},  // replaced by U+FFFD
  }));
  CHECK(write_jsonl(one_cell(text)) == "{\"cell\":\"" + json + "\"}\n");
}

TEST_CASE("What does not apply is left out of a row", "[report]") {
  Report report;
  report.results.columns = {{.key = "a"}, {.key = "b"}, {.key = "c"}};
  report.results.rows = {{1.0, Value(), 3.0}, {Value(), Value(), Value()}, {false, 0.0, Value()}};
  CHECK(write_jsonl(report) == "{\"a\":1,\"c\":3}\n{}\n{\"a\":false,\"b\":0}\n");
}

TEST_CASE("Columns for text stay out of JSON and those for machines are in", "[report]") {
  Report report;
  report.results.columns = {
      {.key = "a", .show = Show::text}, {.key = "b"}, {.key = "c", .show = Show::machine}};
  report.results.rows = {{1.0, 2.0, 3.0}};
  CHECK(write_jsonl(report) == "{\"b\":2,\"c\":3}\n");
}

TEST_CASE("Tables of a row stand in that row under their keys", "[report]") {
  Report report;
  report.results.columns = {{.key = "point"}};
  report.results.rows = {{1.0}, {2.0}, {3.0}};
  const Table operators{
      .key = "operators",
      .title = "not in JSON",
      .columns = {{.key = "name"}, {.key = "flop"}, {.key = "GFLOP", .show = Show::text}},
      .rows = {{std::string("qkv"), 64.0, 64.0}, {std::string("embed"), Value(), 0.0}},
      .in_text = false};
  const Table empty{.key = "notes", .columns = {{.key = "note"}}};
  report.details = {{operators, empty}, {}};
  CHECK(write_jsonl(report) ==
        "{\"point\":1,\"operators\":[{\"name\":\"qkv\",\"flop\":64},{\"name\":\"embed\"}],"
        "\"notes\":[]}\n"
        "{\"point\":2}\n"
        "{\"point\":3}\n");
}

TEST_CASE("A line of JSON Lines is the result that JSON has", "[report]") {
  Report report = one_cell(0.1);
  report.results.rows.push_back({std::string("two\nlines")});
  report.details = {{Table{.key = "t", .columns = {{.key = "x"}}, .rows = {{1.5}}}}};
  const auto whole = nlohmann::ordered_json::parse(write_json(report));
  const std::string lines = write_jsonl(report);
  const std::size_t end = lines.find('\n');
  CHECK(nlohmann::ordered_json::parse(lines.substr(0, end)) == whole.at("results").at(0));
  CHECK(nlohmann::ordered_json::parse(lines.substr(end + 1)) == whole.at("results").at(1));
  CHECK(std::count(lines.begin(), lines.end(), '\n') == 2);
}
