// What one of several devices holds: its share of matrices, heads, experts, layers and sequences.
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "roofline/catalog.hpp"
#include "roofline/memory.hpp"
#include "roofline/small_inputs.hpp"

namespace roofline {
namespace {

Precision fp16() {
  return all_in(plain_format(MatrixType::fp16));
}

/// 16 query and 4 K/V heads of 8.
constexpr Attention grouped{
    .query_heads = 16, .kv_heads = 4, .head_dim = 8, .window = {}, .chunk = {}};

/// h 64, V 320 untied, 3 layers: attention 20,480, MLP 18,432, norms 128; tables 20,480 each.
Model dense() {
  Model model = model_of(grouped, Mlp{.width = 96});
  model.vocabulary = 320;
  model.layers[0].count = 3;
  model.layers[0].norm_parameters = 128;
  return model;
}

TEST_CASE("Matrices are split over devices and vectors are on all", "[roofline]") {
  const std::int64_t tp = GENERATE(1, 2, 4, 8, 16);
  CAPTURE(tp);
  constexpr double matrices = 3 * (20'480.0 + 18'432) + 2 * 20'480;
  CHECK(weight_bytes(dense(), fp16(), {.tensor = tp}) ==
        Bytes(2 * (matrices / static_cast<double>(tp) + 3 * 128)));
}

TEST_CASE("A stage has its layers rounded up and the larger table", "[roofline]") {
  // 3 layers: 2 and 1, then one each.
  const auto [pp, tp, layers] = GENERATE(table<std::int64_t, double, double>({
      {2, 1, 2},
      {3, 1, 1},
      {2, 4, 2},
      {3, 2, 1},
  }));
  CAPTURE(pp, tp);
  const Deployment deployment{.tensor = static_cast<std::int64_t>(tp), .pipeline = pp};
  CHECK(weight_bytes(dense(), fp16(), deployment).value() ==
        Approx(2 * (layers * (38'912 / tp + 128) + 20'480 / tp)).epsilon(1e-12));
  Precision small_head = fp16();
  small_head.weights[Part::lm_head].bits = 8;
  CHECK(weight_bytes(dense(), small_head, deployment) == weight_bytes(dense(), fp16(), deployment));
}

TEST_CASE("Experts divide by the larger of tensor and expert parallel", "[roofline]") {
  // 2 layers: router 64 x 8, experts 8 x 3 x 64 x 32, shared 3 x 64 x 48; two tables of 6400.
  const Model model =
      model_of({}, Experts{.count = 8, .per_token = 2, .width = 32, .shared_width = 48});
  const auto [deployment, dense_ways, expert_ways] = GENERATE(table<Deployment, double, double>({
      {{}, 1, 1},
      {{.tensor = 4}, 4, 4},
      {{.tensor = 4, .expert = 2}, 4, 4},
      {{.tensor = 4, .expert = 4}, 4, 4},
      {{.tensor = 4, .expert = 8, .data = 2}, 4, 8},
      {{.expert = 8, .data = 8}, 1, 8},
      {{.tensor = 2, .data = 4}, 2, 2},
  }));
  CAPTURE(to_string(deployment));
  constexpr double experts = 2 * 8 * 3 * 64 * 32.0;
  constexpr double others = 2 * (64 * 8 + 3 * 64 * 48.0) + 2 * 6400;
  CHECK(weight_bytes(model, fp16(), deployment) ==
        Bytes(2 * (experts / expert_ways + others / dense_ways)));
}

TEST_CASE("Llama 3 70B takes 17.6 GB of each of 8 devices", "[roofline]") {
  // 70,552,387,584 in matrices, 1,318,912 in norms, which every device has.
  const Model model = Catalog().model("llama-3-70b");
  CHECK(weight_bytes(model, fp16(), {.tensor = 8}) ==
        Bytes(2 * (70'552'387'584.0 / 8 + 1'318'912)));
}

TEST_CASE("Each device caches its own K/V heads and at least one", "[roofline]") {
  const auto [tp, pp, heads, layers] = GENERATE(table<std::int64_t, std::int64_t, double, double>({
      {1, 1, 4, 3},
      {2, 1, 2, 3},
      {4, 1, 1, 3},
      {8, 1, 1, 3},
      {16, 1, 1, 3},
      {1, 2, 4, 2},
      {1, 3, 4, 1},
      {2, 2, 2, 2},
      {16, 3, 1, 1},
  }));
  CAPTURE(tp, pp);
  const NumberFormat format = plain_format(MatrixType::fp16);
  CHECK(kv_bytes(dense(), format, 100, {.tensor = tp, .pipeline = pp}).value() ==
        Approx(2.0 * 100 * 2 * 8 * heads * layers).epsilon(1e-12));
}

TEST_CASE("A latent is cached whole on every device", "[roofline]") {
  const std::int64_t tp = GENERATE(1, 2, 8, 128);
  const Model model = Catalog().model("deepseek-v3");
  const NumberFormat bf16 = plain_format(MatrixType::bf16);
  CHECK(kv_bytes(model, bf16, 1000, {.tensor = tp}) == Bytes(70'272.0 * 1000));
}

TEST_CASE("A window layer keeps its window on each device", "[roofline]") {
  Model model = dense();
  std::get<Attention>(model.layers[0].mixer).window = 10;
  const NumberFormat format = plain_format(MatrixType::fp16);
  CHECK(kv_bytes(model, format, 100, {.tensor = 8}) == Bytes(2.0 * 10 * 2 * 8 * 3));
}

TEST_CASE("States are split over devices and stages", "[roofline]") {
  // Mamba in 4 layers: 32 x 4 elements in fp32, 32 x 3 in 16 bits.
  Model model =
      model_of(Mamba1{.inner = 32, .state = 4, .convolution = 4, .step_rank = 2}, Mlp{.width = 8});
  model.layers[0].count = 4;
  constexpr double layer = 4 * 128.0 + 2 * 96;
  CHECK(state_bytes(model, fp16(), {}) == Bytes(4 * layer));
  CHECK(state_bytes(model, fp16(), {.tensor = 8}) == Bytes(4 * layer / 8));
  CHECK(state_bytes(model, fp16(), {.pipeline = 4}) == Bytes(layer));
  CHECK(state_bytes(model, fp16(), {.tensor = 2, .pipeline = 3}).value() ==
        Approx(2 * layer / 2).epsilon(1e-12));
}

TEST_CASE("The need of a device is that of its replica's sequences", "[roofline]") {
  // 8 sequences of 100 over 2 replicas: 4 each; tp 2, of 3 layers in 3 stages one.
  const Deployment deployment{.tensor = 2, .pipeline = 3, .data = 2};
  const Step replica = replica_step(decode_step(8, 100), deployment);
  CHECK(replica.groups == decode_step(4, 100).groups);
  std::vector<Operator> operators;
  list_operators(dense(), replica, fp16(), deployment, operators);
  const MemoryNeed need = memory_need(dense(), replica, fp16(), deployment, operators);
  CHECK(need.weights.value() == Approx(2 * (38'912 / 2 + 128 + 20'480 / 2)).epsilon(1e-12));
  CHECK(need.kv.value() == Approx(2.0 * 4 * 100 * 2 * 8 * 2).epsilon(1e-12));
  CHECK(need.state == Bytes(0));
  // lm_head: 4 x (64 + 320 / 2) elements; the residual stream whole, 4 x 64.
  CHECK(need.activations == Bytes(2.0 * 4 * (224 + 64)));
}

TEST_CASE("Activations of experts are those of a device's own", "[roofline]") {
  // 6 tokens, k 4 of 8: gate+up of 24 rows of 64 + 64/4 elements, or of 6 rows of 64 + 64.
  Model model = model_of({}, Experts{.count = 8, .per_token = 4, .width = 32});
  model.vocabulary = 8;
  const auto [ep, elements] =
      GENERATE(table<std::int64_t, double>({{1, 24 * 80}, {2, 12 * 96}, {4, 6 * 128}}));
  CAPTURE(ep);
  const Deployment deployment{.tensor = 4, .expert = ep};
  std::vector<Operator> operators;
  const Step step = decode_step(6, 10);
  list_operators(model, step, fp16(), deployment, operators);
  CHECK(memory_need(model, step, fp16(), deployment, operators).activations ==
        Bytes(2 * (elements + 6 * 64)));
}

}  // namespace
}  // namespace roofline
