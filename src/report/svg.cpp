// A chart as an SVG picture: scales with its page, light or dark as the page is, without scripts.
// Positions and classes are what the HTML page's script goes by.
#include <fmt/format.h>

#include <algorithm>

#include "base/format.hpp"
#include "report/markup.hpp"
#include "report/palette.hpp"
#include "report/report.hpp"
#include "report/svg_labels.hpp"
#include "report/svg_layout.hpp"
#include "report/svg_legend.hpp"
#include "report/svg_style.hpp"
#include "report/svg_text.hpp"
#include "roofline/error.hpp"

namespace roofline::report {
namespace {

std::string line_element(const Spot& from, const Spot& to, const std::string& attributes) {
  return fmt::format("<line {} x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", attributes,
                     coordinate(from.x), coordinate(from.y), coordinate(to.x), coordinate(to.y));
}

std::string rule_elements(const Chart& chart, const Box& frame) {
  std::string out;
  for (const ChartRule& rule : chart.rules) {
    const ChartPosition start =
        rule.vertical ? ChartPosition{rule.at, chart.y.low} : ChartPosition{chart.x.low, rule.at};
    const ChartPosition end =
        rule.vertical ? ChartPosition{rule.at, chart.y.high} : ChartPosition{chart.x.high, rule.at};
    out += line_element(spot_of(chart, frame, start), spot_of(chart, frame, end),
                        fmt::format("class=\"rule{}\"{}", rule_color(chart, rule),
                                    key_attributes(rule.line_key, rule.point_key)));
  }
  return out;
}

std::string points_of(const Chart& chart, const Box& frame,
                      const std::vector<ChartPosition>& positions) {
  std::string points;
  for (const ChartPosition& position : positions) {
    const Spot spot = spot_of(chart, frame, position);
    points +=
        fmt::format("{}{},{}", points.empty() ? "" : " ", coordinate(spot.x), coordinate(spot.y));
  }
  return points;
}

/// Ridges are lines of no length with round ends: dots.
std::string line_elements(const Chart& chart, const Box& frame) {
  std::string out;
  for (const ChartLine& line : chart.lines) {
    out += fmt::format("<polyline class=\"line{}{}{}\" points=\"{}\"{}/>\n",
                       color_class(line.line_key), dash_class(line.line_key),
                       line.dashed ? " dashed" : "", points_of(chart, frame, line.points),
                       key_attributes(line.line_key, std::nullopt));
  }
  for (const LineLabel& label : chart.line_labels) {
    if (label.from != label.to) continue;
    out += fmt::format("<polyline class=\"line spot{}\" points=\"{}\"{}/>\n",
                       color_class(label.line_key), points_of(chart, frame, {label.from, label.to}),
                       key_attributes(label.line_key, std::nullopt));
  }
  return out;
}

std::string figures_text(const ChartMarker& marker, std::string_view separator) {
  std::string text;
  for (const auto& [name, value] : marker.figures) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : separator, name, value);
  }
  return text;
}

std::string marker_element(const Chart& chart, const Box& frame, const ChartMarker& marker) {
  const Spot spot = spot_of(chart, frame, marker.at);
  const std::string figures = figures_text(marker, ", ");
  const std::string lines = figures_text(marker, "\n");
  const std::size_t shape = shape_of_key(marker.point_key.value_or(marker.line_key.value_or(0)));
  std::string out = fmt::format(
      "<g class=\"marker{}{}\" transform=\"translate({} {})\" tabindex=\"0\" role=\"img\" "
      "aria-label=\"{}\"{}>",
      marker_color(chart, marker), marker.measured ? " measured" : "", coordinate(spot.x),
      coordinate(spot.y), escape_markup(marker.title + (figures.empty() ? "" : ", ") + figures),
      key_attributes(marker.line_key, marker.point_key));
  out += fmt::format("<title>{}</title>",
                     escape_markup(marker.title + (lines.empty() ? "" : "\n") + lines));
  return out + fmt::format("<path d=\"{}\"/></g>\n", marker_path(shape, marker_radius(chart)));
}

std::string group(std::string_view name, std::string_view content, std::string_view more = {}) {
  return fmt::format("<g class=\"{}\"{}>\n{}</g>\n", name, more, content);
}

std::string opening(const Chart& chart, const PictureLayout& layout) {
  const Box& frame = layout.frame;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" class=\"chart\" role=\"img\" "
      "aria-labelledby=\"chart-title chart-question\" data-frame=\"{2} {3} {4} {5}\" "
      "data-x=\"{6} {7}\" data-y=\"{8} {9}\">\n"
      "<title id=\"chart-title\">{10}</title>\n<desc id=\"chart-question\">{11}</desc>\n"
      "<style>{12}</style>\n",
      coordinate(layout.width), coordinate(layout.height), coordinate(left_of(frame)),
      coordinate(top_of(frame)), coordinate(2 * frame.half_width),
      coordinate(2 * frame.half_height), format_exact(chart.x.low), format_exact(chart.x.high),
      format_exact(chart.y.low), format_exact(chart.y.high), escape_markup(chart.title),
      escape_markup(chart.question), style_sheet());
}

/// Background, frame and heading.
std::string ground(const PictureLayout& layout) {
  const Box& frame = layout.frame;
  const std::string at =
      fmt::format("x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", coordinate(left_of(frame)),
                  coordinate(top_of(frame)), coordinate(2 * frame.half_width),
                  coordinate(2 * frame.half_height));
  return fmt::format(
             "<defs><clipPath id=\"frame-clip\"><rect {}/></clipPath></defs>\n"
             "<rect class=\"background\" width=\"{}\" height=\"{}\"/>\n"
             "<rect class=\"frame\" {}/>\n",
             at, coordinate(layout.width), coordinate(layout.height), at) +
         group("headings", heading_elements(layout));
}

}  // namespace

std::string write_svg(const Chart& chart) {
  const PictureLayout layout = lay_out(chart);
  const Box& frame = layout.frame;
  constexpr std::string_view clip = " clip-path=\"url(#frame-clip)\"";
  std::string markers;
  for (const ChartMarker& marker : chart.markers) markers += marker_element(chart, frame, marker);
  return opening(chart, layout) + ground(layout) + group("grid", grid_elements(layout)) +
         group("ticks", tick_elements(chart, layout)) +
         group("rules", rule_elements(chart, frame), clip) +
         group("lines", line_elements(chart, frame), clip) + group("markers", markers, clip) +
         group("labels", label_elements(place_labels(chart, frame))) +
         group("legend", legend_elements(chart, layout.legend)) + "</svg>\n";
}

}  // namespace roofline::report
