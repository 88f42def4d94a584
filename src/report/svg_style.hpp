// What all parts of the SVG share: sizes, classes, the style sheet.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "report/chart.hpp"

namespace roofline::report {

/// Pixels.
inline constexpr double title_size = 17;
inline constexpr double question_size = 12.5;
inline constexpr double axis_label_size = 12;
inline constexpr double tick_size = 11;
inline constexpr double label_size = 11;
inline constexpr double heading_size = 11.5;
inline constexpr double name_size = 12;
inline constexpr double detail_size = 10.5;

/// A marker lies within this distance of its centre, but for half of its outline.
[[nodiscard]] double marker_radius(const Chart& chart);

/// The content of the style element.
[[nodiscard]] std::string style_sheet();

/// ` data-line="1" data-point="2"`
[[nodiscard]] std::string key_attributes(std::optional<std::size_t> line_key,
                                         std::optional<std::size_t> point_key);

/// " c3": the colour of a key; without one " c", that of text.
[[nodiscard]] std::string color_class(std::optional<std::size_t> key);

[[nodiscard]] std::string marker_color(const Chart& chart, const ChartMarker& marker);
[[nodiscard]] std::string rule_color(const Chart& chart, const ChartRule& rule);

/// " d2"; solid: empty.
[[nodiscard]] std::string dash_class(std::size_t line_key);

}  // namespace roofline::report
