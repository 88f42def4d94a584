#include "analysis/check/shared_defaults.hpp"

#include <algorithm>
#include <utility>

namespace roofline {
namespace {

bool is_about(const CheckDefaults& defaults, const std::string& file) {
  return defaults.path.empty() || glob_matches(defaults.path, file);
}

/// Puts `setting` in place of one of its name, or adds it.
void put(EngineSetting setting, std::vector<EngineSetting>& settings) {
  std::erase_if(settings, [&](const EngineSetting& old) { return old.name == setting.name; });
  settings.push_back(std::move(setting));
}

void collect(const CheckDefaults& defaults, std::vector<EngineSetting>& settings) {
  const auto text = [&](const char* name, const std::optional<std::string>& value) {
    if (value) put({.name = name, .written = name, .values = {*value}, .place = {}}, settings);
  };
  text("gpu", defaults.gpu);
  for (const EngineSetting& setting : defaults.workload) put(setting, settings);
  for (EngineSetting setting : defaults.require) {
    setting.name = "require." + setting.name;
    put(std::move(setting), settings);
  }
}

void add(EngineSetting setting, bool replace, Launch& launch) {
  if (replace || launch.find_surrounding(setting.name) == nullptr) {
    put(std::move(setting), launch.surroundings);
  }
}

}  // namespace

Launch with_defaults(Launch launch, const CheckRequest& request, const std::string& file) {
  std::vector<EngineSetting> shared;
  std::optional<std::string> version = request.flags.engine_version;
  for (const CheckDefaults& defaults : request.project.defaults) {
    if (!is_about(defaults, file)) continue;
    collect(defaults, shared);
    if (!request.flags.engine_version && launch.version.empty() && defaults.engine_version) {
      version = defaults.engine_version;
    }
  }
  for (EngineSetting& setting : shared) add(std::move(setting), false, launch);
  std::vector<EngineSetting> flags;
  collect(request.flags, flags);
  for (EngineSetting& setting : flags) add(std::move(setting), true, launch);
  if (version) launch.version = *version;
  return launch;
}

namespace {

/// What the project says that a name means.
void translate(Given<std::string>& name, std::map<std::string, std::string> CheckDefaults::*names,
               const CheckRequest& request, const std::string& file) {
  std::optional<std::string> meant;
  for (const CheckDefaults& defaults : request.project.defaults) {
    const auto found = (defaults.*names).find(name.value);
    if (is_about(defaults, file) && found != (defaults.*names).end()) meant = found->second;
  }
  if (meant) name.value = *meant;
}

}  // namespace

void give_names(const CheckRequest& request, const std::string& file, ServingPlan& plan) {
  std::optional<std::string> model = request.flags.model;
  if (!model && plan.model.value.empty()) {
    for (const CheckDefaults& defaults : request.project.defaults) {
      if (is_about(defaults, file) && defaults.model) model = defaults.model;
    }
  }
  if (model) plan.model = {.value = *model, .written = "model", .place = {}, .given = true};
  translate(plan.model, &CheckDefaults::models, request, file);
  translate(plan.gpu, &CheckDefaults::gpus, request, file);
}

RuleSettings::RuleSettings(const CheckRequest& request, const std::string& file) {
  for (const CheckDefaults& defaults : request.project.defaults) {
    if (!is_about(defaults, file)) continue;
    settings_.insert(settings_.end(), defaults.rules.begin(), defaults.rules.end());
  }
  settings_.insert(settings_.end(), request.flags.rules.begin(), request.flags.rules.end());
}

Severity RuleSettings::severity(const RuleInfo& rule) const {
  Severity severity = rule.severity;
  for (const RuleSetting& setting : settings_) {
    if (setting.rule == rule.id && setting.severity) severity = *setting.severity;
  }
  return severity;
}

std::optional<double> RuleSettings::threshold(std::string_view rule) const {
  std::optional<double> threshold;
  for (const RuleSetting& setting : settings_) {
    if (setting.rule == rule && setting.threshold) threshold = setting.threshold;
  }
  return threshold;
}

}  // namespace roofline
