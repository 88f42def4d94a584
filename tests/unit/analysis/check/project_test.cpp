#include <catch2/catch.hpp>
#include <string>

#include "roofline/check.hpp"
#include "roofline/error.hpp"

using namespace roofline;

namespace {

Project read(const std::string& text) {
  return read_project(text, "roofline.yaml");
}

Diagnostic refusal(const std::string& text) {
  try {
    (void)read(text);
  } catch (const Error& error) {
    return error.diagnostics().front();
  }
  return {};
}

}  // namespace

TEST_CASE("a project file says defaults, rules, ignores and paths", "[analysis][check]") {
  const Project project = read(R"(gpu: L4
engine-version: "0.21"
input-len: 512
fail-on: warning
require:
  max-ttft: 500ms
rules:
  unknown-key: off
  kv-below-max-num-seqs: {severity: note, threshold: 0.25}
ignore:
  - {rule: kv-too-small, path: "dev/**", reason: short prompts}
paths:
  "charts/**":
    gpu: H100
deployments: []
)");
  CHECK(project.fail_on == Severity::warning);
  REQUIRE(project.defaults.size() == 2);
  const CheckDefaults& all = project.defaults.front();
  CHECK(all.gpu == "L4");
  CHECK(all.engine_version == "0.21");
  REQUIRE(all.workload.size() == 1);
  CHECK(all.workload.front().name == "input-len");
  REQUIRE(all.require.size() == 1);
  CHECK(all.require.front().name == "max-ttft");
  CHECK(all.require.front().place.line == 6);
  REQUIRE(all.rules.size() == 2);
  CHECK(all.rules[0].severity == Severity::off);
  CHECK(all.rules[1].severity == Severity::note);
  CHECK(all.rules[1].threshold == 0.25);
  REQUIRE(project.ignores.size() == 1);
  CHECK(project.ignores.front().reason == "short prompts");
  CHECK(project.defaults[1].path == "charts/**");
  CHECK(project.defaults[1].gpu == "H100");
}

TEST_CASE("what a project file cannot say is refused at its place", "[analysis][check]") {
  CHECK(refusal("gpuz: 2\n").where == "roofline.yaml:1:1");
  CHECK(refusal("gpu: L4\nfail_on: error\n").what == "unknown key 'fail_on'");
  CHECK(refusal("rules: {kv-to-small: off}\n").suggestions.front() == "kv-too-small");
  CHECK(refusal("rules: {kv-too-small: loud}\n").what == "unknown severity 'loud'");
  CHECK(refusal("require: {max-ttfd: 1s}\n").suggestions.front() == "max-ttft");
  CHECK(refusal("require: {max-ttft: 1}\n").where == "roofline.yaml:1:21");
  CHECK(refusal("ignore: [{rule: kv-too-small}]\n").what ==
        "an entry of ignore needs a rule and a reason");
  CHECK(refusal("- gpu\n").what == "a project file has keys and values");
}
