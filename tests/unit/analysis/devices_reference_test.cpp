// Reference figures of models on several devices: times before the network, what is refused, and
// the identities of replicas and pipelines.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "roofline/analyze.hpp"
#include "roofline/catalog.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

Approx near(double value) {
  return Approx(value).epsilon(1e-12);
}

/// With round figures: 989 TFLOP/s in 16 bits.
Device h100_of_the_textbook() {
  DeviceOverrides overrides;
  overrides.peaks[{.type = MatrixType::bf16}] = FlopsPerSecond(989e12);
  overrides.peaks[{.type = MatrixType::fp16}] = FlopsPerSecond(989e12);
  return with_overrides(Catalog().device("H100"), overrides);
}

AnalyzePoint point_of(const std::string& model, const Workload& workload,
                      const Deployment& deployment) {
  AnalyzeRequest request{.models = {Catalog().model(model)},
                         .devices = {h100_of_the_textbook()},
                         .workloads = {{"step", workload}}};
  request.deployment = deployment;
  request.precision.weights = Catalog().format("fp16");
  const AnalyzeResult result = analyze(request);
  REQUIRE(result.points.size() == 1);
  return result.points.front();
}

TEST_CASE("Models on several H100 have their reference times before the network", "[analysis]") {
  const auto [model, tp, batch, milliseconds] =
      GENERATE(table<std::string, std::int64_t, std::int64_t, double>({
          {"llama-3-70b", 8, 1, 5.212},
          {"llama-3-70b", 8, 8, 5.387},
          {"llama-3-70b", 8, 32, 5.988},
          {"mixtral-8x7b", 2, 1, 3.846},
          {"mixtral-8x7b", 2, 32, 15.183},
      }));
  CAPTURE(model, tp, batch);
  const AnalyzePoint point =
      point_of(model, Decode{.batch = batch, .context = 2048}, {.tensor = tp});
  CHECK(point.memory_time.value() * 1e3 == Approx(milliseconds).margin(0.0005));
  CHECK(point.roofline_time == point.memory_time);
  CHECK(point.verdict() == Verdict::memory_bound);
}

TEST_CASE("Llama 3 70B on 8 H100 has its exact figures on each", "[analysis]") {
  const AnalyzePoint point = point_of("llama-3-70b", Decode{.batch = 32}, {.tensor = 8});
  const auto& detail = std::get<StepAnalysis>(point.detail);
  CHECK(point.flops == Flops(4'619'908'415'488.0 / 8));
  CHECK(point.bytes == Bytes(160'478'265'344.0 / 8));
  // 160 rings of 2 x 7/8 x 32 x 8192 x 2 bytes at 450 GB/s.
  CHECK(detail.time.load.all_reduce == Bytes(146'800'640));
  CHECK(point.network_time.value() == near(146'800'640 / 450e9));
  CHECK(detail.time.serial.value() >= (point.memory_time + point.network_time).value());
  CHECK(detail.tokens_per_second == near(32 / (160'478'265'344 / 8 / 3350e9)));
  CHECK(detail.memory.weights == Bytes(2 * (70'552'387'584.0 / 8 + 1'318'912)));
  CHECK(detail.memory.kv == Bytes(32 * 2048 * 327'680.0 / 8));
  CHECK(detail.fits() == true);
}

TEST_CASE("Whether Llama 3 70B in 16 bits fits depends on how many share it", "[analysis]") {
  const auto [deployment, fits] = GENERATE(table<Deployment, bool>({
      {Deployment{}, false},  // 141 GB
      {{.tensor = 2}, true},  // 70.6 GB and 0.3 GB of 77.0
      {{.pipeline = 2}, true},
      {{.data = 8}, false},
      {{.tensor = 4}, true},
  }));
  CAPTURE(to_string(deployment));
  const AnalyzePoint point = point_of("llama-3-70b", Decode{}, deployment);
  CHECK(std::get<StepAnalysis>(point.detail).fits() == fits);
}

TEST_CASE("Ways of sharing that engines refuse are refused with the reason", "[analysis]") {
  const auto [tp, reason] = GENERATE(table<std::int64_t, std::string>({
      {7, "4 K/V heads and 7 devices"},  // 28 query heads do divide by 7
      {8, "28 query heads do not divide by 8"},
  }));
  CAPTURE(tp);
  try {
    static_cast<void>(point_of("qwen2.5-7b", Decode{}, {.tensor = tp}));
    FAIL("not refused");
  } catch (const Error& error) {
    REQUIRE(error.diagnostics().size() == 1);
    const Diagnostic& diagnostic = error.diagnostics().front();
    CHECK_THAT(diagnostic.what, Catch::Contains("qwen2.5-7b"));
    CHECK_THAT(diagnostic.why, Catch::Contains(reason));
    // 14 and 28 do not: 14 and 4 K/V heads, an MLP width of 18944 = 2^9 x 37.
    CHECK(diagnostic.fix == "--tp 4");
  }
  CHECK_NOTHROW(point_of("qwen2.5-7b", Decode{}, {.tensor = 4}));
}

TEST_CASE("Replicas divide the batch and the price is that of all devices", "[analysis]") {
  const AnalyzePoint one = point_of("mixtral-8x7b", Decode{.batch = 8}, {.tensor = 2});
  const AnalyzePoint four = point_of("mixtral-8x7b", Decode{.batch = 32}, {.tensor = 2, .data = 4});
  CHECK(four.roofline_time == one.roofline_time);
  CHECK(four.flops == one.flops);
  CHECK(std::get<StepAnalysis>(four.detail).tokens_per_second ==
        near(4 * std::get<StepAnalysis>(one.detail).tokens_per_second));
  // 30 sequences: 8, 8, 7, 7. The fullest decides.
  CHECK(point_of("mixtral-8x7b", Decode{.batch = 30}, {.tensor = 2, .data = 4}).roofline_time ==
        one.roofline_time);
  AnalyzeRequest request{.models = {Catalog().model("mixtral-8x7b")},
                         .devices = {h100_of_the_textbook()},
                         .workloads = {{"step", Decode{.batch = 32}}}};
  request.deployment = {.tensor = 2, .data = 4};
  request.price = DollarsPerHour(2);
  const AnalyzePoint priced = analyze(request).points.front();
  const auto& detail = std::get<StepAnalysis>(priced.detail);
  REQUIRE(detail.dollars_per_million_tokens);
  CHECK(*detail.dollars_per_million_tokens ==
        near(2.0 * 8 / 3600 * priced.roofline_time.value() / 32 * 1e6));
}

TEST_CASE("A pipeline takes the time of one device and its boundaries", "[analysis]") {
  const AnalyzePoint one = point_of("llama-3-70b", Decode{.batch = 4}, {});
  const AnalyzePoint staged = point_of("llama-3-70b", Decode{.batch = 4}, {.pipeline = 4});
  CHECK(staged.memory_time == one.memory_time);
  CHECK(staged.roofline_time == one.roofline_time);
  // 3 boundaries of 4 x 8192 x 2 bytes at 450 GB/s.
  CHECK(staged.network_time.value() == near(3 * 65'536 / 450e9));
  CHECK(std::get<StepAnalysis>(staged.detail).memory.kv == Bytes(4 * 2048 * 327'680.0 / 4));
}

TEST_CASE("Experts over all replicas read once what each would read", "[analysis]") {
  // 8 devices, 64 sequences: 8 each for attention; all 64 tokens meet at the experts.
  // D = 8 (1 - 0.75^64), one eighth of them on a device, of 3 x 4096 x 14336 elements.
  const AnalyzePoint point =
      point_of("mixtral-8x7b", Decode{.batch = 64}, {.expert = 8, .data = 8});
  const auto& detail = std::get<StepAnalysis>(point.detail);
  const double distinct = 8 * (1 - std::pow(0.75, 64));
  const double attention = 4096.0 * (6144 + 4096) + 4096 * 8;  // and the router
  const double weights =
      2 * (32 * (attention + distinct / 8 * 3 * 4096 * 14'336) + 4096.0 * 32'000);
  CHECK(detail.time.weights.value() == near(weights));
  CHECK(detail.time.kv == Bytes(8 * 2048 * 131'072.0));
  // 2 x 7/8 x 8 x 2 x 4096 x 2 bytes in 32 layers.
  CHECK(detail.time.load.exchange == Bytes(32 * 2 * 7 / 8.0 * 8 * 2 * 4096 * 2));
  CHECK(detail.time.load.all_reduce == Bytes(0));
}

TEST_CASE("DeepSeek V3 on 8 H200 keeps its latent on each", "[analysis]") {
  AnalyzeRequest request{.models = {Catalog().model("deepseek-v3")},
                         .devices = {Catalog().device("H200")},
                         .workloads = {{"step", Decode{.batch = 16, .context = 4096}}}};
  request.deployment.tensor = 8;
  const AnalyzePoint point = analyze(request).points.front();
  const auto& detail = std::get<StepAnalysis>(point.detail);
  CHECK(detail.time.kv == Bytes(70'272.0 * 16 * 4096));
  CHECK(detail.memory.kv == detail.time.kv);
}

}  // namespace
}  // namespace roofline
