// Curves over the batch and the context: their figures, how points are grouped, where limits lie.
#include "roofline/curves.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "../base/refusal.hpp"
#include "analysis/serving_inputs.hpp"
#include "roofline/catalog.hpp"
#include "roofline/error.hpp"
#include "roofline/plot.hpp"

namespace roofline {
namespace {

using Catch::Matchers::Contains;
using Counts = std::vector<std::int64_t>;

Approx near(double value) {
  return Approx(value).epsilon(1e-12);
}

/// Decode as --batch and --context make it: batches outside, contexts inside.
std::vector<NamedWorkload> decodes(const Counts& batches, const Counts& contexts) {
  std::vector<NamedWorkload> workloads;
  for (const std::int64_t batch : batches) {
    for (const std::int64_t context : contexts) {
      workloads.push_back({"decode", Decode{batch, context}});
    }
  }
  return workloads;
}

/// The small model on its device: a step of B sequences at context S has
/// B (160,256 + 512 S) FLOP and moves 160,256 + 256 S B bytes at 1e7 bytes a second.
CurvesRequest small_curves(const Counts& batches, const Counts& contexts = {110}) {
  const Server server = small_server();
  CurvesRequest request;
  request.question.models = {server.model};
  request.question.devices = {server.device};
  request.question.workloads = decodes(batches, contexts);
  return request;
}

/// 9,000,000 bytes are usable.
CurvesRequest small_memory(CurvesRequest request) {
  request.question.devices.front().capacity = Bytes(1e7);
  return request;
}

std::vector<double> ys_of(const Curve& curve) {
  std::vector<double> ys;
  for (const CurvePoint& point : curve.points) ys.push_back(point.y);
  return ys;
}

std::vector<double> xs_of(const Curve& curve) {
  std::vector<double> xs;
  for (const CurvePoint& point : curve.points) xs.push_back(point.x);
  return xs;
}

const Curve& only_curve(const CurvesResult& result) {
  REQUIRE(result.curves.size() == 1);
  return result.curves.front();
}

/// The edge of that limit; the curve has one.
CurveEdge edge_of(const Curve& curve, CurveLimit limit) {
  for (const CurveEdge& edge : curve.edges) {
    if (edge.limit == limit) return edge;
  }
  FAIL("no such edge");
  return {};
}

const StepAnalysis& step_at(CurvesRequest request, std::int64_t batch, std::int64_t context) {
  static AnalyzeResult result;
  request.question.workloads = decodes({batch}, {context});
  result = analyze(request.question);
  return std::get<StepAnalysis>(result.points.front().detail);
}

// Exercise 3 of the textbook. 80 layers of 8192 x 10240 + 8192 x 8192 + 3 x 8192 x 28672 and
// lm_head 8192 x 128256; a token of K/V is 327,680 bytes, a pair 80 x 4 x 8192 FLOP.
TEST_CASE("Intensity of llama-3-70b over the context", "[analysis]") {
  CurvesRequest request;
  request.question.models = {Catalog().model("llama-3-70b")};
  request.question.devices = {Catalog().device("H100")};
  request.question.devices.front().peaks[peak_key("fp16").value()] = FlopsPerSecond(989e12);
  request.question.precision.weights = Catalog().format("fp16");
  request.question.workloads = decodes({1}, {1024, 2048, 4096, 8192});
  request.x = CurveX::context;
  const CurvesResult result = curves(request);
  const Curve& curve = only_curve(result);
  CHECK(xs_of(curve) == std::vector<double>{1024, 2048, 4096, 8192});
  REQUIRE(curve.points.size() == 4);
  CHECK(curve.points[0].y == near(1.0168568074410764));
  CHECK(curve.points[1].y == near(1.0336326236449356));
  CHECK(curve.points[2].y == near(1.0669436059890618));
  CHECK(curve.points[3].y == near(1.1326189277996508));
  for (const CurvePoint& point : curve.points) CHECK(point.fits == false);
  REQUIRE(curve.edges.size() == 2);
  CHECK(curve.edges[0].limit == CurveLimit::ridge);
  CHECK_FALSE(curve.edges[0].of_x);
  CHECK(*curve.edges[0].value == near(989e12 / 3350e9));
  // 141 GB of weights are more than the device has.
  CHECK(curve.edges[1] == CurveEdge{CurveLimit::memory, true, 0.0});
}

TEST_CASE("Each figure of a small decode step over the batch", "[analysis]") {
  CurvesRequest request = small_curves({1, 2, 4, 8});
  request.question.price = DollarsPerHour(3.6);  // 0.001 USD a second
  const auto [y, expected] = GENERATE(table<CurveY, std::vector<double>>({
      {CurveY::intensity, {1.1494565217391304, 2, 3.174484052532833, 4.49402390438247}},
      {CurveY::throughput,
       {53.07404891304348, 92.34633569739952, 146.57598499061913, 207.50332005312086}},
      {CurveY::tpot, {0.0188416, 0.0216576, 0.0272896, 0.0385536}},
      {CurveY::cost, {18.8416, 10.8288, 6.8224, 4.8192}},
  }));
  CAPTURE(to_string(y));
  request.y = y;
  const CurvesResult result = curves(request);
  CHECK(result.x == CurveX::batch);
  CHECK(result.y == y);
  const Curve& curve = only_curve(result);
  REQUIRE(curve.points.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(curve.points[i].y == near(expected[i]));
    CHECK(curve.points[i].point == i);
    CHECK_FALSE(curve.points[i].fits);
  }
}

TEST_CASE("The ridge belongs to the intensity alone", "[analysis]") {
  CurvesRequest request = small_curves({1, 2});
  CHECK(only_curve(curves(request)).edges ==
        std::vector<CurveEdge>{{CurveLimit::ridge, false, 100.0}});
  request.y = CurveY::throughput;
  CHECK(only_curve(curves(request)).edges.empty());
}

// Layers run in fp8, attention in bf16: the longer the context, the lower the mean peak.
TEST_CASE("The ridge is that of the last point", "[analysis]") {
  CurvesRequest request;
  request.question.models = {Catalog().model("qwen2.5-7b")};
  request.question.devices = {Catalog().device("H100")};
  request.question.precision.weights = Catalog().format("fp8");
  request.question.precision.activations = Catalog().format("fp8");
  request.question.workloads = decodes({1}, {8192, 1024});
  request.x = CurveX::context;
  const CurvesResult result = curves(request);
  const double at_8192 = result.analysis.points[0].roof.ridge().value();
  CHECK(at_8192 < result.analysis.points[1].roof.ridge().value());
  CHECK(edge_of(only_curve(result), CurveLimit::ridge).value == at_8192);
}

// 2 x (73,728 + 6,400 + 6,400) bytes of weights; a sequence has 256 S of K/V and 2 x (320 + 64) of
// activations: (9,000,000 - 173,056) / (28,160 + 768) = 305.1.
TEST_CASE("The largest batch that fits", "[analysis]") {
  const CurvesRequest request = small_memory(small_curves({1, 305, 306, 512}));
  const CurvesResult result = curves(request);
  const Curve& curve = only_curve(result);
  CHECK(edge_of(curve, CurveLimit::memory) == CurveEdge{CurveLimit::memory, true, 305.0});
  std::vector<bool> fits;
  for (const CurvePoint& point : curve.points) fits.push_back(point.fits.value());
  CHECK(fits == std::vector<bool>{true, true, false, false});
  CHECK(step_at(request, 305, 110).fits() == true);
  CHECK(step_at(request, 306, 110).fits() == false);
}

// ((9,000,000 - 173,056) / 4 - 768) / 256 = 8617.06.
TEST_CASE("The longest context that fits", "[analysis]") {
  CurvesRequest request = small_memory(small_curves({4}, {1024, 16384}));
  request.x = CurveX::context;
  CHECK(edge_of(only_curve(curves(request)), CurveLimit::memory).value == 8617.0);
  CHECK(step_at(request, 4, 8617).fits() == true);
  CHECK(step_at(request, 4, 8618).fits() == false);
}

// 81,559 MiB x 0.9; 2 x 8,030,261,248 bytes of weights, 131,072 of K/V a token, and 2 x (4096 +
// 128,256) + 2 x 4096 of activations a sequence: 226.7 sequences of 2,048.
TEST_CASE("What llama-3.1-8b leaves of an H100", "[analysis]") {
  CurvesRequest request;
  request.question.models = {Catalog().model("llama-3.1-8b")};
  request.question.devices = {Catalog().device("H100")};
  request.question.workloads = decodes({1, 32}, {2048, 4096});
  const auto [x, first, second] = GENERATE(
      table<CurveX, double, double>({{CurveX::batch, 226, 113},  // contexts 2,048 and 4,096
                                     {CurveX::context, 464'690, 14'519}})  // batches 1 and 32
  );
  request.x = x;
  const CurvesResult result = curves(request);
  REQUIRE(result.curves.size() == 2);
  CHECK(edge_of(result.curves[0], CurveLimit::memory).value == first);
  CHECK(edge_of(result.curves[1], CurveLimit::memory).value == second);
}

TEST_CASE("Memory that nothing is known of is no limit", "[analysis]") {
  const CurvesResult result = curves(small_curves({1, 2}));
  CHECK(only_curve(result).edges.size() == 1);
  CHECK(only_curve(result).edges.front().limit == CurveLimit::ridge);
}

// A model of states keeps as much whatever the context.
TEST_CASE("A context that memory does not limit", "[analysis]") {
  CurvesRequest request;
  request.question.models = {Catalog().model("mamba-2.8b")};
  request.question.devices = {Catalog().device("H100")};
  request.question.workloads = decodes({1}, {1024, 2048});
  request.x = CurveX::context;
  const CurveEdge edge = edge_of(only_curve(curves(request)), CurveLimit::memory);
  CHECK(edge.of_x);
  CHECK_FALSE(edge.value);
}

// 30 ms allow (300,000 - 160,256) / 28,160 = 4.96 sequences of 110, or 4 of
// (300,000 - 160,256) / 1,024 = 136.5 tokens.
TEST_CASE("The largest batch and context within a TPOT limit", "[analysis]") {
  const auto [x, edge] = GENERATE(table<CurveX, std::int64_t>({
      {CurveX::batch, 4},
      {CurveX::context, 136},
  }));
  const bool batch = x == CurveX::batch;
  CurvesRequest request = batch ? small_curves({1, 8}) : small_curves({4}, {110, 220});
  request.x = x;
  request.y = CurveY::throughput;
  request.tpot_limit = Seconds(0.03);
  const CurvesResult result = curves(request);
  CHECK(only_curve(result).edges ==
        std::vector<CurveEdge>{{CurveLimit::tpot, true, static_cast<double>(edge)}});
  CHECK(result.tpot_limit == Seconds(0.03));
  const auto tpot = [&](std::int64_t value) {
    return step_at(request, batch ? value : 4, batch ? 110 : value).time.roofline;
  };
  CHECK(tpot(edge) <= Seconds(0.03));
  CHECK(tpot(edge + 1) > Seconds(0.03));
}

// Layers of Llama 4 attend their own chunk: the time falls where one begins, at 8,193.
TEST_CASE("The longest context within a TPOT limit lies in the last chunk that keeps to it",
          "[analysis]") {
  CurvesRequest request;
  request.question.models = {Catalog().model("llama-4-scout")};
  request.question.devices = {Catalog().device("H200")};
  request.question.workloads = decodes({64}, {4096, 8192});
  request.x = CurveX::context;
  request.tpot_limit = step_at(request, 64, 8193).time.roofline;
  REQUIRE(step_at(request, 64, 8192).time.roofline > *request.tpot_limit);
  CHECK(edge_of(only_curve(curves(request)), CurveLimit::tpot).value == 8193.0);
}

TEST_CASE("A TPOT limit on TPOT is a value of y", "[analysis]") {
  CurvesRequest request = small_curves({1, 2});
  request.y = CurveY::tpot;
  request.tpot_limit = Seconds(0.03);
  CHECK(only_curve(curves(request)).edges ==
        std::vector<CurveEdge>{{CurveLimit::tpot, false, 0.03}});
}

TEST_CASE("A TPOT limit that not even one sequence keeps to", "[analysis]") {
  CurvesRequest request = small_curves({1, 2});
  request.y = CurveY::throughput;
  request.tpot_limit = Seconds(0.018);  // one takes 18.84 ms
  CHECK(edge_of(only_curve(curves(request)), CurveLimit::tpot).value == 0.0);
}

TEST_CASE("The cost is that of all devices", "[analysis]") {
  CurvesRequest request = small_curves({2, 4});
  request.question.devices = {small_server({.data = 2}).device};
  request.question.deployment.data = 2;
  request.question.price = DollarsPerHour(3.6);
  request.y = CurveY::cost;
  const std::vector<double> ys = ys_of(only_curve(curves(request)));
  REQUIRE(ys.size() == 2);
  CHECK(ys[0] == near(18.8416));  // two replicas of one sequence cost as much a token as one
  CHECK(ys[1] == near(10.8288));
}

TEST_CASE("Where no price is given each device has its usual one", "[analysis]") {
  CurvesRequest request = small_curves({1, 2});
  Device& cheap = request.question.devices.front();
  cheap.prices = {{.per_hour = DollarsPerHour(3.6),
                   .as_of = "2026-09-09",
                   .provider = "Somebody",
                   .tier = "on-demand",
                   .note = {},
                   .source = {}}};
  Device dear = cheap;
  dear.name = "Y";
  dear.prices.front().per_hour = DollarsPerHour(7.2);
  request.question.devices.push_back(dear);
  request.y = CurveY::cost;
  const CurvesResult result = curves(request);
  REQUIRE(result.curves.size() == 2);
  CHECK(result.curves[0].points[0].y == near(18.8416));
  CHECK(result.curves[1].points[0].y == near(2 * 18.8416));
  for (const Curve& curve : result.curves) {
    for (const CurvePoint& point : curve.points) {
      const auto& step = std::get<StepAnalysis>(result.analysis.points[point.point].detail);
      CHECK(step.dollars_per_million_tokens == point.y);
    }
  }
  REQUIRE(result.notes.size() == 2);
  CHECK_THAT(result.notes[0],
             Contains("X: 3.6 USD an hour") && Contains("Somebody, on-demand, 2026-09-09"));
  CHECK_THAT(result.notes[1], Contains("Y: 7.2 USD an hour"));

  request.question.price = DollarsPerHour(3.6);
  const CurvesResult given = curves(request);
  CHECK(given.curves[1].points[0].y == near(18.8416));
  CHECK(given.notes.empty());
}

TEST_CASE("Points that differ in x alone are a curve and x rises along it", "[analysis]") {
  CurvesRequest request = small_curves({8, 2, 4, 2}, {220, 110});
  request.question.devices.push_back(request.question.devices.front());
  request.question.devices.back().name = "Y";
  const CurvesResult result = curves(request);
  REQUIRE(result.analysis.points.size() == 16);
  REQUIRE(result.curves.size() == 4);
  std::vector<std::pair<std::string, std::int64_t>> order;
  for (const Curve& curve : result.curves) {
    CHECK(xs_of(curve) == std::vector<double>{2, 4, 8});
    const AnalyzePoint& first = result.analysis.points[curve.first_point];
    const std::int64_t context = std::get<Decode>(first.workload.workload).context;
    order.emplace_back(first.gpu, context);
    for (const CurvePoint& point : curve.points) {
      const AnalyzePoint& origin = result.analysis.points[point.point];
      CHECK(origin.gpu == first.gpu);
      CHECK(std::get<Decode>(origin.workload.workload) ==
            Decode{static_cast<std::int64_t>(point.x), context});
    }
  }
  CHECK(order == std::vector<std::pair<std::string, std::int64_t>>{
                     {"X", 220}, {"X", 110}, {"Y", 220}, {"Y", 110}});
}

TEST_CASE("Names of workloads do not part a curve and their kinds do", "[analysis]") {
  CurvesRequest request = small_curves({});
  request.question.workloads = {{"one", Decode{1, 110}},
                                {"two", Decode{2, 110}},
                                {"prompt", Prefill{1, 110}},
                                {"chat", Verify{1, 110, 4}}};
  const CurvesResult result = curves(request);
  REQUIRE(result.curves.size() == 3);
  CHECK(xs_of(result.curves[0]) == std::vector<double>{1, 2});
  CHECK(xs_of(result.curves[1]) == std::vector<double>{1});
  CHECK(xs_of(result.curves[2]) == std::vector<double>{1});
}

TEST_CASE("Kernels have curves of intensity and no memory to fill", "[analysis]") {
  CurvesRequest request;
  request.question.devices = {device_with({{"fp16", 1e14}})};
  request.question.devices.front().bandwidth = BytesPerSecond(1e12);
  TextbookDecode bare{.batch = 1, .parameters = 1000, .kv_heads = 2, .head_dim = 5, .context = 10};
  request.question.workloads = {{"textbook-decode", bare}};
  bare.batch = 3;
  request.question.workloads.push_back({"textbook-decode", bare});
  const CurvesResult result = curves(request);
  const Curve& curve = only_curve(result);
  // 2 x 1000 b + 4 b 2 x 10 x 5 FLOP; 2 x 1000 + b 2 x 5 x (2 + 40 + 2) bytes.
  REQUIRE(curve.points.size() == 2);
  CHECK(curve.points[0].y == near(2400.0 / 2440));
  CHECK(curve.points[1].y == near(7200.0 / 3320));
  CHECK_FALSE(curve.points[0].fits);
  CHECK(curve.edges == std::vector<CurveEdge>{{CurveLimit::ridge, false, 100.0}});
}

// 2,000 of a prompt are cached: it has 2,001 tokens at least.
TEST_CASE("A prompt is longer than what is cached of it", "[analysis]") {
  CurvesRequest request = small_memory(small_curves({}));
  request.question.workloads = {{"prefill", Prefill{8, 2048, true, 2000}},
                                {"prefill", Prefill{8, 4096, true, 2000}}};
  request.x = CurveX::context;
  const auto fits = [&](std::int64_t context) {
    AnalyzeRequest one = request.question;
    one.workloads = {{"prefill", Prefill{8, context, true, 2000}}};
    return std::get<StepAnalysis>(analyze(one).points.front().detail).fits();
  };
  // 8 prompts of S tokens: 2,048 S of K/V, and 2 x (320 + 64) of each of 8 (S - 2,000) tokens:
  // (9,000,000 - 173,056 + 8 x 768 x 2,000) / (2,048 + 6,144) = 2,577.5.
  const CurveEdge edge = edge_of(only_curve(curves(request)), CurveLimit::memory);
  CHECK(edge.value == 2577.0);
  CHECK(fits(2577) == true);
  CHECK(fits(2578) == false);

  request.question.devices.front().capacity = Bytes(4e6);  // 8 x 2,000 tokens need 4.1 MB of K/V
  CHECK(edge_of(only_curve(curves(request)), CurveLimit::memory).value == 0.0);
}

TEST_CASE("What cannot be a curve is refused by name", "[analysis]") {
  CurvesRequest request = small_curves({1, 2});
  auto& workloads = request.question.workloads;
  SECTION("matmul") {
    workloads = {{"product", MatmulShape{8, 8, 8}}};
    CHECK(refusal([&] { return curves(request); }).what == "product has no batch");
  }
  SECTION("attention has a batch alone") {
    workloads = {{"attention", AttentionShape{1, 4, 4, 16, 8, 8}}};
    request.x = CurveX::context;
    const Diagnostic said = refusal([&] { return curves(request); });
    CHECK(said.what == "attention has no context");
    CHECK(said.fix == "--x batch");
  }
  SECTION("sequences of several lengths") {
    workloads = {{"decode", Decode{1, 110, {{2, 220}}}}};
    CHECK_THAT(refusal([&] { return curves(request); }).what,
               Contains("decode: sequences of several lengths have no batch to vary"));
  }
  SECTION("a kernel has no tokens") {
    workloads = {{"textbook-decode", TextbookDecode{1, 1000, 2, 5, 10}},
                 {"textbook-decode", TextbookDecode{2, 1000, 2, 5, 10}}};
    const auto [y, what] = GENERATE(
        table<CurveY, std::string>({{CurveY::tpot, "textbook-decode has no TPOT"},
                                    {CurveY::throughput, "textbook-decode has no throughput"}}));
    request.y = y;
    const Diagnostic said = refusal([&] { return curves(request); });
    CHECK(said.what == what);
    CHECK(said.fix == "--y intensity");
  }
  SECTION("prefill has no TPOT") {
    workloads = {{"prefill", Prefill{1, 110}}, {"prefill", Prefill{2, 110}}};
    request.y = CurveY::tpot;
    CHECK(refusal([&] { return curves(request); }).what == "prefill has no TPOT");
    request.y = CurveY::throughput;
    CHECK_NOTHROW(curves(request));
    request.tpot_limit = Seconds(0.03);
    CHECK(refusal([&] { return curves(request); }).what == "--tpot-limit does not go with prefill");
  }
  SECTION("one value alone") {
    workloads = decodes({1, 1}, {110, 220});
    const Diagnostic said = refusal([&] { return curves(request); });
    CHECK(said.what == "one batch alone is no curve");
    CHECK(said.fix == "--batch 1..1024x2");
    request.x = CurveX::context;
    CHECK_NOTHROW(curves(request));
  }
  SECTION("no price") {
    request.question.devices.push_back(request.question.devices.front());
    request.question.devices.back().name = "Y";
    request.y = CurveY::cost;
    const Diagnostic said = refusal([&] { return curves(request); });
    CHECK(said.what == "no price of X, Y is known");
    CHECK(said.fix == "--price 2.49");
  }
  SECTION("too many points") {
    Counts batches;
    for (std::int64_t batch = 1; batch <= 501; ++batch) batches.push_back(batch);
    workloads = decodes(batches, {110});
    CHECK(refusal([&] { return curves(request); }).what ==
          "501 points are too many for one picture");
    workloads.pop_back();
    CHECK_NOTHROW(curves(request));
  }
}

TEST_CASE("All that cannot be a curve is told at once", "[analysis]") {
  CurvesRequest request = small_curves({1});
  request.question.workloads = {{"first", MatmulShape{8, 8, 8}}, {"second", Prefill{1, 110}}};
  request.y = CurveY::tpot;
  try {
    (void)curves(request);
    FAIL("not refused");
  } catch (const Error& error) {
    std::vector<std::string> said;
    for (const Diagnostic& diagnostic : error.diagnostics()) said.push_back(diagnostic.what);
    CHECK(said == std::vector<std::string>{"first has no batch", "first has no TPOT",
                                           "second has no TPOT"});
  }
}

TEST_CASE("A figure that is 0 or infinite is named", "[analysis]") {
  CurvesRequest request = small_curves({2, 1000});
  request.y = CurveY::cost;
  request.question.price = DollarsPerHour(0);
  CHECK(refusal([&] { return curves(request); }).what ==
        "decode on X at batch 2: the cost cannot be drawn, it is 0");
  request.question.price = DollarsPerHour(std::numeric_limits<double>::infinity());
  request.question.workloads.erase(request.question.workloads.begin());
  CHECK(refusal([&] { return curves(request); }).what ==
        "decode on X at batch 1,000: the cost cannot be drawn, it is infinite");
}

TEST_CASE("The words of a curve", "[analysis]") {
  CHECK(to_string(CurveX::batch) == "batch");
  CHECK(to_string(CurveX::context) == "context");
  CHECK(to_string(CurveY::intensity) == "intensity");
  CHECK(to_string(CurveY::throughput) == "throughput");
  CHECK(to_string(CurveY::tpot) == "tpot");
  CHECK(to_string(CurveY::cost) == "cost");
  CHECK(to_string(CurveLimit::ridge) == "ridge");
  CHECK(to_string(CurveLimit::memory) == "memory");
  CHECK(to_string(CurveLimit::tpot) == "tpot-limit");
}

}  // namespace
}  // namespace roofline
