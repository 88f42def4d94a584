// What would help, recomputed by hand for a small model: speed-ups, their order, what does not
// apply, and whether it fits.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "roofline/analyze.hpp"
#include "roofline/catalog.hpp"

namespace roofline {
namespace {

using Changes = std::vector<Change>;

Approx near(double value) {
  return Approx(value).epsilon(1e-12);
}

/// h 64, V 320 untied, 3 layers of 16 query and 4 K/V heads of 8 and an MLP of 96, in bf16.
/// Decode of 4 at context 100: weights 2 (3 x 38,912 + 20,480) = 274,432 bytes, K/V 153,600
/// bytes, 8 x 137,216 + 614,400 = 1,712,128 FLOP.
Model small_model() {
  Model model;
  model.name = "small";
  model.hidden_size = 64;
  model.vocabulary = 320;
  model.published_format = plain_format(MatrixType::bf16);
  LayerGroup layer;
  layer.count = 3;
  layer.mixer =
      Attention{.query_heads = 16, .kv_heads = 4, .head_dim = 8, .window = {}, .chunk = {}};
  layer.feed_forward = Mlp{.width = 96};
  model.layers = {layer};
  return model;
}

constexpr double weights = 274'432;
constexpr double kv = 153'600;
constexpr double flops = 1'712'128;

/// That decode step takes 1 s of memory and `compute` of bf16 arithmetic; fp8 is ten times faster.
Device device_of(double compute) {
  Device device;
  device.name = "X";
  device.device_class = "gpu";
  device.bandwidth = BytesPerSecond(weights + kv);
  device.peaks[{.type = MatrixType::bf16}] = FlopsPerSecond(flops / compute);
  device.peaks[{.type = MatrixType::fp8}] = FlopsPerSecond(10 * flops / compute);
  return device;
}

AnalyzeRequest request_of(const Model& model, const Device& device) {
  return {.models = {model},
          .devices = {device},
          .workloads = {{"decode", Decode{.batch = 4, .context = 100}}}};
}

std::vector<Improvement> improvements(const AnalyzeRequest& request) {
  const AnalyzeResult result = analyze(request);
  REQUIRE(result.points.size() == 1);
  return result.points.front().improvements;
}

Changes changes_of(const std::vector<Improvement>& found) {
  Changes changes;
  for (const Improvement& one : found) changes.push_back(one.change);
  return changes;
}

Improvement of(const std::vector<Improvement>& found, Change change) {
  const auto one = std::find_if(found.begin(), found.end(),
                                [&](const Improvement& i) { return i.change == change; });
  REQUIRE(one != found.end());
  return *one;
}

TEST_CASE("A step that memory bounds is helped by fewer bytes and more bandwidth", "[analysis]") {
  const auto found = improvements(request_of(small_model(), device_of(0.4)));
  CHECK(changes_of(found) == Changes{Change::bandwidth_twice, Change::batch_twice,
                                     Change::weights_8_bit, Change::kv_8_bit, Change::peak_twice});
  const auto check = [&](Change change, double time, double speedup) {
    INFO(to_string(change));
    CHECK(of(found, change).roofline.value() == near(time));
    CHECK(of(found, change).speedup == near(speedup));
    CHECK_FALSE(of(found, change).fits);  // capacity not known
  };
  check(Change::bandwidth_twice, 0.5, 2);
  const double twice = (weights + 2 * kv) / (weights + kv);  // 1.359 s for twice the tokens
  check(Change::batch_twice, twice, 2 / twice);
  // Of 428,032 bytes the layers' matrices, 2 x 3 x 38,912, halve: 311,296 are left.
  check(Change::weights_8_bit, 8.0 / 11, 11.0 / 8);
  check(Change::kv_8_bit, 351'232 / 428'032.0, 428'032 / 351'232.0);
  check(Change::peak_twice, 1, 1);
}

TEST_CASE("Twice the bandwidth ends at the compute time", "[analysis]") {
  const auto found = improvements(request_of(small_model(), device_of(0.8)));
  CHECK(of(found, Change::bandwidth_twice).roofline.value() == near(0.8));
  CHECK(of(found, Change::bandwidth_twice).speedup == near(1.25));
  CHECK(of(found, Change::weights_8_bit).roofline.value() == near(0.8));
  // Twice the batch: 1.6 s of arithmetic, 1.36 s of memory.
  CHECK(of(found, Change::batch_twice).roofline.value() == near(1.6));
  CHECK(of(found, Change::batch_twice).speedup == near(1.25));
}

TEST_CASE("A step that arithmetic bounds is helped by the peak alone", "[analysis]") {
  // 8-bit weights with 16-bit activations run at the 16-bit peak: fp8 is no help.
  const auto found = improvements(request_of(small_model(), device_of(3)));
  CHECK(found.front().change == Change::peak_twice);
  CHECK(found.front().roofline.value() == near(1.5));
  CHECK(found.front().speedup == near(2));
  REQUIRE(found.size() == 5);
  for (std::size_t i = 1; i < found.size(); ++i) {
    INFO(to_string(found[i].change));
    CHECK(found[i].speedup == near(1));
  }
}

TEST_CASE("A step that the network bounds is helped by the link alone", "[analysis]") {
  // 6 rings of 2 x 1/2 x 4 x 64 x 2 = 512 bytes: 3072 in 2 s; memory and arithmetic halve.
  Device device = device_of(0.4);
  device.interconnect.emplace();
  device.interconnect->per_direction = BytesPerSecond(1536);
  AnalyzeRequest request = request_of(small_model(), device);
  request.deployment.tensor = 2;
  const AnalyzePoint point = analyze(request).points.front();
  CHECK(point.verdict() == Verdict::network_bound);
  CHECK(point.compute_time.value() == near(0.2));
  CHECK(point.memory_time.value() == near(0.5));
  CHECK(point.network_time.value() == near(2));
  CHECK(point.roofline_time.value() == near(2));
  CHECK(point.achievable().value() == near(flops / 2 / 2));
  const std::vector<Improvement>& found = point.improvements;
  REQUIRE(found.size() == 6);
  CHECK(found.front().change == Change::link_twice);
  CHECK(found.front().roofline.value() == near(1));
  CHECK(found.front().speedup == near(2));
  // Twice the batch moves twice the bytes: no more tokens a second.
  CHECK(of(found, Change::batch_twice).roofline.value() == near(4));
  CHECK(of(found, Change::batch_twice).speedup == near(1));
  CHECK(of(found, Change::bandwidth_twice).speedup == near(1));
}

TEST_CASE("What is in 8 bits already is left out", "[analysis]") {
  const Catalog catalog;
  const std::string format = GENERATE("fp8", "int8", "q4-k", "awq");
  INFO(format);
  Device device = device_of(0.4);
  device.peaks[{.type = MatrixType::int8}] = FlopsPerSecond(1e9);
  device.peaks[{.type = MatrixType::fp32}] = FlopsPerSecond(1e6);  // for norms of GGUF
  AnalyzeRequest request = request_of(small_model(), device);
  request.precision.weights = catalog.format(format);
  Changes changes = changes_of(improvements(request));
  CHECK(std::count(changes.begin(), changes.end(), Change::weights_8_bit) == 0);
  CHECK(std::count(changes.begin(), changes.end(), Change::kv_8_bit) == 1);
  request.precision.weights.reset();
  request.precision.kv = catalog.format("fp8");
  changes = changes_of(improvements(request));
  CHECK(std::count(changes.begin(), changes.end(), Change::weights_8_bit) == 1);
  CHECK(std::count(changes.begin(), changes.end(), Change::kv_8_bit) == 0);
}

TEST_CASE("A model without a cache has no K/V to make smaller", "[analysis]") {
  Model model = small_model();
  model.layers[0].mixer = LinearAttention{.heads = 4, .head_dim = 16};
  const Changes changes = changes_of(improvements(request_of(model, device_of(0.4))));
  CHECK(std::count(changes.begin(), changes.end(), Change::kv_8_bit) == 0);
  CHECK(std::count(changes.begin(), changes.end(), Change::weights_8_bit) == 1);
}

TEST_CASE("A link that nothing crosses is left out", "[analysis]") {
  AnalyzeRequest request = request_of(small_model(), device_of(0.4));
  CHECK(improvements(request).size() == 5);
  request.deployment.data = 2;
  CHECK(improvements(request).size() == 5);
}

TEST_CASE("Twice the batch fills replicas that have nothing to do", "[analysis]") {
  AnalyzeRequest request = request_of(small_model(), device_of(0.4));
  request.workloads = {{"decode", Decode{.batch = 1, .context = 100}}};
  request.deployment.data = 2;
  CHECK(of(improvements(request), Change::batch_twice).speedup == near(2));
}

TEST_CASE("Twice the batch doubles sequences of every length", "[analysis]") {
  // 2 of 100 and 1 of 50: K/V of 250 tokens, 384 bytes each, then of 500.
  AnalyzeRequest request = request_of(small_model(), device_of(0.01));
  request.workloads = {{"decode", Decode{.batch = 2, .context = 100, .others = {{1, 50}}}}};
  const double once = weights + 250 * 384;
  const double twice = weights + 500 * 384;
  const Improvement found = of(improvements(request), Change::batch_twice);
  CHECK(found.roofline.value() == near(twice / (weights + kv)));
  CHECK(found.speedup == near(2 * once / twice));
}

TEST_CASE("Each change says whether it fits", "[analysis]") {
  // Needs 2 (3 x 38,912 + 2 x 20,480) + 153,600 + 2 x 4 x (384 + 64) = 472,576 of 400,000 bytes;
  // 355,840 with 8-bit weights, 395,776 with 8-bit K/V.
  Device device = device_of(0.4);
  device.usable = Bytes(800'000);
  AnalyzeRequest request = request_of(small_model(), device);
  request.utilization = 0.5;
  const AnalyzePoint point = analyze(request).points.front();
  const auto& detail = std::get<StepAnalysis>(point.detail);
  CHECK(detail.memory.total() == Bytes(472'576));
  CHECK(detail.usable_memory == Bytes(400'000));
  CHECK(detail.fits() == false);
  for (const auto& [change, fits] : std::vector<std::pair<Change, bool>>{
           {Change::peak_twice, false},
           {Change::bandwidth_twice, false},
           {Change::weights_8_bit, true},
           {Change::kv_8_bit, true},
           {Change::batch_twice, false},
       }) {
    INFO(to_string(change));
    CHECK(of(point.improvements, change).fits == fits);
  }
  request.utilization = 472'576.0 / 800'000;
  CHECK(of(improvements(request), Change::peak_twice).fits == true);
  CHECK(of(improvements(request), Change::batch_twice).fits == false);
}

TEST_CASE("Only an answer of one point says what would help", "[analysis]") {
  AnalyzeRequest request = request_of(small_model(), device_of(0.4));
  request.workloads.push_back({"other", Decode{.batch = 1, .context = 10}});
  for (const AnalyzePoint& point : analyze(request).points) CHECK(point.improvements.empty());
}

TEST_CASE("A kernel is helped by peak or bandwidth", "[analysis]") {
  // 4 x 4 x 4: 128 FLOP and 2 x 48 = 96 bytes.
  Device device;
  device.name = "X";
  device.peaks[{.type = MatrixType::fp16}] = FlopsPerSecond(128);
  device.bandwidth = BytesPerSecond(64);  // 1 s and 1.5 s
  const AnalyzeRequest request{.models = {},
                               .devices = {device},
                               .workloads = {{"matmul", MatmulShape{.m = 4, .k = 4, .n = 4}}}};
  const std::vector<Improvement> found = improvements(request);
  CHECK(changes_of(found) == Changes{Change::bandwidth_twice, Change::peak_twice});
  CHECK(found.front().speedup == near(1.5));
  CHECK(found.front().roofline.value() == near(1));
  CHECK(found.back().speedup == near(1));
}

TEST_CASE("Each change has a name", "[analysis]") {
  CHECK(to_string(Change::peak_twice) == "twice the peak");
  CHECK(to_string(Change::bandwidth_twice) == "twice the bandwidth");
  CHECK(to_string(Change::link_twice) == "twice the link");
  CHECK(to_string(Change::weights_8_bit) == "8-bit weights");
  CHECK(to_string(Change::kv_8_bit) == "8-bit K/V");
  CHECK(to_string(Change::batch_twice) == "twice the batch");
}

}  // namespace
}  // namespace roofline
