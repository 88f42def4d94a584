// Colours that can be told apart and read: WCAG's contrast, and Machado, Oliveira and Fernandes'
// model of colour vision deficiency (2009, severity 1) with distances in CIELAB.
#include "report/palette.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <charconv>
#include <cmath>
#include <set>
#include <string>
#include <utility>

namespace roofline::report {
namespace {

using Triple = std::array<double, 3>;

/// Red, green and blue as amounts of light.
Triple linear(std::string_view color) {
  Triple light{};
  REQUIRE(color.size() == 7);
  for (std::size_t i = 0; i < light.size(); ++i) {
    int byte = 0;
    const char* digits = color.data() + 1 + 2 * i;
    REQUIRE(std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2);
    const double share = byte / 255.0;
    light[i] = share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
  }
  return light;
}

double luminance(std::string_view color) {
  const Triple light = linear(color);
  return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
}

double contrast(std::string_view a, std::string_view b) {
  const auto [dark, light] = std::minmax({luminance(a), luminance(b)});
  return (light + 0.05) / (dark + 0.05);
}

using Matrix = std::array<Triple, 3>;

Triple times(const Matrix& matrix, const Triple& vector) {
  Triple product{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) product[i] += matrix[i][j] * vector[j];
    product[i] = std::clamp(product[i], 0.0, 1.0);
  }
  return product;
}

constexpr Matrix normal{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix protanopia{{{0.152286, 1.052583, -0.204868},
                             {0.114503, 0.786281, 0.099216},
                             {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix deuteranopia{{{0.367322, 0.860646, -0.227968},
                               {0.280085, 0.672501, 0.047413},
                               {-0.011820, 0.042940, 0.968881}}};
constexpr Matrix tritanopia{{{1.255528, -0.076749, -0.178779},
                             {-0.078411, 0.930809, 0.147602},
                             {0.004733, 0.691367, 0.303900}}};

Triple lab(const Triple& light) {
  constexpr Matrix xyz{{{0.4124564, 0.3575761, 0.1804375},
                        {0.2126729, 0.7151522, 0.0721750},
                        {0.0193339, 0.1191920, 0.9503041}}};
  constexpr Triple white{0.95047, 1, 1.08883};
  Triple f{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double t =
        (xyz[i][0] * light[0] + xyz[i][1] * light[1] + xyz[i][2] * light[2]) / white[i];
    f[i] = t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116;
  }
  return {116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])};
}

double distance(std::string_view a, std::string_view b, const Matrix& vision) {
  const Triple one = lab(times(vision, linear(a)));
  const Triple other = lab(times(vision, linear(b)));
  return std::hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);
}

TEST_CASE("The formulas give published values", "[report]") {
  CHECK(contrast("#000000", "#ffffff") == Approx(21));
  CHECK(contrast("#777777", "#ffffff") == Approx(4.48).margin(0.005));  // WCAG's usual example
  const Triple red = lab(linear("#ff0000"));
  CHECK(red[0] == Approx(53.24).margin(0.01));
  CHECK(red[1] == Approx(80.09).margin(0.02));
  CHECK(red[2] == Approx(67.20).margin(0.02));
}

TEST_CASE("Colours can be read on their background as text too", "[report]") {
  const Theme theme = GENERATE(light_theme(), dark_theme());
  for (const std::string_view color : theme.colors) {
    CAPTURE(color);
    CHECK(contrast(color, theme.background) >= 4.5);
  }
  CHECK(contrast(theme.ink, theme.background) >= 7);
  CHECK(contrast(theme.quiet, theme.background) >= 4.5);
  CHECK(contrast(theme.frame, theme.background) >= 3);
}

TEST_CASE("Colours differ for everyone", "[report]") {
  const Theme theme = GENERATE(light_theme(), dark_theme());
  const Matrix vision = GENERATE(normal, protanopia, deuteranopia, tritanopia);
  constexpr double clearly = 15;  // 2.3 is just noticeable
  for (std::size_t i = 0; i < color_count; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      CAPTURE(theme.colors[i], theme.colors[j]);
      CHECK(distance(theme.colors[i], theme.colors[j], vision) >= clearly);
    }
  }
}

TEST_CASE("56 points and 28 lines differ in colour or form", "[report]") {
  std::set<std::pair<std::size_t, std::size_t>> points;
  for (std::size_t i = 0; i < 56; ++i) points.emplace(color_of_key(i), shape_of_key(i));
  CHECK(points.size() == 56);
  std::set<std::pair<std::size_t, std::size_t>> lines;
  for (std::size_t i = 0; i < 28; ++i) lines.emplace(color_of_key(i), dash_of_key(i));
  CHECK(lines.size() == 28);
  CHECK(dash_of_key(28) == 0);
  std::set<std::string_view> patterns;
  for (std::size_t i = 0; i < dash_count; ++i) patterns.insert(dash_pattern(i));
  CHECK(patterns.size() == dash_count);
  CHECK(dash_pattern(0).empty());
}

TEST_CASE("Every marker has a shape of its own around its middle", "[report]") {
  std::set<std::string> shapes;
  for (std::size_t i = 0; i < shape_count; ++i) shapes.insert(marker_path(i, 6));
  CHECK(shapes.size() == shape_count);
  CHECK(marker_path(0, 5) == "M-4 0A4 4 0 1 1 4 0A4 4 0 1 1 -4 0Z");
  CHECK(marker_path(3, 10) == "M0 -10L8 0L0 10L-8 0Z");
  // Half of a square's side is 10 / sqrt(2).
  CHECK(marker_path(1, 10) == "M-7.07 -7.07L7.07 -7.07L7.07 7.07L-7.07 7.07Z");
}

}  // namespace
}  // namespace roofline::report
