// check: serving configs judged, for people and for CI.
#include <unistd.h>

#include <algorithm>
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
  options.quiet = session.global.quiet;
  options.fail_on = task.fail_on.value_or(Severity::error);
  options.version = version;
  options.explain_text = [](std::string_view rule) {
    return std::string(explanation(rule).value_or(""));
  };
  OutputSink sink(session.output);
  sink.write(write_check(result, task.format, options));
  sink.close();
}

void print_problems(const CheckResult& result, const CheckTask& task, const Session& session) {
  const bool color = use_color(session.global.color, STDERR_FILENO);
  if (!session.global.quiet && task.format != report::CheckFormat::json) {
    print_notes(result.notes, color);
  }
  for (const CheckedFile& file : result.files) print_errors(file.not_judged, color);
}

/// Nothing was judged: in text there is nothing to say but why.
bool says_nothing(const CheckResult& result, const CheckTask& task) {
  const bool any = std::any_of(result.files.begin(), result.files.end(),
                               [](const CheckedFile& file) { return file.type.has_value(); });
  return task.format == report::CheckFormat::text && !any && !result.judged();
}

int run_check(const CheckFlags& flags, Session& session) {
  CheckTask task = read_task(flags, session);
  task.request.catalog = &task.catalog;
  std::error_code ignored;
  task.options.directory = std::filesystem::current_path(ignored).string();
  CheckResult result = check(task.request);
  result.files.insert(result.files.end(), task.unread.begin(), task.unread.end());
  if (!flags.baseline.empty()) {
    add_regressions(task.baseline, flags.baseline, task.tolerance, result, task.options.directory);
  }
  if (!says_nothing(result, task)) write_result(result, task, session);
  print_problems(result, task, session);
  if (!result.judged()) return flags.exit_zero ? 0 : could_not_judge;
  return has_failed(result, task.fail_on) ? answer_is_no : 0;
}

}  // namespace

void set_up_check(CLI::App& command, Session& session) {
  const auto flags = std::make_shared<CheckFlags>();
  add_check_flags(command, *flags, session.output);
  session.run = [flags, &session] { return run_check(*flags, session); };
}

}  // namespace roofline::cli
