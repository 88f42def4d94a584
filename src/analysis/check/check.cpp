// Files to findings: each is read into launches, each launch is shown to every rule.
#include "roofline/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "analysis/check/check_launch.hpp"
#include "analysis/check/ignores.hpp"
#include "analysis/check/named_configs.hpp"
#include "analysis/check/rule.hpp"
#include "analysis/check/shared_defaults.hpp"
#include "base/counted.hpp"

namespace roofline {
namespace {

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

void sort_findings(CheckedFile& file) {
  const auto order = [](const Finding& finding) {
    return std::tie(finding.place.line, finding.place.column, finding.rule, finding.launch,
                    finding.subject);
  };
  std::stable_sort(file.findings.begin(), file.findings.end(),
                   [&](const Finding& a, const Finding& b) { return order(a) < order(b); });
}

CheckedFile* find_file(CheckResult& result, const std::string& name) {
  const auto found = std::find_if(result.files.begin(), result.files.end(),
                                  [&](const CheckedFile& file) { return file.file == name; });
  return found == result.files.end() ? nullptr : &*found;
}

/// Findings about a setting of a named config belong to that file.
void move_findings(CheckResult& result) {
  for (CheckedFile& file : result.files) {
    std::vector<Finding> own;
    for (Finding& finding : file.findings) {
      const bool elsewhere = !finding.place.file.empty() && finding.place.file != file.file;
      CheckedFile* other = elsewhere ? find_file(result, finding.place.file) : nullptr;
      (other == nullptr ? own : other->findings).push_back(std::move(finding));
    }
    file.findings = std::move(own);
  }
}

/// What the project ignores of what could not be judged becomes a note.
void ignore_not_judged(const Project& project, std::vector<bool>& used, CheckResult& result) {
  for (CheckedFile& file : result.files) {
    for (std::size_t i = 0; i < project.ignores.size() && !file.not_judged.empty(); ++i) {
      const IgnoreSetting& ignore = project.ignores[i];
      if (ignore.rule != not_judged_rule) continue;
      if (!ignore.path.empty() && !glob_matches(ignore.path, file.file)) continue;
      used[i] = true;
      result.notes.push_back(fmt::format("{} was not judged ({}): {}", file.file, ignore.reason,
                                         file.not_judged.front().what));
      file.not_judged.clear();
    }
  }
}

/// Configs, and where each one's file is in the result: two files may have one name.
struct ReadConfigs {
  std::vector<ServingConfig> configs;
  std::vector<std::size_t> files;
};

/// Reads every file; what cannot be read is in `result`.
ReadConfigs read_configs(const CheckRequest& request, CheckResult& result) {
  ReadConfigs read_configs;
  std::int64_t passed_by = 0;
  for (const NamedText& named : request.files) {
    CheckedFile file;
    file.file = named.file;
    std::optional<ServingConfig> config;
    const bool read = attempt(file.not_judged, [&] {
      config = read_named(named, request);
      if (config && config->type == ConfigType::roofline) {
        (void)read_project(named.text, named.file);
      }
    });
    if (read && !config) {
      ++passed_by;
      continue;
    }
    if (read) {
      file.type = config->type;
      read_configs.configs.push_back(std::move(*config));
      read_configs.files.push_back(result.files.size());
    }
    result.files.push_back(std::move(file));
  }
  if (passed_by > 0) {
    result.notes.push_back(
        fmt::format("{} that {} no engine {} passed by", counted(passed_by, "file"),
                    passed_by == 1 ? "starts" : "start", passed_by == 1 ? "was" : "were"));
  }
  return read_configs;
}

void note_unused_ignores(const Project& project, const std::vector<bool>& used,
                         CheckResult& result) {
  for (std::size_t i = 0; i < used.size(); ++i) {
    const IgnoreSetting& ignore = project.ignores[i];
    // Of one that is for every file, those that were not checked may have use.
    const bool checked =
        std::any_of(result.files.begin(), result.files.end(), [&](const CheckedFile& file) {
          return !ignore.path.empty() && glob_matches(ignore.path, file.file);
        });
    if (used[i] || !checked || !result.judged()) continue;
    result.notes.push_back(fmt::format("{}: nothing is ignored by {} in {}",
                                       to_string(ignore.place), ignore.rule, ignore.path));
  }
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
  auto [configs, files] = read_configs(request, result);
  join_named_configs(configs);
  for (std::size_t i = 0; i < configs.size(); ++i) {
    CheckedFile& file = result.files[files[i]];
    for (const Launch& launch : configs[i].launches) check_launch(launch, request, file);
  }
  move_findings(result);
  std::vector<bool> used(request.project.ignores.size(), false);
  ignore_not_judged(request.project, used, result);
  for (std::size_t i = 0; i < configs.size(); ++i) {
    CheckedFile& file = result.files[files[i]];
    apply_ignores(configs[i].ignores, request.project, used, file);
    settle_severities(request, file);
    sort_findings(file);
  }
  note_unused_ignores(request.project, used, result);
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
