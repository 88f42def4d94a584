// The table of rules.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string_view>

#include "analysis/check/rule_subject.hpp"

namespace roofline {
namespace {

TEST_CASE("Rules are in alphabetical order and each has a line that says what it finds",
          "[check]") {
  const std::vector<RuleInfo>& infos = check_rules();
  CHECK(infos.size() == 31);
  CHECK(infos.size() == all_rules().size());
  for (std::size_t i = 0; i < infos.size(); ++i) {
    CAPTURE(infos[i].id);
    if (i > 0) CHECK(infos[i - 1].id < infos[i].id);
    CHECK_FALSE(infos[i].summary.empty());
    CHECK(infos[i].summary.size() <= 80);
    CHECK(infos[i].severity != Severity::off);
    CHECK(all_rules()[i].apply != nullptr);
  }
}

TEST_CASE("Rules are found by id", "[check]") {
  REQUIRE(find_rule("kv-too-small") != nullptr);
  CHECK(find_rule("kv-too-small")->severity == Severity::error);
  CHECK(find_rule("decode-memory-bound")->severity == Severity::note);
  CHECK(find_rule("unused-ignore")->severity == Severity::warning);
  CHECK(find_rule("require-ttft") != nullptr);
  CHECK(find_rule("batched-tokens-too-small") != nullptr);
  CHECK(find_rule("yaml-surprise") != nullptr);
  CHECK(find_rule("") == nullptr);
  CHECK(find_rule("kv-too-smal") == nullptr);
  CHECK(find_rule("zz") == nullptr);
}

TEST_CASE("No rule fails on a launch of which nothing is known", "[check]") {
  const RuleCase nothing = plan_case([](ServingPlan&) {});
  for (const Rule& rule : all_rules()) {
    CAPTURE(rule.info.id);
    CHECK(apply(rule.apply, nothing).findings().empty());
  }
}

}  // namespace
}  // namespace roofline
