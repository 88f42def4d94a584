// Launches as plans: each engine's flags, values and defaults.
#include "roofline/serving_plan.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

using namespace roofline;

namespace {

using Written = std::vector<std::pair<std::string, std::string>>;

EngineSetting setting(std::string name, std::vector<std::string> values, std::int64_t line = 1) {
  EngineSetting result;
  result.written = name;
  result.name = std::move(name);
  result.values = std::move(values);
  result.place = {"serve.yaml", line, 3, 9};
  return result;
}

/// A launch with those settings, on lines 1, 2 ...
Launch launch_of(Engine engine, const Written& settings) {
  Launch launch;
  launch.engine = engine;
  launch.name = "chat";
  launch.place = {"serve.yaml", 1, 1, 2};
  for (const auto& [name, value] : settings) {
    const auto line = static_cast<std::int64_t>(launch.settings.size()) + 1;
    launch.settings.push_back(setting(name, {value}, line));
  }
  return launch;
}

ServingPlan plan(Engine engine, const Written& settings) {
  return plan_of(launch_of(engine, settings));
}

std::vector<Diagnostic> problems(const Launch& launch) {
  try {
    static_cast<void>(plan_of(launch));
  } catch (const Error& error) {
    return error.diagnostics();
  }
  return {};
}

/// The `what` of the only problem; "" without one.
std::string problem(Engine engine, const Written& settings) {
  const std::vector<Diagnostic> all = problems(launch_of(engine, settings));
  REQUIRE(all.size() <= 1);
  return all.empty() ? "" : all.front().what;
}

}  // namespace

TEST_CASE("a plan keeps where each value was given") {
  const ServingPlan result =
      plan(Engine::vllm, {{"model", "org/m"}, {"max_model_len", "8192"}, {"-tp", "4"}});
  CHECK(result.name == "chat");
  CHECK(result.model.value == "org/m");
  CHECK(result.max_model_len ==
        Given<std::int64_t>{8192, "max_model_len", Place{"serve.yaml", 2, 3, 9}, true});
  CHECK(result.tensor == Given<std::int64_t>{4, "-tp", Place{"serve.yaml", 3, 3, 9}, true});
  CHECK_FALSE(result.pipeline.given);
  CHECK(result.pipeline.value == 1);
  CHECK_FALSE(result.gpu.given);
}

TEST_CASE("of one setting the last counts whatever its spelling") {
  CHECK(plan(Engine::vllm, {{"-tp", "4"}, {"tensor_parallel_size", "2"}}).tensor.value == 2);
  CHECK(plan(Engine::vllm, {{"-tp", "many"}, {"tensor-parallel-size", "2"}}).tensor.value == 2);
  CHECK(plan(Engine::tensorrt_llm, {{"--kv_cache_free_gpu_memory_fraction", "0.8"},
                                    {"kv-cache-config.free-gpu-memory-fraction", "0.7"}})
            .memory_share.value == 0.7);
  CHECK(plan(Engine::tensorrt_llm, {{"kv-cache-config.free-gpu-memory-fraction", "0.7"},
                                    {"free-gpu-memory-fraction", "0.8"}})
            .memory_share.value == 0.8);
}

TEST_CASE("vLLM reads human counts") {
  const auto [text, expected] = GENERATE(table<std::string, std::int64_t>({
      {"8192", 8192},
      {"8_192", 8192},
      {"32k", 32000},
      {"32K", 32768},
      {"25.6k", 25600},
      {"2.3k", 2300},
      {"1m", 1000000},
      {"1M", 1048576},
      {" 16 ", 16},
      {"+16", 16},
      {"auto", 0},
      {"-1", 0},
  }));
  CAPTURE(text);
  const Given<std::int64_t> length = plan(Engine::vllm, {{"max-model-len", text}}).max_model_len;
  CHECK(length.value == expected);
  CHECK(length.given);
}

TEST_CASE("vLLM refuses what is no count") {
  const auto [name, text, what] = GENERATE(table<std::string, std::string, std::string>({
      {"max-model-len", "32kk", "is no whole number"},
      {"max-model-len", "25.6K", "has a decimal before a power of 1024"},
      {"max-model-len", "k", "is no whole number"},
      {"max-model-len", "8192.0", "is no whole number"},
      {"max-model-len", "1__0", "is no whole number"},
      {"max-model-len", "_10", "is no whole number"},
      {"max-model-len", "0", "is not from 1 to 1000000000000"},
      {"max-model-len", "99999999999999999999", "is no whole number"},
      {"max-model-len", "9999999999t", "is too large or too small"},
      {"max-num-seqs", "1k", "is no whole number"},
      {"max-num-seqs", "-1", "is not from 1 to 1000000000000"},
      {"tensor-parallel-size", "0", "is not from 1 to 1000000"},
      {"gpu-memory-utilization", "0", "is no share above 0 and at most 1"},
      {"gpu-memory-utilization", "90", "is no share above 0 and at most 1"},
      {"gpu-memory-utilization", "90%", "is no number"},
      {"enforce-eager", "maybe", "is neither true nor false"},
      {"cpu-offload-gb", "-4", "is no number"},
      {"cpu-offload-gb", "4GiB", "is no number"},
  }));
  CHECK(problem(Engine::vllm, {{name, text}}) == name + ": '" + text + "' " + what);
}

TEST_CASE("a refused value is named with its place and a value that works") {
  Launch launch = launch_of(Engine::vllm, {{"--max-model-len", "many"}, {"max_num_seqs", "few"}});
  const std::vector<Diagnostic> all = problems(launch);
  REQUIRE(all.size() == 2);
  CHECK(all[0].where == "serve.yaml:1:3");
  CHECK(all[0].fix == "--max-model-len 8192");
  CHECK(all[1].where == "serve.yaml:2:3");
  CHECK(all[1].fix == "max_num_seqs: 64");
}

TEST_CASE("a refused value that is long is cut") {
  const Launch launch = launch_of(Engine::vllm, {{"--max-model-len", std::string(5000, '1')}});
  CHECK(problems(launch).at(0).what.size() < 200);
}

TEST_CASE("a setting has one value") {
  Launch launch = launch_of(Engine::vllm, {});
  launch.settings = {setting("--max-num-seqs", {}), setting("--max-model-len", {"1", "2"}, 2)};
  const std::vector<Diagnostic> all = problems(launch);
  REQUIRE(all.size() == 2);
  CHECK(all[0].what == "--max-num-seqs: needs a value");
  CHECK(all[1].what == "--max-model-len: takes one value, not 2");
}

TEST_CASE("vLLM flags and the members of the plan") {
  const ServingPlan result = plan(Engine::vllm, {{"pipeline-parallel-size", "2"},
                                                 {"data-parallel-size", "4"},
                                                 {"decode-context-parallel-size", "2"},
                                                 {"max-num-seqs", "64"},
                                                 {"max-num-batched-tokens", "8k"},
                                                 {"enable-chunked-prefill", "false"},
                                                 {"gpu-memory-utilization", ".95"},
                                                 {"kv-cache-memory-bytes", "10G"},
                                                 {"num-gpu-blocks-override", "1000"},
                                                 {"block-size", "32"},
                                                 {"dtype", "bfloat16"},
                                                 {"quantization", "fp8"},
                                                 {"kv-cache-dtype", "fp8_e4m3"},
                                                 {"enforce-eager", "true"},
                                                 {"cpu-offload-gb", "1.5"},
                                                 {"disable-hybrid-kv-cache-manager", "true"}});
  CHECK(result.pipeline.value == 2);
  CHECK(result.data.value == 4);
  CHECK(result.context_parallel.value == 2);
  CHECK(result.max_sequences.value == 64);
  CHECK(result.batched_tokens.value == 8000);
  CHECK(result.chunked_prefill.given);
  CHECK_FALSE(result.chunked_prefill.value);
  CHECK(result.memory_share.value == 0.95);
  CHECK(result.kv_memory.value.value() == 10737418240.0);
  CHECK(result.kv_token_limit.value == 32000);
  CHECK(result.block_tokens.value == 32);
  CHECK(result.dtype.value == "bfloat16");
  CHECK(result.quantization.value == "fp8");
  CHECK(result.kv_dtype.value == "fp8_e4m3");
  CHECK_FALSE(result.cuda_graphs.value);
  CHECK(result.cpu_offload.value.value() == 1610612736.0);
  CHECK(result.full_window_cache.value);
}

TEST_CASE("auto and None leave a value to the engine") {
  const ServingPlan result = plan(Engine::vllm, {{"dtype", "auto"},
                                                 {"kv-cache-dtype", "auto"},
                                                 {"quantization", "None"},
                                                 {"max-model-len", "None"}});
  CHECK_FALSE(result.dtype.given);
  CHECK(result.dtype.value.empty());
  CHECK(result.dtype.place);
  CHECK_FALSE(result.kv_dtype.given);
  CHECK_FALSE(result.quantization.given);
  CHECK_FALSE(result.max_model_len.given);
}

TEST_CASE("defaults follow the engine and its version") {
  const auto [engine, version, share, block, chunked] =
      GENERATE(table<Engine, std::string, double, std::int64_t, bool>({
          {Engine::vllm, "0.30.0", 0.92, 16, true},
          {Engine::vllm, "v0.21.0", 0.92, 16, true},
          {Engine::vllm, "0.11.2", 0.9, 16, true},
          {Engine::vllm, "0.6.3", 0.9, 16, false},
          {Engine::sglang, "0.5.0", 0, 1, true},
          {Engine::tensorrt_llm, "1.0.0", 0.9, 32, false},
          {Engine::llama_cpp, "b7000", 1, 1, true},
      }));
  CAPTURE(to_string(engine), version);
  Launch launch = launch_of(engine, {});
  launch.version = version;
  const ServingPlan result = plan_of(launch);
  CHECK(result.version == version);
  CHECK_FALSE(result.version_assumed);
  CHECK(result.memory_share.value == share);
  CHECK_FALSE(result.memory_share.given);
  CHECK(result.block_tokens.value == block);
  CHECK(result.chunked_prefill.value == chunked);
  CHECK(result.cuda_graphs.value);
  CHECK_FALSE(result.cuda_graphs.given);
}

TEST_CASE("without a version the assumed one is named") {
  const ServingPlan result = plan(Engine::vllm, {});
  CHECK(result.version_assumed);
  CHECK_FALSE(result.version.empty());
}

TEST_CASE("vLLM spreads experts over all ranks of tensor and data") {
  const ServingPlan result = plan(Engine::vllm, {{"enable-expert-parallel", "true"},
                                                 {"tensor-parallel-size", "2"},
                                                 {"data-parallel-size", "4"}});
  CHECK(result.expert_parallel.value);
  CHECK(result.expert.given);
  CHECK(result.expert.value == 8);
  CHECK(result.data.value == 4);
  CHECK(plan(Engine::vllm, {{"tensor-parallel-size", "2"}}).expert.value == 1);
}

TEST_CASE("a draft with weights of its own") {
  const auto [settings, given, own] = GENERATE(table<Written, bool, bool>({
      {{{"speculative-config.method", "eagle3"}, {"speculative-config.model", "org/d"}},
       true,
       true},
      {{{"speculative-config.model", "org/d"}}, true, true},
      {{{"speculative-config.method", "ngram"}, {"speculative-config.model", "ngram"}},
       true,
       false},
      {{{"speculative-config.method", "deepseek_mtp"}}, false, false},
      {{{"speculative-config.method", "mtp"}, {"speculative-config.model", "org/m"}}, true, false},
      {{{"spec-model", "org/d"}}, true, true},
  }));
  const ServingPlan result = plan(Engine::vllm, settings);
  CHECK(result.draft_model.given == given);
  CHECK(result.draft_model.value == own);
}

TEST_CASE("vLLM runs without captured steps in three ways") {
  CHECK_FALSE(plan(Engine::vllm, {{"enforce-eager", "true"}}).cuda_graphs.value);
  CHECK_FALSE(
      plan(Engine::vllm, {{"compilation-config.cudagraph_mode", "NONE"}}).cuda_graphs.value);
  CHECK_FALSE(plan(Engine::vllm, {{"-O", "0"}}).cuda_graphs.value);
  CHECK(plan(Engine::vllm, {{"-O", "3"}}).cuda_graphs.value);
}

TEST_CASE("SGLang flags and the members of the plan") {
  const ServingPlan result = plan(Engine::sglang, {{"--model", "org/m"},
                                                   {"--tp", "8"},
                                                   {"--dp", "2"},
                                                   {"--ep", "4"},
                                                   {"context-length", "32768"},
                                                   {"max-running-requests", "128"},
                                                   {"max-total-tokens", "500000"},
                                                   {"chunked-prefill-size", "4096"},
                                                   {"mem-fraction-static", "0.85"},
                                                   {"page-size", "64"},
                                                   {"kv-cache-dtype", "fp8_e4m3"},
                                                   {"disable-cuda-graph", "true"}});
  CHECK(result.model.value == "org/m");
  CHECK(result.tensor.value == 8);
  CHECK(result.data.value == 2);
  CHECK(result.expert.value == 4);
  CHECK(result.expert_parallel.value);
  CHECK_FALSE(result.attention_dp.value);
  CHECK(result.max_model_len.value == 32768);
  CHECK(result.max_sequences.value == 128);
  CHECK(result.kv_token_limit.value == 500000);
  CHECK(result.batched_tokens.value == 4096);
  CHECK(result.chunked_prefill.value);
  CHECK(result.memory_share.value == 0.85);
  CHECK(result.block_tokens.value == 64);
  CHECK(result.kv_dtype.value == "fp8_e4m3");
  CHECK_FALSE(result.cuda_graphs.value);
}

TEST_CASE("SGLang has no suffixes and no chunks with -1") {
  CHECK(problem(Engine::sglang, {{"context-length", "32k"}}) ==
        "context-length: '32k' is no whole number");
  const ServingPlan whole = plan(Engine::sglang, {{"chunked-prefill-size", "-1"}});
  CHECK_FALSE(whole.chunked_prefill.value);
  CHECK(whole.chunked_prefill.given);
  CHECK(whole.batched_tokens.value == 16384);
  CHECK(whole.batched_tokens.given);  // what no chunk comes to
  CHECK(plan(Engine::sglang, {{"chunked-prefill-size", "-1"}, {"max-prefill-tokens", "32768"}})
            .batched_tokens.value == 32768);
  CHECK_FALSE(plan(Engine::sglang, {{"max-prefill-tokens", "32768"}}).batched_tokens.given);
}

TEST_CASE("SGLang attention in data parallel stays in the engine's numbers") {
  const ServingPlan result = plan(Engine::sglang, {{"--tp", "8"},
                                                   {"--dp", "2"},
                                                   {"enable-dp-attention", "true"},
                                                   {"max-running-requests", "128"}});
  CHECK(result.attention_dp.value);
  CHECK(result.tensor.value == 8);
  CHECK(result.data.value == 2);
  CHECK(result.expert.value == 1);
  CHECK(result.max_sequences.value == 128);
}

TEST_CASE("SGLang replicas of attention must divide tp") {
  const Launch launch =
      launch_of(Engine::sglang, {{"--tp", "8"}, {"--dp", "3"}, {"enable-dp-attention", "true"}});
  const std::vector<Diagnostic> all = problems(launch);
  REQUIRE(all.size() == 1);
  CHECK(all[0].what == "--dp: 3 replicas of attention do not divide --tp 8");
  CHECK(all[0].where == "serve.yaml:2:3");
  CHECK(all[0].fix == "as many as --tp: 8");
  CHECK(problem(Engine::sglang, {{"--tp", "8"}, {"--dp", "3"}}).empty());
}

TEST_CASE("SGLang backends that spread the experts over tp") {
  CHECK(plan(Engine::sglang, {{"--tp", "8"}, {"moe-a2a-backend", "deepep"}}).expert.value == 8);
  CHECK(plan(Engine::sglang, {{"--tp", "8"}, {"moe-a2a-backend", "none"}}).expert.value == 1);
  CHECK(plan(Engine::sglang, {{"--tp", "8"}, {"enable-ep-moe", "true"}}).expert.value == 8);
}

TEST_CASE("TensorRT-LLM flags and keys and the members of the plan") {
  const ServingPlan result = plan(Engine::tensorrt_llm, {{"--tp_size", "8"},
                                                         {"--pp_size", "2"},
                                                         {"--ep_size", "4"},
                                                         {"max_batch_size", "256"},
                                                         {"max_num_tokens", "16384"},
                                                         {"max_seq_len", "10240"},
                                                         {"kv-cache-config.dtype", "fp8"},
                                                         {"kv-cache-config.max-tokens", "65536"},
                                                         {"kv-cache-config.tokens-per-block", "64"},
                                                         {"cuda-graph-config", "null"},
                                                         {"enable_chunked_prefill", "true"}});
  CHECK(result.tensor.value == 8);
  CHECK(result.pipeline.value == 2);
  CHECK(result.expert.value == 4);
  CHECK(result.expert_parallel.value);
  CHECK(result.max_sequences.value == 256);
  CHECK(result.batched_tokens.value == 16384);
  CHECK(result.max_model_len.value == 10240);
  CHECK(result.kv_dtype.value == "fp8");
  CHECK(result.kv_token_limit.value == 65536);
  CHECK(result.block_tokens.value == 64);
  CHECK_FALSE(result.cuda_graphs.value);
  CHECK(result.chunked_prefill.value);
}

TEST_CASE("TensorRT-LLM attention in data parallel stays in the engine's numbers") {
  const ServingPlan result =
      plan(Engine::tensorrt_llm, {{"tensor_parallel_size", "8"}, {"enable_attention_dp", "true"}});
  CHECK(result.attention_dp.value);
  CHECK(result.tensor.value == 8);
  CHECK(result.data.value == 1);
  CHECK(result.expert.value == 1);
}

TEST_CASE("an engine that TensorRT-LLM built") {
  const ServingPlan result =
      plan(Engine::tensorrt_llm, {{"build-config.max-batch-size", "64"},
                                  {"build-config.max-num-tokens", "4096"},
                                  {"build-config.max-seq-len", "8192"},
                                  {"pretrained-config.dtype", "float16"},
                                  {"pretrained-config.quantization.quant-algo", "FP8"},
                                  {"pretrained-config.mapping.tp-size", "2"}});
  CHECK(result.max_sequences.value == 64);
  CHECK(result.batched_tokens.value == 4096);
  CHECK(result.max_model_len.value == 8192);
  CHECK(result.dtype.value == "float16");
  CHECK(result.quantization.value == "FP8");
  CHECK(result.tensor.value == 2);
}

TEST_CASE("llama.cpp slots share the cells of the cache") {
  const auto [settings, length, slots, cells] =
      GENERATE(table<Written, std::int64_t, std::int64_t, std::int64_t>({
          {{{"-c", "65536"}, {"-np", "4"}}, 16384, 4, 65536},
          {{{"-c", "65536"}, {"-np", "4"}, {"-kvu", "true"}}, 65536, 4, 65536},
          {{{"-c", "65536"}}, 65536, 4, 65536},
          {{{"-c", "65536"}, {"-np", "-1"}}, 65536, 4, 65536},
          {{{"-c", "65536"}, {"kv-unified", "false"}}, 16384, 4, 65536},
          {{{"-c", "8192"}, {"-np", "1"}}, 8192, 1, 8192},
          {{{"kv-unified-per-slot", "4096"}, {"-np", "8"}}, 4096, 8, 32768},
          {{{"kv-unified-per-slot", "4096"}, {"-np", "8"}, {"-c", "16384"}, {"-kvu", "true"}},
           4096,
           8,
           16384},
      }));
  const ServingPlan result = plan(Engine::llama_cpp, settings);
  CHECK(result.max_model_len.value == length);
  CHECK(result.max_sequences.value == slots);
  CHECK(result.kv_token_limit.value == cells);
}

TEST_CASE("llama.cpp takes the model's length for 0 and without a size") {
  for (const Written& settings : {Written{}, Written{{"ctx-size", "0"}}}) {
    const ServingPlan result = plan(Engine::llama_cpp, settings);
    CHECK_FALSE(result.max_model_len.given);
    CHECK(result.max_model_len.value == 0);
    CHECK_FALSE(result.kv_token_limit.given);
  }
}

TEST_CASE("llama.cpp flags and the members of the plan") {
  const ServingPlan result = plan(Engine::llama_cpp, {{"-hf", "org/m-GGUF:Q8_0"},
                                                      {"-ngl", "20"},
                                                      {"-ctk", "q8_0"},
                                                      {"-ub", "1024"},
                                                      {"swa-full", "true"},
                                                      {"-md", "draft.gguf"}});
  CHECK(result.model.value == "org/m-GGUF:Q8_0");
  CHECK(result.gpu_layers.value == 20);
  CHECK(result.kv_dtype.value == "q8_0");
  CHECK(result.value_dtype.value == "f16");
  CHECK_FALSE(result.value_dtype.given);
  CHECK(result.batched_tokens.value == 1024);
  CHECK(result.full_window_cache.value);
  CHECK(result.draft_model.value);
  CHECK(plan(Engine::llama_cpp, {{"-b", "256"}}).batched_tokens.value == 256);
  CHECK(plan(Engine::llama_cpp, {{"-hf", "org/m"}, {"-m", "m.gguf"}}).model.value == "m.gguf");
  CHECK(plan(Engine::llama_cpp, {{"-m", "m.gguf"}, {"-hf", "org/m"}}).model.value == "m.gguf");
  for (const char* all : {"auto", "all", "-1"}) {
    CHECK_FALSE(plan(Engine::llama_cpp, {{"-ngl", all}}).gpu_layers.given);
  }
}

TEST_CASE("llama.cpp splits over the devices that it is given") {
  const auto [settings, tensor, pipeline] = GENERATE(table<Written, std::int64_t, std::int64_t>({
      {{{"-ts", "1,1"}}, 1, 2},
      {{{"-ts", "1,0,1,1"}, {"-sm", "row"}}, 3, 1},
      {{{"-ts", "1,1"}, {"-sm", "none"}}, 1, 1},
      {{{"-dev", "CUDA0,CUDA1"}, {"-sm", "tensor"}}, 2, 1},
      {{}, 1, 4},
  }));
  Launch launch = launch_of(Engine::llama_cpp, settings);
  launch.surroundings.push_back(setting("gpus", {"4"}));
  const ServingPlan result = plan_of(launch);
  CHECK(result.tensor.value == tensor);
  CHECK(result.pipeline.value == pipeline);
}

TEST_CASE("llama.cpp options that are not reckoned with are refused by name") {
  const auto [name, value, begin] = GENERATE(table<std::string, std::string, std::string>({
      {"-ts", "3,1", "-ts: devices with unequal shares"},
      {"-cmoe", "true", "-cmoe: weights in the host's memory"},
      {"-ncmoe", "10", "-ncmoe: weights in the host's memory"},
      {"kv-offload", "false", "kv-offload: a K/V cache in the host's memory"},
      {"--rpc", "host:1", "--rpc: devices of other hosts"},
      {"-sm", "rows", "-sm: 'rows' is no way to split a model"},
  }));
  CHECK(problem(Engine::llama_cpp, {{name, value}}).starts_with(begin));
}

TEST_CASE("a variable that nothing sets is named where it matters") {
  Launch launch = launch_of(Engine::vllm, {{"--max-model-len", "${CTX}"}, {"--port", "${PORT}"}});
  launch.settings[0].unresolved = {"CTX"};
  launch.settings[1].unresolved = {"PORT"};
  const std::vector<Diagnostic> all = problems(launch);
  REQUIRE(all.size() == 1);
  CHECK(all[0].what == "--max-model-len: its value is in CTX, which nothing in the file sets");
  CHECK(all[0].where == "serve.yaml:1:3");
  CHECK(all[0].fix == "write the value, or CTX=VALUE in the file before it is used");
  for (const char* source : {"$(nproc)", "`nproc`", "$2"}) {
    launch.settings[0].unresolved = {source};
    CHECK(problems(launch).at(0).fix == "write the value");
  }
}

TEST_CASE("a model and a GPU in variables are left to the flags") {
  Launch launch = launch_of(Engine::vllm, {{"--model", "$MODEL"}});
  launch.settings[0].unresolved = {"MODEL"};
  launch.surroundings.push_back(setting("gpu", {"${GPU}"}));
  launch.surroundings[0].unresolved = {"GPU"};
  const ServingPlan result = plan_of(launch);
  CHECK_FALSE(result.model.given);
  CHECK(result.model.value == "$MODEL");
  CHECK(result.model.place);
  CHECK_FALSE(result.gpu.given);
  CHECK(result.gpu.value == "${GPU}");
}

TEST_CASE("each engine names its variables in the settings that it derives from") {
  const auto [engine, name] = GENERATE(table<Engine, std::string>({
      {Engine::llama_cpp, "-c"},
      {Engine::llama_cpp, "-np"},
      {Engine::llama_cpp, "-b"},
      {Engine::llama_cpp, "-ts"},
      {Engine::llama_cpp, "-sm"},
      {Engine::sglang, "moe-a2a-backend"},
      {Engine::sglang, "--tp"},
      {Engine::tensorrt_llm, "--tp_size"},
  }));
  CAPTURE(name);
  Launch launch = launch_of(engine, {{name, "$X"}});
  launch.settings[0].unresolved = {"X"};
  const std::vector<Diagnostic> all = problems(launch);
  REQUIRE(all.size() == 1);
  CHECK(all[0].what == name + ": its value is in X, which nothing in the file sets");
}

TEST_CASE("surroundings") {
  Launch launch = launch_of(Engine::vllm, {});
  launch.surroundings = {setting("gpu", {"Tesla-T4"}),           setting("gpus", {"2"}),
                         setting("input-len", {"2K"}),           setting("output-len", {"500"}),
                         setting("concurrency", {"16"}),         setting("price", {"$2.49"}),
                         setting("require.max-ttft", {"500ms"}), setting("something", {"else"})};
  const ServingPlan result = plan_of(launch);
  CHECK(result.gpu.value == "Tesla-T4");
  CHECK(result.gpus.value == 2);
  CHECK(result.prompt.value == 2048);
  CHECK(result.output.value == 500);
  CHECK(result.concurrency.value == 16);
  CHECK(result.price.value.value() == 2.49);
  REQUIRE(result.require.size() == 1);
  CHECK(result.require[0].name == "max-ttft");
  CHECK(result.require[0].values == std::vector<std::string>{"500ms"});
}

TEST_CASE("devices as docker is asked for them") {
  const auto [text, given, count] = GENERATE(table<std::string, bool, std::int64_t>({
      {"4", true, 4},
      {"all", false, 0},
      {"device=0,1", true, 2},
      {"\"device=0,1,3\"", true, 3},
      {"0", true, 0},
  }));
  Launch launch = launch_of(Engine::vllm, {});
  launch.surroundings.push_back(setting("gpus", {text}));
  const ServingPlan result = plan_of(launch);
  CHECK(result.gpus.given == given);
  CHECK(result.gpus.value == count);
}

TEST_CASE("a deployment of this project's own file") {
  Launch launch = launch_of(Engine::sglang, {{"model", "llama-3.1-8b"},
                                             {"tp", "2"},
                                             {"ep", "2"},
                                             {"max-model-len", "32K"},
                                             {"max-num-seqs", "64"},
                                             {"gpu-memory-utilization", "0.8"},
                                             {"kv-dtype", "fp8"},
                                             {"weight_dtype", "fp8"},
                                             {"kv-cache-memory", "10GiB"},
                                             {"draft-model", "org/d"}});
  launch.settings[7].name = "weight-dtype";
  launch.surroundings.push_back(setting("own-names", {"true"}));
  const ServingPlan result = plan_of(launch);
  CHECK(result.model.value == "llama-3.1-8b");
  CHECK(result.tensor.value == 2);
  CHECK(result.expert.value == 2);
  CHECK(result.expert_parallel.value);
  CHECK(result.max_model_len.value == 32768);
  CHECK(result.max_sequences.value == 64);
  CHECK(result.memory_share.value == 0.8);
  CHECK(result.kv_dtype.value == "fp8");
  CHECK(result.dtype.value == "fp8");
  CHECK(result.dtype.written == "weight-dtype");
  CHECK(result.kv_memory.value.value() == 10737418240.0);
  CHECK(result.draft_model.value);
  CHECK(result.block_tokens.value == 1);  // SGLang's
}

TEST_CASE("a bad value in this project's own file is placed") {
  Launch launch = launch_of(Engine::vllm, {{"max-model-len", "long"}});
  launch.surroundings = {setting("own-names", {"true"}), setting("price", {"cheap"}, 7)};
  const std::vector<Diagnostic> all = problems(launch);
  REQUIRE(all.size() == 2);
  CHECK(all[0].where == "serve.yaml:7:3");
  CHECK(all[1].where == "serve.yaml:1:3");
}
