#include "analysis/check/resolve.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <tuple>

#include "roofline/error.hpp"

using namespace roofline;

namespace {

const Catalog& catalog() {
  static const Catalog all;
  return all;
}

ServingPlan plan_on(Engine engine, const std::string& version = {}) {
  ServingPlan plan;
  plan.engine = engine;
  plan.version = version;
  return plan;
}

ResolvedServing resolved(const ServingPlan& plan, const char* gpu = "H100",
                         const char* model = "llama-3.1-8b") {
  return resolve_serving(plan, catalog().model(model), catalog().device(gpu), catalog());
}

template <class T>
Given<T> given(T value) {
  return {.value = std::move(value), .written = "key", .place = {}, .given = true};
}

}  // namespace

TEST_CASE("versions compare number by number", "[analysis][check]") {
  const auto [version, release, later] = GENERATE(table<std::string, std::string, bool>({
      {"0.21.0", "0.21", true},
      {"v0.21.0", "0.21", true},
      {"0.9.1", "0.21", false},
      {"0.20.9", "0.21", false},
      {"1.0", "0.21", true},
      {"0.21", "0.21.0", true},
      {"0.21", "0.21.1", false},
      {"nightly", "0.21", true},
      {"0.21.0rc1", "0.21.0", true},
  }));
  CAPTURE(version, release);
  CHECK(is_at_least(version, release) == later);
}

// The defaults of vLLM's server by device memory: 160 GiB and more, 70 GiB and more but A100, else.
TEST_CASE("vLLM's defaults follow the device and the release", "[analysis][check]") {
  const auto [gpu, tokens, sequences] = GENERATE(table<std::string, int, int>({
      {"B200", 16384, 1024},
      {"H100", 8192, 1024},
      {"MI300X", 16384, 1024},
      {"A100", 2048, 256},
      {"L4", 2048, 256},
  }));
  CAPTURE(gpu);
  const ResolvedServing serving = resolved(plan_on(Engine::vllm), gpu.c_str());
  CHECK(serving.plan.batched_tokens.value == tokens);
  CHECK(serving.plan.max_sequences.value == sequences);
  CHECK(serving.plan.max_model_len.value == 131072);
  CHECK(serving.plan.memory_share.value == 0.92);
  CHECK(serving.plan.version_assumed);
  CHECK(serving.plan.chunked_prefill.value);
}

TEST_CASE("older releases of vLLM have other defaults", "[analysis][check]") {
  CHECK(resolved(plan_on(Engine::vllm, "0.19.1")).plan.memory_share.value == 0.9);
  ServingPlan first = plan_on(Engine::vllm, "0.6.3");
  first.max_model_len = given<std::int64_t>(8192);
  const ServingPlan plan = resolved(first).plan;
  CHECK(plan.max_sequences.value == 256);
  CHECK_FALSE(plan.chunked_prefill.value);
  CHECK(plan.batched_tokens.value == 8192);
  CHECK_FALSE(plan.version_assumed);
}

TEST_CASE("without chunked prefill a step holds a whole prompt", "[analysis][check]") {
  ServingPlan plan = plan_on(Engine::vllm);
  plan.chunked_prefill = given(false);
  plan.max_model_len = given<std::int64_t>(32768);
  CHECK(resolved(plan).plan.batched_tokens.value == 32768);
}

TEST_CASE("a step is never longer than all sequences together", "[analysis][check]") {
  ServingPlan plan = plan_on(Engine::vllm, "0.30.0");
  plan.max_sequences = given<std::int64_t>(1);
  plan.max_model_len = given<std::int64_t>(4096);
  CHECK(resolved(plan).plan.batched_tokens.value == 4096);
  plan.max_sequences = given<std::int64_t>(2);
  CHECK(resolved(plan).plan.batched_tokens.value == 8192);
}

TEST_CASE("what is given stays", "[analysis][check]") {
  ServingPlan plan = plan_on(Engine::vllm);
  plan.max_sequences = given<std::int64_t>(7);
  plan.memory_share = given(0.5);
  plan.batched_tokens = given<std::int64_t>(64);
  plan.tensor = given<std::int64_t>(2);
  const ResolvedServing serving = resolved(plan);
  CHECK(serving.plan.max_sequences.value == 7);
  CHECK(serving.server.limits.utilization == 0.5);
  CHECK(serving.server.limits.batched_tokens == 64);
  CHECK(serving.server.deployment.tensor == 2);
}

TEST_CASE("types are those of the engine's words", "[analysis][check]") {
  ServingPlan plan = plan_on(Engine::vllm);
  plan.kv_dtype = given<std::string>("fp8_e4m3");
  plan.dtype = given<std::string>("half");
  plan.quantization = given<std::string>("fp8");
  const Precision precision = resolved(plan).precision;
  CHECK(precision.kv.name == "fp8");
  CHECK(precision.activations.name == "fp16");
  CHECK(precision.weights[Part::mlp].name == "fp8");
  CHECK(precision.weights[Part::embedding].bits == 16);
}

TEST_CASE("a latent in vLLM's fp8 takes 656 bytes of 576 elements", "[analysis][check]") {
  ServingPlan plan = plan_on(Engine::vllm);
  plan.kv_dtype = given<std::string>("fp8_ds_mla");
  const Precision precision = resolved(plan, "H200", "deepseek-v3").precision;
  CHECK(precision.kv.element_size().value() * 576 == Approx(656).epsilon(1e-12));
}

TEST_CASE("words that no engine knows are refused", "[analysis][check]") {
  ServingPlan plan = plan_on(Engine::vllm);
  plan.kv_dtype = given<std::string>("fp9");
  CHECK_THROWS_AS(resolved(plan), Error);
  plan.kv_dtype = {};
  plan.quantization = given<std::string>("awq");
  CHECK_THROWS_WITH(resolved(plan), Catch::Contains("needs a checkpoint that is quantised"));
}

TEST_CASE("llama.cpp has a type for K and one for V", "[analysis][check]") {
  ServingPlan plan = plan_on(Engine::llama_cpp);
  plan.kv_dtype = given<std::string>("q8_0");
  plan.value_dtype = given<std::string>("q4_0");
  const ResolvedServing serving = resolved(plan);
  CHECK(serving.precision.kv.bits == 8.5);
  REQUIRE(serving.value_format);
  CHECK(serving.value_format->bits == 4.5);
}

TEST_CASE("attention in data parallel divides the ranks", "[analysis][check]") {
  using Case = std::tuple<Engine, std::string, int, int, Deployment>;
  const auto [engine, model, tensor, data, deployment] = GENERATE(values<Case>({
      {Engine::sglang, "deepseek-v3", 8, 8, {.tensor = 1, .expert = 8, .data = 8}},
      {Engine::sglang, "deepseek-v3", 8, 2, {.tensor = 4, .expert = 8, .data = 2}},
      {Engine::tensorrt_llm, "deepseek-v3", 8, 1, {.tensor = 1, .expert = 8, .data = 8}},
      {Engine::tensorrt_llm, "llama-3.1-8b", 2, 1, {.tensor = 1, .expert = 1, .data = 2}},
  }));
  ServingPlan plan = plan_on(engine);
  plan.attention_dp = given(true);
  plan.tensor = given<std::int64_t>(tensor);
  plan.data = given<std::int64_t>(data);
  plan.expert = given<std::int64_t>(tensor);
  CHECK(resolved(plan, "H200", model.c_str()).server.deployment == deployment);
}
