// Forms of serving configs told by their content, and what is none of them.
#include "spec/serving/recognise.hpp"

#include <catch2/catch.hpp>

#include "read_config.hpp"

using namespace roofline;
using namespace roofline::testing;
using Catch::Matchers::Contains;

namespace {

std::string type_of(const std::string& text) {
  return std::string(to_string(recognise_config(text, "f")));
}

}  // namespace

TEST_CASE("Names of engines and types go both ways", "[serving]") {
  for (const std::string& name : config_type_names()) {
    CHECK(to_string(*config_type_named(name)) == name);
  }
  for (const std::string_view name : {"llama.cpp", "sglang", "tensorrt-llm", "vllm"}) {
    CHECK(to_string(*engine_named(name)) == name);
  }
  CHECK(config_type_names().size() == 9);
  CHECK_FALSE(config_type_named("yaml"));
  CHECK_FALSE(engine_named("VLLM"));
  CHECK(to_string(Place{.file = "a/b.yaml", .line = 3, .column = 7}) == "a/b.yaml:3:7");
}

TEST_CASE("The content tells the form", "[serving]") {
  const auto [text, type] = GENERATE(table<std::string, std::string>({
      {"model: Qwen/Qwen3-8B\nmax-model-len: 8192\n", "vllm"},
      {"max_model_len: 8192\nmax_num_seqs: 64\nport: 8000\n", "vllm"},
      {"model-path: Qwen/Qwen3-32B\nmem-fraction-static: 0.85\n", "sglang"},
      {"kv_cache_config:\n  free_gpu_memory_fraction: 0.8\nenable_attention_dp: true\n",
       "tensorrt-llm"},
      {R"({"version": "1.0", "pretrained_config": {"dtype": "float16"}, "build_config": {}})",
       "tensorrt-llm-build"},
      {"apiVersion: v1\nkind: Pod\nspec: {containers: []}\n", "kubernetes"},
      {"---\n# notes\n---\nkind: Deployment\nmetadata: {name: a}\n", "kubernetes"},
      {R"({"apiVersion": "v1", "kind": "List", "items": []})", "kubernetes"},
      {"spec:\n  template:\n    spec:\n      containers: []\n", "kubernetes"},
      {"servingEngineSpec:\n  modelSpec: []\n", "helm"},
      {"services:\n  llm:\n    image: vllm/vllm-openai\n", "compose"},
      {"deployments:\n- {model: qwen3-8b, gpu: H100}\n", "roofline"},
      {"gpu: H100\nrequire: {max-ttft: 1s}\n", "roofline"},
      {"#!/bin/bash\nset -e\n./start\n", "shell"},
      {"vllm serve Qwen/Qwen3-8B --max-model-len 8192\n", "shell"},
      {"# how we start it\nexport A=1\npython3 -m sglang.launch_server \\\n  --model x\n", "shell"},
      {"llama-server -m a.gguf --override-kv 'a: b' -c 4096\n", "shell"},
      {"ollama serve\n", "shell"},
  }));
  CAPTURE(text);
  CHECK(type_of(text) == type);
}

TEST_CASE("What is no serving config is refused with what was looked for", "[serving]") {
  const Diagnostic other = refusal("replicas: 3\nimage: nginx\n");
  CHECK(other.what == "cannot tell what kind of serving config 'f' is");
  CHECK(other.where == "f");
  CHECK_THAT(other.why, Contains("replicas, image") && Contains("servingEngineSpec"));
  CHECK_THAT(other.fix, Contains("--type") && Contains("kubernetes") && Contains("vllm"));
  // Keys that any server has tell nothing.
  CHECK_THAT(refusal("host: 0.0.0.0\nport: 8000\nmodel: x\n").what, Contains("cannot tell"));
  CHECK_THAT(refusal("just some words\n").why, Contains("no command that starts an engine"));
  CHECK_THAT(refusal("").what, Contains("cannot tell"));
}

TEST_CASE("A model's own config is named as what it is", "[serving]") {
  const Diagnostic error = refusal(R"({"model_type": "llama", "hidden_size": 4096})");
  CHECK(error.what == "'f' is a model's config, no serving config");
  CHECK(error.fix == "roofline analyze --model f");
}

TEST_CASE("A command that cannot be split is refused for that", "[serving]") {
  CHECK(refusal("vllm serve \"Qwen/Qwen3-8B\n").where == "f:1:12");
  CHECK_THAT(refusal("vllm serve Qwen/Qwen3-8B \\ \n  --max-model-len 8192\n").what,
             Contains("blanks between"));
  CHECK_THAT(refusal("vllm serve m --max-model-len --enforce-eager\n").what,
             Contains("--max-model-len has no value"));
  // Without an engine's name it is prose.
  CHECK_THAT(refusal("we don't know\n").what, Contains("cannot tell"));
}

TEST_CASE("Text that is neither YAML nor shell is refused at its place", "[serving]") {
  CHECK_THAT(refusal("a: {{ .Values.x }}\n").where, Contains("f:1"));
}
