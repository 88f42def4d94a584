// Derivations by kind of layer, each compared with figures worked out by hand: experts, latents,
// chunks, states.
#include <catch2/catch.hpp>
#include <string>
#include <variant>
#include <vector>

#include "analysis/derivation_steps.hpp"
#include "roofline/catalog.hpp"
#include "roofline/derivation.hpp"

namespace roofline {
namespace {

using Catch::Matchers::Contains;
using Steps = std::vector<DerivationStep>;

Steps steps_of(const std::string& name, const Workload& workload,
               const ExpertChoice& experts = {}) {
  const Model model = Catalog().model(name);
  const AnalyzeResult result = analyze({.models = {model},
                                        .devices = {Catalog().device("H100")},
                                        .workloads = {{"step", workload}},
                                        .precision = {},
                                        .price = {},
                                        .experts = experts});
  REQUIRE(result.points.size() == 1);
  Steps steps = derive(model, result.points.front());
  check_numbers(steps);
  return steps;
}

void check_step(const Steps& steps, const DerivationStep& expected) {
  const DerivationStep& step = step_named(steps, expected.quantity);
  INFO(expected.quantity);
  CHECK(step.formula == expected.formula);
  CHECK(step.numbers == expected.numbers);
  CHECK(step.value == expected.value);
  CHECK(step.unit == expected.unit);
}

TEST_CASE("The distinct experts of Mixtral show how they are expected", "[analysis]") {
  const Steps steps = steps_of("mixtral-8x7b", Decode{.batch = 3, .context = 100});
  check_step(steps, {.quantity = "distinct experts, D",
                     .formula = "E (1 - (1 - k / E)^T)",
                     .numbers = "8 * (1 - (1 - 2 / 8) ** 3)",
                     .value = 4.625,
                     .unit = "experts"});
  check_step(steps, {.quantity = "router: FLOP",
                     .formula = "2 T K N L",
                     .numbers = "2 * 3 * 4096 * 8 * 32",
                     .value = 6'291'456,
                     .unit = "FLOP"});
  check_step(steps, {.quantity = "experts down: FLOP",
                     .formula = "2 T k K N L",
                     .numbers = "2 * 6 * 14336 * 4096 * 32",
                     .value = 22'548'578'304,
                     .unit = "FLOP"});
  check_step(steps, {.quantity = "experts down: weights",
                     .formula = "w K N L D",
                     .numbers = "2 * 14336 * 4096 * 32 * 4.625",
                     .value = 17'381'195'776,
                     .unit = "bytes"});
}

TEST_CASE("Experts that are chosen show in the derivation", "[analysis]") {
  using enum ExpertChoice::Kind;
  const auto [kind, count, value] = GENERATE(table<ExpertChoice::Kind, std::int64_t, double>(
      {{fewest, 0, 2}, {all, 0, 6}, {fixed, 5, 5}}));
  const Steps steps =
      steps_of("mixtral-8x7b", Decode{.batch = 3, .context = 100}, {.kind = kind, .count = count});
  CHECK(step_named(steps, "distinct experts, D").value == value);
  CHECK(step_named(steps, "experts down: weights").value == 2.0 * 14'336 * 4096 * 32 * value);
}

TEST_CASE("Models whose layers have the same experts name them once", "[analysis]") {
  const Steps steps = steps_of("llama-4-scout", Decode{.batch = 2, .context = 100});
  const auto distinct = std::count_if(steps.begin(), steps.end(), [](const DerivationStep& step) {
    return step.quantity == "distinct experts, D";
  });
  CHECK(distinct == 1);
  CHECK(step_named(steps, "distinct experts, D").value == 1.9375);
}

TEST_CASE("The derivation of latent attention says which form it takes", "[analysis]") {
  // The first 3 layers, whose MLP is dense; the others say the same.
  const Steps decode = steps_of("deepseek-v3", Decode{.batch = 32, .context = 2048});
  check_step(decode, {.quantity = "attention (3 layers): FLOP",
                      .formula = "absorbed: 2 n H A (2 r_kv + r) L",
                      .numbers = "2 * 32 * 128 * 2048 * (2 * 512 + 64) * 3",
                      .value = 54'760'833'024,
                      .unit = "FLOP"});
  check_step(decode, {.quantity = "attention (3 layers): K/V",
                      .formula = "c n s (r_kv + r) L",
                      .numbers = "2 * 32 * 2048 * (512 + 64) * 3",
                      .value = 226'492'416,
                      .unit = "bytes"});
  CHECK(step_named(decode, "kv_b (3 layers): FLOP").value == 2.0 * 32 * 512 * 32'768 * 3);
  const Steps prompt = steps_of("deepseek-v3", Prefill{.batch = 1, .context = 1000});
  check_step(prompt, {.quantity = "attention (3 layers): FLOP",
                      .formula = "expanded: 2 n H A (u + r + v) L",
                      .numbers = "2 * 1 * 128 * 500500 * (128 + 64 + 128) * 3",
                      .value = 123'002'880'000,
                      .unit = "FLOP"});
  CHECK(step_named(prompt, "attention (3 layers): activations").value ==
        2.0 * (1000.0 * (128 * 256 + 64) + 1000.0 * 128 * 320) * 3);
}

TEST_CASE("A step whose groups take both forms says so", "[analysis]") {
  const Steps steps =
      steps_of("deepseek-v3", Mixed{.batch = 8, .context = 2048, .chunk = 512, .position = 1024});
  const DerivationStep& flop = step_named(steps, "attention (3 layers): FLOP");
  CHECK(flop.value == 2.0 * 128 * 3 * (8.0 * 2048 * 1088 + (512.0 * 1024 + 512.0 * 513 / 2) * 320));
  CHECK_THAT(flop.formula, Contains("absorbed") && Contains("expanded"));
}

TEST_CASE("A chunk shows in the derivation of pairs and span", "[analysis]") {
  const Steps prompt = steps_of("llama-4-scout", Prefill{.batch = 1, .context = 20'000});
  CHECK(step_named(prompt, "attention (chunk 8192): pairs, A").value ==
        8192.0 * 8193 + 3616.0 * 3617 / 2);
  CHECK(step_named(prompt, "attention (chunk 8192): tokens of K/V, s").value == 20'000);
  CHECK(step_named(prompt, "attention: pairs, A").value == 20'000.0 * 20'001 / 2);
  const Steps decode = steps_of("llama-4-scout", Decode{.batch = 1, .context = 8193});
  CHECK(step_named(decode, "attention (chunk 8192): pairs, A").value == 1);
  CHECK(step_named(decode, "attention (chunk 8192): tokens of K/V, s").value == 1);
  CHECK(step_named(decode, "memory: K/V").value == 2.0 * 2048 * (36.0 * 8192 + 12.0 * 8193));
}

TEST_CASE("A recurrence shows FLOP and state", "[analysis]") {
  const Steps steps = steps_of("mamba-2.8b", Decode{.batch = 3, .context = 777});
  check_step(steps, {.quantity = "recurrence: FLOP",
                     .formula = "T (FLOP of the states and taps of a token) L",
                     .numbers = "3 * 5120 * (2 * 4 + 6 * 16) * 64",
                     .value = 102'236'160,
                     .unit = "FLOP"});
  check_step(steps,
             {.quantity = "recurrence: state",
              .formula = "reads and writes (recurrent elements times bytes + a convolution) L",
              .numbers = "(2 * 3) * (4 * 81920 + 2 * 15360) * 64",
              .value = 137'625'600,
              .unit = "bytes"});
  CHECK(step_named(steps, "state of the step").value == 137'625'600);
  CHECK(step_named(steps, "bytes").value == 5'658'910'720);
  CHECK(step_named(steps, "memory: state").value == 3 * (4.0 * 5'242'880 + 2.0 * 983'040));
}

TEST_CASE("Recurrences of every kind show a token's FLOP", "[analysis]") {
  const auto [name, flop] = GENERATE(table<std::string, double>({
      // 54 layers: 4 taps of 16384 + 2 x 8 x 256 channels, 16384 x 256 elements.
      {"nemotron-h-56b", 54.0 * (2 * 4 * 20'480.0 + 5 * 16'384.0 * 256)},
      // 36 layers: 4 taps of 2 x 2048 + 4096 channels, 32 x 128 x 128 elements.
      {"qwen3-next-80b-a3b", 36.0 * (2 * 4 * 8192.0 + 7 * 32 * 128.0 * 128)},
      {"minimax-m1", 70.0 * 5 * 64 * 128 * 128},
  }));
  INFO(name);
  const Steps steps = steps_of(name, Decode{.batch = 1, .context = 10});
  double sum = 0;
  for (const DerivationStep& step : steps) {
    if (step.quantity == "recurrence: FLOP") sum += step.value;
  }
  CHECK(sum == flop);
}

TEST_CASE("Steps without a state have none in their derivation", "[analysis]") {
  for (const DerivationStep& step : steps_of("deepseek-v3", Decode{.batch = 1, .context = 10})) {
    CHECK_THAT(step.quantity, !Contains("state"));
  }
}

TEST_CASE("Memory is derived part by part", "[analysis]") {
  const Steps steps = steps_of("gpt-oss-20b", Decode{.batch = 2, .context = 1000});
  // mxfp4 experts, everything else in bf16.
  CHECK(step_named(steps, "memory: weights").value == 13'761'264'768);
  CHECK_THAT(step_named(steps, "memory: weights").numbers, Contains("19110297600 * 0.53125"));
  CHECK(step_named(steps, "memory: K/V").value == 2 * (24'576.0 * 1000 + 24'576.0 * 128));
}

}  // namespace
}  // namespace roofline
