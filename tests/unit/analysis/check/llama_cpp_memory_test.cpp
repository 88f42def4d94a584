// llama.cpp's budget: weights of the layers on the device, a compute buffer, and all slots' cells.
#include <catch2/catch.hpp>

#include "engine_serving.hpp"

namespace roofline {
namespace {

const StartedEngine llama_cpp{.engine = Engine::llama_cpp,
                              .version = "2026",
                              .device = "rtx-4090",
                              .max_sequences = 1,
                              .batched_tokens = 512};

EngineMemoryBudget budget_with(const StartedEngine& engine,
                               const std::function<void(ServingPlan&)>& change = {}) {
  return engine_memory(started(engine, change));
}

TEST_CASE("llama.cpp keeps the embedding table in host memory", "[analysis]") {
  // 8,030,261,248 parameters less 128,256 x 4,096.
  CHECK(budget_with(llama_cpp).weights == Bytes(2 * (8'030'261'248.0 - 525'336'576.0)));
  // 16 of 32 layers, and no lm_head.
  const EngineMemoryBudget half =
      budget_with(llama_cpp, [](ServingPlan& plan) { plan.gpu_layers = given<std::int64_t>(16); });
  CHECK(half.weights == Bytes(8'030'261'248.0 - 2 * 525'336'576.0));
  const EngineMemoryBudget layers =
      budget_with(llama_cpp, [](ServingPlan& plan) { plan.gpu_layers = given<std::int64_t>(32); });
  CHECK(layers.weights == Bytes(2 * (8'030'261'248.0 - 2 * 525'336'576.0)));
  const EngineMemoryBudget all =
      budget_with(llama_cpp, [](ServingPlan& plan) { plan.gpu_layers = given<std::int64_t>(99); });
  CHECK(all.weights == budget_with(llama_cpp).weights);
}

TEST_CASE("The compute buffer has the logits or the mask", "[analysis]") {
  // 512 x 4 x (128,256 + 4,096): the 258.5 MiB that llama.cpp prints.
  CHECK(budget_with(llama_cpp).activations.value == Bytes(258.5 * 1024 * 1024));
  // 512 x 131,072 x 6 and 512 x 4 x (3 x 4,096 + 3 x 14,336).
  StartedEngine engine = llama_cpp;
  engine.max_model_len = 131'072;
  CHECK(budget_with(engine).activations.value == Bytes(402'653'184.0 + 113'246'208.0));
}

TEST_CASE("All slots are allocated", "[analysis]") {
  StartedEngine engine = llama_cpp;
  engine.max_sequences = 4;
  const EngineMemoryBudget fits = budget_with(engine);
  CHECK(fits.sequence == Bytes(8192 * 131'072.0));
  CHECK(fits.full_sequences.value == 4);
  CHECK(fits.kv_tokens->value == 4 * 8192);
  CHECK(fits.longest.value == 8192);
  engine.max_sequences = 16;
  const EngineMemoryBudget does_not = budget_with(engine);
  CHECK(does_not.full_sequences.value < 16);
  CHECK(does_not.longest.value < 8192);
  // Each of the 16 slots has that length, in steps of 256 cells.
  CHECK(does_not.longest.value % 256 == 0);
  CHECK(Bytes(16 * 131'072.0) * static_cast<double>(does_not.longest.value) <= does_not.kv.value);
  CHECK(Bytes(16 * 131'072.0) * static_cast<double>(does_not.longest.value + 256) >
        does_not.kv.value);
}

/// With `cells` of -c, and what each of the slots may have of them.
EngineMemoryBudget budget_of_cells(const std::string& model, std::int64_t cells, std::int64_t slots,
                                   std::int64_t each) {
  StartedEngine engine = llama_cpp;
  engine.model = model;
  engine.device = "A100-SXM-80GB";
  engine.max_sequences = slots;
  engine.max_model_len = each;
  return budget_with(engine, [&](ServingPlan& plan) { plan.kv_token_limit = given(cells); });
}

TEST_CASE("A context that is no multiple of 256 is held", "[analysis]") {
  const EngineMemoryBudget one = budget_of_cells("llama-3.1-8b", 10'000, 1, 10'000);
  CHECK(one.kv.value == Bytes(10'240 * 131'072.0));
  CHECK(one.longest.low == 10'000);
  const EngineMemoryBudget three = budget_of_cells("llama-3.1-8b", 10'000, 3, 3'333);
  CHECK(three.kv.value == Bytes(3 * 3'328 * 131'072.0 + 3 * 256 * 131'072.0));
  CHECK(three.longest.low == 3'333);
  CHECK(three.full_sequences.low == 3);
}

TEST_CASE("Windows have cells beside those of the whole context", "[analysis]") {
  // Gemma 3 27B: 10 layers of 65,536 cells, 52 of 1,024 for each slot and a batch of 512; a cell
  // of a layer is 2 x 16 x 128 x 2 bytes.
  constexpr double cell = 8192;
  const EngineMemoryBudget shared = budget_of_cells("gemma-3-27b", 65'536, 4, 65'536);
  CHECK(shared.kv.value == Bytes(cell * (10 * 65'536.0 + 52 * (4 * 1'024.0 + 512))));
  CHECK(shared.longest.low == 65'536);
  CHECK(shared.kv_tokens->low == 65'536);
  const EngineMemoryBudget apart = budget_of_cells("gemma-3-27b", 65'536, 4, 16'384);
  CHECK(apart.kv.value == Bytes(cell * (10 * 65'536.0 + 4 * 52 * (1'024.0 + 512))));
  CHECK(apart.longest.low == 16'384);
  CHECK(apart.kv_tokens->low == 65'536);
}

TEST_CASE("llama.cpp shrinks what is not given", "[analysis]") {
  const auto [length, layers, shrinks] = GENERATE(table<bool, bool, bool>({
      {true, true, false},
      {false, true, true},
      {true, false, true},
  }));
  const bool length_given = length;
  const bool layers_given = layers;
  const EngineMemoryBudget budget = budget_with(llama_cpp, [&](ServingPlan& plan) {
    plan.max_model_len.given = length_given;
    plan.gpu_layers = given<std::int64_t>(99);
    plan.gpu_layers.given = layers_given;
  });
  CHECK(budget.shrinks == shrinks);
}

TEST_CASE("No layer on the device leaves the cache in host memory", "[analysis]") {
  const EngineMemoryBudget budget =
      budget_with(llama_cpp, [](ServingPlan& plan) { plan.gpu_layers = given<std::int64_t>(0); });
  CHECK(budget.weights == Bytes());
  CHECK(budget.sequence == Bytes());
  CHECK(budget.full_sequences.value == 1);
  CHECK_FALSE(budget.kv_tokens);
}

}  // namespace
}  // namespace roofline
