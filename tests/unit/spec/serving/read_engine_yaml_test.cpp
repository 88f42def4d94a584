// vLLM's and SGLang's --config files: what the engine makes of each kind of value.
#include <catch2/catch.hpp>

#include "read_config.hpp"

using namespace roofline;
using namespace roofline::testing;
using Catch::Matchers::Contains;

namespace {

const std::string chat = R"(# prod-chat.yaml
model: Qwen/Qwen3-8B
tensor_parallel_size: 2
max-model-len: 32k   # 32,000
gpu-memory-utilization: 0.90
enable-prefix-caching: true
kv-cache-dtype: "fp8"
served-model-name: [chat, chat-large]
num-gpu-blocks-override: -1
compilation-config:
  pass_config: {fuse_allreduce_rms: true}
  cudagraph_capture_sizes: [1, 2, 4]
speculative-config: {method: eagle3, num_speculative_tokens: 3}
)";

}  // namespace

TEST_CASE("Keys of a vLLM config are its long options", "[serving]") {
  const Launch launch = launch_of(chat);
  CHECK(launch.engine == Engine::vllm);
  CHECK(launch.name.empty());
  const auto [name, expected] = GENERATE(table<std::string, std::string>({
      {"model", "Qwen/Qwen3-8B"},
      {"tensor-parallel-size", "2"},
      {"max-model-len", "32k"},
      {"gpu-memory-utilization", "0.90"},
      {"enable-prefix-caching", "true"},
      {"kv-cache-dtype", "fp8"},
      {"served-model-name", "chat|chat-large"},
      {"num-gpu-blocks-override", "-1"},
      {"compilation-config.pass-config.fuse-allreduce-rms", "true"},
      {"compilation-config.cudagraph-capture-sizes", "1|2|4"},
      {"speculative-config.method", "eagle3"},
      {"speculative-config.num-speculative-tokens", "3"},
  }));
  CAPTURE(name);
  CHECK(value(launch, name) == expected);
  REQUIRE(launch.find(name) != nullptr);
  CHECK(launch.find(name)->known);
}

TEST_CASE("Settings have the place of their value and the key as written", "[serving]") {
  const Launch launch = launch_of(chat);
  CHECK(spot(launch, "max-model-len") == spot(chat, "32k "));
  CHECK(spot(launch, "speculative-config.method") == spot(chat, "eagle3"));
  CHECK(launch.find("tensor-parallel-size")->written == "tensor_parallel_size");
  CHECK(launch.find("speculative-config.num-speculative-tokens")->written ==
        "speculative-config.num_speculative_tokens");
  CHECK(launch.remarks.empty());
}

TEST_CASE("What vLLM drops without a word is remarked and set by nothing", "[serving]") {
  const auto [line, name, fix] = GENERATE(table<std::string, std::string, std::string>({
      {"enable_prefix_caching: false", "enable-prefix-caching", "enable-prefix-caching: false"},
      {"enable_chunked_prefill: no", "enable-chunked-prefill", "enable-chunked-prefill: false"},
      {"max-num-seqs: false", "max-num-seqs", "remove 'max-num-seqs'"},
      {"served-model-name: []", "served-model-name", "remove 'served-model-name'"},
      {"no_such_option: false", "no-such-option", "remove 'no_such_option'"},
  }));
  CAPTURE(line);
  const std::string text = "max-model-len: 8192\n" + line + "\n";
  const Launch launch = launch_of(text, ConfigType::vllm);
  CHECK(value(launch, name) == "absent");
  std::vector<ConfigRemark> ignored;
  for (const ConfigRemark& remark : launch.remarks) {
    if (remark.rule == "ignored-key") ignored.push_back(remark);
  }
  REQUIRE(ignored.size() == 1);
  CHECK(ignored[0].fix == fix);
  CHECK(spot(ignored[0].place) == "2:1");
  CHECK_THAT(ignored[0].what, Contains("silently ignored"));
}

TEST_CASE("False with dashes turns a switch off", "[serving]") {
  const Launch launch = launch_of("enable-prefix-caching: false\nmax-model-len: 1024\n");
  CHECK(value(launch, "enable-prefix-caching") == "false");
  CHECK(launch.find("enable-prefix-caching")->written == "enable-prefix-caching");
  CHECK(launch.remarks.empty());
}

TEST_CASE("Null becomes the text None", "[serving]") {
  const Launch launch = launch_of("max-model-len: 1024\nquantization: null\n");
  CHECK(value(launch, "quantization") == "None");
}

TEST_CASE("An option that vLLM does not have is not known", "[serving]") {
  const Launch launch =
      launch_of("max-model-len: 1024\nmax-modellen: 2048\nbase: {a: 1}\n", ConfigType::vllm);
  REQUIRE(launch.find("max-modellen") != nullptr);
  CHECK_FALSE(launch.find("max-modellen")->known);
  REQUIRE(launch.find("base.a") != nullptr);
  CHECK_FALSE(launch.find("base.a")->known);
}

TEST_CASE("SGLang takes dashes alone and both ways of a switch", "[serving]") {
  const Launch launch = launch_of(R"(model-path: Qwen/Qwen3-32B
tensor-parallel-size: 2
mem-fraction-static: 0.85
disable-cuda-graph: true
enable-dp-attention: false
context_length: 32768
)");
  CHECK(launch.engine == Engine::sglang);
  CHECK(value(launch, "mem-fraction-static") == "0.85");
  CHECK(value(launch, "disable-cuda-graph") == "true");
  CHECK(value(launch, "enable-dp-attention") == "false");
  CHECK(launch.find("tensor-parallel-size")->known);
  REQUIRE(launch.find("context-length") != nullptr);
  CHECK_FALSE(launch.find("context-length")->known);
}

TEST_CASE("A config of an engine is one document with keys", "[serving]") {
  const Diagnostic two = refusal("max-model-len: 1\n---\nmodel: x\n", ConfigType::vllm);
  CHECK(two.what == "several documents in a config of vllm");
  CHECK_THAT(two.where, Contains("f:3"));
  CHECK_THAT(refusal("- a\n- b\n", ConfigType::vllm).what, Contains("keys and values"));
  CHECK(refusal("# nothing\n", ConfigType::sglang).what == "'f' is empty");
}
