// Markdown: title, facts, tables with aligned columns, notes; text from files must not be markup.
#include <catch2/catch.hpp>

#include "report/report.hpp"

using namespace roofline::report;

TEST_CASE("A report in Markdown", "[report]") {
  Report report;
  report.title = "decode of llama-3.1-8b, batch 32";
  report.facts = {{"verdict", "memory-bound", "21.81 FLOP/byte"},
                  {"time", "7.045 ms", ""},
                  {"memory", "", "24.65 of 76.97 GB"}};
  report.results.columns = {{.key = "device", .header = "device"},
                            {.key = "time_s", .header = "time", .unit = Unit::seconds},
                            {.key = "fits", .header = "fits"}};
  report.results.rows = {{std::string("T4"), 0.0125, true}, {std::string("L4"), 0.0005, Value()}};
  report.notes = {"weights as published", "a second one"};
  CHECK(write_markdown(report, {}) == R"(**decode of llama-3.1-8b, batch 32**

- verdict: memory-bound, 21.81 FLOP/byte
- time: 7.045 ms
- memory: 24.65 of 76.97 GB

| device | time ms | fits |
|---|---:|---|
| T4 | 12.5000 | yes |
| L4 | 0.5000 | - |

> weights as published

> a second one
)");
}

TEST_CASE("Markup in names is escaped", "[report]") {
  const auto [text, escaped] = GENERATE(table<std::string, std::string>({
      {"a|b", R"(a\|b)"},
      {"*bold*", R"(\*bold\*)"},
      {"q4_k_m", R"(q4\_k\_m)"},
      {"`code`", R"(\`code\`)"},
      {"<script>", R"(\<script\>)"},
      {"[x](y)", R"(\[x\](y))"},
      {"back\\slash", R"(back\\slash)"},
      {"two\nlines", "two lines"},
      {"a\r\nb", "a  b"},
      {"H100-SXM5-80GB", "H100-SXM5-80GB"},
      {"1,024 FLOP/byte", "1,024 FLOP/byte"},
  }));
  Report report;
  report.title = text;
  report.facts = {{text, text, text}};
  report.results = {.columns = {{.key = "k", .header = text}}, .rows = {{text}}};
  report.details = {{Table{.key = "t", .title = text, .columns = {{.key = "k"}}, .rows = {{1.0}}}}};
  report.notes = {text};
  CHECK(write_markdown(report, {}) ==  //
        "**" + escaped + "**\n\n- " + escaped + ": " + escaped + ", " + escaped + "\n\n" + "| " +
            escaped + " |\n|---|\n| " + escaped + " |\n\n" + escaped +
            "\n\n|  |\n|---:|\n| 1.000 |\n\n> " + escaped + "\n");
}

TEST_CASE("Markdown leaves out what only machines read", "[report]") {
  Report report;
  report.title = "t";
  report.results.columns = {{.key = "a", .header = "a", .show = Show::machine},
                            {.key = "b", .header = "b", .unit = Unit::count, .show = Show::text}};
  report.results.rows = {{1.0, 2.0}};
  CHECK(write_markdown(report, {}) == "**t**\n\n| b |\n|---:|\n| 2 |\n");
}

TEST_CASE("Markdown has the tables of the rows that text has", "[report]") {
  const Table shown{
      .key = "s", .title = "Operators", .columns = {{.header = "n"}}, .rows = {{1.0}}};
  Table hidden = shown;
  hidden.in_text = false;
  Table empty = shown;
  empty.rows.clear();
  Report report;
  report.title = "t";
  report.results_in_text = false;
  report.results = {.columns = {{.key = "never", .header = "never"}}, .rows = {{1.0}}};
  report.details = {{hidden, shown}, {empty}};
  CHECK(write_markdown(report, {.significant_digits = 2}) ==
        "**t**\n\nOperators\n\n| n |\n|---:|\n| 1.0 |\n");
}
