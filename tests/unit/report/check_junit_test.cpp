// check as JUnit XML: what passed too, unique names, nothing that a strict reader refuses.
#include <catch2/catch.hpp>

#include "check_results.hpp"

using namespace roofline;
using namespace roofline::report;

TEST_CASE("A suite a file and a test a rule and launch", "[report]") {
  CHECK(written({.files = {prod_file()}, .regressions = {}, .notes = {}}, CheckFormat::junit) ==
        R"xml(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="roofline check" tests="9" failures="1" errors="0">
  <testsuite name="deploy/prod.yaml" tests="9" failures="1" errors="0" skipped="4" file="deploy/prod.yaml">
    <testcase classname="deploy/prod.yaml" name="not-judged"/>
    <testcase classname="deploy/prod.yaml" name="duplicate-key (chat)"/>
    <testcase classname="deploy/prod.yaml" name="ignored-key (chat)">
      <skipped message="ignored: the fork reads it">ignored: the fork reads it</skipped>
    </testcase>
    <testcase classname="deploy/prod.yaml" name="kv-too-small (chat)">
      <failure type="kv-too-small" message="K/V cache holds 39,154 tokens, max-model-len is 131,072">deploy/prod.yaml:7:16: error: K/V cache holds 39,154 tokens, max-model-len is 131,072 [kv-too-small]
why: a sequence of 131,072 tokens takes 17.18 GB, 5.132 GB are left
fix: max-model-len 39154 or less, or tensor-parallel-size 4</failure>
    </testcase>
    <testcase classname="deploy/prod.yaml" name="not-divisible (chat)">
      <skipped message="one device">one device</skipped>
    </testcase>
    <testcase classname="deploy/prod.yaml" name="unknown-key (chat)">
      <system-out>deploy/prod.yaml:9:1: warning: vLLM has no setting &#39;max-modle-len&#39; [unknown-key]
fix: max-model-len</system-out>
    </testcase>
    <testcase classname="deploy/prod.yaml" name="utilization-too-high (chat)">
      <skipped message="the engine chooses its share">the engine chooses its share</skipped>
    </testcase>
    <testcase classname="deploy/prod.yaml" name="utilization-too-low (chat)">
      <skipped message="the engine chooses its share">the engine chooses its share</skipped>
    </testcase>
    <testcase classname="deploy/prod.yaml" name="weights-too-large (chat)"/>
  </testsuite>
</testsuites>
)xml");
}

TEST_CASE("A warning fails its test where warnings count", "[report]") {
  const auto [fail_on, failures] = GENERATE(table<Severity, std::string>({
      {Severity::error, "failures=\"1\" errors=\"1\""},
      {Severity::warning, "failures=\"2\" errors=\"1\""},
      {Severity::note, "failures=\"3\" errors=\"1\""},
  }));
  CheckReportOptions options;
  options.fail_on = fail_on;
  CHECK_THAT(write_check(one_of_each(), CheckFormat::junit, options),
             Catch::Contains("<testsuites name=\"roofline check\" tests=\"12\" " + failures));
}

TEST_CASE("What could not be judged is an error", "[report]") {
  CHECK(written({.files = {broken_file()}, .regressions = {}, .notes = {}}, CheckFormat::junit) ==
        R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="roofline check" tests="1" failures="0" errors="1">
  <testsuite name="broken.yaml" tests="1" failures="0" errors="1" skipped="0" file="broken.yaml">
    <testcase classname="broken.yaml" name="not-judged">
      <error type="not-judged" message="cannot be judged: no such model &#39;x&#39;">broken.yaml:3:8: error: cannot be judged: no such model &#39;x&#39; [not-judged]
why: the catalogue has none
fix: -m DIR
did you mean: y, z
all of them: roofline list models</error>
    </testcase>
  </testsuite>
</testsuites>
)");
}

TEST_CASE("What XML forbids is dropped and the rest escaped", "[report]") {
  const std::string text =
      written({.files = {hostile_file()}, .regressions = {}, .notes = {}}, CheckFormat::junit);
  CHECK_THAT(text, Catch::Contains("name=\"unknown-key (&lt;a&gt;&amp;&quot;b&quot;)\">"));
  CHECK_THAT(text, Catch::Contains("a &lt; b &amp; &quot;c&quot; is 50%: d, e?[31m"));
  CHECK_THAT(text, Catch::Contains("why: one\ntwo \xef\xbf\xbd\nfix: &#39;x&#39; &gt; y<"));
  for (const char c : text) CHECK((static_cast<unsigned char>(c) >= 0x20 || c == '\n'));
}

TEST_CASE("Names are unique where launches share theirs", "[report]") {
  CheckedFile file = prod_file();
  file.launches.push_back(chat());
  file.launches.back().outcomes[0].kind = RuleOutcome::Kind::skipped;
  file.findings.push_back(kv_too_small());
  file.findings.back().what = "the second";
  const std::string text =
      written({.files = {file}, .regressions = {}, .notes = {}}, CheckFormat::junit);
  CHECK_THAT(text, Catch::Contains("tests=\"9\" failures=\"1\""));
  CHECK_THAT(text, Catch::Contains("name=\"duplicate-key (chat)\"/>"));
  CHECK_THAT(text, Catch::Contains("error: the second [kv-too-small]\n"));
  CHECK_THAT(text, Catch::Contains("message=\"K/V cache holds 39,154 tokens"));
}
