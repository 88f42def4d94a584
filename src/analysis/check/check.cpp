// Files to findings: each is read into launches, each launch is resolved and shown to every rule.
#include "roofline/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "analysis/check/figures.hpp"
#include "analysis/check/ignores.hpp"
#include "analysis/check/resolve.hpp"
#include "analysis/check/rule.hpp"
#include "analysis/check/shared_defaults.hpp"
#include "base/counted.hpp"
#include "base/printable.hpp"

namespace roofline {
namespace {

/// What is known of a launch, as far as it could be judged.
struct KnownLaunch {
  Launch launch;
  ServingPlan plan;
  std::optional<ResolvedServing> serving;
  std::optional<EngineMemoryBudget> memory;
  LaunchFigures figures;
  std::vector<Diagnostic> not_judged;
  std::vector<std::string> notes;
};

template <class Act>
bool attempt(std::vector<Diagnostic>& problems, Act&& act) {
  try {
    std::forward<Act>(act)();
    return true;
  } catch (const Error& error) {
    for (const Diagnostic& diagnostic : error.diagnostics()) {
      if (std::find(problems.begin(), problems.end(), diagnostic) == problems.end()) {
        problems.push_back(diagnostic);
      }
    }
    return false;
  }
}

Diagnostic lacking(const ServingPlan& plan, const char* noun, const char* flag, const char* value) {
  return {.what = fmt::format("{} is not said here", noun),
          .where = to_string(plan.place),
          .why = "a serving config often leaves it to the machine that it runs on",
          .fix = fmt::format("--{} {}, or {}: {} in roofline.yaml", flag, value, flag, value)};
}

/// A name that a variable or a template holds.
void refuse_open(const std::string& name, const char* flag) {
  const std::string shown = printable(name, 60);
  if (name.find("{{") != std::string::npos) {
    throw Error(
        Diagnostic{.what = fmt::format("the {} is in {}, which was not rendered", flag, shown),
                   .fix = fmt::format("helm template . | roofline check -, or --{} NAME", flag)});
  }
  if (name.find('$') == std::string::npos) return;
  throw Error(Diagnostic{
      .what = fmt::format("the {} is in {}, which nothing in the file sets", flag, shown),
      .why = "the environment is not read",
      .fix = fmt::format("--{} NAME", flag)});
}

/// A config must not take standard input, which may be the config itself.
bool is_missing(const Given<std::string>& name) {
  return name.value.empty() || (name.place && name.value == "-");
}

/// An error of the catalogue, told of the place that the name stands at.
template <class Find>
auto find_at(const Given<std::string>& name, const ServingPlan& plan, const char* flag,
             Find&& find) {
  // What a flag says stands in no file.
  const bool in_file = name.place && !name.place->file.empty();
  const Place& place = in_file ? *name.place : plan.place;
  try {
    refuse_open(name.value, flag);
    return std::forward<Find>(find)();
  } catch (const Error& error) {
    std::vector<Diagnostic> diagnostics = error.diagnostics();
    for (Diagnostic& diagnostic : diagnostics) {
      if (diagnostic.where.empty()) diagnostic.where = to_string(place);
      if (diagnostic.fix.empty()) {
        diagnostic.fix =
            fmt::format("--{} {}", flag,
                        flag == std::string_view("gpu") ? "NAME" : "DIR, with its config.json");
      }
    }
    throw Error(std::move(diagnostics));
  }
}

void resolve_launch(const CheckRequest& request, KnownLaunch& known) {
  std::optional<Model> model;
  std::optional<Device> device;
  const ServingPlan& plan = known.plan;
  attempt(known.not_judged, [&] {
    if (is_missing(plan.model)) throw Error(lacking(plan, "the model", "model", "NAME"));
    model = find_at(plan.model, plan, "model",
                    [&] { return request.catalog->model(plan.model.value, request.read); });
  });
  attempt(known.not_judged, [&] {
    if (is_missing(plan.gpu)) throw Error(lacking(plan, "the GPU", "gpu", "H100"));
    device =
        find_at(plan.gpu, plan, "gpu", [&] { return request.catalog->device(plan.gpu.value); });
  });
  if (!model || !device) return;
  attempt(known.not_judged, [&] {
    known.serving = resolve_serving(plan, *model, *device, *request.catalog);
    known.figures.model = model->name;
    known.figures.gpu = device->name;
    known.figures.devices = known.serving->server.deployment.devices();
  });
}

void reckon(KnownLaunch& known) {
  if (!known.serving) return;
  ResolvedServing& serving = *known.serving;
  // What cannot be spread so is the finding of a rule, and has no figures.
  if (!can_deploy(serving.server.model, serving.precision, serving.server.deployment)) return;
  const bool judged = attempt(known.not_judged, [&] {
    known.memory = engine_memory(serving);
    known.figures.memory = known.memory;
  });
  if (!judged) return;
  // Times are what requirements are about; without one, that they are not known is no failure.
  std::vector<Diagnostic> no_times;
  if (attempt(no_times, [&] { known.figures = figures_of(serving); })) return;
  if (!known.plan.require.empty()) {
    known.not_judged = std::move(no_times);
  } else {
    known.notes.push_back("its times are not known: " + no_times.front().what);
  }
}

KnownLaunch know(const Launch& launch, const CheckRequest& request, const std::string& file) {
  KnownLaunch known;
  known.launch = with_defaults(launch, request, file);
  known.plan.place = launch.place;
  known.plan.name = launch.name;
  known.plan.engine = launch.engine;
  if (!attempt(known.not_judged, [&] { known.plan = plan_of(known.launch); })) return known;
  give_model(request, file, known.plan);
  resolve_launch(request, known);
  reckon(known);
  return known;
}

Severity one_lower(Severity severity) {
  return severity == Severity::error ? Severity::warning : Severity::note;
}

/// Shows a launch to one rule; its findings go to `file`.
RuleOutcome apply_rule(const Rule& rule, const RuleSettings& settings, RuleSubject subject,
                       CheckedFile& file) {
  const Severity severity = settings.severity(rule.info);
  RuleOutcome outcome{.rule = std::string(rule.info.id), .severity = severity};
  if (severity == Severity::off) {
    outcome.kind = RuleOutcome::Kind::off;
    return outcome;
  }
  subject.threshold = settings.threshold(rule.info.id);
  RuleFindings findings;
  rule.apply(subject, findings);
  for (Finding finding : findings.findings()) {
    finding.rule = rule.info.id;
    finding.severity =
        std::min(finding.uncertain ? one_lower(severity) : severity, finding.severity);
    finding.launch = subject.plan->name;
    file.findings.push_back(std::move(finding));
  }
  if (!findings.findings().empty()) {
    outcome.kind = RuleOutcome::Kind::found;
  } else if (!findings.skipped().empty()) {
    outcome.kind = RuleOutcome::Kind::skipped;
    outcome.reason = findings.skipped();
  }
  return outcome;
}

std::vector<std::string> notes_of(const KnownLaunch& known) {
  std::vector<std::string> notes = known.notes;
  if (!known.serving) return notes;
  const ServingPlan& plan = known.serving->plan;
  if (plan.version_assumed) {
    notes.push_back(fmt::format("taken for {} {} (--engine-version to say which)",
                                to_string(plan.engine), plan.version));
  }
  if (plan.draft_model.value) {
    notes.emplace_back("the draft model's weights and K/V are not counted");
  }
  for (const EngineSetting& setting : known.launch.settings) {
    if (setting.name == "config" && !setting.values.empty()) {
      notes.push_back(fmt::format("'{}' is not read here: check it too, with the same --model",
                                  printable(setting.values.front(), 60)));
    } else if (setting.name == setting.written && !setting.unresolved.empty()) {
      notes.push_back(
          fmt::format("what {} adds to the command is not known", printable(setting.written, 60)));
    }
  }
  const Model& model = known.serving->server.model;
  notes.insert(notes.end(), model.left_out.begin(), model.left_out.end());
  notes.insert(notes.end(), model.warnings.begin(), model.warnings.end());
  if (known.memory) {
    notes.insert(notes.end(), known.memory->assumptions.begin(), known.memory->assumptions.end());
  }
  return notes;
}

void check_launch(const Launch& launch, const CheckRequest& request, CheckedFile& file) {
  const KnownLaunch known = know(launch, request, file.file);
  const RuleSettings settings(request, file.file);
  const RuleSubject subject{.launch = &known.launch,
                            .plan = &known.plan,
                            .serving = known.serving ? &*known.serving : nullptr,
                            .memory = known.memory ? &*known.memory : nullptr,
                            .figures = &known.figures,
                            .catalog = request.catalog};
  CheckedLaunch checked{.name = launch.name,
                        .engine = launch.engine,
                        .version = known.serving ? known.serving->plan.version : launch.version,
                        .place = launch.place,
                        .figures = known.figures,
                        .notes = notes_of(known)};
  for (const Rule& rule : all_rules()) {
    checked.outcomes.push_back(apply_rule(rule, settings, subject, file));
  }
  file.launches.push_back(std::move(checked));
  for (Diagnostic diagnostic : known.not_judged) {
    if (diagnostic.where.empty()) diagnostic.where = to_string(launch.place);
    file.not_judged.push_back(std::move(diagnostic));
  }
}

/// The findings that no launch has: their severity is the project's too.
void settle_severities(const CheckRequest& request, CheckedFile& file) {
  const RuleSettings settings(request, file.file);
  std::erase_if(file.findings, [&](Finding& finding) {
    const bool of_ignores =
        finding.rule == "unused-ignore" || finding.rule == "ignore-without-reason";
    if (of_ignores) finding.severity = settings.severity(*find_rule(finding.rule));
    return finding.severity == Severity::off;
  });
}

/// None for a file that a search found and that starts no engine.
std::optional<ServingConfig> read_named(const NamedText& named, const CheckRequest& request) {
  try {
    return read_serving_config(named.text, named.file, request.type);
  } catch (const NoServingConfig&) {
    if (!named.searched) throw;
  }
  return std::nullopt;
}

CheckedFile check_file(const ServingConfig& config, const CheckRequest& request,
                       std::vector<bool>& used) {
  CheckedFile file;
  file.file = config.file;
  file.type = config.type;
  for (const Launch& launch : config.launches) check_launch(launch, request, file);
  apply_ignores(config.ignores, request.project, used, file);
  settle_severities(request, file);
  const auto order = [](const Finding& finding) {
    return std::tie(finding.place.line, finding.place.column, finding.rule, finding.launch,
                    finding.subject);
  };
  std::stable_sort(file.findings.begin(), file.findings.end(),
                   [&](const Finding& a, const Finding& b) { return order(a) < order(b); });
  return file;
}

}  // namespace

std::int64_t CheckResult::count(Severity severity) const {
  std::int64_t found = 0;
  for (const CheckedFile& file : files) {
    found += std::count_if(file.findings.begin(), file.findings.end(),
                           [&](const Finding& finding) { return finding.severity == severity; });
  }
  return found;
}

bool CheckResult::judged() const {
  return std::all_of(files.begin(), files.end(),
                     [](const CheckedFile& file) { return file.not_judged.empty(); });
}

CheckResult check(const CheckRequest& request) {
  ensure(request.catalog != nullptr, "check without a catalogue");
  CheckResult result;
  std::vector<bool> used(request.project.ignores.size(), false);
  std::int64_t passed_by = 0;
  for (const NamedText& named : request.files) {
    CheckedFile unread;
    unread.file = named.file;
    std::optional<ServingConfig> config;
    const bool read = attempt(unread.not_judged, [&] {
      config = read_named(named, request);
      if (config && config->type == ConfigType::roofline) {
        (void)read_project(named.text, named.file);
      }
    });
    if (!read) {
      result.files.push_back(std::move(unread));
    } else if (config) {
      result.files.push_back(check_file(*config, request, used));
    } else {
      ++passed_by;
    }
  }
  if (passed_by > 0) {
    result.notes.push_back(
        fmt::format("{} that {} no engine {} passed by", counted(passed_by, "file"),
                    passed_by == 1 ? "starts" : "start", passed_by == 1 ? "was" : "were"));
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    const IgnoreSetting& ignore = request.project.ignores[i];
    if (used[i] || !result.judged()) continue;
    result.notes.push_back(fmt::format("{}: nothing is ignored by {}{}", to_string(ignore.place),
                                       ignore.rule,
                                       ignore.path.empty() ? "" : " in " + ignore.path));
  }
  return result;
}

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::off:
      return "off";
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      break;
  }
  return "error";
}

std::optional<Severity> severity_named(std::string_view name) {
  for (const Severity severity :
       {Severity::off, Severity::note, Severity::warning, Severity::error}) {
    if (name == to_string(severity)) return severity;
  }
  return std::nullopt;
}

}  // namespace roofline
