// Shell scripts: each command that starts an engine, with the places of its words.
#include <catch2/catch.hpp>

#include "read_config.hpp"

using namespace roofline;
using namespace roofline::testing;
using Catch::Matchers::Contains;

TEST_CASE("A command line gives the settings of its engine", "[serving]") {
  const std::string text =
      "#!/bin/bash\nset -euo pipefail\nexport CTX=16384\n"
      "exec vllm serve meta-llama/Llama-3.1-70B-Instruct -tp 4 \\\n"
      "  --max_model_len=$CTX \\\n  --gpu-memory-utilization 0.92\n";
  const Launch launch = launch_of(text);
  CHECK(launch.engine == Engine::vllm);
  CHECK(launch.name.empty());
  CHECK(value(launch, "model") == "meta-llama/Llama-3.1-70B-Instruct");
  CHECK(value(launch, "tensor-parallel-size") == "4");
  CHECK(value(launch, "max-model-len") == "16384");
  CHECK(spot(launch, "model") == spot(text, "meta-llama/"));
  CHECK(launch.find("gpu-memory-utilization")->place.line == 6);
  CHECK(launch.place.line == 4);
}

TEST_CASE("Every engine of a script is a launch", "[serving]") {
  const ServingConfig config = read(
      "python3 -m sglang.launch_server --model-path deepseek-ai/DeepSeek-R1 --tp 8 &\n"
      "llama-server -m /models/qwen3-32b-q4_k_m.gguf -c 65536 -np 4 &\n"
      "vllm serve Qwen/Qwen3-8B &\nvllm serve Qwen/Qwen3-8B --port 8001 &\nwait\n");
  REQUIRE(config.launches.size() == 4);
  CHECK(config.type == ConfigType::shell);
  CHECK(config.launches[0].engine == Engine::sglang);
  CHECK(config.launches[0].name == "DeepSeek-R1");
  CHECK(config.launches[1].engine == Engine::llama_cpp);
  CHECK(value(config.launches[1], "ctx-size") == "65536");
  CHECK(config.launches[2].name == "Qwen3-8B");
  CHECK(config.launches[3].name == "Qwen3-8B#2");
}

TEST_CASE("What llama.cpp reads from its environment counts before its options", "[serving]") {
  const Launch launch = launch_of(
      "LLAMA_ARG_CTX_SIZE=32768 LLAMA_ARG_N_PARALLEL=4 LLAMA_ARG_UBATCH=256 "
      "llama-server -hf org/model-GGUF:Q8_0 -np 8\n");
  CHECK(value(launch, "ctx-size") == "32768");
  CHECK(value(launch, "ubatch-size") == "256");
  CHECK(value(launch, "parallel") == "8");
  const Launch docker = launch_of(
      "docker run --gpus all -e LLAMA_ARG_CTX_SIZE=4096 ghcr.io/ggml-org/llama.cpp:server-cuda "
      "-m a.gguf\n");
  CHECK(value(docker, "ctx-size") == "4096");
  CHECK(around(docker, "gpus") == "absent");
}

TEST_CASE("A script behind sh -c is read with its places in the file", "[serving]") {
  const std::string text =
      "docker run --gpus 2 vllm/vllm-openai:v0.21.0 \\\n"
      "  bash -lc \"pip install x && vllm serve org/m --max-model-len '4096'\"\n";
  const Launch launch = launch_of(text);
  CHECK(value(launch, "model") == "org/m");
  CHECK(value(launch, "max-model-len") == "4096");
  CHECK(spot(launch, "model") == spot(text, "org/m"));
  CHECK(launch.find("max-model-len")->place.line == 2);
  CHECK(launch.version == "0.21.0");
  CHECK(around(launch, "gpus") == "2");
}

TEST_CASE("Variables that nothing sets are named", "[serving]") {
  const Launch launch = launch_of("vllm serve org/m --max-model-len $CTX\n");
  REQUIRE(launch.find("max-model-len") != nullptr);
  CHECK(launch.find("max-model-len")->unresolved == std::vector<std::string>{"CTX"});
}

TEST_CASE("A script without an engine is refused", "[serving]") {
  const Diagnostic none = refusal("echo hello\nls\n", ConfigType::shell);
  CHECK(none.what == "'f' starts no engine");
  CHECK_THAT(none.why, Contains("2 commands"));
  const auto [text, name] = GENERATE(table<std::string, std::string>({
      {"text-generation-launcher --model-id org/m\n", "TGI"},
      {"OLLAMA_NUM_PARALLEL=4 ollama serve\n", "Ollama"},
      {"exec lmdeploy serve api_server org/m --tp 2\n", "LMDeploy"},
      {"docker run --gpus all ghcr.io/huggingface/text-generation-inference:3 --model-id a\n",
       "TGI"},
  }));
  CAPTURE(text);
  CHECK_THAT(refusal(text).what, Contains("cannot judge " + name));
}
