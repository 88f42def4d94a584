// Names of rules: above the picture, on it, beside it, or else in the legend.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/chart.hpp"
#include "report/text_canvas.hpp"

namespace roofline::report {

/// Beside the canvas, for each of its rows.
using LineEnds = std::vector<std::string>;

struct RuleLabels {
  std::vector<std::string> above;  ///< rows above the canvas: symbols and names of vertical rules
  /// Names that no place was found for, with the symbol at their rule.
  std::vector<std::pair<char, std::string>> legend;
  /// "1,2,3,4,5" for rules in one column that have more symbols than rows above.
  std::vector<std::string> shared;
};

/// Horizontal rules have their names on the canvas, or else a symbol in `ends`.
[[nodiscard]] RuleLabels draw_rule_labels(TextCanvas& canvas, LineEnds& ends, const Chart& chart);

}  // namespace roofline::report
