// check as GitLab code quality: all that is needed of an issue, and severities.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "check_results.hpp"

using namespace roofline;
using namespace roofline::report;

TEST_CASE("A clean run is an empty list", "[report]") {
  CHECK(written(clean(), CheckFormat::gitlab) == "[]\n");
}

TEST_CASE("An issue has what GitLab needs in a fixed order", "[report]") {
  CheckedFile file = prod_file();
  file.findings.pop_back();
  CHECK(written({.files = {file}, .regressions = {}, .notes = {}}, CheckFormat::gitlab) == R"([
  {
    "description": "K/V cache holds 39,154 tokens, max-model-len is 131,072; fix: max-model-len 39154 or less, or tensor-parallel-size 4",
    "check_name": "kv-too-small",
    "fingerprint": "576573ca49a1f777:1",
    "severity": "critical",
    "location": {
      "path": "deploy/prod.yaml",
      "lines": {
        "begin": 7
      }
    }
  }
]
)");
}

TEST_CASE("Severities of issues", "[report]") {
  const auto [rule, severity, expected] = GENERATE(table<std::string, Severity, std::string>({
      {"kv-too-small", Severity::error, "critical"},
      {"require-ttft", Severity::error, "major"},
      {"regression", Severity::error, "major"},
      {"require-ttft", Severity::warning, "minor"},
      {"unknown-key", Severity::warning, "minor"},
      {"decode-memory-bound", Severity::note, "info"},
  }));
  CAPTURE(rule);
  CheckedFile file = prod_file();
  file.findings.resize(1);
  file.findings.front().rule = rule;
  file.findings.front().severity = severity;
  const auto issues = nlohmann::json::parse(
      written({.files = {file}, .regressions = {}, .notes = {}}, CheckFormat::gitlab));
  CHECK(issues[0]["severity"] == expected);
}

TEST_CASE("What could not be judged blocks", "[report]") {
  const auto issues = nlohmann::json::parse(
      written({.files = {broken_file()}, .regressions = {}, .notes = {}}, CheckFormat::gitlab));
  REQUIRE(issues.size() == 1);
  CHECK(issues[0]["severity"] == "blocker");
  CHECK(issues[0]["fingerprint"] == "d5856dbdecd1971f:1");
  CHECK(issues[0]["description"] == "cannot be judged: no such model 'x'; fix: -m DIR");
}
