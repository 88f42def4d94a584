// A result against an earlier one: what got worse, launch by launch. The regression test of a
// serving config.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/check.hpp"

namespace roofline {

/// A figure that has a better and a worse direction.
struct ComparedFigure {
  std::string_view key;    ///< of a launch in the json: "kv_tokens"
  std::string_view words;  ///< in text: "K/V tokens"
  std::string_view unit;   ///< behind a scaled figure; empty: a count
  bool more_is_better;
  /// None where the launch has no such figure.
  std::optional<double> (*of)(const LaunchFigures& figures);
};

/// In the order of the json.
[[nodiscard]] const std::vector<ComparedFigure>& compared_figures();

/// "39,154", "16.06 GB", "7.045 ms": a value of that figure.
[[nodiscard]] std::string figure_text(const ComparedFigure& figure, double value, int digits = 4);

/// Compares `result` with `baseline`, an earlier answer of `check -f json` that `name` names in
/// messages. Launches are the same where file, name and place among those of that name are. What is
/// worse by more than the share `tolerance` (0.05 is 5%) becomes a Regression and a finding of the
/// rule "regression" at its launch; that no whole sequence fits any more always does. TPOT is
/// compared at the same concurrency alone. Launches, figures and findings that only one of the two
/// has become notes. Paths below `directory` are relative to it, as in the report. A launch that
/// the rule is off for is left out. Throws Error, with NAME:LINE:COL, if `baseline` is no such
/// answer.
void add_regressions(std::string_view baseline, const std::string& name, double tolerance,
                     CheckResult& result, const std::string& directory = {});

}  // namespace roofline
