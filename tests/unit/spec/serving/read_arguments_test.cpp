// Arguments as settings. What a word is for vLLM and SGLang was asked of Python's argparse with
// flags of the same kinds.
#include <catch2/catch.hpp>

#include "spec/serving/command_line.hpp"

using namespace roofline;

namespace {

// Words of one line, at their columns.
std::vector<PlacedWord> placed(const std::string& text) {
  std::vector<PlacedWord> words;
  for (const ShellCommand& command : split_shell(text, "f")) {
    for (const ShellWord& word : command.words) {
      words.push_back({.text = word.text,
                       .unresolved = word.unresolved,
                       .place = {.file = "f",
                                 .line = 1,
                                 .column = static_cast<std::int64_t>(word.begin) + 1,
                                 .end_column = static_cast<std::int64_t>(word.end) + 1}});
    }
  }
  return words;
}

std::vector<EngineSetting> settings(Engine engine, const std::string& text) {
  Launch launch;
  launch.engine = engine;
  read_arguments(engine, placed(text), launch);
  return launch.settings;
}

// "name=a,b" of each; "?" in front of those that the engine does not know.
std::string read(Engine engine, const std::string& text) {
  std::string result;
  for (const EngineSetting& setting : settings(engine, text)) {
    if (!result.empty()) result += ' ';
    result += (setting.known ? "" : "?") + setting.name + "=";
    for (std::size_t i = 0; i < setting.values.size(); ++i) {
      result += (i > 0 ? "," : "") + setting.values[i];
    }
  }
  return result;
}

Diagnostic refusal(Engine engine, const std::string& text) {
  try {
    (void)settings(engine, text);
  } catch (const Error& error) {
    return error.diagnostics().front();
  }
  FAIL("no error");
  return {};
}

}  // namespace

TEST_CASE("vLLM's arguments are read as argparse reads them", "[spec][serving]") {
  const auto [text, expected] = GENERATE(table<std::string, std::string>({
      {"org/m -tp 4", "model=org/m tensor-parallel-size=4"},
      {"-tp=4 m", "tensor-parallel-size=4 model=m"},
      {"--model m", "model=m"},
      {"-- m", "model=m"},
      {"m --max_model_len=16384", "model=m max-model-len=16384"},
      {"m --max-model 8", "model=m max-model-len=8"},
      {"m --max-num 8", "model=m ?max-num=8"},
      {"m -O3", "model=m optimization-level=3"},
      {"m -O 3 -O=2", "model=m optimization-level=3 optimization-level=2"},
      {"m -qfp8", "model=m quantization=fp8"},
      {"m -tp4", "model=m ?tp4=true"},
      {"m --seed -1", "model=m seed=-1"},
      {"m --seed -.5", "model=m seed=-.5"},
      {"m --seed -", "model=m seed=-"},
      {"m --kv-cache-dtype=fp8=x", "model=m kv-cache-dtype=fp8=x"},
      {"m --served-model-name a b --enforce-eager",
       "model=m served-model-name=a,b enforce-eager=true"},
      {"--served-model-name a -- m", "served-model-name=a model=m"},
      {"--enforce-eager m", "enforce-eager=true model=m"},
      {"m --enforce-eager true", "model=m enforce-eager=true ?true=true"},
      {"m --no-enable-prefix-caching", "model=m enable-prefix-caching=false"},
      {"m --no_enable_prefix", "model=m enable-prefix-caching=false"},
      {"m --hf-token --seed 1", "model=m hf-token=true seed=1"},
      {"m --hf-token t --seed 1", "model=m hf-token=t seed=1"},
      {"m --config c.yaml", "model=m config=c.yaml"},
      {"m n", "model=m ?n=n"},
      {"m --nonsense", "model=m ?nonsense=true"},
      {"m --non_sense=1", "model=m ?non-sense=1"},
      {"m --nonsense a b --seed 1", "model=m ?nonsense=a,b seed=1"},
      {"", ""},
  }));
  CAPTURE(text);
  CHECK(read(Engine::vllm, text) == expected);
}

TEST_CASE("Members of a mapping are settings of their own", "[spec][serving]") {
  const auto [text, expected] = GENERATE(table<std::string, std::string>({
      {"--compilation-config.mode 3", "compilation-config.mode=3"},
      {"-cc.mode=3", "compilation-config.mode=3"},
      {"--compilation_config.pass_config.fuse_x true",
       "compilation-config.pass-config.fuse-x=true"},
      {"--compilation-config.sizes+ 1,2", "compilation-config.sizes=1,2"},
      {"--nonsense.mode 3", "?nonsense.mode=3"},
      {"--speculative-config '{\"method\": \"eagle3\", \"num_speculative_tokens\": 3}'",
       "speculative-config.method=eagle3 speculative-config.num-speculative-tokens=3"},
      {"-sc='{\"a\": {\"b\": [1, 2.50, null], \"c\": true}, \"d\": {}}'",
       "speculative-config.a.b=1,2.5,None speculative-config.a.c=true speculative-config.d={}"},
      {"--hf-overrides '{}'", "hf-overrides={}"},
      {"--hf-overrides '{a: 1}'", "hf-overrides={a: 1}"},
      {"--compilation-config 3", "compilation-config=3"},
      {"--chat-template '{{ x }}'", "chat-template={{ x }}"},
  }));
  CAPTURE(text);
  CHECK(read(Engine::vllm, text) == expected);
}

TEST_CASE("JSON that nests too deep or is too long stays as it is", "[spec][serving]") {
  const auto nested = [](std::size_t depth) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) text += "{\"a\":";
    return text + "1" + std::string(depth, '}');
  };
  const auto count = [](const std::string& text) {
    return flattened({.name = "x", .written = "--x", .values = {text}, .place = {}});
  };
  CHECK(count(nested(100)).front().name == "x" + [] {
    std::string name;
    for (int i = 0; i < 100; ++i) name += ".a";
    return name;
  }());
  CHECK(count(nested(101)).front().name == "x");
  CHECK(count("{\"a\":\"" + std::string(17000, 'x') + "\"}").front().name == "x");
  CHECK(count("{\"" + std::string(300, 'k') + "\":{\"a\":1,\"b\":2}}").size() == 1);
}

TEST_CASE("SGLang has a model by a flag only", "[spec][serving]") {
  const auto [text, expected] = GENERATE(table<std::string, std::string>({
      {"--model m --tp 8", "model-path=m tensor-parallel-size=8"},
      {"--model-path m --tp-size=8", "model-path=m tensor-parallel-size=8"},
      {"--cuda-graph-bs 1 2 4 --trust-remote-code", "cuda-graph-bs=1,2,4 trust-remote-code=true"},
      {"--context 8192", "context-length=8192"},
      {"m", "?m=m"},
  }));
  CAPTURE(text);
  CHECK(read(Engine::sglang, text) == expected);
}

TEST_CASE("TensorRT-LLM and llama.cpp take whole names and any next word", "[spec][serving]") {
  const auto [engine, text, expected] = GENERATE(table<Engine, std::string, std::string>({
      {Engine::tensorrt_llm, "m --tp_size 8 --max_batch_size=64",
       "model=m tensor-parallel-size=8 max-batch-size=64"},
      {Engine::tensorrt_llm, "m --max_batch 64", "model=m ?max-batch=64"},
      {Engine::tensorrt_llm, "m --kv_cache_config.dtype fp8", "model=m kv-cache-config.dtype=fp8"},
      {Engine::llama_cpp, "-m x.gguf -c 65536 -np 4", "model=x.gguf ctx-size=65536 parallel=4"},
      {Engine::llama_cpp, "-c=65536 --ctx_size 1", "ctx-size=65536 ctx-size=1"},
      {Engine::llama_cpp, "-fa on -fa", "flash-attn=on flash-attn=true"},
      {Engine::llama_cpp, "-fa -c 1", "flash-attn=true ctx-size=1"},
      {Engine::llama_cpp, "-nkvo --kv-offload --no-kv-offload",
       "kv-offload=false kv-offload=true kv-offload=false"},
      {Engine::llama_cpp, "--ctx 4 x", "?ctx=4,x"},
      {Engine::llama_cpp, "-a -x -c 1", "alias=-x ctx-size=1"},
      {Engine::llama_cpp, "-ts 3,1", "tensor-split=3,1"},
  }));
  CAPTURE(text);
  CHECK(read(engine, text) == expected);
}

TEST_CASE("A flag without its value is refused", "[spec][serving]") {
  const Diagnostic last = refusal(Engine::vllm, "m --max-model-len");
  CHECK(last.what == "--max-model-len has no value");
  CHECK(last.where == "f:1:3");
  CHECK(last.why == "nothing is behind it");
  const Diagnostic inner = refusal(Engine::vllm, "m -tp --enforce-eager");
  CHECK(inner.what == "-tp has no value");
  CHECK(inner.why == "'--enforce-eager' behind it is the next flag");
  CHECK(refusal(Engine::llama_cpp, "-c").what == "-c has no value");
}

TEST_CASE("Settings keep their spelling and their places", "[spec][serving]") {
  const std::vector<EngineSetting> read =
      settings(Engine::vllm, "m -tp 4 --max_model_len=16384 '--seed=1' --served-model-name a b");
  REQUIRE(read.size() == 5);
  CHECK(read[0].place.column == 1);
  CHECK(read[1].written == "-tp");
  CHECK(read[1].place.column == 7);
  CHECK(read[1].place.end_column == 8);
  CHECK(read[2].written == "--max_model_len");
  CHECK(read[2].place.column == 25);
  CHECK(read[2].place.end_column == 30);
  // Quotes: the whole word.
  CHECK(read[3].place.column == 31);
  CHECK(read[4].place.column == 62);
}

TEST_CASE("Variables that nothing resolves stay with their settings", "[spec][serving]") {
  using Texts = std::vector<std::string>;
  const std::vector<EngineSetting> read = settings(
      Engine::vllm, "$MODEL -tp $TP --max-model-len=${CTX} $EXTRA -sc '{\"a\": \"b\"}' \"x$Y\"");
  REQUIRE(read.size() == 6);
  CHECK(read[0].name == "model");
  CHECK(read[0].unresolved == Texts{"MODEL"});
  CHECK(read[1].unresolved == Texts{"TP"});
  CHECK(read[2].values == Texts{"${CTX}"});
  CHECK(read[2].unresolved == Texts{"CTX"});
  CHECK(read[3].name == "$EXTRA");
  CHECK(read[3].known);
  CHECK(read[4].unresolved.empty());
  CHECK_FALSE(read[5].known);
  const std::vector<EngineSetting> members =
      settings(Engine::vllm, "-sc \"{\\\"a\\\": \\\"$A\\\", \\\"b\\\": 2}\"");
  REQUIRE(members.size() == 2);
  CHECK(members[0].unresolved == Texts{"A"});
  CHECK(members[1].unresolved.empty());
}

TEST_CASE("Environment variables are settings of their engine", "[spec][serving]") {
  const auto [name, value, expected] = GENERATE(table<std::string, std::string, std::string>({
      {"LLAMA_ARG_CTX_SIZE", "32768", "ctx-size=32768"},
      {"LLAMA_ARG_BATCH", "1024", "batch-size=1024"},
      {"LLAMA_ARG_UBATCH", "256", "ubatch-size=256"},
      {"LLAMA_ARG_N_GPU_LAYERS", "all", "n-gpu-layers=all"},
      {"LLAMA_ARG_N_PARALLEL", "4", "parallel=4"},
      {"LLAMA_ARG_FLASH_ATTN", "off", "flash-attn=off"},
      {"LLAMA_ARG_CACHE_TYPE_K", "q8_0", "cache-type-k=q8_0"},
      {"LLAMA_ARG_SPEC_DRAFT_CACHE_TYPE_K", "q8_0", "cache-type-k-draft=q8_0"},
      {"LLAMA_ARG_ROPE_SCALING_TYPE", "yarn", "rope-scaling=yarn"},
      {"LLAMA_ARG_KV_OFFLOAD", "off", "kv-offload=false"},
      {"LLAMA_ARG_KV_OFFLOAD", "1", "kv-offload=true"},
      {"LLAMA_ARG_NO_KV_OFFLOAD", "1", "kv-offload=false"},
      {"LLAMA_ARG_CPU_MOE", "enabled", "cpu-moe=true"},
      {"LLAMA_ARG_NONSENSE", "1", "?nonsense=1"},
      {"HF_TOKEN", "x", ""},
  }));
  CAPTURE(name);
  Launch launch;
  read_environment(Engine::llama_cpp, name, {.text = value, .place = {}}, launch);
  std::string read;
  for (const EngineSetting& setting : launch.settings) {
    read += (setting.known ? "" : "?") + setting.name + "=" + setting.values.at(0);
    CHECK(setting.written == name);
  }
  // The flag's own name, whichever of its spellings the data lists first.
  if (expected.starts_with("n-gpu-layers")) {
    CHECK(find_flag(engine_flags(Engine::llama_cpp), launch.settings.at(0).name) ==
          find_flag(engine_flags(Engine::llama_cpp), "-ngl"));
  } else {
    CHECK(read == expected);
  }
}

TEST_CASE("Other engines' variables surround them", "[spec][serving]") {
  const auto [engine, name, kept] = GENERATE(table<Engine, std::string, bool>({
      {Engine::vllm, "VLLM_ALLOW_LONG_MAX_MODEL_LEN", true},
      {Engine::vllm, "SGLANG_X", false},
      {Engine::vllm, "PATH", false},
      {Engine::sglang, "SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN", true},
      {Engine::tensorrt_llm, "TRTLLM_X", true},
      {Engine::tensorrt_llm, "TLLM_X", true},
      {Engine::llama_cpp, "VLLM_X", false},
      {Engine::vllm, "LLAMA_ARG_CTX_SIZE", false},
  }));
  CAPTURE(name);
  Launch launch;
  read_environment(engine, name, {.text = "1", .unresolved = {"A"}, .place = {}}, launch);
  CHECK(launch.settings.empty());
  REQUIRE(launch.surroundings.size() == (kept ? 1 : 0));
  if (!kept) return;
  CHECK(launch.surroundings[0].name == name);
  CHECK(launch.surroundings[0].values == std::vector<std::string>{"1"});
  CHECK(launch.surroundings[0].unresolved == std::vector<std::string>{"A"});
}
