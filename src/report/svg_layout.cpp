#include "report/svg_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/chart_scale.hpp"
#include "report/svg_style.hpp"
#include "report/svg_text.hpp"
#include "report/text_width.hpp"

namespace roofline::report {
namespace {

constexpr double picture_width = 960;
constexpr double picture_height = 600;
constexpr double margin = 20;
constexpr double title_line = 22;
constexpr double question_line = 17;
constexpr double axis_label_space = 24;  // beside the ticks' texts
constexpr double tick_gap = 7;
constexpr double x_ticks_space = 24;
constexpr double legend_gap = 26;
constexpr double least_frame_height = 380;
constexpr std::size_t most_title_lines = 4;
constexpr std::size_t most_question_lines = 6;

bool is_power_of_ten(double value) {
  const double exponent = std::log10(value);
  return std::abs(exponent - std::round(exponent)) < 1e-9;
}

/// Takes the text from ticks that come too close to others; powers of ten go first.
/// `extents[i]` is the room that text i takes along the axis.
void thin_out(std::vector<DrawnTick>& ticks, const std::vector<Tick>& values,
              const std::vector<double>& extents) {
  std::vector<std::size_t> kept;
  for (const bool powers : {true, false}) {
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      if (values[i].text.empty() || is_power_of_ten(values[i].value) != powers) continue;
      const bool room = std::none_of(kept.begin(), kept.end(), [&](std::size_t other) {
        return std::abs(ticks[i].at - ticks[other].at) < (extents[i] + extents[other]) / 2;
      });
      if (!room) continue;
      kept.push_back(i);
      ticks[i].text = values[i].text;
    }
  }
}

/// Lines between those with a text only where they are not too dense.
std::vector<DrawnTick> drawn_ticks(const ChartAxis& axis, double start, double length,
                                   bool upright_extents) {
  constexpr double gap = 12;
  constexpr double least_decade = 36;
  const std::vector<Tick> values = ticks_of(axis);
  std::vector<DrawnTick> ticks;
  std::vector<double> extents;
  for (const Tick& tick : values) {
    ticks.push_back({.at = start + length * share_of(axis, tick.value),
                     .major = is_power_of_ten(tick.value) || !tick.text.empty()});
    extents.push_back(upright_extents ? tick_size * (text_ascent + text_descent)
                                      : text_width(tick.text, tick_size) + gap);
  }
  thin_out(ticks, values, extents);
  if (std::abs(length) / std::log10(axis.high / axis.low) < least_decade) {
    std::erase_if(ticks, [](const DrawnTick& tick) { return !tick.major; });
  }
  return ticks;
}

double widest_tick(const ChartAxis& axis) {
  double widest = 0;
  for (const Tick& tick : ticks_of(axis)) {
    widest = std::max(widest, text_width(tick.text, tick_size));
  }
  return widest;
}

/// Half of the text at the right end of the x axis, where it reaches beyond the frame.
double tick_beyond(const ChartAxis& axis) {
  const Tick last = ticks_of(axis).back();
  return share_of(axis, last.value) < 0.95 ? 0 : text_width(last.text, tick_size) / 2;
}

Box frame_of(const Chart& chart, const PictureLayout& layout) {
  const double top = std::ceil(margin + title_line * static_cast<double>(layout.title.size()) +
                               question_line * static_cast<double>(layout.question.size()) + 12);
  const double left = std::ceil(margin + axis_label_space + widest_tick(chart.y) + tick_gap);
  const double beyond = tick_beyond(chart.x);
  double right = layout.width - margin - beyond;
  if (layout.legend.width > 0) {
    right = layout.width - margin - layout.legend.width - std::max(legend_gap, beyond + 8);
  }
  const double bottom = std::max(picture_height - margin - axis_label_space - x_ticks_space,
                                 top + least_frame_height);
  return upright_box(left, top, std::floor(right), bottom);
}

}  // namespace

double left_of(const Box& box) {
  return box.center.x - box.half_width;
}
double right_of(const Box& box) {
  return box.center.x + box.half_width;
}
double top_of(const Box& box) {
  return box.center.y - box.half_height;
}
double bottom_of(const Box& box) {
  return box.center.y + box.half_height;
}

Spot spot_of(const Chart& chart, const Box& frame, const ChartPosition& position) {
  return {left_of(frame) + 2 * frame.half_width * share_of(chart.x, position.x),
          bottom_of(frame) - 2 * frame.half_height * share_of(chart.y, position.y)};
}

PictureLayout lay_out(const Chart& chart) {
  PictureLayout layout;
  layout.width = picture_width;
  const double text_space = layout.width - 2 * margin;
  layout.title = wrap_text(chart.title, title_size * bold_factor, text_space, most_title_lines);
  if (!chart.question.empty()) {
    layout.question = wrap_text(chart.question, question_size, text_space, most_question_lines);
  }
  layout.legend = measure_legend(chart);
  layout.frame = frame_of(chart, layout);
  const Box& frame = layout.frame;
  layout.x_ticks = drawn_ticks(chart.x, left_of(frame), 2 * frame.half_width, false);
  layout.y_ticks = drawn_ticks(chart.y, bottom_of(frame), -2 * frame.half_height, true);
  const double axes_bottom = bottom_of(frame) + x_ticks_space + axis_label_space;
  place_legend(layout.legend, layout.width - margin - layout.legend.width, top_of(frame),
               axes_bottom, margin);
  layout.height = std::ceil(std::max(axes_bottom, layout.legend.bottom) + margin);
  return layout;
}

std::string heading_elements(const PictureLayout& layout) {
  std::string out;
  double y = margin - 2;
  for (const std::string& line : layout.title) {
    y += title_line;
    out += text_element({.x = margin, .y = y - 4, .style = "title"}, line);
  }
  for (const std::string& line : layout.question) {
    y += question_line;
    out += text_element({.x = margin, .y = y - 2, .style = "question"}, line);
  }
  return out;
}

std::string grid_elements(const PictureLayout& layout) {
  const Box& frame = layout.frame;
  std::string out;
  const auto add = [&out](bool major, double x1, double y1, double x2, double y2) {
    out += fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n",
                       major ? "major" : "minor", coordinate(x1), coordinate(y1), coordinate(x2),
                       coordinate(y2));
  };
  const auto on_edge = [](double at, double one, double other) {
    return std::min(std::abs(at - one), std::abs(at - other)) < 0.5;
  };
  for (const bool major : {false, true}) {
    for (const DrawnTick& tick : layout.x_ticks) {
      if (on_edge(tick.at, left_of(frame), right_of(frame))) continue;
      if (tick.major == major) add(major, tick.at, top_of(frame), tick.at, bottom_of(frame));
    }
    for (const DrawnTick& tick : layout.y_ticks) {
      if (on_edge(tick.at, top_of(frame), bottom_of(frame))) continue;
      if (tick.major == major) add(major, left_of(frame), tick.at, right_of(frame), tick.at);
    }
  }
  return out;
}

std::string tick_elements(const Chart& chart, const PictureLayout& layout) {
  const Box& frame = layout.frame;
  std::string out;
  const double bottom = bottom_of(frame);
  for (const DrawnTick& tick : layout.x_ticks) {
    if (tick.text.empty()) continue;
    out += text_element({.x = tick.at, .y = bottom + 17, .style = "tick", .anchor = "middle"},
                        tick.text);
  }
  for (const DrawnTick& tick : layout.y_ticks) {
    if (tick.text.empty()) continue;
    const double x = left_of(frame) - tick_gap;
    out += text_element({.x = x, .y = tick.at + 4, .style = "tick", .anchor = "end"}, tick.text);
  }
  const std::string x_label = cut_text(label_of(chart.x), axis_label_size, 2 * frame.half_width);
  const std::string y_label = cut_text(label_of(chart.y), axis_label_size, 2 * frame.half_height);
  out += text_element(
      {.x = frame.center.x, .y = bottom + x_ticks_space + 15, .style = "axis", .anchor = "middle"},
      x_label);
  out += text_element(
      {.x = margin + 10, .y = frame.center.y, .style = "axis", .anchor = "middle", .angle = -90},
      y_label);
  return out;
}

}  // namespace roofline::report
