#include "report/svg_style.hpp"

#include <fmt/format.h>

#include "report/palette.hpp"

namespace roofline::report {
namespace {

std::string color_rules(const Theme& theme) {
  std::string css = fmt::format(
      ".chart .background{{fill:{0}}}\n"
      ".chart,.chart .c{{color:{1}}}\n"
      ".chart text{{fill:{1}}}\n"
      ".chart .tick,.chart .question,.chart .detail{{fill:{2}}}\n"
      ".chart .rule.c{{color:{2}}}\n"
      ".chart .frame{{stroke:{3}}}\n"
      ".chart .major{{stroke:{4}}}\n"
      ".chart .minor{{stroke:{5}}}\n"
      ".chart .label,.chart .marker,.chart .shape{{stroke:{0}}}\n"
      ".chart .marker.measured,.chart .shape.measured{{fill:{0}}}\n",
      theme.background, theme.ink, theme.quiet, theme.frame, theme.major, theme.minor);
  for (std::size_t i = 0; i < color_count; ++i) {
    css += fmt::format(".chart .c{}{{color:{}}}\n", i, theme.colors[i]);
  }
  return css;
}

std::string dash_rules() {
  std::string css;
  for (std::size_t i = 1; i < dash_count; ++i) {
    css += fmt::format(".chart .d{}{{stroke-dasharray:{}}}\n", i, dash_pattern(i));
  }
  return css;
}

std::string size_rules() {
  return fmt::format(
      ".chart .title{{font-size:{}px;font-weight:600}}\n"
      ".chart .question{{font-size:{}px}}\n"
      ".chart .axis{{font-size:{}px}}\n"
      ".chart .tick{{font-size:{}px}}\n"
      ".chart .label{{font-size:{}px}}\n"
      ".chart .heading{{font-size:{}px;font-weight:600}}\n"
      ".chart .name{{font-size:{}px}}\n"
      ".chart .detail{{font-size:{}px}}\n",
      title_size, question_size, axis_label_size, tick_size, label_size, heading_size, name_size,
      detail_size);
}

constexpr std::string_view form_rules =
    ".chart{max-width:100%;height:auto;font-family:system-ui,-apple-system,\"Segoe UI\",Roboto,"
    "\"Helvetica Neue\",Arial,\"Liberation Sans\",\"DejaVu Sans\",sans-serif}\n"
    ".chart .frame,.chart .line{fill:none}\n"
    ".chart .frame,.chart .major,.chart .minor{stroke-width:1}\n"
    ".chart .line,.chart .key{stroke:currentColor;stroke-width:2;stroke-linejoin:round}\n"
    ".chart .spot{stroke-width:7;stroke-linecap:round}\n"
    ".chart .rule{stroke:currentColor;stroke-width:1.25;stroke-dasharray:5 3}\n"
    ".chart .marker,.chart .shape{fill:currentColor;stroke-width:1}\n"
    ".chart .marker.measured,.chart .shape.measured{stroke:currentColor;stroke-width:1.6}\n"
    ".chart text.label{fill:currentColor;stroke-width:3;stroke-linejoin:round;"
    "paint-order:stroke}\n"
    ".chart .leader{stroke:currentColor;stroke-width:.8;opacity:.75}\n";

}  // namespace

double marker_radius(const Chart& chart) {
  constexpr std::size_t many = 120;
  return chart.markers.size() > many ? 4.5 : 6;
}

std::string style_sheet() {
  // A dashed line of a solid key, after the patterns of the keys.
  constexpr std::string_view dashed = ".chart .dashed{stroke-dasharray:4 4;stroke-width:1.5}\n";
  return fmt::format("\n{}{}{}{}{}@media screen and (prefers-color-scheme:dark){{\n{}}}\n",
                     size_rules(), color_rules(light_theme()), form_rules, dash_rules(), dashed,
                     color_rules(dark_theme()));
}

std::string key_attributes(std::optional<std::size_t> line_key,
                           std::optional<std::size_t> point_key) {
  std::string attributes;
  if (line_key) attributes += fmt::format(" data-line=\"{}\"", *line_key);
  if (point_key) attributes += fmt::format(" data-point=\"{}\"", *point_key);
  return attributes;
}

std::string color_class(std::optional<std::size_t> key) {
  return key ? fmt::format(" c{}", color_of_key(*key)) : " c";
}

std::string marker_color(const Chart& chart, const ChartMarker& marker) {
  return color_class(chart.color_by_point ? marker.point_key : marker.line_key);
}

std::string rule_color(const Chart& chart, const ChartRule& rule) {
  if (rule.line_key) return color_class(rule.line_key);
  return color_class(chart.color_by_point ? rule.point_key : std::nullopt);
}

std::string dash_class(std::size_t line_key) {
  const std::size_t dash = dash_of_key(line_key);
  return dash == 0 ? std::string() : fmt::format(" d{}", dash);
}

}  // namespace roofline::report
