// Axes: where they end, where values lie on them, which ticks they have.
#include "report/chart_scale.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "roofline/error.hpp"

namespace roofline::report {
namespace {

TEST_CASE("Round numbers are 1 2 or 5 times a power of ten", "[report]") {
  const auto [value, below, above] = GENERATE(table<double, double, double>({{1, 1, 1},
                                                                             {1.5, 1, 2},
                                                                             {2, 2, 2},
                                                                             {4.9, 2, 5},
                                                                             {7, 5, 10},
                                                                             {10, 10, 10},
                                                                             {295.2, 200, 500},
                                                                             {989e12, 5e14, 1e15},
                                                                             {0.003, 0.002, 0.005},
                                                                             {1e-9, 1e-9, 1e-9}}));
  CAPTURE(value);
  CHECK(round_number_below(value) == below);
  CHECK(round_number_above(value) == above);
}

TEST_CASE("An axis has room on both sides of what it shows", "[report]") {
  AxisRange range;
  range.add(2, "two");
  range.add(1000, "a thousand");
  ChartAxis axis;
  range.apply(axis);
  CHECK(axis.low == 1);      // 2 / 1.25 = 1.6
  CHECK(axis.high == 2000);  // 1000 x 1.25 = 1250
}

TEST_CASE("A value far away grows the axis", "[report]") {
  AxisRange range;
  range.add(100, "near");
  range.add(3e-7, "far");
  ChartAxis axis;
  range.apply(axis);
  CHECK(axis.low == 2e-7);  // 2.4e-7
  CHECK(axis.high == 200);
}

TEST_CASE("What has no logarithm is refused by name", "[report]") {
  const double value = GENERATE(0.0, -1.0, std::numeric_limits<double>::infinity(),
                                std::numeric_limits<double>::quiet_NaN());
  AxisRange range;
  try {
    range.add(value, "decode on T4: the intensity");
    FAIL("no error");
  } catch (const Error& error) {
    const std::string what = error.diagnostics().front().what;
    CHECK(what.find("decode on T4: the intensity cannot be drawn") == 0);
  }
}

TEST_CASE("An axis has sixty decades at most", "[report]") {
  AxisRange range;
  range.add(1e-30, "least");
  range.add(1e30, "most");
  ChartAxis axis;
  range.apply(axis);
  CHECK(share_of(axis, 1) == Approx(0.5).epsilon(0.01));
  CHECK_THROWS_AS(range.add(5e-324, "b: the intensity"), Error);
  CHECK_THROWS_AS(range.add(1e31, "b: the intensity"), Error);
}

TEST_CASE("Equal ratios are equal lengths", "[report]") {
  const ChartAxis axis{.label = "x", .unit = "", .low = 0.1, .high = 1000};
  CHECK(share_of(axis, 0.1) == 0);
  CHECK(share_of(axis, 1000) == 1);
  CHECK(share_of(axis, 10) == Approx(0.5).epsilon(1e-12));
  CHECK(share_of(axis, 1) == Approx(0.25).epsilon(1e-12));
}

std::vector<std::string> texts_of(const ChartAxis& axis) {
  std::vector<std::string> texts;
  for (const Tick& tick : ticks_of(axis)) {
    if (!tick.text.empty()) texts.push_back(tick.text);
  }
  return texts;
}

using Strings = std::vector<std::string>;

TEST_CASE("Powers of ten have text and the others are minor", "[report]") {
  const ChartAxis axis{.label = "x", .unit = "FLOP/byte", .low = 0.5, .high = 2000};
  CHECK(texts_of(axis) == Strings{"1", "10", "100", "1,000"});
  // 0.5 to 0.9, 1 to 9, 10 to 90, 100 to 900, 1000 and 2000
  CHECK(ticks_of(axis).size() == 5 + 3 * 9 + 2);
}

TEST_CASE("A short axis has text at 2 and 5 too", "[report]") {
  const ChartAxis axis{.label = "x", .unit = "", .low = 20, .high = 200};
  CHECK(texts_of(axis) == Strings{"20", "50", "100", "200"});
}

TEST_CASE("Ticks of a scaled axis carry prefix and unit", "[report]") {
  const ChartAxis axis{.label = "y", .unit = "FLOP/s", .scaled = true, .low = 1e12, .high = 1e15};
  CHECK(texts_of(axis) == Strings{"1 TFLOP/s", "10 TFLOP/s", "100 TFLOP/s", "1 PFLOP/s"});
}

TEST_CASE("Of very many powers of ten some have text", "[report]") {
  const ChartAxis axis{.label = "x", .unit = "", .low = 1e-10, .high = 1e15};
  const Strings texts = texts_of(axis);
  CHECK(texts.size() >= 6);
  CHECK(texts.size() <= 13);
}

TEST_CASE("The unit stands with the label or with the ticks", "[report]") {
  CHECK(label_of({.label = "arithmetic intensity", .unit = "FLOP/byte"}) ==
        "arithmetic intensity (FLOP/byte)");
  CHECK(label_of({.label = "time", .unit = "s", .scaled = true}) == "time");
  CHECK(label_of({.label = "batch", .unit = ""}) == "batch");
}

}  // namespace
}  // namespace roofline::report
