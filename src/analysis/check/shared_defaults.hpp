// What flags and the project file say of a file's launches and of rules.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/check.hpp"

namespace roofline {

/// The launch with the surroundings that it does not say itself; what flags say replaces what it
/// says.
[[nodiscard]] Launch with_defaults(Launch launch, const CheckRequest& request,
                                   const std::string& file);

/// The model that flags say, or, where the launch says none, the project file; and what the project
/// file says that the names of model and GPU mean.
void give_names(const CheckRequest& request, const std::string& file, ServingPlan& plan);

/// The rules' settings in one file.
class RuleSettings {
 public:
  RuleSettings(const CheckRequest& request, const std::string& file);

  [[nodiscard]] Severity severity(const RuleInfo& rule) const;
  [[nodiscard]] std::optional<double> threshold(std::string_view rule) const;

 private:
  std::vector<RuleSetting> settings_;  ///< later ones beat earlier ones
};

}  // namespace roofline
