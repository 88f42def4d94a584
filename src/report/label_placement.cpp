#include "report/label_placement.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace roofline::report {
namespace {

constexpr double radians_per_degree = std::numbers::pi / 180;
constexpr double hairline = 0.5;
constexpr double cell_size = 32;
/// Touching boxes are apart, whatever the last digit says.
constexpr double touching = 1e-6;

Spot minus(Spot a, Spot b) {
  return {a.x - b.x, a.y - b.y};
}

double dot(Spot a, Spot b) {
  return a.x * b.x + a.y * b.y;
}

/// The directions of a box's sides.
struct Sides {
  Spot along;
  Spot across;
};

Sides sides_of(const Box& box) {
  if (box.angle == 0) return {{1, 0}, {0, 1}};
  const double angle = box.angle * radians_per_degree;
  return {{std::cos(angle), std::sin(angle)}, {-std::sin(angle), std::cos(angle)}};
}

/// How far a box reaches from its centre in a direction.
double reach(const Box& box, const Sides& sides, Spot direction) {
  return box.half_width * std::abs(dot(sides.along, direction)) +
         box.half_height * std::abs(dot(sides.across, direction));
}

bool within(const Box& frame, const Box& box) {
  const Sides sides = sides_of(box);
  const Spot offset = minus(box.center, frame.center);
  return std::abs(offset.x) + reach(box, sides, {1, 0}) <= frame.half_width + touching &&
         std::abs(offset.y) + reach(box, sides, {0, 1}) <= frame.half_height + touching;
}

std::size_t cells_along(double half) {
  return static_cast<std::size_t>(std::max(1.0, std::ceil(2 * half / cell_size)));
}

std::size_t cell_at(double pixels, std::size_t cells) {
  const auto last = static_cast<double>(cells - 1);
  return static_cast<std::size_t>(std::clamp(std::floor(pixels / cell_size), 0.0, last));
}

}  // namespace

Box upright_box(double left, double top, double right, double bottom) {
  return {{(left + right) / 2, (top + bottom) / 2}, (right - left) / 2, (bottom - top) / 2};
}

Box box_of(const Segment& segment) {
  const Spot way = minus(segment.to, segment.from);
  return {{(segment.from.x + segment.to.x) / 2, (segment.from.y + segment.to.y) / 2},
          std::hypot(way.x, way.y) / 2,
          hairline,
          std::atan2(way.y, way.x) / radians_per_degree};
}

bool overlap(const Box& one, const Box& other) {
  const Spot offset = minus(other.center, one.center);
  const Sides sides = sides_of(one);
  const Sides other_sides = sides_of(other);
  const std::array directions{sides.along, sides.across, other_sides.along, other_sides.across};
  return std::all_of(directions.begin(), directions.end(), [&](Spot direction) {
    const double reached = reach(one, sides, direction) + reach(other, other_sides, direction);
    return std::abs(dot(offset, direction)) < reached - touching;
  });
}

std::array<Spot, 4> corners_of(const Box& box) {
  const auto [along, across] = sides_of(box);
  const std::array<Spot, 4> signs{{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}};
  std::array<Spot, 4> corners;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const double w = signs[i].x * box.half_width;
    const double h = signs[i].y * box.half_height;
    corners[i] = {box.center.x + w * along.x + h * across.x,
                  box.center.y + w * along.y + h * across.y};
  }
  return corners;
}

BoxIndex::BoxIndex(const Box& area)
    : area_(area),
      columns_(cells_along(area.half_width)),
      rows_(cells_along(area.half_height)),
      cells_(columns_ * rows_) {}

BoxIndex::Cells BoxIndex::cells_of(const Box& box) const {
  const Sides sides = sides_of(box);
  const double x = box.center.x - area_.center.x + area_.half_width;
  const double y = box.center.y - area_.center.y + area_.half_height;
  const double dx = reach(box, sides, {1, 0});
  const double dy = reach(box, sides, {0, 1});
  return {cell_at(x - dx, columns_), cell_at(y - dy, rows_), cell_at(x + dx, columns_),
          cell_at(y + dy, rows_)};
}

void BoxIndex::add(const Box& box) {
  const Cells cells = cells_of(box);
  for (std::size_t row = cells.top; row <= cells.bottom; ++row) {
    for (std::size_t column = cells.left; column <= cells.right; ++column) {
      cells_[row * columns_ + column].push_back(boxes_.size());
    }
  }
  boxes_.push_back(box);
}

bool BoxIndex::overlaps(const Box& box) const {
  const Cells cells = cells_of(box);
  for (std::size_t row = cells.top; row <= cells.bottom; ++row) {
    for (std::size_t column = cells.left; column <= cells.right; ++column) {
      for (const std::size_t i : cells_[row * columns_ + column]) {
        if (overlap(boxes_[i], box)) return true;
      }
    }
  }
  return false;
}

std::size_t BoxIndex::count_overlaps(const Box& box) const {
  const Cells cells = cells_of(box);
  std::vector<std::size_t> found;
  for (std::size_t row = cells.top; row <= cells.bottom; ++row) {
    for (std::size_t column = cells.left; column <= cells.right; ++column) {
      for (const std::size_t i : cells_[row * columns_ + column]) {
        const bool known = std::find(found.begin(), found.end(), i) != found.end();
        if (!known && overlap(boxes_[i], box)) found.push_back(i);
      }
    }
  }
  return found.size();
}

LabelPlacement::LabelPlacement(const Box& frame)
    : frame_(frame),
      markers_(frame),
      lines_(frame),
      rules_(frame),
      labels_(frame),
      leaders_(frame) {}

void LabelPlacement::add_marker(const Box& marker) {
  markers_.add(marker);
}

void LabelPlacement::add_line(const Segment& line) {
  lines_.add(box_of(line));
}

void LabelPlacement::add_rule(const Segment& rule) {
  rules_.add(box_of(rule));
}

double LabelPlacement::cost_of(const Place& place, double near_marker) const {
  double cost = place.cost + line_cost * static_cast<double>(lines_.count_overlaps(place.box)) +
                rule_cost * static_cast<double>(rules_.count_overlaps(place.box));
  if (near_marker > 0) {
    constexpr double near = 5;
    Box around = place.box;
    around.half_width += near;
    around.half_height += near;
    cost += near_marker * static_cast<double>(markers_.count_overlaps(around));
  }
  return cost;
}

bool LabelPlacement::is_free(const Place& place) const {
  if (!within(frame_, place.box) || labels_.overlaps(place.box) || markers_.overlaps(place.box) ||
      leaders_.overlaps(place.box)) {
    return false;
  }
  if (place.clear && lines_.overlaps(*place.clear)) return false;
  if (!place.leader) return true;
  const Box leader = box_of(*place.leader);
  return !labels_.overlaps(leader) && !leaders_.overlaps(leader);
}

std::optional<Place> LabelPlacement::take(const std::vector<Place>& places, double near_marker) {
  const Place* best = nullptr;
  double best_cost = 0;
  for (const Place& place : places) {
    if (best != nullptr && place.cost >= best_cost) break;
    if (!is_free(place)) continue;
    const double cost = cost_of(place, near_marker);
    if (best != nullptr && cost >= best_cost) continue;
    best = &place;
    best_cost = cost;
  }
  if (best == nullptr) return std::nullopt;
  labels_.add(best->box);
  if (best->leader) leaders_.add(box_of(*best->leader));
  return *best;
}

}  // namespace roofline::report
