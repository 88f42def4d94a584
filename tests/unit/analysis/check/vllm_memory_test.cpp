// vLLM's budget: the share of the total less what it charges to it.
#include <catch2/catch.hpp>
#include <string>

#include "analysis/check/engine_weights.hpp"
#include "engine_serving.hpp"
#include "roofline/memory.hpp"

namespace roofline {
namespace {

constexpr double mib = 1024.0 * 1024;

TEST_CASE("Llama-3.1-8B at its full length does not fit an L4", "[analysis]") {
  const EngineMemoryBudget budget = engine_memory(
      started({.device = "L4", .share = 0.92, .max_model_len = 131'072, .batched_tokens = 2048}));
  CHECK(budget.total == Bytes(23'034 * mib));
  CHECK(budget.allowed == Bytes(22'220'667'618.0));  // ceil(0.92 x total)
  CHECK(budget.weights == Bytes(2 * 8'030'261'248.0));
  CHECK(budget.kv_per_token == Bytes(131'072));
  CHECK(budget.sequence == Bytes(17'179'869'184.0));
  CHECK(budget.kv.high < budget.sequence);
  CHECK(budget.full_sequences == CountEstimate{0, 0, 0});
  CHECK(budget.longest.high < 131'072);
  CHECK(budget.longest.value % 16 == 0);
  CHECK(budget.longest.low <= budget.longest.value);
  CHECK_FALSE(budget.shrinks);
}

TEST_CASE("vLLM's terms add up", "[analysis]") {
  const EngineMemoryBudget b = engine_memory(started({}));
  const Bytes rest = b.allowed - b.weights;
  CHECK(b.kv.value == rest - b.activations.value - b.graphs.value - b.other.value);
  CHECK(b.kv.low == rest - b.activations.high - b.graphs.high - b.other.high);
  CHECK(b.kv.high == rest - b.activations.low - b.graphs.low - b.other.low);
}

TEST_CASE("Graphs are charged since 0.21", "[analysis]") {
  // 32 layers x captured steps x 0.4 MiB + 64 MiB.
  const auto [version, sequences, captured, size] = GENERATE(table<std::string, int, bool, double>({
      {"0.30.0", 256, true, 512},     // 35 steps
      {"0.21.0", 128, true, 307.2},   // 19
      {"0.30.0", 1024, true, 716.8},  // 51
      {"0.30.0", 1, true, 76.8},
      {"0.30.0", 256, false, 0},
      {"0.20.2", 256, true, 0},
  }));
  CAPTURE(version, sequences);
  const bool graphs = captured;
  const EngineMemoryBudget budget =
      engine_memory(started({.version = version, .max_sequences = sequences},
                            [&](ServingPlan& plan) { plan.cuda_graphs = given(graphs); }));
  CHECK(budget.graphs.value.value() / mib == Approx(size));
}

TEST_CASE("The peak grows with the step or with the sequences", "[analysis]") {
  // 8192 x 2 x (3 x 4096 + 3 x 14336) of the MLP; in the interval V h 2 more.
  const EngineMemoryBudget few = engine_memory(started({.max_sequences = 1}));
  CHECK(few.activations.value == Bytes(905'969'664.0));
  CHECK(few.activations.low.value() == Approx(0.6 * 905'969'664.0));
  CHECK(few.activations.high.value() == Approx(1.35 * 905'969'664.0 + 1'050'673'152.0));
  // 16 x 1024 x 128256 + 8192 x 4096 x 2 of the sampler; before 0.17 38.3 bytes a logit.
  const EngineMemoryBudget many = engine_memory(started({.max_sequences = 1024}));
  CHECK(many.activations.value == Bytes(2'101'346'304.0 + 67'108'864.0));
  const EngineMemoryBudget sorted =
      engine_memory(started({.version = "0.16.0", .max_sequences = 1024}));
  CHECK(sorted.activations.value.value() == Approx(38.3 * 131'334'144.0 + 67'108'864.0));
}

TEST_CASE("K/V memory that is asked for replaces what the share leaves", "[analysis]") {
  const EngineMemoryBudget budget = engine_memory(started(
      {}, [](ServingPlan& plan) { plan.kv_memory = given(Bytes(131'072.0 * 8192 * 2.5)); }));
  CHECK(budget.kv.low == budget.kv.high);
  CHECK(budget.full_sequences == CountEstimate{2, 2, 2});
  CHECK(budget.kv_tokens == CountEstimate{20'480, 20'480, 20'480});
  CHECK(budget.longest == CountEstimate{8192, 8192, 8192});
}

TEST_CASE("Replicas multiply the sequences and not the tokens", "[analysis]") {
  const auto change = [](ServingPlan& plan) {
    plan.kv_memory = given(Bytes(131'072.0 * 8192 * 2.5));
  };
  const ResolvedServing serving = started({.data = 3}, change);
  const EngineMemoryBudget budget = engine_memory(serving);
  CHECK(budget.full_sequences.value == 6);
  CHECK(budget.kv_tokens->value == 20'480);
  CHECK(sequences_that_fit(serving, budget, 4096).value == 15);
}

TEST_CASE("vLLM slices experts over its replicas", "[analysis]") {
  // Mixtral: 32 layers x 8 x 3 x 4096 x 14336 of 46,702,792,704 parameters are experts.
  const Bytes weights = engine_weights(started({.model = "mixtral-8x7b", .data = 2}));
  CHECK(weights == Bytes(2 * (46'702'792'704.0 - 45'097'156'608.0 / 2)));
}

TEST_CASE("What goes down to a latent and routers are whole on each rank", "[analysis]") {
  // DeepSeek-V2-Lite: 27 x 2048 x 576 and 26 x 2048 x 64 elements, half of them twice.
  const ResolvedServing serving = started({.model = "deepseek-v2-lite", .tensor = 2});
  const Bytes split = weight_bytes(serving.server.model, serving.precision, {.tensor = 2});
  CHECK(engine_weights(serving) == split + Bytes(31'850'496 + 3'407'872));
}

TEST_CASE("K/V heads that several ranks have are stored on each", "[analysis]") {
  // 8 heads over 16 ranks: half a head more, 2 x 4096 x 128 x 0.5 x 32 layers x 2 bytes.
  const ResolvedServing serving = started({.tensor = 16});
  const Bytes split = weight_bytes(serving.server.model, serving.precision, {.tensor = 16});
  CHECK(engine_weights(serving) == split + Bytes(33'554'432));
}

TEST_CASE("Offloaded weights are not on the device", "[analysis]") {
  const Bytes weights =
      engine_weights(started({}, [](ServingPlan& plan) { plan.cpu_offload = given(Bytes(1e10)); }));
  CHECK(weights == Bytes(2 * 8'030'261'248.0 - 1e10));
}

TEST_CASE("A device without capacity is refused", "[analysis]") {
  ResolvedServing serving = started({});
  serving.server.device.capacity.reset();
  serving.server.device.usable.reset();
  CHECK_THROWS_AS(engine_memory(serving), Error);
}

}  // namespace
}  // namespace roofline
