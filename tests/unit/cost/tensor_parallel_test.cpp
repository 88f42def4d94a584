// What one device does of a step that several share: matrices and heads are split, K/V heads are
// repeated where there are fewer than devices, a latent is on all, experts are spread.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "cost/step_costs.hpp"
#include "roofline/catalog.hpp"
#include "roofline/step.hpp"

namespace roofline {
namespace {

std::vector<Operator> operators_on(const Model& model, const Step& step,
                                   const Deployment& deployment) {
  std::vector<Operator> operators;
  list_operators(model, step, fp16(), deployment, operators);
  return operators;
}

/// 16 query and 4 K/V heads of 8.
constexpr Attention grouped{
    .query_heads = 16, .kv_heads = 4, .head_dim = 8, .window = {}, .chunk = {}};

Model dense() {
  return make_model(64, 320, {layers(3, grouped, Mlp{.width = 96})});
}

/// 7 tokens: two sequences of 10, one chunk of 5 after 3.
Step two_groups() {
  return {.groups = {{.count = 2, .new_tokens = 1, .cached_tokens = 9},
                     {.count = 1, .new_tokens = 5, .cached_tokens = 3}}};
}

TEST_CASE("Every matrix of a dense model is split over the devices", "[cost]") {
  const std::int64_t tp = GENERATE(1, 2, 4, 8, 16);
  const double n = static_cast<double>(tp);
  CAPTURE(tp);
  const auto operators = operators_on(dense(), two_groups(), {.tensor = tp});
  // F = 2 t K N, weights 2 bytes K N; activations 2 bytes t (K + N), the split side divided.
  const auto check = [&](const char* name, double count, double t, double k, double outputs,
                         double width) {
    INFO(name);
    const Operator& op = find(operators, name);
    CHECK(op.flops == Flops(count * 2 * t * k * outputs / n));
    CHECK(op.weights == Bytes(count * 2 * k * outputs / n));
    CHECK(op.activations == Bytes(count * 2 * t * width));
    CHECK(op.ways == tp);
    CHECK(op.rows == t);
  };
  check("qkv", 3, 7, 64, 192, 64 + 192 / n);
  check("o", 3, 7, 128, 64, 128 / n + 64);
  check("gate+up", 3, 7, 64, 192, 64 + 192 / n);
  check("down", 3, 7, 96, 64, 96 / n + 64);
  check("lm_head", 1, 3, 64, 320, 64 + 320 / n);
  CHECK(find(operators, "embedding").activations == Bytes(2.0 * 2 * 7 * 64));
  CHECK(find(operators, "o").split_inputs);
  CHECK(find(operators, "down").split_inputs);
  CHECK_FALSE(find(operators, "qkv").split_inputs);
  CHECK_FALSE(find(operators, "gate+up").split_inputs);
  CHECK_FALSE(find(operators, "lm_head").split_inputs);
}

TEST_CASE("Query heads are split and K/V heads repeated where they do not suffice", "[cost]") {
  const auto [tp, kv_heads] =
      GENERATE(table<std::int64_t, double>({{1, 4}, {2, 2}, {4, 1}, {8, 1}, {16, 1}}));
  CAPTURE(tp);
  const double n = static_cast<double>(tp);
  const Operator op = find(operators_on(dense(), two_groups(), {.tensor = tp}), "attention");
  // Pairs 2 x 10 and 4 + 5 + 6 + 7 + 8; spans 2 x 10 and 8; 3 layers.
  CHECK(op.flops == Flops(3.0 * 4 * 128 * 50 / n));
  CHECK(op.kv == Bytes(3.0 * 2 * 28 * 2 * 8 * kv_heads));
  CHECK(op.activations == Bytes(3.0 * 2 * 7 * 2 * 128 / n));
  CHECK(op.ways == tp);
}

TEST_CASE("K/V heads that do not divide are rounded up", "[cost]") {
  // 6 heads: 3 and 3, then 2, 2, 1, 1 (the fullest has 2), then one of six on each of 8.
  const auto [tp, heads] =
      GENERATE(table<std::int64_t, std::int64_t>({{1, 6}, {2, 3}, {3, 2}, {4, 2}, {6, 1}, {8, 1}}));
  Attention attention = grouped;
  attention.query_heads = 24;
  attention.kv_heads = 6;
  CAPTURE(tp);
  CHECK(device_kv_heads(attention, tp) == heads);
  const Model model = make_model(64, 320, {layers(1, attention, nothing)});
  const auto operators = operators_on(model, decode_step(5, 20), {.tensor = tp});
  CHECK(find(operators, "attention").kv ==
        Bytes(2.0 * 5 * 20 * 2 * 8 * static_cast<double>(heads)));
}

TEST_CASE("A window bounds what each device attends", "[cost]") {
  Attention attention = grouped;
  attention.window = 4;
  const Model model = make_model(64, 320, {layers(1, attention, nothing)});
  const Operator op = find(operators_on(model, two_groups(), {.tensor = 8}), "attention");
  // Pairs 2 x 4 and 5 x 4; spans 2 x 4 and min(8, 4 + 4).
  CHECK(op.flops == Flops(4.0 * 16 * 28));
  CHECK(op.kv == Bytes(2.0 * 16 * 2 * 8));
}

TEST_CASE("Llama 3 70B in 16 bits has its bytes on each of several devices", "[cost]") {
  const auto [tp, batch, flops, weights, kv] =
      GENERATE(table<std::int64_t, std::int64_t, double, double, double>({
          {2, 1, 72'186'068'992, 69'501'714'432, 335'544'320},
          {4, 1, 36'093'034'496, 34'750'857'216, 167'772'160},
          {8, 1, 18'046'517'248, 17'375'428'608, 83'886'080},
          {8, 8, 144'372'137'984, 17'375'428'608, 671'088'640},
          {8, 32, 577'488'551'936, 17'375'428'608, 2'684'354'560},
          {16, 1, 9'023'258'624, 8'687'714'304, 83'886'080},
          {16, 32, 288'744'275'968, 8'687'714'304, 2'684'354'560},
      }));
  CAPTURE(tp, batch);
  const Totals totals = totals_of(
      operators_on(Catalog().model("llama-3-70b"), decode_step(batch, 2048), {.tensor = tp}));
  CHECK(totals.flops == Flops(flops));
  CHECK(totals.weights == Bytes(weights));
  CHECK(totals.kv == Bytes(kv));
}

TEST_CASE("A latent is whole on every device and its heads are split", "[cost]") {
  // u 16, r 8, v 12, r_kv 32, r_q 24; 8 heads, h 64. Decode of 3 at context 100: absorbed.
  const LatentAttention latent{
      .heads = 8, .query_rank = 24, .kv_rank = 32, .rope_dim = 8, .nope_dim = 16, .value_dim = 12};
  const Model model = make_model(64, 320, {layers(2, latent, nothing)});
  const std::int64_t tp = GENERATE(1, 2, 4, 8);
  CAPTURE(tp);
  const double n = static_cast<double>(tp);
  const auto operators = operators_on(model, decode_step(3, 100), {.tensor = tp});
  const Operator& attention = find(operators, "attention");
  CHECK(attention.kv == Bytes(2.0 * 2 * 3 * 100 * (32 + 8)));
  CHECK(attention.flops == Flops(2.0 * 2 * 3 * 8 * 100 * (2 * 32 + 8) / n));
  CHECK(attention.activations == Bytes(2.0 * 2 * 3 * 8 * (2 * 32 + 8) / n));
  const auto flops = [&](const char* name) { return find(operators, name).flops.value() * n; };
  CHECK(flops("q_a") == 2.0 * 2 * 3 * 64 * 24);
  CHECK(flops("q_b") == 2.0 * 2 * 3 * 24 * 8 * (16 + 8));
  CHECK(flops("kv_a") == 2.0 * 2 * 3 * 64 * (32 + 8));
  CHECK(flops("kv_b") == 2.0 * 2 * 3 * 32 * 8 * (16 + 12));
  CHECK(flops("o") == 2.0 * 2 * 3 * 8 * 12 * 64);
  CHECK(find(operators, "o").activations == Bytes(2.0 * 2 * 3 * (96 / n + 64)));
  CHECK(find(operators, "kv_b").activations == Bytes(2.0 * 2 * 3 * (32 + 224 / n)));
}

TEST_CASE("An unfolded latent keeps its rope part whole on every device", "[cost]") {
  // A prompt of 50: expanded. Elements n s (H/N (u + v) + r) + n q H/N (u + r + v).
  const LatentAttention latent{
      .heads = 8, .query_rank = {}, .kv_rank = 32, .rope_dim = 8, .nope_dim = 16, .value_dim = 12};
  const Model model = make_model(64, 320, {layers(1, latent, nothing)});
  const std::int64_t tp = GENERATE(1, 2, 8);
  CAPTURE(tp);
  const double heads = 8.0 / static_cast<double>(tp);
  const auto operators = operators_on(model, prefill_step(1, 50), {.tensor = tp});
  const Operator& attention = find(operators, "attention");
  CHECK(attention.flops == Flops(2 * heads * 1275 * (16 + 8 + 12)));
  CHECK(attention.kv == Bytes(2.0 * 50 * 40));
  CHECK(attention.activations == Bytes(2 * 50 * (heads * 28 + 8 + heads * 36)));
}

Model of_experts() {
  // E 8, k 2, width 32, shared width 48.
  return make_model(
      64, 320,
      {layers(2, nothing, Experts{.count = 8, .per_token = 2, .width = 32, .shared_width = 48})});
}

TEST_CASE("Experts are sliced and spread and a device has its share of both", "[cost]") {
  // 6 tokens: D = 8 (1 - 0.75^6) = 6.576171875 of all devices.
  const auto [ep, rows, matrices, ways] =
      GENERATE(table<std::int64_t, double, double, std::int64_t>({
          {1, 12, 6.576171875, 4},
          {2, 6, 3.2880859375, 2},
          {4, 3, 1.64404296875, 1},
      }));
  CAPTURE(ep);
  const auto operators =
      operators_on(of_experts(), decode_step(6, 10), {.tensor = 4, .expert = ep});
  const double slices = static_cast<double>(ways);
  const Operator& up = find(operators, "experts gate+up");
  CHECK(up.rows == rows);
  CHECK(up.matrices == Approx(matrices).epsilon(1e-14));
  CHECK(up.ways == ways);
  // Work and weights are a quarter, however they are spread.
  CHECK(up.flops == Flops(2.0 * 2 * 12 * 64 * 64 / 4));
  CHECK(up.weights.value() == Approx(2.0 * 2 * 6.576171875 * 64 * 64 / 4).epsilon(1e-14));
  CHECK(up.activations == Bytes(2.0 * 2 * rows * (64 + 64 / slices)));
  const Operator& down = find(operators, "experts down");
  CHECK(down.split_inputs);
  CHECK(down.flops == Flops(2.0 * 2 * 12 * 32 * 64 / 4));
  CHECK(down.activations == Bytes(2.0 * 2 * rows * (32 / slices + 64)));
  // The router and the shared expert are split as every matrix is.
  CHECK(find(operators, "router").flops == Flops(2.0 * 2 * 6 * 64 * 8 / 4));
  CHECK(find(operators, "shared gate+up").weights == Bytes(2.0 * 2 * 64 * 96 / 4));
  CHECK(find(operators, "shared down").flops == Flops(2.0 * 2 * 6 * 48 * 64 / 4));
}

TEST_CASE("Replicas that share experts read those of all their tokens", "[cost]") {
  // 2 replicas of tp 4, 6 tokens each: 12 meet at 8 devices, D = 8 (1 - 0.75^12).
  Step step = decode_step(6, 10);
  step.joined_tokens = 12;
  const auto operators = operators_on(of_experts(), step, {.tensor = 4, .expert = 8, .data = 2});
  const double distinct = 8 * (1 - std::pow(0.75, 12));
  const Operator& up = find(operators, "experts gate+up");
  CHECK(up.rows == 3);
  CHECK(up.ways == 1);
  CHECK(up.matrices == Approx(distinct / 8).epsilon(1e-12));
  CHECK(up.weights.value() == Approx(2 * 2.0 * 64 * 64 * distinct / 8).epsilon(1e-12));
  CHECK(up.flops == Flops(2.0 * 2 * 3 * 64 * 64));
  // The others are of the replica's own tokens.
  CHECK(find(operators, "router").rows == 6);
  CHECK(find(operators, "shared down").flops == Flops(2.0 * 2 * 6 * 48 * 64 / 4));
}

TEST_CASE("The tokens that meet at experts are those of the fullest group of replicas", "[cost]") {
  // 4 replicas in 2 groups: of 5 sequences one group has 3, and a single one is whole somewhere.
  const auto [batch, joined] =
      GENERATE(table<std::int64_t, double>({{1, 1}, {2, 1}, {4, 2}, {5, 3}, {8, 4}}));
  CAPTURE(batch);
  const Step replica = replica_step(decode_step(batch, 10), {.expert = 2, .data = 4});
  CHECK(replica.joined_tokens == joined);
  CHECK(replica.joined_tokens >= new_tokens(replica));
}

TEST_CASE("A choice of experts is of all devices together", "[cost]") {
  const auto [choice, total] = GENERATE(table<ExpertChoice, double>({
      {{.kind = ExpertChoice::Kind::fewest}, 2},
      {{.kind = ExpertChoice::Kind::all}, 8},
      {{.kind = ExpertChoice::Kind::fixed, .count = 5}, 5},
  }));
  Step step = decode_step(6, 10);
  step.experts = choice;
  const auto operators = operators_on(of_experts(), step, {.tensor = 2, .expert = 2});
  CHECK(find(operators, "experts down").matrices == total / 2);
  CHECK(find(operators, "experts down").weights == Bytes(2.0 * 2 * total * 32 * 64 / 2));
}

TEST_CASE("A state is split as its heads are", "[cost]") {
  // Linear attention of 8 heads of 4: 8 x 16 elements in fp32; 5 FLOP an element and token.
  const Model model =
      make_model(64, 320, {layers(2, LinearAttention{.heads = 8, .head_dim = 4}, nothing)});
  const std::int64_t tp = GENERATE(1, 2, 4, 8);
  CAPTURE(tp);
  const double n = static_cast<double>(tp);
  // 2 sequences and a chunk, all with something cached: read and written.
  const auto operators = operators_on(model, two_groups(), {.tensor = tp});
  const Operator& op = find(operators, "recurrence");
  CHECK(op.flops == Flops(2.0 * 7 * 5 * 128 / n));
  CHECK(op.state == Bytes(2.0 * 3 * 2 * 128 * 4 / n));
  CHECK(find(operators, "linear out").split_inputs);
  CHECK(find(operators, "linear out").activations == Bytes(2.0 * 2 * 7 * (32 / n + 64)));
}

TEST_CASE("The convolutions of a state space are split with its channels", "[cost]") {
  // Mamba: 32 channels, 4 elements each in fp32, 3 taps kept of 4 in 16 bits; a fresh prompt.
  const Model model = make_model(
      16, 320,
      {layers(1, Mamba1{.inner = 32, .state = 4, .convolution = 4, .step_rank = 2}, nothing)});
  const std::int64_t tp = GENERATE(1, 2, 4);
  CAPTURE(tp);
  const double n = static_cast<double>(tp);
  const auto operators = operators_on(model, prefill_step(3, 5), {.tensor = tp});
  const Operator& op = find(operators, "recurrence");
  CHECK(op.state == Bytes(3.0 * (32 * 4 * 4 + 32 * 3 * 2) / n));
  CHECK(op.flops == Flops(15.0 * 32 * (2 * 4 + 6 * 4) / n));
  CHECK(find(operators, "x").split_inputs);
  CHECK(find(operators, "x").weights == Bytes(2.0 * 32 * (2 + 8) / n));
}

TEST_CASE("A pipeline's stages are all in the list", "[cost]") {
  const Totals one = totals_of(operators_on(dense(), two_groups(), {}));
  const Totals staged = totals_of(operators_on(dense(), two_groups(), {.pipeline = 3}));
  CHECK(staged.flops == one.flops);
  CHECK(staged.weights == one.weights);
  CHECK(staged.kv == one.kv);
}

}  // namespace
}  // namespace roofline
