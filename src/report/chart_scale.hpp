// Where values lie on a logarithmic axis, and where its ticks are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/chart.hpp"

namespace roofline::report {

/// The range of what an axis has to show.
class AxisRange {
 public:
  /// Throws Error for a value that is 0, negative, infinite or not a number, or outside 1e-30 to
  /// 1e30: `name` says what of.
  void add(double value, std::string_view name);
  /// Sets both ends of `axis`: round numbers with room on both sides. Needs one value.
  void apply(ChartAxis& axis) const;

 private:
  double least_ = 0;  ///< 0: nothing was added
  double most_ = 0;
};

/// The largest 1, 2 or 5 times a power of ten that is at most `value`, and the smallest that is at
/// least `value`. `value` is above 0 and finite.
[[nodiscard]] double round_number_below(double value);
[[nodiscard]] double round_number_above(double value);

/// 0 at the low end of the axis, 1 at the high end.
[[nodiscard]] double share_of(const ChartAxis& axis, double value);

struct Tick {
  double value = 1;
  std::string text;  ///< empty for the minor ones
};

/// Powers of ten with text, their multiples by 2 to 9 without. Where the axis has fewer than three
/// powers of ten, multiples by 2 and 5 have text too. Above twelve powers of ten some have none.
[[nodiscard]] std::vector<Tick> ticks_of(const ChartAxis& axis);

/// "arithmetic intensity (FLOP/byte)"
[[nodiscard]] std::string label_of(const ChartAxis& axis);

}  // namespace roofline::report
