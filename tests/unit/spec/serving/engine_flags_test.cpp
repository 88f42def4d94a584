// The built-in flags of the engines, and how they are found.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "spec/serving/command_line.hpp"

using namespace roofline;

namespace {

using Takes = EngineFlag::Takes;

/// The name of the flag that is found; "" for none.
std::string found(Engine engine, std::string_view name) {
  const EngineFlag* flag = find_flag(engine_flags(engine), name);
  return flag == nullptr ? "" : flag->name;
}

}  // namespace

TEST_CASE("a flag is found by its name and its aliases") {
  const auto [engine, name, expected] = GENERATE(table<Engine, std::string_view, std::string_view>({
      {Engine::vllm, "max-model-len", "max-model-len"},
      {Engine::vllm, "max_model_len", "max-model-len"},
      {Engine::vllm, "--max_model_len", "max-model-len"},
      {Engine::vllm, "-tp", "tensor-parallel-size"},
      {Engine::vllm, "tp", "tensor-parallel-size"},
      {Engine::vllm, "--tp", ""},
      {Engine::vllm, "-pp", "pipeline-parallel-size"},
      {Engine::vllm, "-dp", "data-parallel-size"},
      {Engine::vllm, "-ep", "enable-expert-parallel"},
      {Engine::vllm, "-q", "quantization"},
      {Engine::vllm, "-O", "optimization-level"},
      {Engine::vllm, "max-model-length", ""},
      {Engine::vllm, "", ""},
      {Engine::vllm, "-", ""},
      {Engine::sglang, "--tp", "tensor-parallel-size"},
      {Engine::sglang, "--tp-size", "tensor-parallel-size"},
      {Engine::sglang, "tp_size", "tensor-parallel-size"},
      {Engine::sglang, "--model", "model-path"},
      {Engine::sglang, "--ep", "expert-parallel-size"},
      {Engine::sglang, "mem-fraction-static", "mem-fraction-static"},
      {Engine::tensorrt_llm, "--tp_size", "tensor-parallel-size"},
      {Engine::tensorrt_llm, "kv_cache_free_gpu_memory_fraction", "free-gpu-memory-fraction"},
      {Engine::tensorrt_llm, "--extra_llm_api_options", "config"},
      {Engine::tensorrt_llm, "kv_cache_config.tokens_per_block",
       "kv-cache-config.tokens-per-block"},
      {Engine::llama_cpp, "-c", "ctx-size"},
      {Engine::llama_cpp, "-C", "cpu-mask"},
      {Engine::llama_cpp, "-ngl", "n-gpu-layers"},
      {Engine::llama_cpp, "--gpu-layers", "n-gpu-layers"},
      {Engine::llama_cpp, "-fit", "fit"},
      {Engine::llama_cpp, "--fit", "fit"},
      {Engine::llama_cpp, "-hf", "hf-repo"},
  }));
  CAPTURE(to_string(engine), name);
  CHECK(found(engine, name) == expected);
}

TEST_CASE("any member of a mapping is known and of another flag only those that it has") {
  CHECK(found(Engine::vllm, "speculative-config.method") == "speculative-config");
  CHECK(found(Engine::vllm, "compilation_config.pass_config.fuse_x") == "compilation-config");
  CHECK(found(Engine::vllm, "max-model-len.x").empty());
  CHECK(found(Engine::tensorrt_llm, "kv-cache-config.no-such-member").empty());
  CHECK(found(Engine::tensorrt_llm, "moe_config.backend") == "moe-config");
  CHECK(found(Engine::vllm, ".method").empty());
  CHECK(found(Engine::vllm, "a.b.c.d").empty());
}

TEST_CASE("a switch is found by what turns it off") {
  const auto [engine, name, expected] = GENERATE(table<Engine, std::string_view, std::string_view>({
      {Engine::vllm, "--no-enable-prefix-caching", "enable-prefix-caching"},
      {Engine::vllm, "no_enable_chunked_prefill", "enable-chunked-prefill"},
      {Engine::vllm, "--no-disable-log-stats", ""},
      {Engine::vllm, "--enable-prefix-caching", ""},
      {Engine::vllm, "--no-max-model-len", ""},
      {Engine::sglang, "--no-enable-metrics", ""},
      {Engine::tensorrt_llm, "--no-telemetry", "telemetry"},
      {Engine::llama_cpp, "-nkvo", "kv-offload"},
      {Engine::llama_cpp, "--no-kv-offload", "kv-offload"},
      {Engine::llama_cpp, "--no-mmproj", "mmproj-auto"},
  }));
  CAPTURE(to_string(engine), name);
  const EngineFlag* flag = find_negative_flag(engine_flags(engine), name);
  CHECK((flag == nullptr ? "" : flag->name) == expected);
  if (flag != nullptr) CHECK(found(engine, name).empty());
}

TEST_CASE("what a flag takes") {
  const auto [engine, name, takes] = GENERATE(table<Engine, std::string_view, Takes>({
      {Engine::vllm, "max-model-len", Takes::value},
      {Engine::vllm, "enforce-eager", Takes::nothing},
      {Engine::vllm, "served-model-name", Takes::values},
      {Engine::vllm, "hf-token", Takes::optional_value},
      {Engine::sglang, "cuda-graph-bs", Takes::values},
      {Engine::sglang, "enable-dp-attention", Takes::nothing},
      {Engine::llama_cpp, "-fa", Takes::optional_value},
      {Engine::llama_cpp, "-ngl", Takes::value},
      {Engine::tensorrt_llm, "--trust_remote_code", Takes::nothing},
  }));
  CAPTURE(to_string(engine), name);
  const EngineFlag* flag = find_flag(engine_flags(engine), name);
  REQUIRE(flag != nullptr);
  CHECK(flag->takes == takes);
}

TEST_CASE("a flag of an earlier release is known as removed") {
  CHECK_FALSE(find_flag(engine_flags(Engine::vllm), "swap-space")->removed.empty());
  CHECK_FALSE(find_flag(engine_flags(Engine::vllm), "disable-log-requests")->removed.empty());
  CHECK(find_flag(engine_flags(Engine::vllm), "max-num-seqs")->removed.empty());
  CHECK_FALSE(find_flag(engine_flags(Engine::sglang), "enable-ep-moe")->removed.empty());
}

TEST_CASE("every spelling leads to the flag that it stands at") {
  const Engine engine =
      GENERATE(Engine::llama_cpp, Engine::sglang, Engine::tensorrt_llm, Engine::vllm);
  const EngineFlags& flags = engine_flags(engine);
  CAPTURE(to_string(engine));
  CHECK(flags.engine == engine);
  CHECK_FALSE(flags.version.empty());
  CHECK(std::is_sorted(flags.flags.begin(), flags.flags.end(),
                       [](const EngineFlag& a, const EngineFlag& b) { return a.name < b.name; }));
  std::set<std::string> seen;
  for (const EngineFlag& flag : flags.flags) {
    std::vector<std::string> spellings = flag.aliases;
    spellings.push_back("--" + flag.name);
    for (const std::string& spelling : spellings) {
      CAPTURE(spelling);
      CHECK(seen.insert(spelling).second);
      CHECK(find_flag(flags, spelling) == &flag);
    }
    if (!flag.negative.empty()) CHECK(flag.takes == Takes::nothing);
  }
  CHECK(&engine_flags(engine) == &flags);
}
