// What rules are written against: a launch with everything known of it, and a place for findings.
// A rule is one file in rules/ with one function, and one line in rules.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/check.hpp"
#include "roofline/engine_memory.hpp"

namespace roofline {

/// A launch that rules look at. `serving` and `memory` are null where the model or device is not
/// known; rules that need them skip.
struct RuleSubject {
  const Launch* launch = nullptr;
  const ServingPlan* plan = nullptr;           ///< as given, before defaults of model and device
  const ResolvedServing* serving = nullptr;    ///< with all defaults
  const EngineMemoryBudget* memory = nullptr;  ///< null, too, where it cannot be spread so
  const LaunchFigures* figures = nullptr;      ///< as far as they are known
  const Catalog* catalog = nullptr;
  std::optional<double> threshold{};  ///< of the project file, for this rule
};

class RuleFindings {
 public:
  /// Its rule and launch are filled in by the caller of the rule; its severity becomes the rule's,
  /// but never a higher one than it has here.
  void add(Finding finding) { findings_.push_back(std::move(finding)); }
  /// The rule does not apply here: "a dense model".
  void skip(std::string reason) { reason_ = std::move(reason); }

  [[nodiscard]] const std::vector<Finding>& findings() const { return findings_; }
  [[nodiscard]] const std::string& skipped() const { return reason_; }

 private:
  std::vector<Finding> findings_;
  std::string reason_;
};

struct Rule {
  RuleInfo info;
  void (*apply)(const RuleSubject& subject, RuleFindings& findings);
};
/// By id.
[[nodiscard]] const std::vector<Rule>& all_rules();

/// The ids of check_rules(): what a name that is no rule may have meant.
[[nodiscard]] std::vector<std::string> rule_ids();

/// Where a finding about `given` belongs: its place, else the launch's.
template <class T>
[[nodiscard]] Place place_of(const Given<T>& given, const RuleSubject& subject) {
  return given.place ? *given.place : subject.plan->place;
}

/// The setting's name as the user wrote it, else as the engine calls it.
template <class T>
[[nodiscard]] std::string name_of(const Given<T>& given, std::string_view usual) {
  return given.written.empty() ? std::string(usual) : given.written;
}

}  // namespace roofline
