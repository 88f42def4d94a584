// TensorRT-LLM's budget: its fraction of what is free after loading.
#include <catch2/catch.hpp>

#include "engine_serving.hpp"

namespace roofline {
namespace {

const StartedEngine tensorrt{
    .engine = Engine::tensorrt_llm, .version = "1.0.0", .block_tokens = 32};

TEST_CASE("The fraction is of what is free", "[analysis]") {
  StartedEngine engine = tensorrt;
  const EngineMemoryBudget most = engine_memory(started(engine));
  engine.share = 0.45;
  const EngineMemoryBudget half = engine_memory(started(engine));
  CHECK(half.kv.value.value() == Approx(most.kv.value.value() / 2));
  CHECK(half.kv.low.value() == Approx(most.kv.low.value() / 2));
  const Bytes free = most.total - most.weights - most.activations.value - most.other.value;
  CHECK(most.kv.value.value() == Approx(0.9 * free.value()));
  CHECK(most.total == Bytes(81'559 * 1024.0 * 1024));
}

TEST_CASE("TensorRT-LLM's terms add up", "[analysis]") {
  const EngineMemoryBudget b = engine_memory(started(tensorrt));
  const Bytes sum = b.weights + b.activations.value + b.graphs.value + b.other.value + b.kv.value;
  CHECK(sum.value() == Approx(b.allowed.value()));
}

TEST_CASE("Its step has the forward pass and the logits", "[analysis]") {
  // 8192 x 2 x (3 x 4096 + 3 x 14336) and 256 x 128256 x 6.
  const EngineMemoryBudget b = engine_memory(started(tensorrt));
  CHECK(b.activations.value == Bytes(905'969'664.0 + 197'001'216.0));
}

TEST_CASE("The smaller of fraction and limits is taken", "[analysis]") {
  const EngineMemoryBudget tokens = engine_memory(started(
      tensorrt, [](ServingPlan& plan) { plan.kv_token_limit = given<std::int64_t>(3200); }));
  CHECK(tokens.kv_tokens == CountEstimate{3200, 3200, 3200});
  CHECK(tokens.full_sequences.value == 0);
  CHECK(tokens.longest.value == 3200);
  const EngineMemoryBudget bytes = engine_memory(started(
      tensorrt, [](ServingPlan& plan) { plan.kv_memory = given(Bytes(131'072.0 * 6400)); }));
  CHECK(bytes.kv_tokens->value == 6400);
  const EngineMemoryBudget loose = engine_memory(
      started(tensorrt, [](ServingPlan& plan) { plan.kv_memory = given(Bytes(1e15)); }));
  CHECK(loose.kv == engine_memory(started(tensorrt)).kv);
}

TEST_CASE("Weights that do not fit leave nothing", "[analysis]") {
  StartedEngine engine = tensorrt;
  engine.model = "llama-3.1-70b";
  const EngineMemoryBudget b = engine_memory(started(engine));
  CHECK(b.kv.high < Bytes());
  CHECK(b.full_sequences == CountEstimate{0, 0, 0});
  CHECK(b.kv_tokens == CountEstimate{0, 0, 0});
}

}  // namespace
}  // namespace roofline
