// A result against an earlier one: what is worse and by how much, what cannot be compared.
#include "analysis/check/baseline.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "report/check_report.hpp"

using namespace roofline;

namespace {

CheckedLaunch launch_named(const std::string& name) {
  CheckedLaunch launch;
  launch.name = name;
  launch.place = {"a.yaml", 5, 1, 2};
  launch.figures.model = "llama-3.1-8b";
  launch.figures.gpu = "H100";
  EngineMemoryBudget memory;
  memory.weights = Bytes(16e9);
  memory.kv_tokens = CountEstimate{100000, 90000, 110000};
  memory.longest = {32768, 32768, 32768};
  memory.full_sequences = {3, 2, 3};
  launch.figures.memory = memory;
  ServingPoint point;
  point.concurrency = 32;
  point.ttft = Seconds(0.2);
  point.tpot = Seconds(0.01);
  point.requests_per_second = 4;
  point.output_tokens_per_second = 1000;
  point.dollars_per_million_tokens = 2;
  launch.figures.serving = point;
  launch.outcomes = {{"regression", RuleOutcome::Kind::passed, ""}};
  return launch;
}

CheckResult result_of(std::vector<CheckedLaunch> launches) {
  CheckResult result;
  result.files = {{.file = "a.yaml",
                   .type = ConfigType::vllm,
                   .launches = std::move(launches),
                   .findings = {},
                   .not_judged = {}}};
  return result;
}

std::string json_of(const CheckResult& result) {
  return report::write_check(result, report::CheckFormat::json, {});
}

CheckResult compared(const CheckResult& before, CheckResult now, double tolerance = 0.05) {
  add_regressions(json_of(before), "old.json", tolerance, now);
  return now;
}

/// The only launch, after `change`, against itself.
template <class Change>
CheckResult after(Change&& change, double tolerance = 0.05) {
  CheckedLaunch launch = launch_named("chat");
  change(launch.figures);
  return compared(result_of({launch_named("chat")}), result_of({launch}), tolerance);
}

std::vector<std::string> figures_of(const CheckResult& result) {
  std::vector<std::string> figures;
  for (const Regression& regression : result.regressions) figures.push_back(regression.figure);
  return figures;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("The same result is no worse", "[analysis]") {
  const CheckResult result = after([](LaunchFigures&) {});
  CHECK(result.regressions.empty());
  CHECK(result.notes.empty());
  CHECK(result.count(Severity::error) == 0);
}

TEST_CASE("A figure that fell is a regression and a finding", "[analysis]") {
  const CheckResult result =
      after([](LaunchFigures& figures) { figures.memory->kv_tokens->value = 75000; });
  REQUIRE(result.regressions.size() == 1);
  CHECK(result.regressions.front() == Regression{.file = "a.yaml",
                                                 .launch = "chat",
                                                 .figure = "kv_tokens",
                                                 .before = 100000,
                                                 .now = 75000,
                                                 .change = -0.25});
  REQUIRE(result.files.front().findings.size() == 1);
  const Finding& finding = result.files.front().findings.front();
  CHECK(finding.rule == "regression");
  CHECK(finding.severity == Severity::error);
  CHECK(finding.launch == "chat");
  CHECK(finding.place == Place{"a.yaml", 5, 1, 2});
  CHECK(finding.what == "K/V tokens: 75,000 instead of 100,000 in the baseline (-25.0%)");
  CHECK(finding.why == "it may be 5% worse than in old.json");
  CHECK(finding.subject == "kv_tokens");
  CHECK(result.files.front().launches.front().outcomes.front().kind == RuleOutcome::Kind::found);
}

TEST_CASE("Every figure has its direction", "[analysis]") {
  using Change = void (*)(LaunchFigures & figures, double factor);
  const auto [key, more_is_better, change] = GENERATE(table<std::string, bool, Change>({
      {"devices", false, [](LaunchFigures& f, double by) { f.devices = by > 1 ? 2 : 1; }},
      {"weight_bytes", false,
       [](LaunchFigures& f, double by) { f.memory->weights = f.memory->weights * by; }},
      {"kv_tokens", true,
       [](LaunchFigures& f, double by) {
         f.memory->kv_tokens->value = static_cast<std::int64_t>(100000 * by);
       }},
      {"longest_sequence_tokens", true,
       [](LaunchFigures& f, double by) {
         f.memory->longest.value = static_cast<std::int64_t>(32768 * by);
       }},
      {"full_sequences", true,
       [](LaunchFigures& f, double by) { f.memory->full_sequences.value = by > 1 ? 4 : 2; }},
      {"ttft_s", false,
       [](LaunchFigures& f, double by) { f.serving->ttft = f.serving->ttft * by; }},
      {"tpot_s", false,
       [](LaunchFigures& f, double by) { f.serving->tpot = f.serving->tpot * by; }},
      {"requests_per_s", true,
       [](LaunchFigures& f, double by) { f.serving->requests_per_second *= by; }},
      {"output_tok_per_s", true,
       [](LaunchFigures& f, double by) { f.serving->output_tokens_per_second *= by; }},
      {"usd_per_million_tokens", false,
       [](LaunchFigures& f, double by) { *f.serving->dollars_per_million_tokens *= by; }},
  }));
  CAPTURE(key);
  const Change apply = change;
  const double worse = more_is_better ? 0.75 : 1.5;
  const double better = more_is_better ? 1.5 : 0.75;
  CHECK(figures_of(after([&](LaunchFigures& f) { apply(f, worse); })) == Names{key});
  CHECK(figures_of(after([&](LaunchFigures& f) { apply(f, better); })).empty());
}

TEST_CASE("All figures that are compared are in the json", "[analysis]") {
  CheckedLaunch nothing = launch_named("chat");
  nothing.figures.memory.reset();
  nothing.figures.serving.reset();
  const CheckResult result = compared(result_of({launch_named("chat")}), result_of({nothing}));
  CHECK(result.regressions.empty());
  // All but the number of devices, which every launch has.
  CHECK(result.notes.size() == compared_figures().size() - 1);
  CHECK(result.notes.front() ==
        "chat in a.yaml: the baseline has weight_bytes, this result has not");
}

TEST_CASE("What is within the tolerance is no regression", "[analysis]") {
  const auto [tolerance, tokens, found] = GENERATE(table<double, int, bool>({
      {0.0, 100000, false},
      {0.0, 99999, true},
      {0.05, 95001, false},
      {0.05, 94999, true},
      {0.5, 50001, false},
      {0.5, 49999, true},
  }));
  CAPTURE(tolerance, tokens);
  const int value = tokens;
  const CheckResult result =
      after([&](LaunchFigures& figures) { figures.memory->kv_tokens->value = value; }, tolerance);
  CHECK(result.regressions.empty() != found);
}

TEST_CASE("That no whole sequence fits any more is found at any tolerance", "[analysis]") {
  const auto none = [](LaunchFigures& figures) { figures.memory->full_sequences.value = 0; };
  CHECK(figures_of(after(none, 5)) == Names{"full_sequences"});
  const auto one = [](LaunchFigures& figures) { figures.memory->full_sequences.value = 1; };
  CHECK(figures_of(after(one, 5)).empty());
}

TEST_CASE("TPOT is compared at the same concurrency alone", "[analysis]") {
  const CheckResult result = after([](LaunchFigures& figures) {
    figures.serving->concurrency = 64;
    figures.serving->tpot = Seconds(0.02);
  });
  CHECK(result.regressions.empty());
  CHECK(result.notes == Names{"chat in a.yaml: TPOT is not compared: the concurrency is 64, was 32 "
                              "in the baseline"});
}

TEST_CASE("Another model or GPU is said", "[analysis]") {
  const CheckResult result = after([](LaunchFigures& figures) { figures.gpu = "L4"; });
  CHECK(result.notes == Names{"chat in a.yaml: the GPU is L4, was H100 in the baseline"});
}

TEST_CASE("Launches that only one of the two has", "[analysis]") {
  const CheckResult result = compared(result_of({launch_named("chat"), launch_named("embed")}),
                                      result_of({launch_named("chat"), launch_named("code")}));
  CHECK(result.regressions.empty());
  CHECK(result.notes == Names{"the baseline does not have code in a.yaml",
                              "only the baseline has embed in a.yaml"});
}

TEST_CASE("Launches of one name are compared in their order", "[analysis]") {
  CheckedLaunch small = launch_named("");
  small.figures.memory->kv_tokens->value = 1000;
  const CheckResult before = result_of({launch_named(""), small});
  CHECK(compared(before, before).regressions.empty());
  CHECK(figures_of(compared(before, result_of({small, small}))) == Names{"kv_tokens"});
}

TEST_CASE("Files are the same however they are written", "[analysis]") {
  CheckResult before = result_of({launch_named("chat")});
  before.files.front().file = R"(.\deploy\a.yaml)";
  CheckResult now = result_of({launch_named("chat")});
  now.files.front().file = "deploy/a.yaml";
  CHECK(compared(before, now).notes.empty());
  now.files.front().file = "/repo/deploy/a.yaml";
  add_regressions(json_of(before), "old.json", 0.05, now, "/repo");
  CHECK(now.notes.empty());
  now.files.front().file = "b.yaml";
  CHECK(compared(before, now).notes == Names{"the baseline does not have chat in b.yaml",
                                             "1 file of the baseline is not checked"});
}

TEST_CASE("Findings that are new are said", "[analysis]") {
  const Finding old{.rule = "unknown-key",
                    .launch = "chat",
                    .place = {"a.yaml", 2, 1, 2},
                    .what = {},
                    .why = {},
                    .fix = {},
                    .subject = "x"};
  CheckResult before = result_of({launch_named("chat")});
  before.files.front().findings = {old};
  CheckResult now = before;
  now.files.front().findings.front().place.line = 3;
  CHECK(compared(before, now).notes.empty());
  now.files.front().findings.push_back(old);
  CHECK(compared(before, now).notes ==
        Names{"a.yaml:2: the baseline does not have this finding of unknown-key"});
}

TEST_CASE("Findings stay in their order", "[analysis]") {
  CheckedLaunch launch = launch_named("chat");
  launch.figures.memory->weights = Bytes(32e9);
  launch.figures.serving->ttft = Seconds(0.4);
  CheckResult now = result_of({launch});
  Finding other;
  other.rule = "unknown-key";
  other.place.line = 4;
  now.files.front().findings = {other, other};
  now.files.front().findings.back().place.line = 6;
  now = compared(result_of({launch_named("chat")}), now);
  Names order;
  for (const Finding& finding : now.files.front().findings) {
    order.push_back(finding.rule + ' ' + finding.subject);
  }
  CHECK(order ==
        Names{"unknown-key ", "regression weight_bytes", "regression ttft_s", "unknown-key "});
  CHECK(now.files.front().findings[1].what ==
        "weights of a device: 32.00 GB instead of 16.00 GB in the baseline (+100.0%)");
  CHECK(now.files.front().findings[2].what ==
        "TTFT: 400.0 ms instead of 200.0 ms in the baseline (+100.0%)");
}

TEST_CASE("A launch that the rule is off for is left out", "[analysis]") {
  CheckedLaunch launch = launch_named("chat");
  launch.figures.memory->kv_tokens->value = 1;
  launch.outcomes.front().kind = RuleOutcome::Kind::off;
  const CheckResult result = compared(result_of({launch_named("chat")}), result_of({launch}));
  CHECK(result.regressions.empty());
  CHECK(result.files.front().findings.empty());
}

TEST_CASE("What is no baseline is refused by name", "[analysis]") {
  const auto [text, what, where] = GENERATE(table<std::string, std::string, std::string>({
      {"[]", "'old.json' is no answer of check", "old.json"},
      {"{}", "'old.json' is no answer of check", "old.json"},
      {R"({"command": "analyze"})", "'old.json' is no answer of check", "old.json"},
      {R"({"command": 1})", "'old.json' is no answer of check", "old.json"},
      {R"({"command": "check", "schema_version": 2})", "schema_version", "old.json:1:40"},
      {R"({"command": "check", "schema_version": 1})", "files", "old.json:1:1"},
      {R"({"command": "check", "schema_version": 1, "files": [{"file": "a", "findings": [],
"launches": [{"kv_tokens": "many"}]}]})",
       "kv_tokens", "old.json:2:28"},
      {"{", "", "old.json:1:1"},
      {"", "", "old.json"},
  }));
  CAPTURE(text);
  CheckResult result;
  try {
    add_regressions(text, "old.json", 0.05, result);
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK_THAT(error.diagnostics().front().what, Catch::Contains(what));
    CHECK_THAT(error.diagnostics().front().where, Catch::StartsWith(where));
  }
}
