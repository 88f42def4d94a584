// Boxes that overlap, and labels that find a free place.
#include "report/label_placement.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <tuple>
#include <vector>

namespace roofline::report {
namespace {

/// Whether some of many points of one box lies inside the other: slow, by other means than the
/// separating axes.
bool shares_a_point(const Box& one, const Box& other) {
  const double to_radians = std::acos(-1.0) / 180;
  constexpr int steps = 60;
  for (int i = 0; i <= steps; ++i) {
    for (int j = 0; j <= steps; ++j) {
      const double u = one.half_width * (2.0 * i / steps - 1);
      const double v = one.half_height * (2.0 * j / steps - 1);
      const double a = one.angle * to_radians;
      const double x = one.center.x + u * std::cos(a) - v * std::sin(a) - other.center.x;
      const double y = one.center.y + u * std::sin(a) + v * std::cos(a) - other.center.y;
      const double b = -other.angle * to_radians;
      if (std::abs(x * std::cos(b) - y * std::sin(b)) < other.half_width &&
          std::abs(x * std::sin(b) + y * std::cos(b)) < other.half_height) {
        return true;
      }
    }
  }
  return false;
}

TEST_CASE("Boxes overlap by the area that they share", "[report]") {
  const auto [other, expected] = GENERATE(table<Box, bool>(
      {{{{15, 0}, 6, 5}, true},
       {{{15, 0}, 5, 5}, false},  // touches
       {{{0, 9}, 1, 5}, true},
       {{{0, 11}, 1, 5}, false},
       {{{0, 12}, 1, 7}, false},
       {{{0, 0}, 1, 1}, true},  // inside
       // A square's corner reaches 5 x sqrt(2) = 7.07 to the left.
       {{{17, 0}, 5, 5, 45}, true},
       {{{17.1, 0}, 5, 5, 45}, false},
       // Upright boxes around the two overlap, they do not: the bar's side is 3 from its middle.
       {{{16, 11}, 20, 3, -45}, false},
       {{{11, 7}, 20, 3, -45}, true}}));
  const Box box{{0, 0}, 10, 5};
  CAPTURE(other.center.x, other.center.y, other.angle);
  CHECK(overlap(box, other) == expected);
  CHECK(overlap(other, box) == expected);
}

TEST_CASE("The separating axes agree with points in the boxes", "[report]") {
  unsigned state = 1;
  const auto next = [&state](double low, double high) {
    state = state * 1664525U + 1013904223U;
    return low + (high - low) * (state >> 8) / 16777216.0;
  };
  int overlapping = 0;
  for (int i = 0; i < 400; ++i) {
    const Box one{{0, 0}, next(5, 40), next(3, 10), next(-90, 90)};
    const Box other{{next(-60, 60), next(-60, 60)}, next(5, 40), next(3, 10), next(-90, 90)};
    const bool shared = shares_a_point(one, other) || shares_a_point(other, one);
    overlapping += shared ? 1 : 0;
    // Points a step apart miss the smallest overlaps, never the other way round.
    Box smaller = other;
    smaller.half_width -= 1.5;
    smaller.half_height -= 1.5;
    if (shared) CHECK(overlap(one, other));
    if (!shared) CHECK_FALSE(overlap(one, smaller));
  }
  CHECK(overlapping > 50);
  CHECK(overlapping < 350);
}

TEST_CASE("A turned box has the corners of a turned box", "[report]") {
  // 3-4-5: 10 along (0.8, 0.6), 5 across (-0.6, 0.8), in SVG's direction.
  const double angle = std::atan2(3, 4) * 180 / std::acos(-1.0);
  const auto corners = corners_of({{100, 100}, 10, 5, angle});
  CHECK(corners[0].x == Approx(95));  // 100 - 8 + 3
  CHECK(corners[0].y == Approx(90));  // 100 - 6 - 4
  CHECK(corners[2].x == Approx(105));
  CHECK(corners[2].y == Approx(110));
  CHECK(corners[1].x == Approx(111));  // 100 + 8 + 3
  CHECK(corners[1].y == Approx(102));  // 100 + 6 - 4
}

TEST_CASE("An index finds boxes wherever they are", "[report]") {
  BoxIndex index(upright_box(0, 0, 100, 100));
  index.add({{10, 10}, 5, 5});
  index.add({{90, 90}, 30, 30});
  index.add({{-500, 50}, 5, 5});
  index.add(box_of({{0, 100}, {100, 0}}));
  CHECK(index.overlaps({{12, 12}, 1, 1}));
  CHECK(index.overlaps({{-500, 50}, 1, 1}));
  CHECK_FALSE(index.overlaps({{30, 30}, 5, 5}));
  CHECK(index.count_overlaps({{50, 50}, 60, 60}) == 3);
  CHECK(index.count_overlaps({{50, 50}, 2, 2}) == 1);
}

Place at(double x, double y, double cost) {
  return {.box = {{x, y}, 10, 5}, .text = {}, .anchor = {}, .cost = cost};
}

TEST_CASE("A label takes the cheapest place that is free", "[report]") {
  LabelPlacement placement(upright_box(0, 0, 200, 100));
  placement.add_marker({{50, 50}, 5, 5});
  // Out of the frame; on the marker; free; free too.
  const std::vector<Place> places{at(5, 50, 0), at(60, 50, 1), at(70, 50, 2), at(100, 50, 3)};
  const auto first = placement.take(places);
  REQUIRE(first);
  CHECK(first->box.center.x == 70);
  const auto second = placement.take(places);
  REQUIRE(second);
  CHECK(second->box.center.x == 100);
  CHECK_FALSE(placement.take(places));
}

TEST_CASE("A line under a label costs and one between it and what it names is not allowed",
          "[report]") {
  LabelPlacement placement(upright_box(0, 0, 200, 100));
  placement.add_line({{50, 0}, {50, 100}});
  CHECK(placement.take({at(50, 20, 0), at(100, 20, 0.9)})->box.center.x == 100);
  CHECK(placement.take({at(50, 40, 0), at(100, 40, 1.1)})->box.center.x == 50);
  Place beside = at(30, 80, 0);
  beside.clear = Box{{45, 80}, 10, 2};
  CHECK_FALSE(placement.take({beside}));
  beside.clear = Box{{15, 80}, 10, 2};
  CHECK(placement.take({beside}));
}

TEST_CASE("A marker close by costs where a label could be taken for its own", "[report]") {
  LabelPlacement placement(upright_box(0, 0, 200, 100));
  placement.add_marker({{50, 50}, 5, 5});
  const std::vector<Place> places{at(67, 50, 0), at(100, 50, 0.4)};
  LabelPlacement same = placement;
  CHECK(placement.take(places)->box.center.x == 67);
  CHECK(same.take(places, 0.5)->box.center.x == 100);
}

TEST_CASE("Leader lines run through no label and no label lies on one", "[report]") {
  LabelPlacement placement(upright_box(0, 0, 200, 100));
  REQUIRE(placement.take({at(100, 50, 0)}));
  Place through = at(160, 50, 0);
  through.leader = Segment{{50, 50}, {150, 50}};
  CHECK_FALSE(placement.take({through}));
  Place above = at(160, 20, 0);
  above.leader = Segment{{50, 20}, {150, 20}};
  CHECK(placement.take({above}));
  CHECK_FALSE(placement.take({at(100, 20, 0)}));
  Place crossing = at(100, 90, 0);
  crossing.leader = Segment{{60, 5}, {60, 80}};
  CHECK_FALSE(placement.take({crossing}));
}

}  // namespace
}  // namespace roofline::report
