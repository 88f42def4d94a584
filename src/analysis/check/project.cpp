// The project's part of roofline.yaml.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "analysis/check/requirements.hpp"
#include "analysis/check/rule.hpp"
#include "base/closest.hpp"
#include "base/parse.hpp"
#include "roofline/check.hpp"
#include "spec/serving/config_node.hpp"

namespace roofline {
namespace {

using Member = ConfigNode::Member;

Error wrong(const Place& place, std::string what, std::string fix,
            std::vector<std::string> suggestions = {}) {
  return Error(Diagnostic{.what = std::move(what),
                          .where = to_string(place),
                          .fix = std::move(fix),
                          .suggestions = std::move(suggestions)});
}

Error unknown_key(const Member& member, const std::vector<std::string>& known) {
  return wrong(member.place, fmt::format("unknown key '{}'", member.key),
               fmt::format("one of {}", fmt::join(known, ", ")), closest(member.key, known));
}

std::string text_of(const Member& member) {
  if (member.value.is_scalar() && member.value.kind != NodeKind::null) return member.value.text;
  throw wrong(member.value.place, fmt::format("{} needs a value", member.key),
              fmt::format("{}: VALUE", member.key));
}

const std::vector<Member>& members_of(const Member& member) {
  if (member.value.is_mapping()) return member.value.members;
  throw wrong(member.value.place, fmt::format("{} needs keys and values", member.key),
              fmt::format("{}: {{KEY: VALUE}}", member.key));
}

EngineSetting setting_of(const Member& member) {
  return {.name = member.key,
          .written = member.key,
          .values = {text_of(member)},
          .place = member.value.place};
}

Severity severity_of(const Member& member) {
  // YAML makes a boolean of a bare off.
  const std::string text = member.value.kind == NodeKind::boolean && member.value.text == "false"
                               ? "off"
                               : text_of(member);
  if (const std::optional<Severity> severity = severity_named(text)) return *severity;
  throw wrong(member.value.place, fmt::format("unknown severity '{}'", text),
              fmt::format("{}: error, warning, note or off", member.key));
}

void require_rule(const std::string& id, const Place& place) {
  if (find_rule(id) != nullptr) return;
  throw wrong(place, fmt::format("unknown rule '{}'", id), "roofline list rules",
              closest(id, rule_ids()));
}

RuleSetting rule_setting(const Member& member) {
  require_rule(member.key, member.place);
  RuleSetting setting{.rule = member.key, .severity = std::nullopt, .threshold = std::nullopt};
  if (!member.value.is_mapping()) {
    setting.severity = severity_of(member);
    return setting;
  }
  for (const Member& part : member.value.members) {
    if (part.key == "severity") {
      setting.severity = severity_of(part);
    } else if (part.key == "threshold") {
      setting.threshold = parse_number(text_of(part), "threshold");
    } else {
      throw unknown_key(part, {"severity", "threshold"});
    }
  }
  return setting;
}

const std::vector<std::string> workload_keys{"concurrency", "input-len", "output-len", "price"};
const std::vector<std::string> default_keys{"concurrency", "engine-version", "gpu",    "gpus",
                                            "input-len",   "model",          "models", "output-len",
                                            "price",       "require",        "rules"};
const std::vector<std::string> project_keys{"deployments", "fail-on", "ignore", "paths"};

bool is_one_of(const std::vector<std::string>& keys, const std::string& key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

/// A key of the project or of one of its paths.
void read_default(const Member& member, CheckDefaults& defaults) {
  if (member.key == "gpu") {
    defaults.gpu = text_of(member);
  } else if (member.key == "model") {
    defaults.model = text_of(member);
  } else if (member.key == "engine-version") {
    defaults.engine_version = text_of(member);
  } else if (is_one_of(workload_keys, member.key)) {
    defaults.workload.push_back(setting_of(member));
  } else if (member.key == "models" || member.key == "gpus") {
    auto& names = member.key == "models" ? defaults.models : defaults.gpus;
    for (const Member& part : members_of(member)) names[part.key] = text_of(part);
  } else if (member.key == "require") {
    for (const Member& part : members_of(member)) {
      defaults.require.push_back(setting_of(part));
      require_requirement(defaults.require.back());
    }
  } else {
    for (const Member& part : members_of(member)) defaults.rules.push_back(rule_setting(part));
  }
}

IgnoreSetting ignore_setting(const ConfigNode& node) {
  IgnoreSetting ignore{.rule = {}, .path = {}, .reason = {}, .place = node.place};
  for (const Member& member : node.members) {
    if (member.key == "rule") {
      ignore.rule = text_of(member);
      if (ignore.rule != not_judged_rule) require_rule(ignore.rule, member.value.place);
    } else if (member.key == "path") {
      ignore.path = text_of(member);
    } else if (member.key == "reason") {
      ignore.reason = text_of(member);
    } else {
      throw unknown_key(member, {"path", "reason", "rule"});
    }
  }
  if (ignore.rule.empty() || ignore.reason.empty()) {
    throw wrong(node.place, "an entry of ignore needs a rule and a reason",
                "- {rule: kv-too-small, path: \"dev/**\", reason: WHY}");
  }
  return ignore;
}

void read_member(const Member& member, ErrorCollector& errors, Project& project) {
  if (member.key == "fail-on") {
    project.fail_on = text_of(member) == "never" ? Severity::off : severity_of(member);
  } else if (member.key == "ignore") {
    if (!member.value.is_list()) {
      throw wrong(member.value.place, "ignore needs a list", "ignore: [{rule: ID, reason: WHY}]");
    }
    for (const ConfigNode& item : member.value.items) {
      errors.collect([&] { project.ignores.push_back(ignore_setting(item)); });
    }
  } else if (member.key == "paths") {
    for (const Member& path : members_of(member)) {
      CheckDefaults defaults;
      defaults.path = path.key;
      for (const Member& part : members_of(path)) {
        errors.collect([&] {
          if (!is_one_of(default_keys, part.key)) throw unknown_key(part, default_keys);
          read_default(part, defaults);
        });
      }
      project.defaults.push_back(std::move(defaults));
    }
  } else if (is_one_of(default_keys, member.key)) {
    read_default(member, project.defaults.front());
  } else if (member.key != "deployments") {
    std::vector<std::string> known = default_keys;
    known.insert(known.end(), project_keys.begin(), project_keys.end());
    std::sort(known.begin(), known.end());
    throw unknown_key(member, known);
  }
}

}  // namespace

Project read_project(std::string_view text, const std::string& file) {
  Project project;
  project.defaults.emplace_back();
  const ConfigDocuments documents = read_config_text(text, file);
  if (documents.roots.empty()) return project;
  ErrorCollector errors;
  const ConfigNode& root = documents.roots.front();
  if (!root.is_mapping()) {
    throw wrong(root.place, "a project file has keys and values", "gpu: H100");
  }
  for (const Member& member : root.members) {
    errors.collect([&] { read_member(member, errors, project); });
  }
  errors.throw_if_any();
  return project;
}

}  // namespace roofline
