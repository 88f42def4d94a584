// check: serving configs judged, for people and for CI.
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <system_error>

#include "analysis/check/baseline.hpp"
#include "cli/check_flags.hpp"
#include "cli/commands.hpp"
#include "cli/output_sink.hpp"
#include "cli/read_server.hpp"
#include "roofline/explain.hpp"

namespace roofline::cli {
namespace {

constexpr int could_not_judge = 2;

bool has_failed(const CheckResult& result, const std::optional<Severity>& fail_on) {
  if (!fail_on) return false;
  for (const Severity severity : {Severity::note, Severity::warning, Severity::error}) {
    if (severity >= *fail_on && result.count(severity) > 0) return true;
  }
  return false;
}

void write_result(const CheckResult& result, const CheckTask& task, const Session& session) {
  const bool to_stdout = session.output.file.empty() || session.output.file == "-";
  report::CheckReportOptions options = task.options;
  options.color = to_stdout && use_color(session.global.color, STDOUT_FILENO);
  options.passes = session.global.verbose;
  options.fail_on = task.fail_on.value_or(Severity::error);
  options.version = version;
  std::error_code ignored;
  options.directory = std::filesystem::current_path(ignored).string();
  options.explain_text = [](std::string_view rule) {
    return std::string(explanation(rule).value_or(""));
  };
  OutputSink sink(session.output);
  sink.write(write_check(result, task.format, options));
  sink.close();
}

/// True if something was not judged.
bool print_problems(const CheckResult& result, const CheckTask& task, const Session& session) {
  ErrorCollector problems = task.unread;
  for (const CheckedFile& file : result.files) {
    if (!file.not_judged.empty()) problems.add(Error(file.not_judged));
  }
  const bool color = use_color(session.global.color, STDERR_FILENO);
  if (!session.global.quiet && task.format != report::CheckFormat::json) {
    print_notes(result.notes, color);
  }
  try {
    problems.throw_if_any();
  } catch (const Error& error) {
    print_errors(error.diagnostics(), color);
    return true;
  }
  return false;
}

int run_check(const CheckFlags& flags, Session& session) {
  CheckTask task = read_task(flags, session);
  task.request.catalog = &task.catalog;
  CheckResult result = check(task.request);
  if (!flags.baseline.empty()) {
    add_regressions(task.baseline, flags.baseline, task.tolerance, result);
  }
  if (!task.request.files.empty()) write_result(result, task, session);
  if (print_problems(result, task, session)) return could_not_judge;
  return has_failed(result, task.fail_on) ? answer_is_no : 0;
}

}  // namespace

void set_up_check(CLI::App& command, Session& session) {
  const auto flags = std::make_shared<CheckFlags>();
  add_check_flags(command, *flags, session.output);
  session.run = [flags, &session] { return run_check(*flags, session); };
}

}  // namespace roofline::cli
