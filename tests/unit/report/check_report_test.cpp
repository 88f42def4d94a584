// The formats of check: their names, and that all of them say the same.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "check_results.hpp"
#include "report/check_formats.hpp"

using namespace roofline;
using namespace roofline::report;

TEST_CASE("The formats of check in alphabetical order", "[report]") {
  std::vector<std::string> names;
  for (const CheckFormatName& format : check_formats()) names.emplace_back(format.name);
  CHECK(names == std::vector<std::string>{"github", "gitlab", "json", "junit", "sarif", "text"});
}

TEST_CASE("The same result is the same bytes and ends in a line feed", "[report]") {
  for (const CheckFormatName& format : check_formats()) {
    for (const CheckResult& result : {one_of_each(), clean(), CheckResult()}) {
      INFO(format.name);
      const std::string text = written(result, format.format);
      CHECK(text == written(result, format.format));
      CHECK_THAT(text, Catch::EndsWith("\n"));
    }
  }
}

TEST_CASE("Machine formats have the same places and rules", "[report]") {
  using Where = std::tuple<std::string, std::int64_t, std::string>;
  std::multiset<Where> expected{{"deploy/prod.yaml", 7, "kv-too-small"},
                                {"deploy/prod.yaml", 9, "unknown-key"},
                                {"broken.yaml", 3, "not-judged"},
                                {"dir/a,b:c 100%.yaml", 2, "unknown-key"}};
  std::multiset<Where> items;
  for (const CheckItem& item : check_items(one_of_each(), {})) {
    items.emplace(item.file, item.line, item.rule);
  }
  CHECK(items == expected);
  std::multiset<Where> issues;
  for (const auto& issue : nlohmann::json::parse(written(one_of_each(), CheckFormat::gitlab))) {
    issues.emplace(issue["location"]["path"], issue["location"]["lines"]["begin"],
                   issue["check_name"]);
  }
  CHECK(issues == expected);
}

TEST_CASE("What is said of another file stays in the file that was asked about", "[report]") {
  CheckedFile file = broken_file();
  file.not_judged.front().where = "models/x/config.json:9:1";
  const std::vector<CheckItem> items = check_items(file, {});
  REQUIRE(items.size() == 1);
  CHECK(items.front().file == "broken.yaml");
  CHECK(items.front().line == 1);
  CHECK(items.front().column == 1);
  CHECK(message_of(items.front()) ==
        "cannot be judged: no such model 'x'\nwhere: models/x/config.json:9:1\n"
        "why: the catalogue has none\nfix: -m DIR\ndid you mean: y, z\n"
        "all of them: roofline list models");
}

TEST_CASE("Places of diagnostics", "[report]") {
  const auto [where, line, column] = GENERATE(table<std::string, int, int>({
      {"broken.yaml", 1, 1},
      {"broken.yaml:4", 4, 1},
      {"broken.yaml:4:7", 4, 7},
      {"", 1, 1},
      {"other.yaml:4:7", 1, 1},
      {"broken.yaml:0:7", 1, 1},
  }));
  CAPTURE(where);
  CheckedFile file = broken_file();
  file.not_judged.front().where = where;
  const CheckItem item = check_items(file, {}).front();
  CHECK(item.line == line);
  CHECK(item.column == column);
  CHECK(item.end_column == column + 1);
}

TEST_CASE("Fingerprints follow file and rule and launch and subject alone", "[report]") {
  CheckedFile file = prod_file();
  const auto prints = [&] {
    std::vector<std::string> list;
    for (const CheckItem& item : check_items(file, {})) list.push_back(item.fingerprint);
    return list;
  };
  // FNV-1a of 64 bits over "deploy/prod.yaml\0kv-too-small\0chat\0max-model-len\0" and so on.
  const std::vector<std::string> expected{"576573ca49a1f777:1", "918408b2d2174a7f:1"};
  CHECK(prints() == expected);
  for (Finding& finding : file.findings) {
    finding.place.line += 1;
    finding.what = "K/V cache holds 1 token";
  }
  file.file = "deploy/prod.yaml";
  CHECK(prints() == expected);
  file.findings.push_back(unknown_key());
  CHECK(prints().back() == "918408b2d2174a7f:2");
  file.findings.back().subject = "other";
  CHECK(prints().back() != "918408b2d2174a7f:2");
}

TEST_CASE("Fingerprints are unique in a whole result", "[report]") {
  const CheckResult result{.files = {prod_file(), prod_file()}, .regressions = {}, .notes = {}};
  std::set<std::string> prints;
  for (const CheckItem& item : check_items(result, {})) prints.insert(item.fingerprint);
  CHECK(prints.size() == 4);
}

TEST_CASE("Absolute paths below the directory are relative to it", "[report]") {
  CheckedFile file = broken_file();
  file.file = "/home/me/repo/deploy/broken.yaml";
  CheckReportOptions options;
  options.directory = "/home/me/repo";
  CHECK(check_items(file, options).front().file == "deploy/broken.yaml");
  CHECK(check_items(file, {}).front().file == "/home/me/repo/deploy/broken.yaml");
}
