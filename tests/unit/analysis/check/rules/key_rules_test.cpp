// Rules about keys: unknown, ignored, there twice, not what they look like.
#include <catch2/catch.hpp>

#include "analysis/check/rule_subject.hpp"
#include "analysis/check/rules/rules.hpp"

namespace roofline {
namespace {

using Catch::Matchers::Contains;

RuleCase with_setting(const std::string& name, const std::string& value, bool known) {
  RuleCase made = plan_case([](ServingPlan&) {});
  made.launch.settings = {
      {.name = name, .written = name, .values = {value}, .known = known, .place = at(3, 16)}};
  return made;
}

RuleCase with_remark(const std::string& rule) {
  RuleCase made = plan_case([](ServingPlan&) {});
  made.launch.remarks = {{.rule = rule,
                          .place = at(6, 2),
                          .what = "what it is",
                          .why = "why it is so",
                          .fix = "what to do"}};
  return made;
}

TEST_CASE("What the readers saw is a finding of its rule alone", "[check]") {
  const auto [id, rule] = GENERATE(table<std::string, void (*)(const RuleSubject&, RuleFindings&)>(
      {{"duplicate-key", rules::duplicate_key},
       {"ignored-key", rules::ignored_key},
       {"yaml-surprise", rules::yaml_surprise}}));
  CAPTURE(id);
  const Finding finding = only_finding(rule, with_remark(id));
  CHECK(finding.what == "what it is");
  CHECK(finding.why == "why it is so");
  CHECK(finding.fix == "what to do");
  CHECK(finding.place == at(6, 2));
  CHECK(passes(rule, with_remark("another-rule")));
}

TEST_CASE("A setting that no flag has, with the nearest that there is", "[check]") {
  const Finding finding =
      only_finding(rules::unknown_key, with_setting("max-modal-len", "8192", false));
  CHECK_THAT(finding.what, Contains("has no \"max-modal-len\""));
  CHECK(finding.why == "did you mean \"max-model-len\"?");
  CHECK(finding.fix == "max-model-len 8192");
  CHECK(finding.place == at(3, 16));
  CHECK(finding.subject == "max-modal-len");
}

TEST_CASE("A deployment of the project's own file has keys of its own", "[check]") {
  RuleCase made = with_setting("max-modal-len", "8192", false);
  made.launch.surroundings = {
      {.name = "own-names", .written = "deployments", .values = {"true"}, .place = at(1)}};
  const Finding finding = only_finding(rules::unknown_key, made);
  CHECK(finding.what == "a deployment has no \"max-modal-len\"");
  CHECK(finding.fix == "max-model-len 8192");
  made.launch.settings.front() = {.name = "tp", .written = "tp", .values = {"2"}, .place = at(3)};
  CHECK(passes(rules::unknown_key, made));
}

TEST_CASE("A setting like no other gets no suggestion", "[check]") {
  const Finding finding = only_finding(rules::unknown_key, with_setting("zzzzzz", "1", false));
  CHECK(finding.fix.empty());
  CHECK_FALSE(finding.what.empty());
}

TEST_CASE("An older release may have what the newest has not", "[check]") {
  RuleCase made = with_setting("max-modal-len", "8192", false);
  made.launch.version = "0.6.0";
  CHECK(only_finding(rules::unknown_key, made).uncertain);
  made = with_setting("num-scheduler-steps", "8", true);
  CHECK_THAT(only_finding(rules::unknown_key, made).what, Contains("any more"));
  made.launch.version = "0.6.0";
  CHECK(passes(rules::unknown_key, made));
}

TEST_CASE("Known settings pass", "[check]") {
  CHECK(passes(rules::unknown_key, with_setting("max-model-len", "8192", true)));
  CHECK(passes(rules::ignored_key, with_setting("max-model-len", "8192", true)));
}

TEST_CASE("A flag that does nothing any more", "[check]") {
  RuleCase made = with_setting("swap-space", "4", true);
  const Finding finding = only_finding(rules::ignored_key, made);
  CHECK(finding.what == "swap-space does nothing");
  CHECK_THAT(finding.why, Contains("vLLM takes it and ignores it"));
  CHECK(finding.fix == "leave out swap-space");
  CHECK(passes(rules::unknown_key, made));
  made.launch.version = "0.6.3";  // whose engine swapped
  CHECK(passes(rules::ignored_key, made));
}

TEST_CASE("A share of the memory beside the cache's bytes", "[check]") {
  RuleCase made = plan_case([](ServingPlan& plan) {
    plan.kv_memory = given(gib(4), "kv-cache-memory-bytes");
    plan.memory_share = given(0.9, "gpu_memory_utilization", 8);
  });
  const Finding finding = only_finding(rules::ignored_key, made);
  CHECK(finding.what == "gpu_memory_utilization does nothing");
  CHECK(finding.why == "kv-cache-memory-bytes says how large the cache is");
  CHECK(finding.place == at(8));
}

}  // namespace
}  // namespace roofline
