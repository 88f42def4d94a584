// Ways of spreading a model that engines refuse, and the values that are named instead.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "cost/step_costs.hpp"
#include "roofline/analyze.hpp"
#include "roofline/catalog.hpp"

namespace roofline {
namespace {

std::vector<Diagnostic> problems_of(const std::string& name, const Deployment& deployment,
                                    const PrecisionRequest& request = {}) {
  const Model model = Catalog().model(name);
  return deployment_problems(model, resolve_precision(model, request).precision, deployment);
}

NumberFormat in_blocks(std::int64_t inputs, std::int64_t outputs) {
  NumberFormat format = plain_format(MatrixType::bf16);
  format.block_inputs = inputs;
  format.block_outputs = outputs;
  return format;
}

Deployment tensor(std::int64_t ways) {
  return {.tensor = ways};
}

TEST_CASE("Models are split as engines split them", "[cost]") {
  const auto [name, deployment] = GENERATE(table<std::string, Deployment>({
      {"qwen2.5-7b", {}},
      {"qwen2.5-7b", {.tensor = 2}},
      {"qwen2.5-7b", {.tensor = 4, .pipeline = 28, .data = 3}},
      {"llama-3-70b", {.tensor = 8}},
      {"llama-3-70b", {.tensor = 64}},  // a K/V head on each 8 devices
      {"falcon-40b", {.tensor = 4}},
      {"mamba-2.8b", {.tensor = 4}},
      {"qwen3-next-80b-a3b", {.tensor = 4, .expert = 4}},
      {"deepseek-v3", {.tensor = 16}},
      {"deepseek-v3", {.tensor = 8, .expert = 8}},
      {"deepseek-v3", {.tensor = 8, .expert = 32, .data = 4}},
      {"deepseek-v3", {.expert = 32, .data = 32}},
      {"qwen3-235b-a22b-fp8", {.tensor = 4}},
      {"qwen3-235b-a22b-fp8", {.tensor = 8, .expert = 8}},
      {"gpt-oss-20b", {.tensor = 8}},  // 360 of 2,880, in whole blocks of 32
  }));
  CAPTURE(name, to_string(deployment));
  CHECK(problems_of(name, deployment).empty());
}

TEST_CASE("What does not divide is refused, with the nearest that does", "[cost]") {
  const auto [name, deployment, why, fix] =
      GENERATE(table<std::string, Deployment, std::string, std::string>({
          {"qwen2.5-7b", tensor(7),
           "4 K/V heads and 7 devices: neither divides the other; MLP width 18,944 does not divide "
           "by 7",
           "--tp 4"},
          {"qwen2.5-7b", tensor(8), "28 query heads do not divide by 8", "--tp 4"},
          // 18,944 = 512 x 37
          {"qwen2.5-7b", tensor(28), "MLP width 18,944 does not divide by 28", "--tp 4"},
          {"llama-3.1-8b", tensor(3),
           "32 query heads do not divide by 3; 8 K/V heads and 3 devices: neither divides the "
           "other; MLP width 14,336 does not divide by 3",
           "--tp 2 or --tp 4"},
          {"llama-3.1-8b", tensor(64), "32 query heads do not divide by 64", "--tp 32"},
          {"qwen3-235b-a22b-fp8", tensor(8),
           "experts' gate and up: 192 outputs a device are no whole blocks of 128; experts' down: "
           "192 inputs a device are no whole blocks of 128",
           "--tp 4 or --ep 8"},
          {"llama-3.1-8b", {.expert = 2}, "it has no routed experts", "--ep 1"},
          {"mixtral-8x7b",
           {.expert = 3, .data = 3},
           "8 experts do not divide by 3",
           "--ep 2 or --ep 4"},
          {"mixtral-8x7b",
           {.tensor = 2, .expert = 8, .data = 2},
           "tp 2 times dp 2 is 4 devices, which experts over 8 do not divide",
           "--ep 4"},
          {"llama-3.1-8b", {.pipeline = 33}, "it has 32 layers", "--pp 32"},
      }));
  CAPTURE(name, to_string(deployment));
  const std::vector<Diagnostic> problems = problems_of(name, deployment);
  REQUIRE(problems.size() == 1);
  CHECK(problems.front().why == why);
  CHECK(problems.front().fix == fix);
}

TEST_CASE("Every reason is told of a deployment that is wrong in several ways", "[cost]") {
  const std::vector<Diagnostic> problems =
      problems_of("mixtral-8x7b", {.tensor = 3, .pipeline = 40, .expert = 3});
  REQUIRE(problems.size() == 3);
  CHECK(problems[0].what == "mixtral-8x7b cannot be split over 3 devices (tp 3)");
  CHECK(problems[0].fix == "--tp 2 --ep 2");
  CHECK(problems[1].what == "mixtral-8x7b cannot spread its experts over 3 devices (ep 3)");
  CHECK(problems[1].fix == "--tp 2 --ep 2");
  CHECK(problems[2].what == "mixtral-8x7b cannot be cut into 40 stages (pp 40)");
  CHECK(problems[2].fix == "--pp 32");
}

TEST_CASE("Both are named where no tensor parallel goes with the experts' spread", "[cost]") {
  // 16 heads: 1, 2, 4, 8, 16; with 3 ways of 60 experts none of them goes on one replica.
  const Attention attention{
      .query_heads = 16, .kv_heads = 16, .head_dim = 128, .window = {}, .chunk = {}};
  const Experts experts{.count = 60, .per_token = 4, .width = 1408};
  Model model = make_model(2048, 1000, {layers(24, attention, experts)});
  const auto problems = deployment_problems(model, fp16(), {.tensor = 6, .expert = 3});
  REQUIRE(problems.size() == 1);
  CHECK(problems.front().fix == "--tp 4 --ep 2");
}

TEST_CASE("A larger value is named where the width allows it", "[cost]") {
  const Attention attention{
      .query_heads = 28, .kv_heads = 4, .head_dim = 128, .window = {}, .chunk = {}};
  const Model model = make_model(3584, 1000, {layers(28, attention, Mlp{.width = 28 * 256})});
  CHECK(deployment_problems(model, fp16(), tensor(28)).empty());
  for (const std::int64_t refused : {7, 8, 14}) {
    CAPTURE(refused);
    const auto problems = deployment_problems(model, fp16(), tensor(refused));
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().fix == "--tp 4 or --tp 28");
  }
}

TEST_CASE("Groups of quantised inputs are not cut", "[cost]") {
  // 29,568 = 231 x 128: published with groups of 128 it was padded to 29,696 = 8 x 29 x 128.
  const Attention attention{
      .query_heads = 64, .kv_heads = 8, .head_dim = 128, .window = {}, .chunk = {}};
  const Precision precision = all_in(in_blocks(128, 1));
  const auto with_width = [&](std::int64_t width) {
    return make_model(8192, 1000, {layers(80, attention, Mlp{.width = width})});
  };
  const auto problems = deployment_problems(with_width(29'568), precision, tensor(2));
  REQUIRE(problems.size() == 1);
  CHECK(problems.front().why == "down: 14,784 inputs a device are no whole blocks of 128");
  CHECK(problems.front().fix == "--tp 1");
  CHECK(deployment_problems(with_width(29'568), precision, {}).empty());
  CHECK(deployment_problems(with_width(29'696), precision, tensor(8)).empty());
}

TEST_CASE("Blocks of outputs are not cut: of heads and of K/V heads", "[cost]") {
  const Attention attention{
      .query_heads = 8, .kv_heads = 2, .head_dim = 64, .window = {}, .chunk = {}};
  const Model model = make_model(512, 1000, {layers(2, attention, nothing)});
  // Two K/V heads of 64 are a block of 128; one is half of it.
  const auto problems = deployment_problems(model, all_in(in_blocks(1, 128)), tensor(2));
  REQUIRE(problems.size() == 1);
  CHECK(problems.front().why == "k and v: 64 outputs a device are no whole blocks of 128");
  CHECK(problems.front().fix == "--tp 1");
}

TEST_CASE("States are cut along their heads and channels", "[cost]") {
  const auto [mixer, why, fix] = GENERATE(table<Mixer, std::string, std::string>({
      {Mamba1{.inner = 100, .state = 16}, "Mamba width 100 does not divide by 8",
       "--tp 5 or --tp 10"},
      {Mamba2{.heads = 12, .head_dim = 64}, "12 Mamba heads do not divide by 8",
       "--tp 6 or --tp 12"},
      {GatedDelta{.key_heads = 4, .key_dim = 64, .value_heads = 12, .value_dim = 64},
       "4 key heads do not divide by 8; 12 value heads do not divide by 8", "--tp 4"},
      {LinearAttention{.heads = 12, .head_dim = 64}, "12 linear attention heads do not divide by 8",
       "--tp 6 or --tp 12"},
      {LatentAttention{.heads = 12,
                       .query_rank = {},
                       .kv_rank = 64,
                       .rope_dim = 8,
                       .nope_dim = 8,
                       .value_dim = 8},
       "12 heads do not divide by 8", "--tp 6 or --tp 12"},
  }));
  const Model model = make_model(512, 1000, {layers(2, mixer, nothing)});
  const auto problems = deployment_problems(model, fp16(), tensor(8));
  REQUIRE(problems.size() == 1);
  CHECK(problems.front().why == why);
  CHECK(problems.front().fix == fix);
}

TEST_CASE("Latent attention with blocks is refused where its matrices are cut in a block",
          "[cost]") {
  // DeepSeek-V3: 18,432 of the dense layers and 2,048 of experts and the shared one, over 32.
  const auto problems = problems_of("deepseek-v3", tensor(32));
  REQUIRE(problems.size() == 1);
  const std::string& why = problems.front().why;
  CHECK(why.find("gate and up: 576 outputs a device") != std::string::npos);
  CHECK(why.find("experts' gate and up: 64 outputs a device") != std::string::npos);
  CHECK(why.find("shared down: 64 inputs a device") != std::string::npos);
  CHECK(problems.front().fix == "--tp 16");
}

}  // namespace
}  // namespace roofline
