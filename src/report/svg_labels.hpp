// The labels of a picture: which places each could take, and in which order they choose.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/chart.hpp"
#include "report/label_placement.hpp"

namespace roofline::report {

/// A label that has found its place. Pixels.
struct PlacedLabel {
  std::string text;
  Place place;
  Spot anchor;            ///< what is labelled
  std::string color;      ///< class
  std::string_view side;  ///< of the frame that the label stays at: "top", "right"; mostly empty
  std::optional<std::size_t> line_key{};
  std::optional<std::size_t> point_key{};
};

/// Labels of rules, ridges, ceilings, slopes and markers, in the order in which they choose: what
/// is bound to a spot before what can move along a line. The markers of a picture that is about
/// them (a few, with colours of their own) come first. One that finds no place is left out, as is a
/// second one with the same text at the same spot.
[[nodiscard]] std::vector<PlacedLabel> place_labels(const Chart& chart, const Box& frame);

/// Of the group "labels".
[[nodiscard]] std::string label_elements(const std::vector<PlacedLabel>& labels);

}  // namespace roofline::report
