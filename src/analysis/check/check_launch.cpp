// A launch to figures and findings: it is resolved, and shown to every rule.
#include "analysis/check/check_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/check/figures.hpp"
#include "analysis/check/requirements.hpp"
#include "analysis/check/resolve.hpp"
#include "analysis/check/rule.hpp"
#include "analysis/check/shared_defaults.hpp"
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
    known.not_judged.insert(known.not_judged.end(), no_times.begin(), no_times.end());
  } else {
    known.notes.push_back("its times are not known: " + no_times.front().what);
  }
}

Diagnostic not_read(const EngineSetting& config, const std::string& file) {
  return {.what = fmt::format("{} {} was not read", config.written, config.values.back()),
          .where = to_string(config.place),
          .why = "it may change every answer, and only files that are named are read",
          .fix = fmt::format("roofline check {} {}", file, config.values.back())};
}

KnownLaunch know(const Launch& launch, const CheckRequest& request, const std::string& file) {
  KnownLaunch known;
  known.launch = with_defaults(launch, request, file);
  known.plan.place = launch.place;
  known.plan.name = launch.name;
  known.plan.engine = launch.engine;
  for (const EngineSetting& missing : launch.missing_configs) {
    known.not_judged.push_back(not_read(missing, file));
  }
  if (!attempt(known.not_judged, [&] { known.plan = plan_of(known.launch); })) return known;
  std::erase_if(known.plan.require, [&](const EngineSetting& requirement) {
    return !attempt(known.not_judged, [&] { require_requirement(requirement); });
  });
  give_names(request, file, known.plan);
  resolve_launch(request, known);
  reckon(known);
  return known;
}

Severity one_lower(Severity severity) {
  return severity == Severity::error ? Severity::warning : Severity::note;
}

/// Shows a launch to one rule; its findings, and why it cannot judge, go to `file`.
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
  if (!attempt(file.not_judged, [&] { rule.apply(subject, findings); })) {
    outcome.kind = RuleOutcome::Kind::skipped;
    outcome.reason = "it cannot be judged";
    return outcome;
  }
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
  const Model& model = known.serving->server.model;
  if (plan.engine == Engine::llama_cpp && plan.quantization.given && !model.stored) {
    notes.push_back(
        fmt::format("weights taken as {}, by the file's name: --model FILE.gguf for "
                    "the bytes of its tensors",
                    known.serving->precision.weights_name));
  }
  notes.insert(notes.end(), model.left_out.begin(), model.left_out.end());
  notes.insert(notes.end(), model.warnings.begin(), model.warnings.end());
  if (known.memory) {
    notes.insert(notes.end(), known.memory->assumptions.begin(), known.memory->assumptions.end());
  }
  return notes;
}

}  // namespace

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

}  // namespace roofline
