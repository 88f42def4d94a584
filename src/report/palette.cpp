#include "report/palette.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "report/svg_text.hpp"

namespace roofline::report {
namespace {

using Corners = std::vector<std::pair<double, double>>;

std::string polygon(const Corners& corners, double scale) {
  std::string path;
  for (const auto& [x, y] : corners) {
    path += fmt::format("{}{} {}", path.empty() ? "M" : "L", coordinate(x * scale),
                        coordinate(y * scale));
  }
  return path + "Z";
}

std::string circle(double radius) {
  const std::string r = coordinate(radius);
  return fmt::format("M-{0} 0A{0} {0} 0 1 1 {0} 0A{0} {0} 0 1 1 -{0} 0Z", r);
}

/// Arms of half the width `arm`, each ending at distance 1.
Corners plus(double arm) {
  const double end = std::sqrt(1 - arm * arm);
  return {{-arm, -end}, {arm, -end}, {arm, -arm}, {end, -arm}, {end, arm},   {arm, arm},
          {arm, end},   {-arm, end}, {-arm, arm}, {-end, arm}, {-end, -arm}, {-arm, -arm}};
}

Corners turned_by_45_degrees(Corners corners) {
  const double half = std::sqrt(0.5);
  for (auto& [x, y] : corners) {
    const double turned_x = half * (x - y);
    y = half * (x + y);
    x = turned_x;
  }
  return corners;
}

/// Five tips.
Corners star(double inner) {
  Corners corners;
  for (int i = 0; i < 10; ++i) {
    const double angle = std::numbers::pi * (i / 5.0 - 0.5);
    const double radius = i % 2 == 0 ? 1 : inner;
    corners.emplace_back(radius * std::cos(angle), radius * std::sin(angle));
  }
  return corners;
}

}  // namespace

const Theme& light_theme() {
  static constexpr Theme theme{
      .background = "#ffffff",
      .ink = "#1b1f24",
      .quiet = "#57606a",
      .frame = "#8c959f",
      .major = "#d5dae0",
      .minor = "#eef0f3",
      .colors = {"#2a36a2", "#d21e66", "#0c847e", "#8a6c00", "#905ad2", "#005a48", "#663c0c"}};
  return theme;
}

const Theme& dark_theme() {
  static constexpr Theme theme{
      .background = "#161b22",
      .ink = "#e6e9ed",
      .quiet = "#a0a9b4",
      .frame = "#6b7580",
      .major = "#333b45",
      .minor = "#22282f",
      .colors = {"#7e78de", "#f0427e", "#0ca89c", "#f0ba6c", "#ccb4f0", "#78e4c6", "#9c8a0c"}};
  return theme;
}

std::string_view dash_pattern(std::size_t dash) {
  constexpr std::array<std::string_view, dash_count> patterns{"", "9 3", "9 3 2 3", "2 3"};
  return patterns[dash % dash_count];
}

std::string marker_path(std::size_t shape, double radius) {
  const double side = std::sqrt(0.5);   // of a square in the circle, half of it
  const double base = std::sqrt(0.75);  // of a triangle in it, half of it
  switch (shape % shape_count) {
    case 0:
      return circle(0.8 * radius);
    case 1:
      return polygon({{-side, -side}, {side, -side}, {side, side}, {-side, side}}, radius);
    case 2:
      return polygon({{0, -1}, {base, 0.5}, {-base, 0.5}}, radius);
    case 3:
      return polygon({{0, -1}, {0.8, 0}, {0, 1}, {-0.8, 0}}, radius);
    case 4:
      return polygon({{0, 1}, {-base, -0.5}, {base, -0.5}}, radius);
    case 5:
      return polygon(plus(0.3), radius);
    case 6:
      return polygon(turned_by_45_degrees(plus(0.3)), radius);
    default:
      return polygon(star(0.45), radius);
  }
}

}  // namespace roofline::report
