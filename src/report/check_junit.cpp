// JUnit XML by what its strictest reader, the schema of Jenkins' xUnit plugin, allows: a suite a
// file, a test a rule and launch, those that passed too. No times: the same bytes every run.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/portable_path.hpp"
#include "report/check_formats.hpp"
#include "report/markup.hpp"

namespace roofline::report {
namespace {

struct Test {
  enum class Kind { skipped, passed, failed, error };
  std::string rule;
  std::string launch;
  Kind kind = Kind::skipped;
  std::string message;  ///< of skipped, failed and error
  std::string body;     ///< of failed and error; else it is output
};

struct Suite {
  std::string file;
  std::vector<Test> tests{};
  std::map<std::pair<std::string, std::string>, std::size_t> places{};  ///< by rule and launch

  [[nodiscard]] std::int64_t count(Test::Kind kind) const {
    return std::count_if(tests.begin(), tests.end(),
                         [&](const Test& test) { return test.kind == kind; });
  }
};

/// For an attribute in quotes and for an element's text.
std::string xml(std::string_view text) {
  return escape_markup(without_controls(text));
}

/// The test of that rule and launch: launches of one name share theirs, for names must be unique.
Test& test_of(Suite& suite, const std::string& rule, const std::string& launch) {
  const auto [place, is_new] = suite.places.try_emplace({rule, launch}, suite.tests.size());
  if (is_new) suite.tests.push_back({.rule = rule, .launch = launch, .message = {}, .body = {}});
  return suite.tests[place->second];
}

/// A rule that is off has no test; of one that found something the findings say more.
void add_outcome(Suite& suite, const CheckedLaunch& launch, const RuleOutcome& outcome) {
  using Kind = RuleOutcome::Kind;
  if (outcome.kind == Kind::off) return;
  Test& test = test_of(suite, outcome.rule, launch.name);
  if (outcome.kind == Kind::passed || outcome.kind == Kind::found) test.kind = Test::Kind::passed;
  if (outcome.kind == Kind::skipped) test.message = outcome.reason;
  if (outcome.kind == Kind::ignored) test.message = "ignored: " + outcome.reason;
}

void add_item(Suite& suite, const CheckItem& item, Severity fail_on) {
  const bool not_judged = item.rule == not_judged_rule;
  const bool fails = item.severity >= std::min(fail_on, Severity::error);
  const Test::Kind kind = not_judged ? Test::Kind::error
                          : fails    ? Test::Kind::failed
                                     : Test::Kind::passed;
  Test& test = test_of(suite, item.rule, item.launch);
  if (kind > test.kind || test.body.empty()) test.message = item.what;
  test.kind = std::max(test.kind, kind);
  test.body += (test.body.empty() ? "" : "\n") + lines_of(item);
}

Suite suite_of(const CheckedFile& file, const CheckReportOptions& options) {
  Suite suite{.file = portable_path(file.file, options.directory)};
  test_of(suite, std::string(not_judged_rule), "").kind = Test::Kind::passed;
  for (const CheckedLaunch& launch : file.launches) {
    for (const RuleOutcome& outcome : launch.outcomes) add_outcome(suite, launch, outcome);
  }
  for (const CheckItem& item : check_items(file, options)) add_item(suite, item, options.fail_on);
  return suite;
}

void append_content(std::string& out, const Test& test) {
  const std::string message = xml(test.message);
  switch (test.kind) {
    case Test::Kind::skipped:
      out += fmt::format("      <skipped message=\"{0}\">{0}</skipped>\n", message);
      break;
    case Test::Kind::passed:
      out += fmt::format("      <system-out>{}</system-out>\n", xml(test.body));
      break;
    case Test::Kind::failed:
    case Test::Kind::error: {
      const char* element = test.kind == Test::Kind::error ? "error" : "failure";
      out += fmt::format("      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n", element,
                         xml(test.rule), message, xml(test.body));
    }
  }
}

void append_test(std::string& out, const Suite& suite, const Test& test) {
  const std::string name =
      test.launch.empty() ? test.rule : fmt::format("{} ({})", test.rule, test.launch);
  out += fmt::format("    <testcase classname=\"{}\" name=\"{}\"", xml(suite.file), xml(name));
  if (test.kind == Test::Kind::passed && test.body.empty()) {
    out += "/>\n";
    return;
  }
  out += ">\n";
  append_content(out, test);
  out += "    </testcase>\n";
}

void append_suite(std::string& out, const Suite& suite) {
  out += fmt::format(
      "  <testsuite name=\"{0}\" tests=\"{1}\" failures=\"{2}\" errors=\"{3}\" skipped=\"{4}\" "
      "file=\"{0}\">\n",
      xml(suite.file), suite.tests.size(), suite.count(Test::Kind::failed),
      suite.count(Test::Kind::error), suite.count(Test::Kind::skipped));
  for (const Test& test : suite.tests) append_test(out, suite, test);
  out += "  </testsuite>\n";
}

}  // namespace

std::string write_check_junit(const CheckResult& result, const CheckReportOptions& options) {
  std::string suites;
  std::size_t tests = 0;
  std::int64_t failures = 0;
  std::int64_t errors = 0;
  for (const CheckedFile& file : result.files) {
    const Suite suite = suite_of(file, options);
    tests += suite.tests.size();
    failures += suite.count(Test::Kind::failed);
    errors += suite.count(Test::Kind::error);
    append_suite(suites, suite);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"roofline check\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n"
      "{}</testsuites>\n",
      tests, failures, errors, suites);
}

}  // namespace roofline::report
