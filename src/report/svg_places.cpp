#include "report/svg_places.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "report/svg_style.hpp"
#include "report/text_width.hpp"

namespace roofline::report {
namespace {

constexpr double padding = 2;
constexpr double line_gap = 2.5;    // between a line and a label's box
constexpr double marker_gap = 1.5;  // between a marker and one
constexpr double frame_gap = 4;
using std::numbers::pi;

/// From a box's middle down to the baseline.
double baseline_offset() {
  return (text_ascent - text_descent) / 2 * label_size;
}

/// `anchor` says which end of the box the text is at.
Place place_of(const Box& box, std::string_view anchor, double cost) {
  const double angle = box.angle * pi / 180;
  const double side = anchor == "middle" ? 0 : anchor == "end" ? 1 : -1;
  const double along = side * (box.half_width - padding);
  const double down = baseline_offset();
  return {.box = box,
          .text = {box.center.x + along * std::cos(angle) - down * std::sin(angle),
                   box.center.y + along * std::sin(angle) + down * std::cos(angle)},
          .anchor = anchor,
          .cost = cost};
}

void sort_by_cost(std::vector<Place>& places) {
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.cost < b.cost; });
}

/// A segment by its length and direction, from left to right, or upwards.
struct Way {
  Spot start;
  Spot direction;
  double length;
  double angle;  // degrees
};

Way way_of(const Segment& line) {
  Spot from = line.from;
  Spot to = line.to;
  if (to.x < from.x || (to.x == from.x && to.y > from.y)) std::swap(from, to);
  const double dx = to.x - from.x;
  const double dy = to.y - from.y;
  const double length = std::hypot(dx, dy);
  return {from, {dx / length, dy / length}, length, std::atan2(dy, dx) * 180 / pi};
}

/// The middle is `along` the way and `above` it, where the way goes from left to right.
Box box_on(const Way& way, double along, double above, const LabelSize& size) {
  return {{way.start.x + way.direction.x * along + way.direction.y * above,
           way.start.y + way.direction.y * along - way.direction.x * above},
          size.half_width,
          size.half_height,
          way.angle};
}

/// What is between a way and such a box, but for the way itself; beyond the way's ends nothing is.
Box gap_of(const Way& way, double along, double above, const LabelSize& size) {
  constexpr double line_itself = 1;
  const double inner = std::abs(above) - size.half_height;
  const double middle = std::copysign((inner + line_itself) / 2, above);
  const double start = std::max(0.0, along - size.half_width);
  const double end = std::min(way.length, along + size.half_width);
  const LabelSize half{std::max(0.0, (end - start) / 2), std::max(0.0, (inner - line_itself) / 2)};
  return box_on(way, (start + end) / 2, middle, half);
}

/// The middles of a label along a way: from `first` to `last`, at `best` for nothing, and what a
/// whole way further costs.
struct Range {
  double first;
  double first_below;  // below the line it starts later
  double last;
  double best;
  double whole_way;
};

/// Both sides of a way, close to it and beyond markers on it.
std::vector<Place> places_on(const Way& way, const LabelSize& size, const Range& range,
                             double radius, std::string_view anchor) {
  constexpr int steps = 24;
  const double close = size.half_height - padding / 2 + line_gap;
  const double beyond = size.half_height + radius + marker_gap;
  struct Beside {
    double above;
    double cost;
  };
  const double further = beyond + 2 * size.half_height + 4;  // and beyond the labels of markers
  const std::array<Beside, 6> sides{{{close, 0},
                                     {beyond, 0.25},
                                     {-close, 0.45},
                                     {-beyond, 0.6},
                                     {further, 1.2},
                                     {-further, 1.4}}};
  std::vector<Place> places;
  for (int i = 0; i <= steps; ++i) {
    const double along = range.first + (range.last - range.first) * i / steps;
    const double cost = range.whole_way * std::abs(along - range.best) / std::max(way.length, 1.0);
    for (const Beside& side : sides) {
      if (side.above < 0 && along < range.first_below) continue;
      places.push_back(place_of(box_on(way, along, side.above, size), anchor, cost + side.cost));
      places.back().clear = gap_of(way, along, side.above, size);
    }
  }
  sort_by_cost(places);
  return places;
}

/// The direction that a label lies in, as seen from its mark: 1 and -1 are beside it, a half is a
/// label above or below that is shifted by half of its half.
struct Side {
  double x;
  double y;
};

Place place_at(Spot spot, double reach, const LabelSize& size, Side side, double cost) {
  const bool beside = std::abs(side.x) == 1;
  const double shift = !beside ? 0 : side.y == 0 ? reach : reach / 2;
  const Box box{{spot.x + side.x * (size.half_width - padding) + (side.x > 0 ? shift : -shift),
                 spot.y + side.y * (reach + size.half_height - padding / 2)},
                size.half_width,
                size.half_height};
  return place_of(box, !beside ? "middle" : side.x < 0 ? "end" : "start", cost);
}

constexpr std::array<Side, 12> sides_of_marker{{{1, 0},
                                                {1, 1},
                                                {-1, -1},
                                                {1, -1},
                                                {-1, 1},
                                                {-1, 0},
                                                {0, -1},
                                                {0, 1},
                                                {-0.5, -1},
                                                {0.5, 1},
                                                {0.5, -1},
                                                {-0.5, 1}}};
constexpr std::array<Side, 12> sides_of_ridge{{{-1, -1},
                                               {1, 1},
                                               {0, -1},
                                               {0, 1},
                                               {-1, 0},
                                               {1, -1},
                                               {-1, 1},
                                               {1, 0},
                                               {-0.5, -1},
                                               {0.5, 1},
                                               {0.5, -1},
                                               {-0.5, 1}}};

}  // namespace

LabelSize label_box_size(std::string_view text) {
  return {text_width(text, label_size) / 2 + padding,
          (text_ascent + text_descent) / 2 * label_size + padding / 2};
}

std::vector<Place> places_along(const Segment& line, double radius, const LabelSize& size) {
  constexpr double whole_way = 3;
  const Way way = way_of(line);
  const bool level = std::abs(way.direction.y) < 1e-9;
  const double first = size.half_width + frame_gap;
  const double last = way.length - size.half_width - frame_gap;
  if (level) {
    // Left of a ridge there is room above the roof.
    const double least = std::min(last, 4 * frame_gap - size.half_width);
    return places_on(way, size, {least, std::min(first, last), last, last, whole_way}, radius,
                     "end");
  }
  const double middle = way.length / 2;
  if (last < first)
    return places_on(way, size, {middle, middle, middle, middle, 0}, radius, "middle");
  const double best = std::clamp(0.45 * way.length, first, last);
  return places_on(way, size, {first, first, last, best, whole_way}, radius, "middle");
}

std::vector<Place> places_at_end(const Segment& rule, double radius, const LabelSize& size) {
  constexpr double whole_way = 8;
  const Way way = way_of(rule);
  const double last = way.length - size.half_width - frame_gap;
  const double first = std::min(last, size.half_width + frame_gap);
  return places_on(way, size, {first, first, last, last, whole_way}, radius, "end");
}

std::vector<Place> places_beside_top(const Segment& rule, const LabelSize& size) {
  constexpr int rows = 3;
  const double x = rule.from.x;
  const double top = std::min(rule.from.y, rule.to.y) + frame_gap;
  std::vector<Place> places;
  for (int row = 0; row < rows; ++row) {
    const double y = top + size.half_height + row * 2 * size.half_height;
    const double away = size.half_width - padding + frame_gap;
    const Box right{{x + away, y}, size.half_width, size.half_height};
    const Box left{{x - away, y}, size.half_width, size.half_height};
    places.push_back(place_of(right, "start", row));
    places.push_back(place_of(left, "end", row + 0.5));
  }
  return places;
}

std::vector<Place> places_around(Spot spot, double radius, const LabelSize& size, Around around) {
  constexpr double step = 0.1;
  std::vector<Place> places;
  for (const Side side : around == Around::marker ? sides_of_marker : sides_of_ridge) {
    const double cost = step * static_cast<double>(places.size());
    places.push_back(place_at(spot, radius + marker_gap + padding, size, side, cost));
  }
  return places;
}

std::vector<Place> places_with_leader(Spot spot, double radius, double longest,
                                      const LabelSize& size) {
  constexpr std::array<double, 6> rings{14, 24, 36, 52, 72, 96};
  constexpr int directions = 16;
  constexpr double steep = 0.5;
  constexpr double per_pixel = 1.0 / 12;
  std::vector<Place> places;
  for (const double ring : rings) {
    if (ring > longest) break;
    for (int i = 0; i < directions; ++i) {
      const double angle = 2 * pi * (i + 0.5) / directions;
      const double dx = std::cos(angle);
      const double dy = std::sin(angle);
      const Segment leader{{spot.x + dx * radius, spot.y + dy * radius},
                           {spot.x + dx * (radius + ring), spot.y + dy * (radius + ring)}};
      const auto add = [&](double x, double y, std::string_view anchor, double more) {
        const Box box{{leader.to.x + x * size.half_width, leader.to.y + y * size.half_height},
                      size.half_width,
                      size.half_height};
        places.push_back(place_of(box, anchor, ring * per_pixel + more));
        places.back().leader = leader;
      };
      const double side = dx > 0 ? 1 : -1;
      const double vertical = dy > 0 ? 1 : -1;
      add(side, 0, side > 0 ? "start" : "end", std::abs(dy) > steep ? 0.1 : 0);
      if (std::abs(dy) <= steep) continue;
      add(0, vertical, "middle", 0.2);
      add(-0.8 * side, vertical, "middle", 0.3);
    }
  }
  sort_by_cost(places);
  return places;
}

}  // namespace roofline::report
