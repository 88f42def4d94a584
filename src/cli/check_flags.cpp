#include "cli/check_flags.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "analysis/check/requirements.hpp"
#include "analysis/check/rule.hpp"
#include "base/closest.hpp"
#include "base/file.hpp"
#include "base/parse.hpp"
#include "cli/config_files.hpp"
#include "cli/flags.hpp"

namespace roofline::cli {
namespace {

void add_subject(CLI::App& command, CheckFlags& flags) {
  command.add_option("FILE", flags.files,
                     "configs, directories of them, globs, - for standard input");
  const auto add = [&](const char* names, std::string& value, const char* text, const char* type) {
    command.add_option(names, value, text)->type_name(type)->take_last()->group("Model and device");
  };
  add("-g,--gpu,--device", flags.gpu, "the GPU, whatever the config says", "NAME");
  add("-m,--model", flags.model, "the model's name, config.json, GGUF or directory", "NAME");
  add_assume_flag(command, flags.assume);
  command
      .add_flag("--skip-others", flags.skip_others,
                "pass by files that start no engine, as in a directory")
      ->group("Model and device");
  add("--type", flags.type, "what the files are, instead of what their content shows", "TYPE");
  add("--engine-version", flags.engine_version, "release whose defaults count, as 0.21.0", "N");
}

void add_demands(CLI::App& command, CheckFlags& flags) {
  const auto add = [&](const char* names, std::string& value, const char* text, const char* type) {
    command.add_option(names, value, text)->type_name(type)->take_last()->group("Workload");
  };
  add("--input-len", flags.prompt, "prompt tokens of a request [1024]", "N");
  add("--output-len", flags.output, "output tokens of a request [256]", "N");
  add("--concurrency", flags.concurrency, "requests in flight [what is allowed and fits]", "N");
  add("--price", flags.price, "USD an hour of one device", "USD");
  command.add_option("--require", flags.require, "what must hold, as max-ttft=500ms")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->group("Rules");
  command
      .add_option("--severity", flags.severities,
                  "a rule's, as unknown-key=off (roofline list rules)")
      ->type_name("RULE=LEVEL")
      ->allow_extra_args(false)
      ->group("Rules");
}

void add_policy(CLI::App& command, CheckFlags& flags) {
  const auto add = [&](const char* names, std::string& value, const char* text, const char* type) {
    command.add_option(names, value, text)->type_name(type)->take_last()->group("Rules");
  };
  add("--fail-on", flags.fail_on, "error, warning, note or never: what exits with 1 [error]",
      "LEVEL");
  command.add_flag("--exit-zero", flags.exit_zero, "exit with 0 whatever is found or not judged")
      ->group("Rules");
  add("--project", flags.project, "the project file [roofline.yaml, if it is here]", "FILE");
  command.add_flag("--no-project", flags.no_project, "read no project file")->group("Rules");
  add("--baseline", flags.baseline, "an earlier -f json: report what got worse", "FILE");
  add("--tolerance", flags.tolerance, "what may get worse, in percent [5]", "N");
}

void add_check_output(CLI::App& command, OutputFlags& output) {
  const auto add = [&](const char* names, std::string& value, const char* text, const char* type) {
    command.add_option(names, value, text)->type_name(type)->take_last()->group("Output");
  };
  add("-f,--format", output.format, "text, json, junit, sarif, github or gitlab [text]", "FORMAT");
  command.add_flag("--json", output.json, "short for --format json")->group("Output");
  add("-o,--output,--output-file", output.file, "write to a file", "FILE");
  add("--precision", output.digits, "significant digits in text [4]", "N");
}

/// NAME=VALUE as a setting without a place.
EngineSetting named_value(const std::string& text, const char* flag, const char* example) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw Error(Diagnostic{.what = fmt::format("{}: '{}' has no '='", flag, text),
                           .fix = fmt::format("{} {}", flag, example)});
  }
  return {.name = text.substr(0, equals),
          .written = flag,
          .values = {text.substr(equals + 1)},
          .place = {}};
}

RuleSetting rule_severity(const std::string& text) {
  const EngineSetting setting = named_value(text, "--severity", "unknown-key=off");
  if (find_rule(setting.name) == nullptr) {
    throw Error(Diagnostic{.what = fmt::format("--severity: unknown rule '{}'", setting.name),
                           .suggestions = closest(setting.name, rule_ids()),
                           .list_command = "roofline list rules"});
  }
  const std::optional<Severity> severity = severity_named(setting.values.front());
  if (!severity) {
    throw Error(
        Diagnostic{.what = fmt::format("--severity: unknown level '{}'", setting.values.front()),
                   .fix = fmt::format("--severity {}=off, note, warning or error", setting.name)});
  }
  return {.rule = setting.name, .severity = severity, .threshold = std::nullopt};
}

std::optional<std::string> given(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

/// "0.21.0", "v0.21", "b4500" of llama.cpp.
void require_release(std::string_view text) {
  const std::size_t first = text.starts_with('v') || text.starts_with('b') ? 1 : 0;
  constexpr std::string_view digits = "0123456789";
  const bool number = first < text.size() && digits.find(text[first]) != digits.npos;
  if (text.empty() || number) return;
  throw Error(Diagnostic{.what = fmt::format("--engine-version: '{}' is no release", text),
                         .fix = "--engine-version 0.21.0"});
}

CheckDefaults read_defaults(const CheckFlags& flags, ErrorCollector& errors) {
  CheckDefaults defaults;
  defaults.gpu = given(flags.gpu);
  defaults.model = given(flags.model);
  defaults.engine_version = given(flags.engine_version);
  errors.collect([&] { require_release(flags.engine_version); });
  const auto add = [&](const char* name, const std::string& value, auto parse) {
    if (value.empty()) return;
    errors.collect([&] { (void)parse(value, fmt::format("--{}", name)); });
    defaults.workload.push_back({.name = name, .written = name, .values = {value}, .place = {}});
  };
  const auto count = [](const std::string& text, const std::string& name) {
    return parse_count(text, name);
  };
  add("input-len", flags.prompt, count);
  add("output-len", flags.output, count);
  add("concurrency", flags.concurrency, count);
  add("price", flags.price,
      [](const std::string& text, const std::string& name) { return parse_price(text, name); });
  for (const std::string& text : flags.require) {
    errors.collect([&] {
      defaults.require.push_back(named_value(text, "--require", "max-ttft=500ms"));
      require_requirement(defaults.require.back());
    });
  }
  for (const std::string& text : flags.severities) {
    errors.collect([&] { defaults.rules.push_back(rule_severity(text)); });
  }
  return defaults;
}

Project find_project(const CheckFlags& flags) {
  if (flags.no_project && !flags.project.empty()) {
    throw Error(Diagnostic{.what = "--project and --no-project contradict each other",
                           .fix = "leave one of them out"});
  }
  if (flags.no_project) return {};
  if (!flags.project.empty()) return read_project(read_file(flags.project), flags.project);
  for (const char* name : {"roofline.yaml", "roofline.yml", "roofline.json"}) {
    std::error_code ignored;
    if (std::filesystem::exists(name, ignored)) return read_project(read_file(name), name);
  }
  return {};
}

/// What exits with 1; none for "never".
std::optional<Severity> read_fail_on(const CheckFlags& flags, const Project& project) {
  if (flags.fail_on == "never") return std::nullopt;
  if (flags.fail_on.empty()) {
    const bool never = flags.exit_zero || project.fail_on == Severity::off;
    return never ? std::nullopt : std::optional(project.fail_on);
  }
  const std::optional<Severity> severity = severity_named(flags.fail_on);
  if (severity && *severity != Severity::off) return flags.exit_zero ? std::nullopt : severity;
  throw Error(Diagnostic{.what = fmt::format("--fail-on: unknown level '{}'", flags.fail_on),
                         .fix = "--fail-on error, warning, note or never"});
}

std::optional<ConfigType> read_type(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (const std::optional<ConfigType> type = config_type_named(text)) return type;
  throw Error(Diagnostic{.what = fmt::format("--type: unknown type '{}'", text),
                         .fix = fmt::format("one of {}", fmt::join(config_type_names(), ", ")),
                         .suggestions = closest(text, config_type_names())});
}

report::CheckFormat chosen_check_format(const OutputFlags& output) {
  if (output.json && !output.format.empty() && output.format != "json") {
    throw Error(Diagnostic{
        .what = fmt::format("--json and --format {} contradict each other", output.format),
        .fix = "leave one of them out"});
  }
  if (output.json) return report::CheckFormat::json;
  std::vector<std::string> names;
  for (const report::CheckFormatName& known : report::check_formats()) {
    if (known.name == output.format) return known.format;
    if (output.format.empty() && !known.suffix.empty() && output.file.ends_with(known.suffix)) {
      return known.format;
    }
    names.emplace_back(known.name);
  }
  if (output.format.empty()) return report::CheckFormat::text;
  throw Error(Diagnostic{.what = fmt::format("unknown output format '{}'", output.format),
                         .fix = fmt::format("one of {}", fmt::join(names, ", ")),
                         .suggestions = closest(output.format, names)});
}

}  // namespace

void add_check_flags(CLI::App& command, CheckFlags& flags, OutputFlags& output) {
  add_subject(command, flags);
  add_demands(command, flags);
  add_policy(command, flags);
  add_check_output(command, output);
}

CheckTask read_task(const CheckFlags& flags, Session& session) {
  CheckTask task;
  ErrorCollector& errors = session.errors;
  errors.collect([&] { task.catalog = open_catalog(session.global); });
  errors.collect([&] {
    // Once, and not of every file; standard input is read by the check alone.
    if (!flags.gpu.empty() && flags.gpu != "-") (void)task.catalog.device(flags.gpu);
  });
  errors.collect([&] { task.request.type = read_type(flags.type); });
  task.request.flags = read_defaults(flags, errors);
  task.request.read = read_options(flags.assume);
  errors.collect([&] { task.request.project = find_project(flags); });
  errors.collect([&] { task.fail_on = read_fail_on(flags, task.request.project); });
  errors.collect([&] { task.format = chosen_check_format(session.output); });
  errors.collect([&] { task.options.significant_digits = significant_digits(session.output); });
  errors.collect([&] {
    if (!flags.baseline.empty()) task.baseline = read_file(flags.baseline);
  });
  if (!flags.tolerance.empty()) {
    errors.collect([&] {
      constexpr double percent = 100;
      const bool none = flags.tolerance == "0";
      task.tolerance = none ? 0 : parse_number(flags.tolerance, "--tolerance") / percent;
    });
  }
  errors.collect([&] {
    if (!flags.files.empty()) return;
    throw Error(Diagnostic{.what = "check needs to know what",
                           .fix = "roofline check FILE, a directory, or - for standard input"});
  });
  errors.throw_if_any();
  ConfigFiles files = read_config_files(flags.files);
  task.request.files = std::move(files.texts);
  task.unread = std::move(files.unread);
  for (NamedText& file : task.request.files) file.searched |= flags.skip_others;
  return task;
}

}  // namespace roofline::cli
