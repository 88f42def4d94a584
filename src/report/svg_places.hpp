// The places that a label of one line of text could take beside what it names, the best one first.
#pragma once

#include <string_view>
#include <vector>

#include "report/label_placement.hpp"

namespace roofline::report {

/// The size of a label's box, and a hair of room around it.
struct LabelSize {
  double half_width = 0;
  double half_height = 0;
};
[[nodiscard]] LabelSize label_box_size(std::string_view text);

/// Along a straight line, above it and below it: at the end of one that is level, else about its
/// middle. Markers of that radius may lie on it.
[[nodiscard]] std::vector<Place> places_along(const Segment& line, double radius,
                                              const LabelSize& size);

/// Along a rule from the bottom to the top (or from left to right), near its end.
[[nodiscard]] std::vector<Place> places_at_end(const Segment& rule, double radius,
                                               const LabelSize& size);

/// Level, beside the upper end of an upright rule.
[[nodiscard]] std::vector<Place> places_beside_top(const Segment& rule, const LabelSize& size);

enum class Around {
  marker,  ///< its right comes first
  ridge    ///< the corner of a roof: above and below right come first
};

/// Within `radius` pixels of `spot` there is a mark.
[[nodiscard]] std::vector<Place> places_around(Spot spot, double radius, const LabelSize& size,
                                               Around around);

/// Further away, with a leader line of at most `longest` pixels to the mark.
[[nodiscard]] std::vector<Place> places_with_leader(Spot spot, double radius, double longest,
                                                    const LabelSize& size);

}  // namespace roofline::report
