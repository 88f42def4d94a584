// check as SARIF: rules and results agree, places are complete, paths are URIs.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "check_results.hpp"

using namespace roofline;
using namespace roofline::report;
using nlohmann::json;

namespace {

json run_of(const CheckResult& result, const CheckReportOptions& options = {}) {
  const json document = json::parse(write_check(result, CheckFormat::sarif, options));
  CHECK(document["version"] == "2.1.0");
  REQUIRE(document["runs"].size() == 1);
  return document["runs"][0];
}

std::string uri_of(const std::string& file) {
  CheckedFile checked = broken_file();
  checked.file = file;
  const json run = run_of({.files = {checked}, .regressions = {}, .notes = {}});
  return run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
}

}  // namespace

TEST_CASE("A clean run has rules and no results", "[report]") {
  const json run = run_of(clean());
  CHECK(run["results"] == json::array());
  CHECK(run["invocations"] == json::parse(R"([{"executionSuccessful": true}])"));
  CHECK(run["automationDetails"]["id"] == "roofline-check/");
  CHECK(run["tool"]["driver"]["rules"].size() == check_rules().size() + 1);
  CHECK(run_of(one_of_each())["invocations"][0]["executionSuccessful"] == false);
}

TEST_CASE("Every rule has what GitHub asks for", "[report]") {
  std::set<std::string> ids;
  const json run = run_of(clean());
  for (const json& rule : run["tool"]["driver"]["rules"]) {
    ids.insert(rule["id"].get<std::string>());
    CAPTURE(rule.dump());
    for (const char* key : {"shortDescription", "fullDescription", "help"}) {
      const std::string text = rule[key]["text"];
      CHECK(text.size() > 10);
      CHECK(text.size() <= 1024);
    }
    CHECK(rule["name"].get<std::string>().find('-') == std::string::npos);
    CHECK(rule["properties"]["tags"].size() == 1);
  }
  CHECK(ids.size() == check_rules().size() + 1);
  CHECK(ids.count("not-judged") == 1);
}

TEST_CASE("Results agree with their rules and have a whole region", "[report]") {
  const json run = run_of(one_of_each());
  const json& results = run["results"];
  REQUIRE(results.size() == 4);
  for (const json& result : results) {
    CHECK(run["tool"]["driver"]["rules"][result["ruleIndex"].get<std::size_t>()]["id"] ==
          result["ruleId"]);
    CHECK(result["locations"].size() == 1);
  }
  CHECK(results[0] == json::parse(R"({
    "ruleId": "kv-too-small",
    "ruleIndex": )" + results[0]["ruleIndex"].dump() +
                                  R"(,
    "level": "error",
    "message": {"text": "K/V cache holds 39,154 tokens, max-model-len is 131,072\nwhy: a sequence of 131,072 tokens takes 17.18 GB, 5.132 GB are left\nfix: max-model-len 39154 or less, or tensor-parallel-size 4"},
    "locations": [{"physicalLocation": {
      "artifactLocation": {"uri": "deploy/prod.yaml", "uriBaseId": "%SRCROOT%"},
      "region": {"startLine": 7, "startColumn": 16, "endLine": 7, "endColumn": 22}}}],
    "partialFingerprints": {"primaryLocationLineHash": "576573ca49a1f777:1"}
  })"));
  CHECK(results[1]["level"] == "warning");
  CHECK(results[2]["level"] == "error");
  CHECK(results[2]["ruleId"] == "not-judged");
  CHECK(results[3]["level"] == "note");
}

TEST_CASE("Paths become URIs", "[report]") {
  const auto [file, uri] = GENERATE(table<std::string, std::string>({
      {"a.yaml", "a.yaml"},
      {"./deploy/../a.yaml", "a.yaml"},
      {R"(dir\a,b:c 100%.yaml)", "dir/a%2Cb%3Ac%20100%25.yaml"},
      {"caf\xc3\xa9.yaml", "caf%C3%A9.yaml"},
      {"/srv/a b.yaml", "file:///srv/a%20b.yaml"},
      {"../up.yaml", "../up.yaml"},
      {"<stdin>", "%3Cstdin%3E"},
  }));
  CHECK(uri_of(file) == uri);
}

TEST_CASE("A rule's page is its help", "[report]") {
  CheckReportOptions options;
  options.version = "0.1.0";
  options.explain_text = [](std::string_view rule) {
    return rule == "kv-too-small" ? std::string("# kv-too-small\n\ntext\n") : std::string();
  };
  const json driver = run_of(clean(), options)["tool"]["driver"];
  CHECK(driver["semanticVersion"] == "0.1.0");
  CHECK(run_of(clean())["tool"]["driver"].count("semanticVersion") == 0);
  for (const json& rule : driver["rules"]) {
    if (rule["id"] == "kv-too-small") {
      CHECK(rule["name"] == "KvTooSmall");
      CHECK(rule["help"]["markdown"] == "# kv-too-small\n\ntext\n");
      CHECK(rule["help"]["text"] == rule["help"]["markdown"]);
      CHECK(rule["defaultConfiguration"]["level"] == "error");
    } else {
      CHECK(rule["help"].count("markdown") == 0);
      CHECK(rule["help"]["text"] == rule["shortDescription"]["text"]);
    }
  }
}
