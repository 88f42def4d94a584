// The one character by which a chart on a terminal names a line or a point: pictures and the
// tables below them use the same.
#pragma once

#include <cstddef>

#include "report/chart.hpp"

namespace roofline::report {

/// Of a marker, or a line, for which no character is left.
inline constexpr char shared_symbol = '*';
/// Of what was measured of a point that has a symbol of its own.
inline constexpr char measured_symbol = 'o';

/// A..Z, a..z without o, then `shared_symbol`.
[[nodiscard]] char line_symbol(std::size_t line_key);

/// 1..9, then lower-case letters, then capitals that no line has, then others that lines are not
/// drawn with; then `shared_symbol`. `line_keys`: how many the chart has.
[[nodiscard]] char point_symbol(std::size_t point_key, std::size_t line_keys);

/// Its point's; `measured_symbol` where it was measured of a point that the analysis has; its
/// line's where it is none's and there are several; else `shared_symbol`.
[[nodiscard]] char marker_symbol(const Chart& chart, const ChartMarker& marker);

}  // namespace roofline::report
