// Derivations of steps on several devices: numbers that give their values, and figures worked out
// by hand from the models' dimensions.
#include <catch2/catch.hpp>
#include <string>
#include <variant>
#include <vector>

#include "analysis/derivation_steps.hpp"
#include "roofline/catalog.hpp"
#include "roofline/derivation.hpp"

namespace roofline {
namespace {

using Steps = std::vector<DerivationStep>;

Steps steps_of(const std::string& name, const Workload& workload, const Deployment& deployment,
               const std::string& device = "H100") {
  const Catalog catalog;
  const Model model = catalog.model(name);
  Steps steps =
      derive(model, analyze_one({model}, catalog.device(device), workload, {}, deployment));
  check_numbers(steps);
  return steps;
}

void check_step(const Steps& steps, const DerivationStep& expected) {
  const DerivationStep& step = step_named(steps, expected.quantity);
  INFO(expected.quantity);
  CHECK(step.formula == expected.formula);
  CHECK(step.numbers == expected.numbers);
  CHECK(step.value == Approx(expected.value).epsilon(1e-12));
  CHECK(step.unit == expected.unit);
}

bool has_step(const Steps& steps, const std::string& quantity) {
  return std::any_of(steps.begin(), steps.end(),
                     [&](const DerivationStep& step) { return step.quantity == quantity; });
}

/// The operators' FLOP and bytes as the derivation has them, against those of the device.
void check_sums(const Steps& steps, const AnalyzePoint& point) {
  double flops = 0;
  double bytes = 0;
  for (const DerivationStep& step : steps) {
    if (step.quantity.starts_with("memory: ")) continue;
    if (step.quantity.ends_with(": FLOP")) flops += step.value;
    for (const char* kind : {": weights", ": K/V", ": state"}) {
      if (step.quantity.ends_with(kind)) bytes += step.value;
    }
  }
  CHECK(flops == Approx(point.flops.value()).epsilon(1e-12));
  CHECK(bytes == Approx(point.bytes.value()).epsilon(1e-12));
}

TEST_CASE("The numbers give the values on several devices", "[analysis]") {
  const auto [name, deployment] = GENERATE(table<std::string, Deployment>({
      {"llama-3-70b", {.tensor = 8}},
      {"llama-3-70b", {.tensor = 2, .pipeline = 3, .data = 2}},
      {"qwen2.5-7b", {.tensor = 2}},
      {"gemma-2-2b", {.tensor = 8, .pipeline = 4}},
      {"mixtral-8x7b", {.tensor = 2}},
      {"mixtral-8x7b", {.tensor = 2, .expert = 2}},
      {"mixtral-8x7b", {.tensor = 4, .expert = 2}},
      {"mixtral-8x7b", {.tensor = 2, .expert = 4, .data = 4}},
      {"mixtral-8x7b", {.expert = 8, .data = 8}},
      {"deepseek-v3", {.tensor = 8}},
      {"deepseek-v3", {.expert = 8, .data = 8}},
      {"deepseek-v3", {.tensor = 2, .pipeline = 2, .expert = 8, .data = 4}},
      {"llama-4-scout", {.tensor = 4, .expert = 4}},
      {"mamba-2.8b", {.tensor = 2}},
      {"granite-4.0-h-small", {.tensor = 2}},
      {"jamba-1.5-large", {.tensor = 8, .pipeline = 2, .expert = 8}},
      {"gemma-3n-e4b", {.data = 3}},
  }));
  const Catalog catalog;
  const Model model = catalog.model(name);
  for (const char* device : {"H100", "L4"}) {
    for (const Workload& workload :
         std::vector<Workload>{Decode{.batch = 33, .context = 2048},
                               Decode{.batch = 16, .context = 512, .others = {{3, 9000}}},
                               Prefill{.batch = 9, .context = 3000, .cached = 500},
                               Mixed{.batch = 20, .context = 2048, .chunk = 512, .position = 7000},
                               Verify{.batch = 17, .context = 2048, .drafts = 4}}) {
      CAPTURE(name, to_string(deployment), device, workload.index());
      const AnalyzePoint point =
          analyze_one({model}, catalog.device(device), workload, {}, deployment);
      const Steps steps = derive(model, point);
      check_numbers(steps);
      check_sums(steps, point);
    }
  }
}

TEST_CASE("Tensor parallel divides matrices and heads", "[analysis]") {
  const Steps steps = steps_of("llama-3-70b", Decode{.batch = 32, .context = 2048}, {.tensor = 8});
  check_step(steps, {.quantity = "qkv: FLOP",
                     .formula = "2 T K N L / G",
                     .numbers = "2 * 32 * 8192 * 10240 * 80 / 8",
                     .value = 53'687'091'200,
                     .unit = "FLOP"});
  check_step(steps, {.quantity = "qkv: weights",
                     .formula = "w K N L / G",
                     .numbers = "2 * 8192 * 10240 * 80 / 8",
                     .value = 1'677'721'600,
                     .unit = "bytes"});
  check_step(steps, {.quantity = "qkv: activations",
                     .formula = "a T (K + N / G) L",
                     .numbers = "2 * 32 * (8192 + 10240 / 8) * 80",
                     .value = 48'496'640,
                     .unit = "bytes"});
  check_step(steps, {.quantity = "o: activations",
                     .formula = "a T (K / G + N) L",
                     .numbers = "2 * 32 * (8192 / 8 + 8192) * 80",
                     .value = 47'185'920,
                     .unit = "bytes"});
  check_step(steps, {.quantity = "attention: FLOP",
                     .formula = "4 n H d A L / G",
                     .numbers = "4 * 32 * 64 * 128 * 2048 * 80 / 8",
                     .value = 21'474'836'480,
                     .unit = "FLOP"});
  check_step(steps, {.quantity = "attention: K/V",
                     .formula = "c n s 2 ceil(H_kv / G) d L",
                     .numbers = "2 * 32 * 2048 * 2 * ((8 + 8 - 1) // 8) * 128 * 80",
                     .value = 2'684'354'560,
                     .unit = "bytes"});
  // 70,552,387,584 elements of matrices, and 1,318,912 of norms on every device.
  CHECK(step_named(steps, "memory: weights").value == 17'640'734'720);
  check_step(steps, {.quantity = "memory: K/V",
                     .formula = "n c L min(S, W) e / H_kv ceil(H_kv / G), e elements a token, "
                                "over layers",
                     .numbers = "32 * 2 * 80 * 2048 * 2048 / 8 * ((8 + 8 - 1) // 8)",
                     .value = 2'684'354'560,
                     .unit = "bytes"});
}

TEST_CASE("K/V heads that are fewer than the devices are on several", "[analysis]") {
  const Steps steps = steps_of("gemma-2-2b", Decode{.batch = 1, .context = 1000}, {.tensor = 8});
  // 26 layers, one of 4 heads of 256 on each device.
  check_step(steps, {.quantity = "attention (window 4096): K/V",
                     .formula = "c n s 2 ceil(H_kv / G) d L",
                     .numbers = "2 * 1 * 1000 * 2 * ((4 + 8 - 1) // 8) * 256 * 13",
                     .value = 13'312'000,
                     .unit = "bytes"});
  CHECK(step_named(steps, "memory: K/V").value == 26'624'000);
}

TEST_CASE("The rings of tensor parallel show bytes and time and hops", "[analysis]") {
  const Catalog catalog;
  const Model model = catalog.model("llama-3-70b");
  const Decode workload{.batch = 32, .context = 2048};
  Device device = catalog.device("H100");
  REQUIRE(device.interconnect);
  device.interconnect->per_direction = BytesPerSecond(450e9);
  device.interconnect->hop_latency = {};
  const Steps steps = derive(model, analyze_one({model}, device, workload, {}, {.tensor = 8}));
  check_step(steps, {.quantity = "network: all-reduces",
                     .formula = "2 (G - 1) / G a T h M, M outputs of mixers and feed-forwards",
                     .numbers = "2 * (8 - 1) / 8 * 2 * 32 * 8192 * (80 + 80)",
                     .value = 146'800'640,
                     .unit = "bytes"});
  check_step(steps, {.quantity = "network time",
                     .formula = "all-reduces / link, one way",
                     .numbers = "146800640 / 450000000000",
                     .value = 146'800'640 / 450e9,
                     .unit = "s"});
  CHECK_FALSE(has_step(steps, "network latency"));
  const double without = step_named(steps, "serial time").value;
  device.interconnect->hop_latency = Seconds(2e-6);
  const Steps timed = derive(model, analyze_one({model}, device, workload, {}, {.tensor = 8}));
  check_numbers(timed);
  check_step(timed, {.quantity = "network latency",
                     .formula = "(2 (G - 1) M) hops",
                     .numbers = "2 * (8 - 1) * (80 + 80) * 2e-06",
                     .value = 0.00448,
                     .unit = "s"});
  CHECK(step_named(timed, "serial time").formula ==
        "sum of max(FLOP / peak, all bytes / bandwidth) + network time + network latency");
  CHECK(step_named(timed, "serial time").value == Approx(without + 0.00448).epsilon(1e-12));
}

TEST_CASE("Experts of tensor parallel are cut or spread", "[analysis]") {
  // 3 tokens pass 2 experts of 14336 each, in 32 layers.
  const auto [deployment, formula, numbers, value] =
      GENERATE(table<Deployment, std::string, std::string, double>({
          {{.tensor = 2},
           "a T k (K / G + N) L",
           "2 * 6 * (14336 / 2 + 4096) * 32",
           2.0 * 6 * 11'264 * 32},
          {{.tensor = 2, .expert = 2},
           "a T k (K + N) L / X",
           "2 * 6 * (14336 + 4096) * 32 / 2",
           6.0 * 18'432 * 32},
          {{.tensor = 4, .expert = 2},
           "a T k (K / (G / X) + N) L / X",
           "2 * 6 * (14336 / 2 + 4096) * 32 / 2",
           6.0 * 11'264 * 32},
      }));
  CAPTURE(to_string(deployment));
  const Steps steps = steps_of("mixtral-8x7b", Decode{.batch = 3, .context = 100}, deployment);
  check_step(steps, {"experts down: activations", formula, numbers, value, "bytes"});
  const auto devices = static_cast<double>(deployment.tensor);
  CHECK(step_named(steps, "experts down: FLOP").value == 22'548'578'304 / devices);
  CHECK(step_named(steps, "experts down: weights").value == 17'381'195'776 / devices);
  CHECK(step_named(steps, "distinct experts, D").value == 4.625);
  CHECK(step_named(steps, "router: FLOP").value == 6'291'456 / devices);
  CHECK_FALSE(has_step(steps, "network: experts' exchange"));
}

TEST_CASE("Replicas that share experts show the tokens that meet there", "[analysis]") {
  // 9 sequences over 8 replicas: the fullest has 2.
  const Steps steps =
      steps_of("mixtral-8x7b", Decode{.batch = 9, .context = 100}, {.expert = 8, .data = 8});
  CHECK(step_named(steps, "new tokens of all replicas").value == 9);
  CHECK(step_named(steps, "new tokens, T").value == 2);
  check_step(steps, {.quantity = "tokens at the experts, J",
                     .formula = "n q of the fullest X / G replicas",
                     .numbers = "9 * 1",
                     .value = 9,
                     .unit = "tokens"});
  check_step(steps, {.quantity = "distinct experts, D",
                     .formula = "E (1 - (1 - k / E)^J)",
                     .numbers = "8 * (1 - (1 - 2 / 8) ** 9)",
                     .value = 7.399'322'509'765'625,
                     .unit = "experts"});
  check_step(steps, {.quantity = "experts down: FLOP",
                     .formula = "2 J k K N L / X",
                     .numbers = "2 * 18 * 14336 * 4096 * 32 / 8",
                     .value = 8'455'716'864,
                     .unit = "FLOP"});
  CHECK(step_named(steps, "experts down: weights").formula == "w K N L D / X");
  CHECK(step_named(steps, "experts down: weights").value ==
        Approx(2.0 * 14'336 * 4096 * 32 * 7.399'322'509'765'625 / 8).epsilon(1e-12));
  check_step(steps, {.quantity = "network: experts' exchange",
                     .formula = "2 (X - 1) / X a T h (sum of k L)",
                     .numbers = "2 * (8 - 1) / 8 * 2 * 2 * 4096 * (2 * 32)",
                     .value = 1'835'008,
                     .unit = "bytes"});
  CHECK(step_named(steps, "throughput").formula == "new tokens of all replicas / roofline time");
  CHECK(step_named(steps, "throughput").value ==
        Approx(9 / step_named(steps, "roofline time").value).epsilon(1e-12));
}

TEST_CASE("Replicas on their own keep their own experts", "[analysis]") {
  const Steps steps = steps_of("mixtral-8x7b", Decode{.batch = 6, .context = 100}, {.data = 2});
  CHECK_FALSE(has_step(steps, "tokens at the experts, J"));
  CHECK_FALSE(has_step(steps, "network time"));
  CHECK(step_named(steps, "distinct experts, D").value == 4.625);
  CHECK(step_named(steps, "experts down: FLOP").value == 22'548'578'304);
  CHECK(step_named(steps, "throughput").value ==
        Approx(6 / step_named(steps, "roofline time").value).epsilon(1e-12));
}

TEST_CASE("A latent is whole on every device and its heads are not", "[analysis]") {
  const Decode workload{.batch = 32, .context = 2048};
  const Steps tensor = steps_of("deepseek-v3", workload, {.tensor = 8});
  check_step(tensor, {.quantity = "attention (3 layers): FLOP",
                      .formula = "absorbed: 2 n H A (2 r_kv + r) L / G",
                      .numbers = "2 * 32 * 128 * 2048 * (2 * 512 + 64) * 3 / 8",
                      .value = 6'845'104'128,
                      .unit = "FLOP"});
  CHECK(step_named(tensor, "attention (3 layers): K/V").value == 226'492'416);
  CHECK(step_named(tensor, "attention (3 layers): activations").value ==
        2.0 * 32 * 128 * 1088 * 3 / 8);
  CHECK(step_named(tensor, "memory: K/V").value == 2.0 * 32 * 2048 * 576 * 61);
  const Steps spread = steps_of("deepseek-v3", workload, {.expert = 8, .data = 8});
  CHECK(step_named(spread, "attention (3 layers): K/V").value == 28'311'552);
  CHECK(step_named(spread, "attention (3 layers): FLOP").value == 6'845'104'128);
}

TEST_CASE("Recurrences and their states are divided", "[analysis]") {
  const Steps steps =
      steps_of("mamba-2.8b", Decode{.batch = 3, .context = 777}, {.tensor = 2}, "L4");
  check_step(steps, {.quantity = "recurrence: FLOP",
                     .formula = "T (FLOP of the states and taps of a token) L / G",
                     .numbers = "3 * 5120 * (2 * 4 + 6 * 16) * 64 / 2",
                     .value = 51'118'080,
                     .unit = "FLOP"});
  CHECK(step_named(steps, "recurrence: state").value == 68'812'800);
  CHECK(step_named(steps, "recurrence: activations").value == 1'966'080);
  CHECK(step_named(steps, "memory: state").value == 34'406'400);
  CHECK(step_named(steps, "network: all-reduces").numbers ==
        "2 * (2 - 1) / 2 * 2 * 3 * 2560 * (64 + 0)");
}

TEST_CASE("Stages share layers and hand tokens on", "[analysis]") {
  const Steps steps =
      steps_of("llama-3-70b", Decode{.batch = 32, .context = 2048}, {.pipeline = 4});
  // 68,452,360,192 elements in layers and the last norm, 128256 x 8192 in each of two tables.
  CHECK(step_named(steps, "memory: weights").value == 36'327'526'400);
  CHECK(step_named(steps, "memory: weights").formula ==
        "sum over parts of parameters times bytes each; ceil(L / P) of all L layers, and the "
        "larger table");
  check_step(steps, {.quantity = "memory: K/V",
                     .formula = "n c L min(S, W) e, e elements a token, over layers; "
                                "ceil(L / P) of all L layers",
                     .numbers = "(32 * 2 * 80 * 2048 * 2048) * ((80 + 4 - 1) // 4) / 80",
                     .value = 5'368'709'120,
                     .unit = "bytes"});
  check_step(steps, {.quantity = "network: stage boundaries",
                     .formula = "a T h (P - 1)",
                     .numbers = "2 * 32 * 8192 * (4 - 1)",
                     .value = 1'572'864,
                     .unit = "bytes"});
  // A token passes all stages.
  CHECK(step_named(steps, "qkv: FLOP").value == 429'496'729'600);
}

TEST_CASE("A step that the network bounds achieves what its time gives", "[analysis]") {
  const Catalog catalog;
  const Model model = catalog.model("llama-3-70b");
  const AnalyzePoint point = analyze_one({model}, catalog.device("L4"),
                                         Prefill{.batch = 4, .context = 2048}, {}, {.tensor = 8});
  REQUIRE(point.verdict() == Verdict::network_bound);
  const Steps steps = derive(model, point);
  check_numbers(steps);
  CHECK(step_named(steps, "achievable").formula == "FLOP / roofline time");
  CHECK(step_named(steps, "achievable").value == point.achievable().value());
  CHECK(step_named(steps, "roofline time").value == step_named(steps, "network time").value);
}

}  // namespace
}  // namespace roofline
