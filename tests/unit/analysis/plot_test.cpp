// What the picture of a roofline shows: ceilings, and measurements beside the points.
#include "roofline/plot.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "../base/refusal.hpp"
#include "analysis/small_device.hpp"
#include "roofline/catalog.hpp"
#include "roofline/error.hpp"
#include "roofline/spec_file.hpp"

namespace roofline {
namespace {

using Catch::Matchers::Contains;

Approx near(double value) {
  return Approx(value).epsilon(1e-12);
}

/// fp16: 2 x 1000^3 FLOP over 3 x 2 x 1000^2 bytes are 333.3 FLOP/byte.
PlotRequest matmul_on(std::vector<Device> devices) {
  PlotRequest request;
  request.question.devices = std::move(devices);
  request.question.workloads = {{"matmul", MatmulShape{1000, 1000, 1000}}};
  return request;
}

std::vector<std::string> keys_of(const PlotResult& result) {
  std::vector<std::string> keys;
  for (const Ceiling& ceiling : result.ceilings) {
    keys.push_back(ceiling.gpu + " " + to_string(ceiling.key) + (ceiling.used ? " used" : ""));
  }
  return keys;
}

using Strings = std::vector<std::string>;

TEST_CASE("A device has the ceiling that its products run at", "[analysis]") {
  const PlotResult result = plot(matmul_on({small_device("one"), small_device("two")}));
  CHECK(keys_of(result) == Strings{"one fp16 used", "two fp16 used"});
  CHECK(result.ceilings.front().roof == Roof{FlopsPerSecond(100e12), BytesPerSecond(1e12)});
  CHECK(result.ceilings.front().roof.ridge() == FlopsPerByte(100));
}

TEST_CASE("Ceilings that are asked for are drawn too and the lowest comes first", "[analysis]") {
  PlotRequest request = matmul_on({small_device("one")});
  request.ceilings = {{.type = MatrixType::fp8}};
  CHECK(keys_of(plot(request)) == Strings{"one fp16 used", "one fp8"});
  request.all_ceilings = true;
  CHECK(keys_of(plot(request)) == Strings{"one fp32", "one fp16 used", "one fp8"});
}

TEST_CASE("A step of two types has both ceilings", "[analysis]") {
  PlotRequest request;
  request.question.models = {Catalog().model("qwen2.5-7b")};
  request.question.devices = {Catalog().device("H100")};
  request.question.workloads = {{"decode", Decode{64, 2048}}};
  request.question.precision.weights = Catalog().format("fp8");
  request.question.precision.activations = Catalog().format("fp8");
  // The layers' matrices run in fp8, lm_head and attention in bf16.
  CHECK(keys_of(plot(request)) == Strings{"H100-SXM5-80GB bf16 used", "H100-SXM5-80GB fp8 used"});
}

TEST_CASE("A ceiling that one device lacks is a note and one that all lack an error",
          "[analysis]") {
  Device without = small_device("without");
  without.peaks.erase({.type = MatrixType::fp8});
  PlotRequest request = matmul_on({small_device("with"), without});
  request.ceilings = {{.type = MatrixType::fp8}};
  const PlotResult result = plot(request);
  CHECK(keys_of(result) == Strings{"with fp16 used", "with fp8", "without fp16 used"});
  CHECK(result.analysis.points[0].notes.empty());
  CHECK(result.analysis.points[1].notes == Strings{"no fp8 ceiling: there is no such peak"});

  request.question.devices = {without};
  const Diagnostic refused = refusal([&] { return plot(request); });
  CHECK(refused.what == "without has no fp8 peak");
  CHECK(refused.why == "the peaks are fp16, fp32");
}

TEST_CASE("A measured time is a rate at the point's intensity", "[analysis]") {
  PlotRequest request = matmul_on({small_device("one")});
  request.measurements = {Seconds(40e-6)};  // 2e9 FLOP in 40 us: 50 TFLOP/s
  const PlotResult result = plot(request);
  REQUIRE(result.measured.size() == 1);
  CHECK(result.measured[0].point == 0U);
  CHECK(result.measured[0].achieved.value() == near(50e12));
  CHECK(result.measured[0].intensity.value() == near(1000.0 / 3));
  CHECK(result.analysis.points[0].notes.empty());
}

TEST_CASE("Measured rates stand as they are and what was not measured is left out", "[analysis]") {
  PlotRequest request = matmul_on({small_device("one"), small_device("two")});
  request.measurements = {std::monostate(), FlopsPerSecond(25e12)};
  request.measured = {
      {.name = "profiled", .intensity = FlopsPerByte(3), .achieved = FlopsPerSecond(2e12)}};
  const PlotResult result = plot(request);
  REQUIRE(result.measured.size() == 2);
  CHECK(result.measured[0].point == 1U);
  CHECK(result.measured[0].achieved == FlopsPerSecond(25e12));
  CHECK(result.measured[1] == request.measured[0]);
}

TEST_CASE("Faster than the roofline is worth a note", "[analysis]") {
  PlotRequest request = matmul_on({small_device("one")});
  request.measurements = {FlopsPerSecond(100e12)};
  CHECK(plot(request).analysis.points[0].notes.empty());
  request.measurements = {FlopsPerSecond(101e12)};
  const PlotResult result = plot(request);
  REQUIRE(result.analysis.points[0].notes.size() == 1);
  CHECK_THAT(result.analysis.points[0].notes[0], Contains("faster than the roofline"));
}

TEST_CASE("There are as many measurements as points", "[analysis]") {
  PlotRequest request = matmul_on({small_device("one"), small_device("two")});
  request.measurements = {Seconds(1)};
  CHECK(refusal([&] { return plot(request); }).what == "1 measurement for 2 points");
}

TEST_CASE("A picture has room for so many points", "[analysis]") {
  PlotRequest request = matmul_on({small_device("one")});
  for (int i = 0; i < 500; ++i) {
    request.question.workloads.push_back({"matmul", MatmulShape{1000, 1000, 1001 + i}});
  }
  CHECK(refusal([&] { return plot(request); }).what == "501 points are too many for one picture");
  request.question.workloads.pop_back();
  CHECK(plot(request).analysis.points.size() == 500);
}

}  // namespace
}  // namespace roofline
