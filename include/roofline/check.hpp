// Serving configs judged: will it start, is it what its author means, does it meet what is required
// of it. Every finding belongs to a rule with a stable id.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/catalog.hpp"
#include "roofline/engine_memory.hpp"
#include "roofline/error.hpp"
#include "roofline/serve.hpp"
#include "roofline/serving_config.hpp"
#include "roofline/serving_plan.hpp"

namespace roofline {

enum class Severity { off, note, warning, error };
/// "off", "note", "warning", "error".
[[nodiscard]] std::string_view to_string(Severity severity);
[[nodiscard]] std::optional<Severity> severity_named(std::string_view name);

/// What a rule is called and says; its text is data/explain/<id>.md.
struct RuleInfo {
  std::string_view id;  ///< "kv-too-small"
  Severity severity = Severity::error;
  std::string_view summary;  ///< one line: what is wrong where it finds something
};
/// All rules, by id.
[[nodiscard]] const std::vector<RuleInfo>& check_rules();
/// Null if there is none.
[[nodiscard]] const RuleInfo* find_rule(std::string_view id);

struct Finding {
  std::string rule;
  Severity severity = Severity::error;
  std::string launch;  ///< name of the launch; may be empty
  Place place;
  std::string what;  ///< one line
  std::string why;   ///< may be empty
  std::string fix;   ///< changes that were tried: with each alone the finding is gone; may be empty
  /// It may be so within what cannot be known: it counts one severity lower.
  bool uncertain = false;
  std::string subject;  ///< what tells two findings of a rule apart whatever their figures: a key

  friend bool operator==(const Finding&, const Finding&) = default;
};

/// What a rule said of a launch: for reports that show what passed.
struct RuleOutcome {
  std::string rule;
  enum class Kind { passed, found, skipped, ignored, off } kind = Kind::passed;
  std::string reason{};                 ///< of skipped and ignored
  Severity severity = Severity::error;  ///< of what it finds
};

/// Figures of a launch, which a baseline is compared by.
struct LaunchFigures {
  std::string model;
  std::string gpu;
  std::int64_t devices = 1;
  std::optional<EngineMemoryBudget> memory;
  std::optional<ServingPoint> serving;  ///< at ServingPlan::concurrency
  std::optional<FlopsPerByte> decode_intensity;
  std::string decode_verdict;  ///< "memory-bound" ...; empty where not judged
  std::string prefill_verdict;
};

struct CheckedLaunch {
  std::string name;
  Engine engine = Engine::vllm;
  std::string version;
  Place place;
  LaunchFigures figures;
  std::vector<RuleOutcome> outcomes{};  ///< of every rule, by id
  std::vector<std::string> notes;       ///< what was assumed
};

struct CheckedFile {
  std::string file;
  std::optional<ConfigType> type;  ///< none: it could not be read
  std::vector<CheckedLaunch> launches;
  std::vector<Finding> findings;       ///< by line, column, rule
  std::vector<Diagnostic> not_judged;  ///< why it, or a launch of it, could not be judged: exit 2
};

/// A figure that a baseline has too, and got worse by more than the tolerance.
struct Regression {
  std::string file;
  std::string launch;
  std::string figure;  ///< key in the json: "kv_tokens"
  double before = 0;
  double now = 0;
  double change = 0;  ///< now / before - 1

  friend bool operator==(const Regression&, const Regression&) = default;
};

struct CheckResult {
  std::vector<CheckedFile> files;
  std::vector<Regression> regressions;
  std::vector<std::string> notes;

  [[nodiscard]] std::int64_t count(Severity severity) const;
  [[nodiscard]] bool judged() const;  ///< nothing is in any `not_judged`
};

/// A setting of the project file for a rule.
struct RuleSetting {
  std::string rule;
  std::optional<Severity> severity;
  std::optional<double> threshold;  ///< in the rule's unit; its page says it
};

/// What reports call a file, or a launch, that could not be judged: ignored as a rule is.
inline constexpr std::string_view not_judged_rule = "not-judged";

/// Findings of `rule` in files that `path` matches are left out.
struct IgnoreSetting {
  std::string rule;
  std::string path;    ///< a glob: "charts/dev/**"; empty: every file
  std::string reason;  ///< never empty
  Place place;
};

/// What a project file (roofline.yaml) or flags say of all files, or of those that `path` matches.
struct CheckDefaults {
  std::string path;  ///< a glob; empty: every file
  std::optional<std::string> gpu, model, engine_version;
  /// Names that configs have, and what they mean here: a path or a name of the catalogue.
  std::map<std::string, std::string> models, gpus;
  std::vector<EngineSetting> require;
  std::vector<EngineSetting> workload;  ///< "input-len", "output-len", "concurrency", "price"
  std::vector<RuleSetting> rules;
};

struct Project {
  Severity fail_on = Severity::error;
  std::vector<CheckDefaults> defaults;  ///< later ones beat earlier ones
  std::vector<IgnoreSetting> ignores;
};

/// Reads the project's part of a roofline.yaml: everything but `deployments`. Throws Error
/// (FILE:LINE:COL) for an unknown key, rule or requirement.
[[nodiscard]] Project read_project(std::string_view text, const std::string& file);

struct NamedText {
  std::string file;
  std::string text;
  bool searched = false;  ///< found in a directory: left out where it starts no engine
};

struct CheckRequest {
  std::vector<NamedText> files;
  std::optional<ConfigType> type{};
  Project project{};
  CheckDefaults flags{};  ///< beat everything
  const Catalog* catalog = nullptr;
  ReadOptions read{};
};

/// Judges every file; what cannot be judged is in the result, never thrown.
[[nodiscard]] CheckResult check(const CheckRequest& request);

/// True if `path` matches: * within a name, ** across directories, ? one byte.
[[nodiscard]] bool glob_matches(std::string_view glob, std::string_view path);

}  // namespace roofline
