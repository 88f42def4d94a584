// Answers about models whose layers are not all alike: how experts are chosen, what notes tell of
// windows, chunks and parts that are left out, states in time and memory.
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "roofline/analyze.hpp"
#include "roofline/catalog.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

using Catch::Matchers::VectorContains;
using Strings = std::vector<std::string>;
using enum ExpertChoice::Kind;

AnalyzeRequest request_of(const std::vector<Model>& models, const Workload& workload,
                          const ExpertChoice& experts = {}) {
  return {.models = models,
          .devices = {Catalog().device("H100")},
          .workloads = {{"step", workload}},
          .precision = {},
          .price = {},
          .experts = experts};
}

AnalyzePoint point_of(const AnalyzeRequest& request) {
  const AnalyzeResult result = analyze(request);
  REQUIRE(result.points.size() == 1);
  return result.points.front();
}

AnalyzePoint point_of(const std::string& model, const Workload& workload,
                      const ExpertChoice& experts = {}) {
  return point_of(request_of({Catalog().model(model)}, workload, experts));
}

const StepAnalysis& step_of_point(const AnalyzePoint& point) {
  return std::get<StepAnalysis>(point.detail);
}

constexpr ExpertChoice choice(ExpertChoice::Kind kind, std::int64_t count = 0) {
  return {.kind = kind, .count = count};
}

const std::string expectation =
    "experts read: the expectation for uniform routing, no floor (--experts fewest for one)";

TEST_CASE("The choice of experts reaches the step", "[analysis]") {
  const auto [experts, weights] = GENERATE(table<ExpertChoice, double>({
      {choice(expected), 93'133'848'690.45125},
      {choice(fewest), 25'497'174'016},
      {choice(all), 93'142'908'928},
      {choice(fixed, 5), 59'320'041'472},
      {choice(fixed, 2), 25'497'174'016},
      {choice(fixed, 8), 93'142'908'928},
  }));
  const AnalyzePoint point = point_of("mixtral-8x7b", Decode{.batch = 32}, experts);
  CHECK(step_of_point(point).step.experts == experts);
  CHECK(point.bytes.value() == Approx(weights + 8'589'934'592).epsilon(1e-12));
  CHECK(point.flops == Flops(850'269'306'880));
  // All experts lie in memory whatever a step reads.
  CHECK(step_of_point(point).memory.weights == Bytes(2.0 * 46'702'792'704));
}

TEST_CASE("Notes tell that the experts are an expectation or a floor", "[analysis]") {
  const Decode batch{.batch = 4};
  CHECK_THAT(point_of("mixtral-8x7b", batch).notes, VectorContains(expectation));
  // One token passes as many as it passes: the expectation is the floor.
  CHECK_THAT(point_of("mixtral-8x7b", Decode{}).notes, !VectorContains(expectation));
  // A long prompt is compute-bound: the experts' bytes do not decide its time.
  CHECK_THAT(point_of("mixtral-8x7b", Prefill{.batch = 1, .context = 8192}).notes,
             !VectorContains(expectation));
  CHECK_THAT(
      point_of("mixtral-8x7b", batch, choice(fewest)).notes,
      VectorContains(std::string("experts read: as if every token were routed alike, a floor")));
  for (const ExpertChoice& experts : {choice(fewest), choice(all), choice(fixed, 4)}) {
    CHECK_THAT(point_of("mixtral-8x7b", batch, experts).notes, !VectorContains(expectation));
  }
  CHECK(point_of("llama-3.1-8b", Decode{}).notes.empty());
}

Diagnostic refusal(const AnalyzeRequest& request) {
  try {
    (void)analyze(request);
  } catch (const Error& error) {
    REQUIRE(error.diagnostics().size() == 1);
    return error.diagnostics().front();
  }
  FAIL("no error");
  return {};
}

TEST_CASE("Numbers of experts that no step can read are refused", "[analysis]") {
  const auto [model, count, what, why, fix] =
      GENERATE(table<std::string, std::int64_t, std::string, std::string, std::string>({
          {"mixtral-8x7b", 1, "mixtral-8x7b cannot read 1 experts a layer", "a token passes 2 of 8",
           "a number from 2 to 8"},
          {"mixtral-8x7b", 9, "mixtral-8x7b cannot read 9 experts a layer", "a token passes 2 of 8",
           "a number from 2 to 8"},
          {"deepseek-v3", 7, "deepseek-v3 cannot read 7 experts a layer", "a token passes 8 of 256",
           "a number from 8 to 256"},
      }));
  CAPTURE(model, count);
  const Diagnostic diagnostic =
      refusal(request_of({Catalog().model(model)}, Decode{}, choice(fixed, count)));
  CHECK(diagnostic.what == what);
  CHECK(diagnostic.why == why);
  CHECK(diagnostic.fix == fix);
}

TEST_CASE("A model without experts has none to choose from", "[analysis]") {
  const ExpertChoice experts = GENERATE(choice(fewest), choice(all), choice(fixed, 4));
  const Diagnostic diagnostic =
      refusal(request_of({Catalog().model("llama-3.1-8b")}, Decode{}, experts));
  CHECK(diagnostic.what == "no model here has experts to choose from");
  CHECK(diagnostic.fix == "leave --experts out");
}

TEST_CASE("Experts may be chosen for some of several models", "[analysis]") {
  const Catalog catalog;
  const AnalyzeRequest request = request_of({catalog.model("gpt2"), catalog.model("mixtral-8x7b")},
                                            Decode{.batch = 4}, choice(fixed, 8));
  CHECK(analyze(request).points.size() == 2);
}

TEST_CASE("The format of a state is one that a model has", "[analysis]") {
  const Catalog catalog;
  AnalyzeRequest request = request_of({catalog.model("mamba-2.8b")}, Decode{.batch = 3});
  const double convolution = 2.0 * 64 * 5120 * 3;
  const auto state = [&] { return step_of_point(point_of(request)).time.state.value(); };
  const std::string assumed =
      "recurrent state taken in fp32 (--state-dtype bf16 where the engine keeps it so)";
  CHECK(state() == 2 * 3 * (4.0 * 5'242'880 + convolution));
  CHECK_THAT(point_of(request).notes, VectorContains(assumed));
  request.precision.state = catalog.format("bf16");
  CHECK(state() == 2 * 3 * (2.0 * 5'242'880 + convolution));
  CHECK_THAT(point_of(request).notes, !VectorContains(assumed));
  // Nemotron 3's file says it itself.
  CHECK_THAT(point_of("nemotron-3-nano-30b-a3b", Decode{}).notes, !VectorContains(assumed));
  request.models = {catalog.model("gpt2")};
  CHECK(refusal(request).what == "no model here has a recurrent state");
}

TEST_CASE("Activations that were asked for are not rounded to a checkpoint's type", "[analysis]") {
  const Catalog catalog;
  AnalyzeRequest request = request_of({catalog.model("deepseek-v3")}, Decode{});
  CHECK(to_string(step_of_point(point_of(request)).rates.weights[Part::experts].key) == "fp8");
  request.precision.activations = catalog.format("bf16");
  CHECK(to_string(step_of_point(point_of(request)).rates.weights[Part::experts].key) == "bf16");
}

LayerGroup layers(std::int64_t count, const Attention& attention, std::int64_t width) {
  LayerGroup group;
  group.count = count;
  group.mixer = attention;
  group.feed_forward = Mlp{.width = width};
  return group;
}

Model model_of(const std::vector<LayerGroup>& groups) {
  Model model;
  model.name = "mine";
  model.hidden_size = 64;
  model.vocabulary = 100;
  model.layers = groups;
  model.published_format = plain_format(MatrixType::bf16);
  return model;
}

TEST_CASE("Layers of one window are told of together", "[analysis]") {
  // Dense and wide layers alternate, 3 of 4 with a chunk or a window: 18 and 18 of 48.
  Attention whole{.query_heads = 4, .kv_heads = 2, .head_dim = 16, .window = {}, .chunk = {}};
  Attention windowed = whole;
  windowed.window = 100;
  Attention chunked = whole;
  chunked.chunk = 100;
  const auto notes_of = [&](const Attention& attention, std::int64_t second, std::int64_t context) {
    const Model model = model_of({layers(18, attention, 32), layers(6, whole, 32),
                                  layers(second, attention, 64), layers(24 - second, whole, 64)});
    return point_of(request_of({model}, Decode{.batch = 1, .context = context})).notes;
  };
  CHECK(notes_of(windowed, 18, 100).empty());
  CHECK(notes_of(windowed, 18, 101) == Strings{"36 of 48 layers attend the last 100 tokens only"});
  CHECK(notes_of(windowed, 12, 101) == Strings{"30 of 48 layers attend the last 100 tokens only"});
  CHECK(notes_of(chunked, 18, 101) ==
        Strings{"36 of 48 layers attend their own chunk of 100 tokens only"});
}

TEST_CASE("Windows of two lengths are told of apart", "[analysis]") {
  Attention narrow{.query_heads = 4, .kv_heads = 2, .head_dim = 16, .window = 10, .chunk = {}};
  Attention wide = narrow;
  wide.window = 50;
  const Model model = model_of({layers(3, narrow, 32), layers(3, wide, 32)});
  CHECK(point_of(request_of({model}, Decode{.batch = 1, .context = 40})).notes ==
        Strings{"3 of 6 layers attend the last 10 tokens only"});
  CHECK(point_of(request_of({model}, Decode{.batch = 1, .context = 60})).notes ==
        Strings{"3 of 6 layers attend the last 10 tokens only",
                "3 of 6 layers attend the last 50 tokens only"});
}

TEST_CASE("What a step leaves out and what a file warns of is said in every answer", "[analysis]") {
  Model model = Catalog().model("llama-3.1-8b");
  model.left_out = {"left out"};
  model.warnings = {"first warning", "second warning"};
  CHECK(point_of(request_of({model}, Decode{})).notes ==
        Strings{"left out", "first warning", "second warning"});
  CHECK(point_of("deepseek-v3", Decode{}).notes.front() ==
        "1 multi-token-prediction layer (13,463,426,304 parameters in the file) is left out of the "
        "step");
}

TEST_CASE("A state counts in bytes and time and memory", "[analysis]") {
  // 16 sequences of Qwen3-Next: 18,874,368 elements in fp32 and 884,736 in 16 bits each.
  const AnalyzePoint point = point_of("qwen3-next-80b-a3b", Decode{.batch = 16, .context = 2048});
  const StepAnalysis& step = step_of_point(point);
  constexpr double state = 4.0 * 18'874'368 + 2.0 * 884'736;
  CHECK(step.time.state == Bytes(2 * 16 * state));
  CHECK(step.memory.state == Bytes(16 * state));
  CHECK(step.memory.kv == Bytes(805'306'368));
  CHECK(point.bytes.value() == Approx(49'229'212'690.39709).epsilon(1e-12));
  CHECK(point.memory_time.value() == Approx(49'229'212'690.39709 / 3350e9).epsilon(1e-12));
  CHECK(to_string(step.rates.state.key) == "bf16");
}

TEST_CASE("A model of states alone has no cache", "[analysis]") {
  const AnalyzePoint point = point_of("mamba-2.8b", Decode{.batch = 3, .context = 777});
  const StepAnalysis& step = step_of_point(point);
  CHECK(point.flops == Flops(16'666'091'520));
  CHECK(point.bytes == Bytes(5'658'910'720));
  CHECK(step.memory.kv == Bytes(0));
  CHECK(step.rates.cache.peak == FlopsPerSecond());
  CHECK(point.verdict() == Verdict::memory_bound);
}

TEST_CASE("Experts in mxfp4 beside a bf16 mixer move the bytes of each", "[analysis]") {
  // gpt-oss-20b, 8 sequences at 4000: experts at 17/32 bytes, windows of 128 on every other layer.
  const AnalyzePoint point = point_of("gpt-oss-20b", Decode{.batch = 8, .context = 4000});
  CHECK(point.flops == Flops(64'207'060'992));
  CHECK(step_of_point(point).time.weights.value() == Approx(9'100'619'535.498047).epsilon(1e-12));
  CHECK(step_of_point(point).time.kv == Bytes(811'597'824));
  CHECK_THAT(point.notes,
             VectorContains(std::string("12 of 24 layers attend the last 128 tokens only")) &&
                 VectorContains(std::string(
                     "mxfp4 experts with bf16 activations: products run at the bf16 peak")));
}

TEST_CASE("A format asked for what-if covers the experts too", "[analysis]") {
  // Every matrix of Mixtral's layers at 4.15625 bits, the router in bf16.
  AnalyzeRequest request =
      request_of({Catalog().model("mixtral-8x7b")}, Decode{.batch = 4}, choice(all));
  request.precision.weights = Catalog().format("awq");
  constexpr double layers_without_router = 32 * (41'943'040.0 + 8 * 176'160'768.0);
  constexpr double router = 32 * 32'768.0;
  constexpr double lm_head = 32'000 * 4096.0;
  CHECK(step_of_point(point_of(request)).time.weights.value() ==
        Approx(layers_without_router * 4.15625 / 8 + 2 * (router + lm_head)).epsilon(1e-12));
  request.precision.weights = Catalog().format("q4-k");
  CHECK(step_of_point(point_of(request)).time.weights.value() ==
        Approx((layers_without_router + lm_head) * 4.5 / 8 + 4 * router).epsilon(1e-12));
  request.precision.weights = Catalog().format("fp32");
  CHECK(step_of_point(point_of(request)).time.weights.value() ==
        Approx(4 * (layers_without_router + lm_head + router)).epsilon(1e-12));
}

}  // namespace
}  // namespace roofline
