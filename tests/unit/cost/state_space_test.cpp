// Layers that keep a state: FLOP a token by the recurrences written out, the state's traffic once a
// sequence, the matrices around it.
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cost/step_costs.hpp"
#include "roofline/step.hpp"

namespace roofline {
namespace {

using Names = std::vector<std::string_view>;

/// 6 channels of 4 elements, 3 taps, rank 5.
constexpr Mamba1 mamba1{.inner = 6, .state = 4, .convolution = 3, .step_rank = 5};
/// 3 heads of 2 channels with 4 elements each, B and C for 2 groups, 3 taps.
constexpr Mamba2 mamba2{.heads = 3, .head_dim = 2, .state = 4, .groups = 2, .convolution = 3};
/// 2 key heads of 3, 4 value heads of 5, 3 taps.
constexpr GatedDelta delta{
    .key_heads = 2, .key_dim = 3, .value_heads = 4, .value_dim = 5, .convolution = 3};
constexpr LinearAttention lightning{.heads = 3, .head_dim = 4};

/// What a recurrence does to a token, counted operation by operation.
class Count {
 public:
  void operations(std::int64_t number) { flop_ += number; }
  /// Each of `channels` sums up `taps` products.
  void convolution(std::int64_t channels, std::int64_t taps) {
    for (std::int64_t i = 0; i < channels * taps; ++i) operations(2);
  }
  [[nodiscard]] double flop() const { return static_cast<double>(flop_); }

 private:
  std::int64_t flop_ = 0;
};

TEST_CASE("Mamba spends six FLOP on an element of its state", "[cost]") {
  Count count;
  count.convolution(6, 3);
  for (int channel = 0; channel < 6; ++channel) {
    for (int element = 0; element < 4; ++element) {
      count.operations(1);  // dt A
      count.operations(1);  // (dt x) B
      count.operations(2);  // times the state, and their sum
      count.operations(2);  // C times the state, summed up
    }
  }
  CHECK(recurrence_flop(mamba1) == count.flop());
  CHECK(recurrence_flop(mamba1) == 6 * (2 * 3 + 6 * 4));
}

TEST_CASE("Mamba 2 spends five FLOP on an element of its state", "[cost]") {
  Count count;
  count.convolution(3 * 2 + 2 * 2 * 4, 3);  // x, B and C
  for (int channel = 0; channel < 3 * 2; ++channel) {
    for (int element = 0; element < 4; ++element) {
      count.operations(1);  // (dt x) B
      count.operations(2);  // times the head's decay, and their sum
      count.operations(2);  // C times the state, summed up
    }
  }
  CHECK(recurrence_flop(mamba2) == count.flop());
  CHECK(recurrence_flop(mamba2) == 2 * 3 * 22 + 5 * 6 * 4);
}

TEST_CASE("The gated delta rule spends seven FLOP on an element of its state", "[cost]") {
  Count count;
  count.convolution(2 * 2 * 3 + 4 * 5, 3);  // q, k and v
  for (int head = 0; head < 4; ++head) {
    for (int element = 0; element < 3 * 5; ++element) {
      count.operations(1);  // decay
      count.operations(2);  // what the state predicts for k
      count.operations(2);  // plus the outer product of k and the error
      count.operations(2);  // what the state gives for q
    }
  }
  CHECK(recurrence_flop(delta) == count.flop());
  CHECK(recurrence_flop(delta) == 2 * 3 * 32 + 7 * 4 * 15);
}

TEST_CASE("Linear attention spends five FLOP on an element of its state", "[cost]") {
  CHECK(recurrence_flop(lightning) == 5 * 3 * 4 * 4);
}

TEST_CASE("Other mixers have no recurrence", "[cost]") {
  CHECK(recurrence_flop(nothing) == 0);
  CHECK(recurrence_flop(Attention()) == 0);
  CHECK(recurrence_flop(LatentAttention()) == 0);
}

struct Map {
  std::string_view name;
  std::int64_t inputs;
  std::int64_t outputs;
};

struct Recurrent {
  std::string name;
  Mixer mixer;
  std::vector<Map> maps;   ///< of hidden size 10
  double recurrent = 0;    ///< elements of the state
  double convolution = 0;  ///< channels x (taps - 1)
  double width = 0;        ///< in and out of the recurrence
};

std::vector<Recurrent> recurrents() {
  return {{.name = "Mamba",
           .mixer = mamba1,
           .maps = {{"in", 10, 12}, {"x", 6, 5 + 2 * 4}, {"dt", 5, 6}, {"out", 6, 10}},
           .recurrent = 24,
           .convolution = 12,
           .width = 12},
          {.name = "Mamba 2",
           .mixer = mamba2,
           .maps = {{"in", 10, 6 + 22 + 3}, {"out", 6, 10}},
           .recurrent = 24,
           .convolution = 44,
           .width = 22 + 6},
          {.name = "gated delta",
           .mixer = delta,
           .maps = {{"qkvz", 10, 2 * 6 + 2 * 20}, {"ba", 10, 8}, {"out", 20, 10}},
           .recurrent = 60,
           .convolution = 64,
           .width = 52},
          {.name = "linear attention",
           .mixer = lightning,
           .maps = {{"linear qkv", 10, 36}, {"linear gate", 10, 12}, {"linear out", 12, 10}},
           .recurrent = 48,
           .convolution = 0,
           .width = 48}};
}

Model model_of(const Recurrent& recurrent, std::int64_t count = 5) {
  return make_model(10, 20, {layers(count, recurrent.mixer, nothing)});
}

TEST_CASE("The matrices around a state are linear maps over all new tokens", "[cost]") {
  for (const Recurrent& recurrent : recurrents()) {
    INFO(recurrent.name);
    const Step step = prefill_step(2, 7);
    const std::vector<Operator> operators = operators_of(model_of(recurrent), step);
    CHECK(operators.size() == recurrent.maps.size() + 3);  // embedding, recurrence, lm_head
    for (const Map& map : recurrent.maps) {
      INFO(map.name);
      const Operator& op = find(operators, map.name);
      const auto elements = static_cast<double>(map.inputs * map.outputs);
      CHECK(op.inputs == map.inputs);
      CHECK(op.outputs == map.outputs);
      CHECK(op.part == Part::mixer);
      CHECK(op.operands == Operands::weights);
      CHECK(op.rows == 14);
      CHECK(op.flops == Flops(2 * 14 * elements * 5));
      CHECK(op.weights == Bytes(2 * elements * 5));
    }
  }
}

TEST_CASE("A prompt writes its state once however many tokens it has", "[cost]") {
  const auto tokens = GENERATE(as<std::int64_t>(), 1, 7, 1000);
  for (const Recurrent& recurrent : recurrents()) {
    CAPTURE(recurrent.name, tokens);
    Precision precision = fp16();
    precision.activations.bits = 8;
    const Step step = prefill_step(3, tokens);
    const std::vector<Operator> operators = operators_of(model_of(recurrent), step, precision);
    const Operator& op = find(operators, "recurrence");
    // fp32 for the state, the activations' type for the convolution's last inputs.
    CHECK(op.state == Bytes(3 * (4 * recurrent.recurrent + recurrent.convolution) * 5));
    const double all = 3 * static_cast<double>(tokens);
    CHECK(op.flops == Flops(all * recurrence_flop(recurrent.mixer) * 5));
    CHECK(op.activations == Bytes(all * recurrent.width * 5));
    CHECK(op.operands == Operands::state);
    CHECK(op.layers == 5);
    CHECK(op.weights == Bytes(0));
    CHECK(op.kv == Bytes(0));
    CHECK(op.compulsory() == op.state);
  }
}

TEST_CASE("A state costs the same behind any number of tokens", "[cost]") {
  for (const Recurrent& recurrent : recurrents()) {
    INFO(recurrent.name);
    CHECK(operators_of(model_of(recurrent), decode_step(8, 2)) ==
          operators_of(model_of(recurrent), decode_step(8, 1'000'000)));
  }
}

TEST_CASE("A state behind a prefix is read and written in its own format", "[cost]") {
  for (const Recurrent& recurrent : recurrents()) {
    INFO(recurrent.name);
    Precision precision = fp16();
    const auto state = [&](std::int64_t context) {
      return find(operators_of(model_of(recurrent), decode_step(3, context), precision),
                  "recurrence")
          .state;
    };
    const double convolution = 2.0 * recurrent.convolution;
    CHECK(state(2) == Bytes(2 * 3 * (4 * recurrent.recurrent + convolution) * 5));
    CHECK(state(1) == Bytes(3 * (4 * recurrent.recurrent + convolution) * 5));
    precision.state = plain_format(MatrixType::bf16);
    CHECK(state(2) == Bytes(2 * 3 * (2 * recurrent.recurrent + convolution) * 5));
  }
}

TEST_CASE("A step of several groups moves the states of all its sequences", "[cost]") {
  Step step = decode_step(3, 100);
  step.groups.push_back({.count = 2, .new_tokens = 50, .cached_tokens = 10});
  const Recurrent mamba = recurrents().front();
  const std::vector<Operator> operators = operators_of(model_of(mamba, 1), step);
  const Operator& op = find(operators, "recurrence");
  CHECK(op.state == Bytes(2.0 * 5 * (4 * 24 + 2 * 12)));
  CHECK(op.flops == Flops(103.0 * 180));
}

}  // namespace
}  // namespace roofline
