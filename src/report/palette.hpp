// Colours, marker shapes and dash patterns that tell devices and workloads apart, also for people
// who do not see all colours, on light and on dark pages.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace roofline::report {

inline constexpr std::size_t color_count = 7;
inline constexpr std::size_t shape_count = 8;
inline constexpr std::size_t dash_count = 4;

/// As #rrggbb. The seven have a contrast of at least 4.5 to the background, so text may have them
/// too, and differ from each other under protanopia, deuteranopia and tritanopia as well.
struct Theme {
  std::string_view background;
  std::string_view ink;    ///< of text
  std::string_view quiet;  ///< of text that matters less, and of rules
  std::string_view frame;
  std::string_view major;  ///< grid lines
  std::string_view minor;
  std::array<std::string_view, color_count> colors;
};

[[nodiscard]] const Theme& light_theme();
[[nodiscard]] const Theme& dark_theme();

/// Of the i-th key: 56 differ in colour or shape, 28 in colour or dash pattern.
[[nodiscard]] constexpr std::size_t color_of_key(std::size_t i) {
  return i % color_count;
}
[[nodiscard]] constexpr std::size_t shape_of_key(std::size_t i) {
  return i % shape_count;
}
[[nodiscard]] constexpr std::size_t dash_of_key(std::size_t i) {
  return i / color_count % dash_count;
}

/// An SVG stroke-dasharray; the first one is solid: empty.
[[nodiscard]] std::string_view dash_pattern(std::size_t dash);

/// An SVG path around 0 0, within `radius` pixels of it: circle, square, triangle, diamond,
/// triangle on its tip, plus, cross, star; all outlines, to be filled or hollow.
[[nodiscard]] std::string marker_path(std::size_t shape, double radius);

}  // namespace roofline::report
