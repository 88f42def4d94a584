// What a sequence takes as each engine pages it. Bytes are layers x 2 x K/V heads x d x 2.
#include "analysis/check/engine_kv.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "engine_serving.hpp"

namespace roofline {
namespace {

// Llama-3.1-8B: 32 layers, 8 heads of 128.
constexpr double llama_token = 131'072;

KvLayout layout_of(const StartedEngine& engine,
                   const std::function<void(ServingPlan&)>& change = {}) {
  return kv_layout(started(engine, change));
}

TEST_CASE("vLLM pages full attention in blocks", "[analysis]") {
  const KvLayout layout = layout_of({});
  CHECK(layout.per_token() == Bytes(llama_token));
  CHECK(layout.sequence(1) == Bytes(16 * llama_token));
  CHECK(layout.sequence(131'072) == Bytes(17'179'869'184.0));  // 16 GiB
  CHECK(layout.sequence(131'073) == Bytes(17'179'869'184.0 + 16 * llama_token));
}

TEST_CASE("Heads are divided and a latent is not", "[analysis]") {
  const auto [model, tensor, pipeline, token] = GENERATE(table<std::string, int, int, double>({
      {"llama-3.1-8b", 4, 1, 32'768},
      {"llama-3.1-8b", 16, 1, 16'384},  // one head of 8 on each
      {"llama-3.1-8b", 1, 4, 32'768},
      {"deepseek-v3", 1, 1, 70'272},  // (512 + 64) x 61 x 2
      {"deepseek-v3", 8, 1, 70'272},
  }));
  CAPTURE(model, tensor, pipeline);
  const KvLayout layout = layout_of({.model = model, .tensor = tensor, .pipeline = pipeline});
  CHECK(layout.per_token() == Bytes(token));
}

TEST_CASE("Context parallel ranks share the tokens of a block", "[analysis]") {
  const KvLayout layout = layout_of({.model = "deepseek-v3", .tensor = 8}, [](ServingPlan& plan) {
    plan.context_parallel = given<std::int64_t>(2);
  });
  CHECK(layout.per_token() == Bytes(35'136));
  CHECK(layout.sequence(32) == Bytes(16 * 70'272));
}

TEST_CASE("vLLM pages windows and full attention from one pool", "[analysis]") {
  // gpt-oss-20b: 12 layers with a window of 128 and 12 without; 2,048 bytes a token and layer, so
  // 393,216 a block of 12 layers. 16,000 tokens: 1,000 blocks, and of the window
  // ceil((127 + 8192) / 16) + 1 = 521.
  const KvLayout layout = layout_of({.model = "gpt-oss-20b"});
  CHECK(layout.sequence(16'000) == Bytes(1521 * 393'216.0));
  CHECK(layout.sequence(160) == Bytes((10 + 11) * 393'216.0));
  CHECK(layout.per_token() == Bytes(24'576));
  const KvLayout full = layout_of({.model = "gpt-oss-20b"},
                                  [](ServingPlan& plan) { plan.full_window_cache = given(true); });
  CHECK(full.sequence(16'000) == Bytes(16'000 * 49'152.0));
}

TEST_CASE("What vLLM calls tokens of a hybrid changed with 0.21", "[analysis]") {
  const auto [version, tokens] = GENERATE(table<std::string, int>({
      {"0.30.0", 160'000},  // 15,210 blocks / 1,521 x 16,000
      {"0.21.0", 160'000},
      {"0.20.2", 121'680},  // 15,210 / 2 groups x 16
  }));
  const ResolvedServing serving =
      started({.version = version, .model = "gpt-oss-20b", .max_model_len = 16'000});
  CHECK(reported_tokens(serving, kv_layout(serving), Bytes(15'210.5 * 393'216)) == tokens);
}

TEST_CASE("A window alone bounds a sequence", "[analysis]") {
  // Mistral-7B-v0.1: 4096; ceil((4095 + 2048) / 16) + 1 = 385 blocks.
  const KvLayout layout = layout_of({.model = "mistral-7b-v0.1", .batched_tokens = 2048});
  CHECK(layout.sequence(32'768) == Bytes(385 * 16 * llama_token));
  CHECK(layout.per_token() == Bytes());
}

TEST_CASE("vLLM's pages are as large as a state", "[analysis]") {
  // Qwen3-Next: 36 gated delta layers of 32 x 128 x 128 x 4 + 8192 x 3 x 2 = 2,146,304 bytes, 12 of
  // attention with 2,048 a token: 1,048 tokens, so pages of 1,056, in groups of 12 layers.
  const KvLayout layout = layout_of({.model = "qwen3-next-80b-a3b"});
  constexpr double unit = 12 * 1056 * 2048.0;
  CHECK(layout.sequence(1) == Bytes(4 * unit));
  CHECK(layout.sequence(1056) == Bytes(4 * unit));
  CHECK(layout.sequence(1057) == Bytes(5 * unit));
}

TEST_CASE("SGLang's window layers have a pool of 0.8 of the tokens", "[analysis]") {
  const StartedEngine engine{
      .engine = Engine::sglang, .version = "0.5.0", .model = "gpt-oss-20b", .block_tokens = 1};
  const ResolvedServing serving = started(engine);
  const KvLayout layout = kv_layout(serving);
  const Bytes kv(1.8 * 24'576 * 1000.5);
  CHECK(reported_tokens(serving, layout, kv) == 1000);
  CHECK(layout.sequences(kv, 1000, 99) == 0);  // 800 of the window's
  CHECK(layout.sequences(kv, 500, 99) == 1);
  CHECK(layout.sequences(kv, 400, 99) == 2);
  const ResolvedServing whole =
      started(engine, [](ServingPlan& plan) { plan.full_window_cache = given(true); });
  CHECK(reported_tokens(whole, kv_layout(whole), kv) == 900);
}

TEST_CASE("SGLang keeps states apart", "[analysis]") {
  // 0.9 / 1.9 of the memory; 36 layers of 2,146,304 bytes.
  const KvLayout layout =
      layout_of({.engine = Engine::sglang, .model = "qwen3-next-80b-a3b", .block_tokens = 1});
  const Bytes kv(36 * 2'146'304 * 1.9 / 0.9 * 10.5);
  CHECK(layout.sequences(kv, 1, 99) == 10);
  CHECK(layout.per_token() == Bytes(12 * 2048));
}

TEST_CASE("Attention DP divides heads by fewer ranks", "[analysis]") {
  const auto [engine, tensor, data, ways, replicas] = GENERATE(table<Engine, int, int, int, int>({
      {Engine::sglang, 8, 8, 1, 8},
      {Engine::sglang, 8, 2, 4, 2},
      {Engine::tensorrt_llm, 8, 1, 1, 8},
  }));
  const ResolvedServing serving =
      started({.engine = engine, .tensor = tensor, .data = data},
              [](ServingPlan& plan) { plan.attention_dp = given(true); });
  CHECK(attention_ways(serving) == ways);
  CHECK(attention_replicas(serving) == replicas);
  CHECK(kv_layout(serving).per_token() == Bytes(llama_token / ways));
}

TEST_CASE("TensorRT-LLM keeps the whole context in window layers", "[analysis]") {
  const KvLayout layout =
      layout_of({.engine = Engine::tensorrt_llm, .model = "gpt-oss-20b", .block_tokens = 32});
  CHECK(layout.sequence(100) == Bytes(4 * 32 * 49'152.0));
}

TEST_CASE("llama.cpp pads cells to 256", "[analysis]") {
  const StartedEngine engine{.engine = Engine::llama_cpp, .batched_tokens = 512};
  CHECK(layout_of(engine).sequence(1000) == Bytes(1024 * llama_token));
  const KvLayout half =
      layout_of(engine, [](ServingPlan& plan) { plan.gpu_layers = given<std::int64_t>(16); });
  CHECK(half.sequence(1000) == Bytes(512 * llama_token));
  // Windows: min(128 + 512, 4096), padded to 768.
  const KvLayout window =
      layout_of({.engine = Engine::llama_cpp, .model = "gpt-oss-20b", .batched_tokens = 512});
  CHECK(window.sequence(4096) == Bytes((4096 + 768) * 24'576.0));
}

TEST_CASE("llama.cpp has types of K and V of their own", "[analysis]") {
  ResolvedServing serving = started({.engine = Engine::llama_cpp, .kv = "q8_0"});
  serving.value_format = plain_format(MatrixType::fp16);
  // 32 layers x 1024 elements x (34 / 32 + 2) bytes.
  CHECK(kv_layout(serving).per_token() == Bytes(100'352));
}

TEST_CASE("The longest sequence is exact", "[analysis]") {
  const KvLayout layout = layout_of({});
  const Bytes kv(10 * 16 * llama_token);
  CHECK(layout.longest(kv, 1, 131'072) == 160);
  CHECK(layout.longest(kv, 1, 100) == 100);
  CHECK(layout.longest(kv, 2, 131'072) == 80);
  CHECK(layout.longest(Bytes(16 * llama_token - 1), 1, 131'072) == 0);
  CHECK(layout.longest(Bytes(-1), 1, 131'072) == 0);
}

TEST_CASE("A model of states alone has no tokens", "[analysis]") {
  const ResolvedServing serving = started({.model = "mamba-2.8b"});
  const KvLayout layout = kv_layout(serving);
  CHECK_FALSE(reported_tokens(serving, layout, Bytes(1e9)));
  CHECK(layout.sequence(1) == layout.sequence(100'000));
  CHECK(layout.per_token() == Bytes());
}

}  // namespace
}  // namespace roofline
