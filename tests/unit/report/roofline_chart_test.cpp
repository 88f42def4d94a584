// The roofline as lines and markers: where they lie, and what stands beside them.
#include "report/roofline_chart.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "analysis/small_device.hpp"
#include "report/plotted_workloads.hpp"
#include "roofline/catalog.hpp"
#include "roofline/error.hpp"
#include "roofline/spec_file.hpp"

namespace roofline::report {
namespace {

Approx near(double value) {
  return Approx(value).epsilon(1e-12);
}

/// 2 x 600^3 FLOP over 3 x 2 x 600^2 bytes: 200 FLOP/byte; of 60: 20 FLOP/byte.
PlotRequest matmuls_on(std::vector<Device> devices) {
  PlotRequest request;
  request.question.devices = std::move(devices);
  request.question.workloads = {{"large", MatmulShape{600, 600, 600}},
                                {"small", MatmulShape{60, 60, 60}}};
  return request;
}

Chart chart_of(const PlotRequest& request,
               MarkWorkloads mark = MarkWorkloads::by_number_of_devices) {
  return roofline_chart(plot(request), mark, 4);
}

PlotRequest textbook(std::vector<std::string> gpus) {
  const Catalog catalog;
  const CatalogEntry entry = catalog.find(EntryKind::spec, "textbook");
  const SpecFile spec = read_spec_file(entry.text, "textbook.json", catalog);
  PlotRequest request;
  request.question.workloads = spec.workloads;
  for (const Device& device : spec.devices) {
    if (std::find(gpus.begin(), gpus.end(), device.name) != gpus.end()) {
      request.question.devices.push_back(device);
    }
  }
  return request;
}

TEST_CASE("A roof is a slope to the ridge and a ceiling from there", "[report]") {
  const Chart chart = chart_of(matmuls_on({small_device("one")}));
  // Intensities 20 to 200 FLOP/byte, rates 20 to 100 TFLOP/s, each with room of a quarter.
  CHECK(chart.x.low == 10);
  CHECK(chart.x.high == 500);
  CHECK(chart.y.low == 10e12);
  CHECK(chart.y.high == 200e12);
  REQUIRE(chart.lines.size() == 1);
  REQUIRE(chart.lines[0].points.size() == 3);
  CHECK(chart.lines[0].points[0] == ChartPosition{10, 10e12});
  CHECK(chart.lines[0].points[1] == ChartPosition{100, 100e12});
  CHECK(chart.lines[0].points[2] == ChartPosition{500, 100e12});
  CHECK_FALSE(chart.lines[0].dashed);
}

TEST_CASE("Points lie on the roof at their intensity", "[report]") {
  const Chart chart = chart_of(matmuls_on({small_device("one")}));
  REQUIRE(chart.markers.size() == 2);
  CHECK(chart.markers[0].at.x == near(200));
  CHECK(chart.markers[0].at.y == near(100e12));
  CHECK(chart.markers[1].at.x == near(20));
  CHECK(chart.markers[1].at.y == near(20e12));
  CHECK(chart.markers[0].label == "large");
  CHECK(chart.markers[0].title == "large on one");
  CHECK(chart.color_by_point);
  CHECK(chart.rules.empty());
}

TEST_CASE("Several devices have lines for workloads and points without labels", "[report]") {
  const Chart chart = chart_of(matmuls_on({small_device("one"), small_device("two")}));
  REQUIRE(chart.rules.size() == 2);
  CHECK(chart.rules[0].at == near(200));
  CHECK(chart.rules[0].label == "large");
  CHECK(chart.rules[1].point_key == 1U);
  REQUIRE(chart.markers.size() == 4);
  for (const ChartMarker& marker : chart.markers) CHECK(marker.label.empty());
  CHECK(chart.markers[3].line_key == 1U);
  CHECK(chart.markers[3].point_key == 1U);
  CHECK_FALSE(chart.color_by_point);
}

TEST_CASE("How workloads are drawn can be chosen", "[report]") {
  const Chart points =
      chart_of(matmuls_on({small_device("one"), small_device("two")}), MarkWorkloads::as_points);
  CHECK(points.rules.empty());
  CHECK(points.markers[0].label == "large");
  const Chart lines = chart_of(matmuls_on({small_device("one")}), MarkWorkloads::as_lines);
  CHECK(lines.rules.size() == 2);
}

TEST_CASE("Ceilings that nothing runs at are dashed and start at their ridge", "[report]") {
  PlotRequest request = matmuls_on({small_device("one")});
  request.all_ceilings = true;
  const Chart chart = chart_of(request);
  REQUIRE(chart.lines.size() == 3);  // fp32, fp16, fp8
  CHECK(chart.lines[0].dashed);
  CHECK(chart.lines[0].points == std::vector<ChartPosition>{{10, 10e12}, {chart.x.high, 10e12}});
  CHECK_FALSE(chart.lines[1].dashed);
  CHECK(chart.lines[2].dashed);
  CHECK(chart.lines[2].points ==
        std::vector<ChartPosition>{{100, 100e12}, {200, 200e12}, {chart.x.high, 200e12}});
}

TEST_CASE("Ceilings slopes and ridges are labelled with their figures", "[report]") {
  const Chart chart = chart_of(matmuls_on({small_device("one")}));
  REQUIRE(chart.line_labels.size() == 3);
  CHECK(chart.line_labels[0].text == "100.0 TFLOP/s fp16");
  CHECK(chart.line_labels[0].from == ChartPosition{100, 100e12});
  CHECK(chart.line_labels[0].to == ChartPosition{500, 100e12});
  CHECK(chart.line_labels[1].text == "1.000 TB/s");
  CHECK(chart.line_labels[2].text == "ridge 100.0");
  CHECK(chart.line_labels[2].from == chart.line_labels[2].to);
  const Chart several = chart_of(matmuls_on({small_device("one"), small_device("two")}));
  CHECK(several.line_labels[0].text == "one 100.0 TFLOP/s fp16");
  CHECK(several.line_keys[1].name == "two");
  CHECK(several.line_keys[1].detail == "100.0 TFLOP/s fp16, ridge 100.0; 1.000 TB/s");
}

TEST_CASE("What was measured lies below its point with its share", "[report]") {
  PlotRequest request = matmuls_on({small_device("one")});
  request.measurements = {FlopsPerSecond(62e12), std::monostate()};
  request.measured = {
      {.name = "own", .intensity = FlopsPerByte(1), .achieved = FlopsPerSecond(5e11)}};
  const Chart chart = chart_of(request);
  REQUIRE(chart.markers.size() == 4);
  CHECK(chart.markers[2].measured);
  CHECK(chart.markers[2].at.x == near(200));
  CHECK(chart.markers[2].at.y == near(62e12));
  CHECK(chart.markers[2].label == "measured, 62 %");
  CHECK(chart.markers[2].point_key == 0U);
  CHECK(chart.markers[3].label == "own");
  REQUIRE(chart.point_keys.size() == 3);
  CHECK(chart.point_keys[2].measured);
  CHECK(chart.markers[3].point_key == 2U);
  // The axes have grown to 1 FLOP/byte and 0.5 TFLOP/s, and the slope with them.
  CHECK(chart.x.low == 0.5);
  CHECK(chart.y.low == 2e11);
  CHECK(chart.lines[0].points[0] == ChartPosition{0.5, 5e11});
}

TEST_CASE("Everything lies within the axes", "[report]") {
  const Chart chart = chart_of(textbook({"T4", "L4", "A10G", "A100", "H100"}));
  const auto inside = [&](const ChartPosition& position) {
    return position.x >= chart.x.low && position.x <= chart.x.high && position.y >= chart.y.low &&
           position.y <= chart.y.high;
  };
  for (const ChartLine& line : chart.lines) {
    for (const ChartPosition& position : line.points) CHECK(inside(position));
  }
  for (const ChartMarker& marker : chart.markers) CHECK(inside(marker.at));
}

TEST_CASE("The textbook's pictures", "[report]") {
  const Chart all = chart_of(textbook({"T4", "L4", "A10G", "A100", "H100"}));
  CHECK(all.line_keys.size() == 5);
  CHECK(all.rules.size() == 5);
  CHECK(all.markers.size() == 25);
  const Chart one = chart_of(textbook({"A100"}));
  CHECK(one.line_keys.size() == 1);
  CHECK(one.rules.empty());
  REQUIRE(one.markers.size() == 5);
  CHECK(one.markers[3].label == "decode, batch 32");
  CHECK(one.markers[3].at.x == near(31.416501060308896));
  CHECK(one.markers[3].at.y == near(64.05824566196983e12));
}

TEST_CASE("Workloads are named by what tells them apart", "[report]") {
  PlotRequest request;
  request.question.models = {Catalog().model("llama-3.1-8b")};
  request.question.devices = {Catalog().device("H100"), Catalog().device("A100")};
  const auto names = [&] { return plotted_workloads(plot(request).analysis).names; };
  using Strings = std::vector<std::string>;
  request.question.workloads = {{"decode", Decode{32, 2048}}};
  CHECK(names() == Strings{"decode, batch 32, context 2,048"});
  request.question.workloads = {{"decode", Decode{1, 2048}}, {"decode", Decode{32, 2048}}};
  CHECK(names() == Strings{"batch 1", "batch 32"});
  request.question.workloads = {{"decode", Decode{1, 2048}}, {"decode", Decode{1, 4096}}};
  CHECK(names() == Strings{"context 2,048", "context 4,096"});
  request.question.workloads = {{"decode", Decode{1, 2048}}, {"prefill", Prefill{1, 2048}}};
  CHECK(names() == Strings{"decode", "prefill"});
  request.question.models.push_back(Catalog().model("gpt2"));
  request.question.workloads = {{"decode", Decode{1, 512}}};
  CHECK(names() == Strings{"llama-3.1-8b", "gpt2"});
  CHECK(plotted_workloads(plot(request).analysis).of_point == std::vector<std::size_t>{0, 0, 1, 1});
}

TEST_CASE("A device without a bandwidth cannot be drawn", "[report]") {
  PlotResult result = plot(matmuls_on({small_device("one")}));
  result.ceilings[0].roof.bandwidth = BytesPerSecond(0);
  try {
    (void)roofline_chart(result, MarkWorkloads::as_points, 4);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.diagnostics().front().what ==
          "one fp16: the ridge cannot be drawn: it is infinite");
  }
}

}  // namespace
}  // namespace roofline::report
