// Latent attention: both forms worked out by hand, the choice between them, queries with and
// without a rank, and groups that take different forms in one step.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "cost/step_costs.hpp"
#include "roofline/step.hpp"

namespace roofline {
namespace {

using Names = std::vector<std::string_view>;

LatentAttention deepseek_v3() {
  return {.heads = 128,
          .query_rank = 1536,
          .kv_rank = 512,
          .rope_dim = 64,
          .nope_dim = 128,
          .value_dim = 128};
}

/// H 3, r_kv 4, r 2, u 5, v 7.
LatentAttention small_latent(std::optional<std::int64_t> query_rank = {}) {
  return {.heads = 3,
          .query_rank = query_rank,
          .kv_rank = 4,
          .rope_dim = 2,
          .nope_dim = 5,
          .value_dim = 7};
}

StepGroup group_of(std::int64_t count, std::int64_t new_tokens, std::int64_t cached_tokens) {
  return {.count = count, .new_tokens = new_tokens, .cached_tokens = cached_tokens};
}

TEST_CASE("The absorbed form attends the latent", "[cost]") {
  // DeepSeek V3 decoding 2 sequences at context 100: A = s = 100.
  const LatentCost cost = latent_cost(deepseek_v3(), group_of(2, 1, 99), true);
  CHECK(cost.absorbed);
  CHECK(cost.pairs == 100);
  CHECK(cost.span == 100);
  CHECK(cost.unfolded_rows == 2);                                    // n q
  CHECK(cost.flops == Flops(2.0 * 2 * 128 * 100 * (2 * 512 + 64)));  // 2 n H A (2 r_kv + r)
  CHECK(cost.activations == 2.0 * 128 * (2 * 512 + 64));             // n q H (2 r_kv + r)
}

TEST_CASE("The expanded form unfolds the latent of all tokens", "[cost]") {
  // 3 prompts of 1000 tokens behind 24 cached: A = 1000 x 24 + 500,500, s = 1024.
  const LatentCost cost = latent_cost(deepseek_v3(), group_of(3, 1000, 24), true);
  CHECK_FALSE(cost.absorbed);
  CHECK(cost.pairs == 524'500);
  CHECK(cost.span == 1024);
  CHECK(cost.unfolded_rows == 3 * 1024);                                   // n (p + q)
  CHECK(cost.flops == Flops(2.0 * 3 * 128 * 524'500 * (128 + 64 + 128)));  // 2 n H A (u + r + v)
  CHECK(cost.activations == 3.0 * 1024 * 128 * 256 + 3.0 * 1000 * 128 * 320);
  CHECK(cost.shared_activations == 3.0 * 1024 * 64);
}

TEST_CASE("Without a mask latent attention counts every pair", "[cost]") {
  const LatentCost cost = latent_cost(deepseek_v3(), group_of(1, 1000, 24), false);
  CHECK(cost.pairs == 1000.0 * 1024);
  CHECK(cost.flops == Flops(2.0 * 128 * 1000 * 1024 * 320));
}

/// Multiply-adds of scores, values and kv_b for one head: what the choice is made by.
double absorbed_flop(const LatentAttention& a, std::int64_t q, std::int64_t pairs) {
  return static_cast<double>(pairs * (2 * a.kv_rank + a.rope_dim) +
                             q * a.kv_rank * (a.nope_dim + a.value_dim));
}

double expanded_flop(const LatentAttention& a, std::int64_t q, std::int64_t p, std::int64_t pairs) {
  return static_cast<double>(pairs * (a.nope_dim + a.rope_dim + a.value_dim) +
                             (p + q) * a.kv_rank * (a.nope_dim + a.value_dim));
}

TEST_CASE("A group takes the form with the fewer FLOP in total", "[cost]") {
  const LatentAttention attention = GENERATE(deepseek_v3(), small_latent());
  const auto new_tokens = GENERATE(as<std::int64_t>(), 1, 2, 3, 10, 100, 170, 171, 172, 1000);
  const auto cached_tokens = GENERATE(as<std::int64_t>(), 0, 1, 50, 4096, 100'000);
  std::int64_t pairs = 0;
  for (std::int64_t j = 1; j <= new_tokens; ++j) pairs += cached_tokens + j;
  const double absorbed = absorbed_flop(attention, new_tokens, pairs);
  const double expanded = expanded_flop(attention, new_tokens, cached_tokens, pairs);
  CAPTURE(attention.heads, new_tokens, cached_tokens);
  const LatentCost cost = latent_cost(attention, group_of(1, new_tokens, cached_tokens), true);
  CHECK(cost.absorbed == (absorbed <= expanded));
  const double kv_b = 2 * cost.unfolded_rows * static_cast<double>(attention.kv_rank) *
                      static_cast<double>(attention.nope_dim + attention.value_dim);
  const double chosen = cost.flops.value() / static_cast<double>(attention.heads) + kv_b;
  CHECK(chosen == 2 * std::min(absorbed, expanded));
}

TEST_CASE("The forms of DeepSeek V3 change where their FLOP cross", "[cost]") {
  // Behind p cached tokens: absorbed while A (1088 - 320) <= p 512 x 256. With p = 4096 that is
  // A <= 699,050.67, with p = 1 A <= 170.67.
  const auto [new_tokens, cached_tokens, absorbed] =
      GENERATE(table<std::int64_t, std::int64_t, bool>({
          {167, 4096, true},   // 698,060 pairs
          {168, 4096, false},  // 702,324
          {1, 1, true},        // 2
          {13, 1, true},       // 104
          {17, 1, true},       // 170
          {18, 1, false},      // 189
          {1, 0, false},       // nothing cached: the expanded form is never the dearer
          {2, 0, false},
          {500, 0, false},
      }));
  CAPTURE(new_tokens, cached_tokens);
  const LatentCost cost = latent_cost(deepseek_v3(), group_of(9, new_tokens, cached_tokens), true);
  CHECK(cost.absorbed == absorbed);
}

Model model_of(const LatentAttention& attention, std::int64_t count = 2) {
  return make_model(10, 20, {layers(count, attention, nothing)});
}

TEST_CASE("Every operator of latent attention is as worked out by hand", "[cost]") {
  // h 10, 2 layers, query rank 6. One query each of 3 sequences behind 7 cached tokens (absorbed:
  // 8 x (10 - 14) <= 7 x 48), so A = s = 8 and T = 3.
  Precision precision = fp16();
  precision.weights[Part::mixer].bits = 8;
  precision.kv.bits = 4;
  const std::vector<Operator> operators =
      operators_of(model_of(small_latent(6)), decode_step(3, 8), precision);
  CHECK(names_of(operators) ==
        Names{"embedding", "q_a", "q_b", "kv_a", "kv_b", "attention", "o", "lm_head"});
  struct Map {
    std::string_view name;
    std::int64_t inputs;
    std::int64_t outputs;
  };
  // H (u + r) = 21, r_kv + r = 6, H (u + v) = 36, H v = 21.
  for (const Map& map : {Map{"q_a", 10, 6}, Map{"q_b", 6, 21}, Map{"kv_a", 10, 6},
                         Map{"kv_b", 4, 36}, Map{"o", 21, 10}}) {
    const Operator& op = find(operators, map.name);
    const auto elements = static_cast<double>(map.inputs * map.outputs);
    INFO(map.name);
    CHECK(op.inputs == map.inputs);
    CHECK(op.outputs == map.outputs);
    CHECK(op.part == Part::mixer);
    CHECK(op.rows == 3);
    CHECK(op.matrices == 1);
    CHECK(op.layers == 2);
    CHECK(op.flops == Flops(2 * 3 * elements * 2));
    CHECK(op.weights == Bytes(elements * 2));
    CHECK(op.activations == Bytes(2.0 * 3 * static_cast<double>(map.inputs + map.outputs) * 2));
  }
  const Operator& attention = find(operators, "attention");
  CHECK(attention.operands == Operands::cache);
  CHECK(attention.flops == Flops(2.0 * 3 * 3 * 8 * 10 * 2));    // 2 n H A (2 r_kv + r) L
  CHECK(attention.kv == Bytes(0.5 * 3 * 8 * 6 * 2));            // c n s (r_kv + r) L
  CHECK(attention.activations == Bytes(2.0 * 3 * 3 * 10 * 2));  // a n q H (2 r_kv + r) L
  CHECK(attention.weights == Bytes(0));
  CHECK_FALSE(attention.window);
}

TEST_CASE("Queries without a rank are one matrix", "[cost]") {
  const std::vector<Operator> operators = operators_of(model_of(small_latent()), decode_step(3, 8));
  CHECK(names_of(operators) ==
        Names{"embedding", "q", "kv_a", "kv_b", "attention", "o", "lm_head"});
  CHECK(find(operators, "q").inputs == 10);
  CHECK(find(operators, "q").outputs == 21);
}

TEST_CASE("A prompt unfolds its cached prefix again", "[cost]") {
  // DeepSeek V3, 256 new tokens behind 4096: expanded, kv_b on all 4352.
  const Step step{.groups = {group_of(1, 256, 4096)}};
  const std::vector<Operator> operators =
      operators_of(make_model(7168, 129280, {layers(61, deepseek_v3(), nothing)}), step);
  CHECK(find(operators, "kv_a").rows == 256);
  CHECK(find(operators, "kv_b").rows == 4352);
  CHECK(find(operators, "kv_b").flops == Flops(2.0 * 4352 * 512 * 32768 * 61));
  CHECK(find(operators, "kv_b").weights == Bytes(2.0 * 512 * 32768 * 61));
  CHECK(find(operators, "kv_b").activations == Bytes(2.0 * 4352 * (512 + 32768) * 61));
  CHECK(find(operators, "attention").kv == Bytes(2.0 * 4352 * 576 * 61));
}

TEST_CASE("Groups of one step take the form that suits each", "[cost]") {
  // 32 sequences decode at 2048 (absorbed) beside a prompt of 512 (expanded).
  Step step = decode_step(32, 2048);
  step.groups.push_back(group_of(1, 512, 0));
  const std::vector<Operator> operators =
      operators_of(make_model(7168, 129280, {layers(61, deepseek_v3(), nothing)}), step);
  CHECK(find(operators, "kv_b").rows == 32 + 512);
  const double pairs = 512.0 * 513 / 2;
  CHECK(find(operators, "attention").flops ==
        Flops(2.0 * 128 * (32.0 * 2048 * 1088 + pairs * 320) * 61));
  CHECK(find(operators, "attention").kv == Bytes(2.0 * (32.0 * 2048 + 512) * 576 * 61));
  const double activations = 32.0 * 128 * 1088 + 512.0 * (128 * 256 + 64) + 512.0 * 128 * 320;
  CHECK(find(operators, "attention").activations == Bytes(2 * activations * 61));
}

TEST_CASE("Decode of DeepSeek V3 costs no K/V a head", "[cost]") {
  // 576 elements a token and layer, of any number of heads.
  LatentAttention attention = deepseek_v3();
  attention.heads = GENERATE(as<std::int64_t>(), 1, 128);
  const Model model = make_model(7168, 129280, {layers(61, attention, nothing)});
  CHECK(totals_of(operators_of(model, decode_step(1, 2048))).kv == Bytes(70'272.0 * 2048));
}

}  // namespace
}  // namespace roofline
