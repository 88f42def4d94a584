#include "report/svg_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "report/svg_layout.hpp"
#include "report/svg_places.hpp"
#include "report/svg_style.hpp"
#include "report/svg_text.hpp"
#include "report/text_width.hpp"

namespace roofline::report {
namespace {

constexpr double longest_label = 260;
constexpr double ridge_radius = 3.5;
/// From here on long leader lines say less than the legend.
constexpr std::size_t many_markers = 60;

/// Both ends of a rule in the frame: the second is where its label is.
Segment segment_of(const Chart& chart, const Box& frame, const ChartRule& rule) {
  if (rule.vertical) {
    const double x = spot_of(chart, frame, {rule.at, chart.y.low}).x;
    return {{x, bottom_of(frame)}, {x, top_of(frame)}};
  }
  const double y = spot_of(chart, frame, {chart.x.low, rule.at}).y;
  return {{left_of(frame), y}, {right_of(frame), y}};
}

enum class LabelKind { ceiling, slope, ridge };

LabelKind kind_of(const LineLabel& label) {
  if (label.from == label.to) return LabelKind::ridge;
  return label.from.y == label.to.y ? LabelKind::ceiling : LabelKind::slope;
}

class Labelling {
 public:
  Labelling(const Chart& chart, const Box& frame)
      : chart_(chart),
        frame_(frame),
        placement_(frame),
        radius_(marker_radius(chart)),
        longest_leader_(chart.markers.size() > many_markers ? 36 : 96) {
    for (const ChartMarker& marker : chart.markers) {
      const Spot spot = spot_of(chart, frame, marker.at);
      placement_.add_marker({spot, radius_, radius_});
    }
    for (const LineLabel& label : chart.line_labels) {
      if (kind_of(label) != LabelKind::ridge) continue;
      placement_.add_marker({spot_of(chart, frame, label.from), ridge_radius, ridge_radius});
    }
    for (const ChartLine& line : chart.lines) add_line(line);
    for (const ChartRule& rule : chart.rules) placement_.add_rule(segment_of(chart, frame, rule));
  }

  void add_rules();
  void add_line_labels(LabelKind kind);
  void add_markers();
  [[nodiscard]] std::vector<PlacedLabel> labels() && { return std::move(labels_); }

 private:
  void add_line(const ChartLine& line);
  [[nodiscard]] bool are_level(const std::vector<const ChartRule*>& rules);
  void add_rule(const ChartRule& rule, bool level);
  void add_line_label(const LineLabel& label);
  void add_marker(const ChartMarker& marker);
  [[nodiscard]] bool is_new(const std::string& text, Spot anchor);
  bool take(PlacedLabel label, const std::vector<Place>& places, double near_marker = 0);

  const Chart& chart_;
  Box frame_;
  LabelPlacement placement_;
  double radius_;
  double longest_leader_;
  std::vector<PlacedLabel> labels_;
  std::set<std::tuple<std::string, double, double>> seen_;
};

void Labelling::add_line(const ChartLine& line) {
  for (std::size_t i = 1; i < line.points.size(); ++i) {
    placement_.add_line(
        {spot_of(chart_, frame_, line.points[i - 1]), spot_of(chart_, frame_, line.points[i])});
  }
}

bool Labelling::is_new(const std::string& text, Spot anchor) {
  return !text.empty() && seen_.emplace(text, std::round(anchor.x), std::round(anchor.y)).second;
}

bool Labelling::take(PlacedLabel label, const std::vector<Place>& places, double near_marker) {
  const std::optional<Place> place = placement_.take(places, near_marker);
  if (!place) return false;
  label.place = *place;
  labels_.push_back(std::move(label));
  return true;
}

std::string shown(const std::string& text) {
  return cut_text(text, label_size, longest_label);
}

/// Whether the labels of the upright rules all have room beside their upper ends, no other rule
/// running through them.
bool Labelling::are_level(const std::vector<const ChartRule*>& rules) {
  LabelPlacement trial(frame_);
  for (const ChartMarker& marker : chart_.markers) {
    trial.add_marker({spot_of(chart_, frame_, marker.at), radius_, radius_});
  }
  for (const ChartRule* rule : rules) {
    trial.add_marker(box_of(segment_of(chart_, frame_, *rule)));
  }
  return std::all_of(rules.begin(), rules.end(), [&](const ChartRule* rule) {
    const LabelSize size = label_box_size(shown(rule->label));
    return trial.take(places_beside_top(segment_of(chart_, frame_, *rule), size)).has_value();
  });
}

void Labelling::add_rule(const ChartRule& rule, bool level) {
  const Segment segment = segment_of(chart_, frame_, rule);
  if (!is_new(rule.label, segment.to)) return;
  const std::string text = shown(rule.label);
  const LabelSize size = label_box_size(text);
  take({.text = text,
        .place = {},
        .anchor = segment.to,
        .color = rule_color(chart_, rule),
        .side = rule.vertical ? "top" : "right",
        .line_key = rule.line_key,
        .point_key = rule.point_key},
       rule.vertical && level ? places_beside_top(segment, size)
                              : places_at_end(segment, radius_, size));
}

void Labelling::add_rules() {
  std::vector<const ChartRule*> rules;
  for (const ChartRule& rule : chart_.rules) {
    if (rule.vertical && !rule.label.empty()) rules.push_back(&rule);
  }
  std::stable_sort(rules.begin(), rules.end(),
                   [](const ChartRule* a, const ChartRule* b) { return a->at < b->at; });
  const bool level = are_level(rules);
  for (const ChartRule* rule : rules) add_rule(*rule, level);
  for (const ChartRule& rule : chart_.rules) {
    if (!rule.vertical) add_rule(rule, level);
  }
}

void Labelling::add_line_label(const LineLabel& label) {
  const Segment segment{spot_of(chart_, frame_, label.from), spot_of(chart_, frame_, label.to)};
  const Spot middle = box_of(segment).center;
  if (!is_new(label.text, middle)) return;
  const std::string text = shown(label.text);
  const LabelSize size = label_box_size(text);
  PlacedLabel placed{.text = text,
                     .place = {},
                     .anchor = middle,
                     .color = color_class(label.line_key),
                     .side = {},
                     .line_key = label.line_key};
  if (label.from == label.to) {
    if (take(placed, places_around(middle, ridge_radius, size, Around::ridge))) return;
    take(placed, places_with_leader(middle, ridge_radius, longest_leader_, size));
  } else {
    take(placed, places_along(segment, radius_, size));
  }
}

/// The highest first: of two ceilings that are close, the lower one is labelled below.
void Labelling::add_line_labels(LabelKind kind) {
  std::vector<const LineLabel*> labels;
  for (const LineLabel& label : chart_.line_labels) {
    if (kind_of(label) == kind) labels.push_back(&label);
  }
  std::stable_sort(labels.begin(), labels.end(),
                   [](const LineLabel* a, const LineLabel* b) { return a->to.y > b->to.y; });
  for (const LineLabel* label : labels) add_line_label(*label);
}

void Labelling::add_marker(const ChartMarker& marker) {
  constexpr double near_marker = 0.5;
  const Spot spot = spot_of(chart_, frame_, marker.at);
  if (!is_new(marker.label, spot)) return;
  const std::string text = shown(marker.label);
  const LabelSize size = label_box_size(text);
  const PlacedLabel placed{.text = text,
                           .place = {},
                           .anchor = spot,
                           .color = " c",
                           .side = {},
                           .line_key = marker.line_key,
                           .point_key = marker.point_key};
  if (take(placed, places_around(spot, radius_, size, Around::marker), near_marker)) return;
  take(placed, places_with_leader(spot, radius_, longest_leader_, size), near_marker);
}

/// How far it is to the nearest other marker, in whole pixels.
double room_around(const std::vector<Spot>& spots, std::size_t index) {
  double room = 1000;
  for (std::size_t i = 0; i < spots.size(); ++i) {
    if (i == index) continue;
    room = std::min(room, std::hypot(spots[i].x - spots[index].x, spots[i].y - spots[index].y));
  }
  return std::round(room);
}

/// Those with the least room first.
void Labelling::add_markers() {
  std::vector<Spot> spots;
  for (const ChartMarker& marker : chart_.markers) {
    spots.push_back(spot_of(chart_, frame_, marker.at));
  }
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < spots.size(); ++i) order.emplace_back(room_around(spots, i), i);
  std::sort(order.begin(), order.end());
  for (const auto& next : order) add_marker(chart_.markers[next.second]);
}

std::string leader_element(const PlacedLabel& label, const std::string& data) {
  const Segment& leader = *label.place.leader;
  return fmt::format("<line class=\"leader{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"{}/>\n",
                     label.color, coordinate(leader.from.x), coordinate(leader.from.y),
                     coordinate(leader.to.x), coordinate(leader.to.y), data);
}

}  // namespace

std::vector<PlacedLabel> place_labels(const Chart& chart, const Box& frame) {
  Labelling labelling(chart, frame);
  const bool markers_first = chart.color_by_point && chart.markers.size() <= many_markers;
  if (markers_first) labelling.add_markers();
  labelling.add_line_labels(LabelKind::ceiling);
  labelling.add_rules();
  labelling.add_line_labels(LabelKind::ridge);
  labelling.add_line_labels(LabelKind::slope);
  if (!markers_first) labelling.add_markers();
  return std::move(labelling).labels();
}

std::string label_elements(const std::vector<PlacedLabel>& labels) {
  std::string out;
  for (const PlacedLabel& label : labels) {
    const std::string data =
        fmt::format(" data-anchor=\"{} {}\"{}", coordinate(label.anchor.x),
                    coordinate(label.anchor.y), key_attributes(label.line_key, label.point_key));
    const std::string side =
        label.side.empty() ? std::string() : fmt::format(" data-side=\"{}\"", label.side);
    const std::string style = "label" + label.color;
    out += text_element({.x = label.place.text.x,
                         .y = label.place.text.y,
                         .style = style,
                         .anchor = label.place.anchor == "start" ? "" : label.place.anchor,
                         .angle = label.place.box.angle,
                         .data = data + side},
                        label.text);
    if (label.place.leader) out += leader_element(label, data);
  }
  return out;
}

}  // namespace roofline::report
