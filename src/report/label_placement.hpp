// Where labels go: each has places that it could take, the best one first, and gets the best that
// is free. Positions are pixels, y grows downwards.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace roofline::report {

struct Spot {
  double x = 0;
  double y = 0;
};

/// A rectangle turned clockwise by `angle` degrees around its centre, as SVG turns.
struct Box {
  Spot center;
  double half_width = 0;
  double half_height = 0;
  double angle = 0;
};

[[nodiscard]] Box upright_box(double left, double top, double right, double bottom);

struct Segment {
  Spot from;
  Spot to;
};

/// A box as thin as a hairline.
[[nodiscard]] Box box_of(const Segment& segment);

/// By the separating-axis test; boxes that only touch do not overlap.
[[nodiscard]] bool overlap(const Box& one, const Box& other);

/// One after the other around the box.
[[nodiscard]] std::array<Spot, 4> corners_of(const Box& box);

/// A place that a label could take.
struct Place {
  Box box;
  Spot text;                ///< the baseline's point that `anchor` names
  std::string_view anchor;  ///< text-anchor; empty: start
  std::optional<Segment> leader{};
  std::optional<Box> clear{};  ///< between the label and its line: no other line may run there
  double cost = 0;             ///< less is better
};

/// Boxes, found by where they are.
class BoxIndex {
 public:
  /// Boxes outside `area` are kept too, in the cells at its edges.
  explicit BoxIndex(const Box& area);
  void add(const Box& box);
  [[nodiscard]] bool overlaps(const Box& box) const;
  [[nodiscard]] std::size_t count_overlaps(const Box& box) const;

 private:
  struct Cells {
    std::size_t left, top, right, bottom;
  };
  [[nodiscard]] Cells cells_of(const Box& box) const;

  Box area_;
  std::size_t columns_;
  std::size_t rows_;
  std::vector<Box> boxes_;
  std::vector<std::vector<std::size_t>> cells_;
};

/// Labels lie within the frame and overlap neither each other, nor leader lines, nor markers;
/// leader lines run through no label and cross none. A line under a label is allowed and costs.
class LabelPlacement {
 public:
  explicit LabelPlacement(const Box& frame);
  void add_marker(const Box& marker);
  void add_line(const Segment& line);
  void add_rule(const Segment& rule);

  /// The place of least cost that is free; it is taken then. `places` rise in cost. A label that
  /// could be taken to name other markers close by costs `near_marker` for each.
  [[nodiscard]] std::optional<Place> take(const std::vector<Place>& places, double near_marker = 0);

 private:
  [[nodiscard]] bool is_free(const Place& place) const;
  [[nodiscard]] double cost_of(const Place& place, double near_marker) const;

  Box frame_;
  BoxIndex markers_;
  BoxIndex lines_;
  BoxIndex rules_;
  BoxIndex labels_;
  BoxIndex leaders_;
};

/// Of what is under a label, against the costs of places.
inline constexpr double line_cost = 1;
inline constexpr double rule_cost = 0.3;

}  // namespace roofline::report
