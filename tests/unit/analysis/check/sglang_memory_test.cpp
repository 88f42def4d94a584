// SGLang's budget: its fraction of what was free before loading, less the weights.
#include <catch2/catch.hpp>
#include <string>

#include "analysis/check/engine_memory_parts.hpp"
#include "analysis/check/engine_weights.hpp"
#include "engine_serving.hpp"
#include "roofline/memory.hpp"

namespace roofline {
namespace {

const StartedEngine sglang{.engine = Engine::sglang, .version = "0.5.0", .block_tokens = 1};

TEST_CASE("The fraction follows from the GPU's memory", "[analysis]") {
  // (total - reserved) / total in MiB; reserved 512 + 1.5 tokens + 2 graph + ranks / 8 x 1024.
  const auto [device, tensor, tokens, attention_dp, fraction] =
      GENERATE(table<std::string, int, int, bool, double>({
          {"H100", 1, 8192, false, 0.835},  // 81,559 and 512 + 12,288 + 512 + 128
          {"L4", 1, 2048, false, 0.837},    // 23,034 and 512 + 3,072 + 48 + 128
          {"H100", 8, 8192, false, 0.818},  // 512 + 12,288 + 1,024 + 1,024
          {"H100", 8, 8192, true, 0.592},   // and 512 x 8 x 4.5
          {"H100", 1, 2048, false, 0.874},  // no less than 10,240
      }));
  CAPTURE(device, tensor, attention_dp);
  StartedEngine engine = sglang;
  engine.device = device;
  engine.tensor = tensor;
  engine.batched_tokens = tokens;
  engine.data = attention_dp ? 8 : 1;
  const bool replicated = attention_dp;
  const ResolvedServing serving =
      started(engine, [&](ServingPlan& plan) { plan.attention_dp = given(replicated); });
  CHECK(sglang_memory_fraction(serving) == Approx(fraction).epsilon(1e-12));
}

TEST_CASE("A fraction that is given is taken", "[analysis]") {
  StartedEngine engine = sglang;
  engine.share = 0.5;
  const EngineMemoryBudget given_share = engine_memory(started(engine));
  CHECK(given_share.allowed == given_share.total * 0.5);
  const EngineMemoryBudget derived =
      engine_memory(started(engine, [](ServingPlan& plan) { plan.memory_share = {}; }));
  CHECK(derived.allowed == derived.total * 0.835);
}

TEST_CASE("SGLang charges neither activations nor graphs", "[analysis]") {
  const EngineMemoryBudget b = engine_memory(started(sglang));
  CHECK(b.activations == BytesEstimate{});
  CHECK(b.graphs == BytesEstimate{});
  CHECK(b.kv.value == b.allowed - b.weights - b.other.value);
  CHECK(b.kv.low < b.kv.value);
  CHECK(b.kv.value < b.kv.high);
}

TEST_CASE("A limit on tokens caps the pool", "[analysis]") {
  const EngineMemoryBudget budget = engine_memory(started(
      sglang, [](ServingPlan& plan) { plan.kv_token_limit = given<std::int64_t>(10'000); }));
  CHECK(budget.kv_tokens == CountEstimate{10'000, 10'000, 10'000});
  CHECK(budget.full_sequences.value == 1);
  CHECK(budget.kv.value == Bytes(10'000 * 131'072.0));
}

TEST_CASE("Attention DP keeps attention and the embedding whole", "[analysis]") {
  StartedEngine engine = sglang;
  engine.tensor = 2;
  engine.data = 2;
  engine.model = "deepseek-v2-lite";
  const ResolvedServing serving =
      started(engine, [](ServingPlan& plan) { plan.attention_dp = given(true); });
  // Of bf16 half the elements are missing where a part is divided by two.
  const ParameterCount count = count_parameters(serving.server.model);
  const Bytes split = weight_bytes(serving.server.model, serving.precision, {.tensor = 2});
  const Bytes whole(static_cast<double>(count.parts[Part::mixer] + count.parts[Part::embedding]));
  const double routers = 26 * 2048 * 64;
  CHECK(engine_weights(serving) == split + whole + Bytes(routers));
  // Each replica has sequences of its own.
  const EngineMemoryBudget budget = engine_memory(serving);
  CHECK(budget.full_sequences.value % 2 == 0);
}

}  // namespace
}  // namespace roofline
