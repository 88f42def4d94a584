// What engines have printed when they started, as published: the interval must hold it.
#include <catch2/catch.hpp>
#include <string>

#include "engine_serving.hpp"

namespace roofline {
namespace {

constexpr double gib = 1024.0 * 1024 * 1024;

/// "Available KV cache memory: X GiB" of a device, to the digits that were printed.
struct PublishedMemory {
  std::string source;
  StartedEngine engine;
  double gib;
  bool chunked = true;
};

const std::string llm_d =
    "https://github.com/llm-d/llm-d-benchmark/blob/"
    "259334868c5075da530cc6c90b43fceb11b6e6a7/config_explorer/empirical-vllm-memory-results.md";

std::vector<PublishedMemory> published() {
  const auto llm_d_run = [](const std::string& model, const std::string& weights,
                            std::int64_t tensor) {
    return StartedEngine{.version = "0.11.0",
                         .model = model,
                         .weights = weights,
                         .tensor = tensor,
                         .max_model_len = 16000,
                         .max_sequences = 1024,
                         .block_tokens = 128};
  };
  return {
      {llm_d, llm_d_run("llama-3.1-8b", "", 1), 51.38},
      {llm_d, llm_d_run("qwen3-0.6b", "", 1), 64.45},
      {llm_d, llm_d_run("gpt-oss-20b", "", 1), 50.28},
      {llm_d, llm_d_run("qwen3-32b", "", 1), 4.45},
      {llm_d, llm_d_run("llama-3.3-70b", "fp8", 2), 32.0},
      {llm_d, llm_d_run("llama-3.3-70b", "fp8", 1), -1.44},
      {"https://github.com/LMCache/LMCache/issues/3430",
       {.version = "0.21.0",
        .model = "qwen3-8b",
        .device = "rtx-a5000",
        .share = 0.9764,
        .max_model_len = 16384},
       6.37},
      {"https://myoceane.fr/index.php/ai-vllm-a100-gemma-4/",
       {.version = "0.19.0",
        .model = "gpt-oss-20b",
        .device = "A100-SXM-80GB",
        .share = 0.65,
        .max_model_len = 131072,
        .batched_tokens = 2048},
       36.56},
      {"https://github.com/dennislee22/vLLM-benchmarking/blob/"
       "608c86e90fc1ab6071c6bb8a673046ab9cd65062/log/vllm-7B-1gpuA10080GB-0.5GRAM.log",
       {.version = "0.10.1.1",
        .model = "qwen2-7b",
        .device = "A100-SXM-80GB",
        .share = 0.5,
        .max_model_len = 16384,
        .batched_tokens = 2048},
       24.83},
      {"https://github.com/dennislee22/vLLM-benchmarking/blob/"
       "391660db66f5a6e44ea8ed82decf48a88e55e992/log/vllm-7B-1gpuA10080GB-0.25GRAM.log",
       {.version = "0.10.1.1",
        .model = "qwen2-7b",
        .device = "A100-SXM-80GB",
        .share = 0.25,
        .max_model_len = 16384,
        .batched_tokens = 2048},
       5.01},
      {"https://github.com/dennislee22/vLLM-benchmarking/blob/"
       "e514a58512f7c1ced8a2bffb191be171e7ad99b2/log/vllm-7B-2gpuA10080GB-0.5GRAM-same-node.log",
       {.version = "0.10.1.1",
        .model = "qwen2-7b",
        .device = "A100-SXM-80GB",
        .tensor = 2,
        .share = 0.5,
        .max_model_len = 16384,
        .batched_tokens = 2048},
       31.83},
      {"https://github.com/NVIDIA/TensorRT-LLM/issues/4275",
       {.engine = Engine::tensorrt_llm,
        .version = "0.19.0",
        .device = "rtx-5090",
        .weights = "fp8",
        .kv = "fp8",
        .max_model_len = 2048,
        .max_sequences = 2048,
        .batched_tokens = 1024,
        .block_tokens = 32},
       16.05},
      {"https://github.com/vllm-project/vllm/issues/10517",
       {.version = "0.6.4", .device = "rtx-3090", .max_model_len = 20000, .batched_tokens = 20000},
       3.81,
       false},
      {"https://github.com/vllm-project/vllm/issues/10517",
       {.version = "0.6.4", .device = "rtx-3090", .max_model_len = 29000, .batched_tokens = 29000},
       2.89,
       false},
      {"https://github.com/vllm-project/vllm/pull/10511",
       {.version = "0.6.4", .model = "llama-3-8b"},
       53.29,
       false},
      {"https://github.com/vllm-project/vllm/pull/10511",  // 71.29 - 7.48 - 3.58 - 1.26
       {.version = "0.6.4", .model = "llama-3-8b", .tensor = 2},
       58.97,
       false},
      {"https://github.com/vllm-project/vllm/issues/21348",
       {.version = "0.9.2",
        .model = "qwen3-235b-a22b-fp8",
        .tensor = 4,
        .max_model_len = 40960,
        .max_sequences = 1024},
       8.11},
      {"https://github.com/vllm-project/vllm/issues/13061",
       {.version = "0.7.2",
        .model = "qwen2.5-14b",
        .device = "rtx-4090",
        .tensor = 2,
        .share = 0.98,
        .max_model_len = 131072,
        .batched_tokens = 2048},
       8.69},
      {"https://github.com/vllm-project/vllm/issues/21348",
       {.engine = Engine::sglang,
        .version = "0.4.9",
        .model = "qwen3-235b-a22b-fp8",
        .tensor = 4,
        .share = 0.93,
        .max_model_len = 40960,
        .block_tokens = 1},
       16.46},
      {"https://github.com/sgl-project/sglang/pull/18263",
       {.engine = Engine::sglang,
        .version = "0.5.0",
        .model = "qwen3-30b-a3b",
        .device = "mi355x-288gb",
        .share = 0.911,
        .max_model_len = 40960,
        .block_tokens = 1},
       204.63},
  };
}

TEST_CASE("K/V memory is within the interval that engines printed", "[analysis]") {
  for (const PublishedMemory& run : published()) {
    CAPTURE(run.source, run.engine.model, run.engine.max_model_len, run.engine.tensor);
    const EngineMemoryBudget budget = engine_memory(
        started(run.engine, [&](ServingPlan& plan) { plan.chunked_prefill = given(run.chunked); }));
    CAPTURE(budget.kv.value.value() / gib);
    CHECK(budget.kv.low.value() / gib <= run.gib);
    CHECK(budget.kv.high.value() / gib >= run.gib);
  }
}

TEST_CASE("K/V tokens are within the interval that vLLM printed", "[analysis]") {
  // https://github.com/LMCache/LMCache/issues/3430
  const EngineMemoryBudget budget = engine_memory(started({.version = "0.21.0",
                                                           .model = "qwen3-8b",
                                                           .device = "rtx-a5000",
                                                           .share = 0.9764,
                                                           .max_model_len = 16384}));
  CHECK(budget.kv_tokens->low <= 46'368);
  CHECK(budget.kv_tokens->high >= 46'368);
}

TEST_CASE("K/V tokens for the memory that vLLM printed", "[analysis]") {
  // The memory is what the log has, so the count is that of the log within the rounding of GiB:
  // the issue above, a log of vLLM 0.22.0 with Qwen2.5-7B, and those of 0.10.1.1 above.
  const auto [model, version, length, memory, tokens] =
      GENERATE(table<std::string, std::string, int, double, int>({
          {"qwen3-8b", "0.21.0", 16384, 6.37, 46'368},
          {"qwen2.5-7b", "0.22.0", 4096, 26.32, 492'912},
          {"qwen2-7b", "0.10.1.1", 16384, 24.83, 464'848},
          {"qwen2-7b", "0.10.1.1", 16384, 5.01, 93'872},
      }));
  const double bytes = memory * gib;
  const EngineMemoryBudget budget =
      engine_memory(started({.version = version, .model = model, .max_model_len = length},
                            [&](ServingPlan& plan) { plan.kv_memory = given(Bytes(bytes)); }));
  CHECK(static_cast<double>(budget.kv_tokens->value) ==
        Approx(tokens).epsilon(0.005 / memory + 1e-4));
}

TEST_CASE("The peak of vLLM's profiling step is near the published ones", "[analysis]") {
  // GiB, of H100s at 1024 sequences and 8192 tokens.
  const auto [model, weights, tensor, peak] =
      GENERATE(table<std::string, std::string, int, double>({
          {"llama-3.1-8b", "", 1, 4.76},
          {"qwen3-0.6b", "", 1, 5.56},
          {"qwen3-32b", "", 1, 5.64},
          {"gpt-oss-20b", "", 1, 7.38},
          {"llama-3.3-70b", "fp8", 2, 4.84},
      }));
  CAPTURE(model);
  const EngineMemoryBudget budget = engine_memory(started({.version = "0.11.0",
                                                           .model = model,
                                                           .weights = weights,
                                                           .tensor = tensor,
                                                           .max_sequences = 1024}));
  CHECK(budget.activations.value.value() / gib == Approx(peak).epsilon(0.01));
  CHECK(budget.activations.low.value() / gib <= peak);
  CHECK(budget.activations.high.value() / gib >= peak);
}

TEST_CASE("llama.cpp's buffers are those that it printed", "[analysis]") {
  // https://github.com/SciSharp/LLamaSharp/issues/1099: Qwen2.5-3B, 4096 cells, -ub 512.
  constexpr double mib = 1024.0 * 1024;
  const EngineMemoryBudget budget = engine_memory(started({.engine = Engine::llama_cpp,
                                                           .version = "4701",
                                                           .model = "qwen2.5-3b",
                                                           .device = "rtx-4080-super",
                                                           .max_model_len = 4096,
                                                           .max_sequences = 1,
                                                           .batched_tokens = 512}));
  CHECK(budget.sequence.value() / mib == Approx(144.0));
  CHECK(budget.activations.value.value() / mib == Approx(300.75));
}

}  // namespace
}  // namespace roofline
