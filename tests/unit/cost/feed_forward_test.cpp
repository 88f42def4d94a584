// What a layer does to each token alone: routed experts beside shared ones, layers without a mixer
// or without a feed-forward, matrices that a few families add.
#include <catch2/catch.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cost/step_costs.hpp"
#include "roofline/step.hpp"

namespace roofline {
namespace {

using Names = std::vector<std::string_view>;

constexpr Attention attention{
    .query_heads = 4, .kv_heads = 2, .head_dim = 3, .window = {}, .chunk = {}};
/// 2 of 8, of width 5.
constexpr Experts routed{.count = 8, .per_token = 2, .width = 5};

/// h 10, V 20, layers of experts alone.
Model model_of(const Experts& experts, std::int64_t count = 3) {
  return make_model(10, 20, {layers(count, nothing, experts)});
}

Step with_experts(Step step, ExpertChoice::Kind kind, std::int64_t count = 0) {
  step.experts = {.kind = kind, .count = count};
  return step;
}

TEST_CASE("Every operator of routed experts is as worked out by hand", "[cost]") {
  // 3 sequences: T = 3, T k = 6, D = 4.625 of 8. 3 layers.
  Precision precision = fp16();
  precision.weights[Part::experts].bits = 4;
  precision.weights[Part::shared_experts].bits = 8;
  precision.weights[Part::router].bits = 32;
  precision.activations.bits = 8;
  Experts experts = routed;
  experts.shared_width = 7;
  const std::vector<Operator> operators =
      operators_of(model_of(experts), decode_step(3, 10), precision);
  REQUIRE(names_of(operators) == Names{"embedding", "router", "experts gate+up", "experts down",
                                       "shared gate+up", "shared down", "lm_head"});
  const auto check = [&](std::string_view name, Part part, double rows, double matrices,
                         std::int64_t inputs, std::int64_t outputs, double weights) {
    INFO(name);
    const Operator& op = find(operators, name);
    const auto elements = static_cast<double>(inputs * outputs);
    CHECK(op.part == part);
    CHECK(op.operands == Operands::weights);
    CHECK(op.layers == 3);
    CHECK(op.rows == rows);
    CHECK(op.matrices == matrices);
    CHECK(op.inputs == inputs);
    CHECK(op.outputs == outputs);
    CHECK(op.flops == Flops(2 * rows * elements * 3));
    CHECK(op.weights == Bytes(weights));
    CHECK(op.activations == Bytes(rows * static_cast<double>(inputs + outputs) * 3));
  };
  check("router", Part::router, 3, 1, 10, 8, 4.0 * 80 * 3);
  check("experts gate+up", Part::experts, 6, 4.625, 10, 10, 0.5 * 100 * 4.625 * 3);
  check("experts down", Part::experts, 6, 4.625, 5, 10, 0.5 * 50 * 4.625 * 3);
  check("shared gate+up", Part::shared_experts, 3, 1, 10, 14, 140.0 * 3);
  check("shared down", Part::shared_experts, 3, 1, 7, 10, 70.0 * 3);
}

TEST_CASE("A shared gate is one more output of the router", "[cost]") {
  Experts experts = routed;
  experts.shared_width = 7;
  experts.shared_gate = true;
  const std::vector<Operator> operators = operators_of(model_of(experts), decode_step(3, 10));
  CHECK(find(operators, "router").outputs == 9);
  CHECK(find(operators, "router").weights == Bytes(2.0 * 10 * 9 * 3));
}

TEST_CASE("Plain experts have one matrix up and one down", "[cost]") {
  Experts experts = routed;
  experts.gated = false;
  experts.shared_width = 7;
  const std::vector<Operator> operators = operators_of(model_of(experts), decode_step(3, 10));
  CHECK(names_of(operators) == Names{"embedding", "router", "experts up", "experts down",
                                     "shared up", "shared down", "lm_head"});
  CHECK(find(operators, "experts up").outputs == 5);
  CHECK(find(operators, "shared up").outputs == 7);
}

TEST_CASE("Experts without a shared one have no shared operators", "[cost]") {
  CHECK(names_of(operators_of(model_of(routed), decode_step(1, 1))) ==
        Names{"embedding", "router", "experts gate+up", "experts down", "lm_head"});
}

TEST_CASE("The choice of experts decides weights and nothing else", "[cost]") {
  using enum ExpertChoice::Kind;
  const auto [kind, count, matrices] = GENERATE(table<ExpertChoice::Kind, std::int64_t, double>(
      {{expected, 0, 4.625}, {fewest, 0, 2}, {all, 0, 6}, {fixed, 3, 3}, {fixed, 7, 6}}));
  const Step step = decode_step(3, 10);
  std::vector<Operator> chosen = operators_of(model_of(routed), with_experts(step, kind, count));
  CHECK(find(chosen, "experts down").matrices == matrices);
  CHECK(find(chosen, "experts down").weights == Bytes(2.0 * 50 * matrices * 3));
  CHECK(find(chosen, "experts gate+up").weights == Bytes(2.0 * 100 * matrices * 3));
  const std::vector<Operator> before = operators_of(model_of(routed), step);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i].part == Part::experts) {
      chosen[i].matrices = before[i].matrices;
      chosen[i].weights = before[i].weights;
    }
    CHECK(chosen[i] == before[i]);
  }
}

TEST_CASE("A long prompt reads all experts", "[cost]") {
  const std::vector<Operator> operators = operators_of(model_of(routed), prefill_step(4, 1000));
  CHECK(find(operators, "experts down").matrices == 8);
  CHECK(find(operators, "experts down").rows == 8000);
}

TEST_CASE("The expectation is over the tokens of all groups", "[cost]") {
  // 1 + 2 tokens of two groups: 4.625 of 8 as for 3 of one.
  Step step = decode_step(1, 10);
  step.groups.push_back({.count = 1, .new_tokens = 2, .cached_tokens = 5});
  const std::vector<Operator> operators = operators_of(model_of(routed), step);
  CHECK(find(operators, "router").rows == 3);
  CHECK(find(operators, "experts down").matrices == 4.625);
}

TEST_CASE("Dense and routed layers of one model are counted apart", "[cost]") {
  Model model = make_model(10, 20, {layers(1, attention, Mlp{.width = 30})});
  model.layers.push_back(layers(2, attention, routed));
  const std::vector<Operator> operators = operators_of(model, decode_step(1, 1));
  CHECK(names_of(operators) == Names{"embedding", "qkv", "attention", "o", "gate+up", "down", "qkv",
                                     "attention", "o", "router", "experts gate+up", "experts down",
                                     "lm_head"});
  CHECK(find(operators, "down").layers == 1);
  CHECK(find(operators, "router").layers == 2);
  CHECK(find(operators, "experts down").matrices == 2);
}

TEST_CASE("A layer without mixer or feed-forward has the operators of the other", "[cost]") {
  Model model = make_model(10, 20, {layers(4, attention, nothing)});
  model.layers.push_back(layers(5, nothing, Mlp{.width = 30, .gated = false}));
  model.layers.push_back(layers(6, nothing, nothing));
  const std::vector<Operator> operators = operators_of(model, decode_step(1, 1));
  CHECK(names_of(operators) ==
        Names{"embedding", "qkv", "attention", "o", "up", "down", "lm_head"});
  CHECK(find(operators, "o").layers == 4);
  CHECK(find(operators, "up").layers == 5);
  CHECK(find(operators, "lm_head").layers == 1);
}

TEST_CASE("Added matrices follow their layer and those of the model come first", "[cost]") {
  Model model = make_model(10, 20, {layers(4, attention, Mlp{.width = 30})});
  model.layers.front().extra_maps = {{"laurel", 10, 6}, {"gate", 10, 2}};
  model.extra_maps = {{"projection", 10, 50}};
  Precision precision = fp16();
  precision.weights[Part::mlp].bits = 8;
  const std::vector<Operator> operators = operators_of(model, decode_step(3, 9), precision);
  CHECK(names_of(operators) == Names{"embedding", "projection", "qkv", "attention", "o", "gate+up",
                                     "down", "laurel", "gate", "lm_head"});
  const Operator& laurel = find(operators, "laurel");
  CHECK(laurel.layers == 4);
  CHECK(laurel.part == Part::mlp);
  CHECK(laurel.flops == Flops(2.0 * 3 * 60 * 4));
  CHECK(laurel.weights == Bytes(60.0 * 4));
  CHECK(laurel.activations == Bytes(2.0 * 3 * 16 * 4));
  const Operator& projection = find(operators, "projection");
  CHECK(projection.layers == 1);
  CHECK(projection.flops == Flops(2.0 * 3 * 500));
  CHECK(projection.weights == Bytes(500));
}

TEST_CASE("A second table is looked up and not read", "[cost]") {
  Model model = make_model(10, 20, {layers(4, attention, Mlp{.width = 30})});
  const std::vector<Operator> before = operators_of(model, decode_step(3, 9));
  model.lookup_rows = 20;
  model.lookup_width = 64;
  const std::vector<Operator> after = operators_of(model, decode_step(3, 9));
  CHECK(totals_of(after).compulsory() == totals_of(before).compulsory());
  CHECK(totals_of(after).flops == totals_of(before).flops);
  CHECK(find(before, "embedding").activations == Bytes(2.0 * 2 * 3 * 10));
  CHECK(find(after, "embedding").activations == Bytes(2.0 * 2 * 3 * (10 + 64)));
}

}  // namespace
}  // namespace roofline
