// docker compose: commands as text and as lists, variables with defaults, GPUs.
#include <catch2/catch.hpp>

#include "read_config.hpp"

using namespace roofline;
using namespace roofline::testing;
using Catch::Matchers::Contains;

namespace {

const std::string compose = R"(services:
  db:
    image: postgres:16
    command: postgres -c max_connections=100
  llm:
    image: vllm/vllm-openai:${VLLM_TAG:-v0.21.0}
    environment:
      CTX: 1024
    command: >
      --model org/m-8b --max-model-len ${CTX:-8192}
      --gpu-memory-utilization 0.9 --max-num-seqs $SEQS
    deploy:
      resources:
        reservations:
          devices: [{driver: nvidia, device_ids: ["0", "3"], capabilities: [gpu]}]
)";

}  // namespace

TEST_CASE("A service that starts an engine is a launch", "[serving]") {
  const ServingConfig config = read(compose);
  CHECK(config.type == ConfigType::compose);
  REQUIRE(config.launches.size() == 1);
  const Launch& launch = config.launches[0];
  CHECK(launch.name == "services.llm");
  CHECK(launch.version == "0.21.0");
  CHECK(value(launch, "model") == "org/m-8b");
  CHECK(value(launch, "max-model-len") == "8192");
  CHECK(value(launch, "gpu-memory-utilization") == "0.9");
  CHECK(around(launch, "gpus") == "2");
  CHECK(spot(launch, "gpu-memory-utilization") == spot(compose, "0.9 --max"));
}

TEST_CASE("What compose takes from its own environment is not resolved", "[serving]") {
  const Launch launch = launch_of(compose);
  REQUIRE(launch.find("max-num-seqs") != nullptr);
  CHECK(launch.find("max-num-seqs")->unresolved == std::vector<std::string>{"SEQS"});
  // The container's own CTX is not what compose puts in.
  const Launch own = launch_of(
      "services:\n  a:\n    image: vllm/vllm-openai\n    environment: {CTX: 1024}\n"
      "    command: [\"--model\", \"a/b\", \"--max-model-len\", \"${CTX}\"]\n");
  REQUIRE(own.find("max-model-len") != nullptr);
  CHECK(own.find("max-model-len")->unresolved == std::vector<std::string>{"CTX"});
  CHECK(own.version.empty());
}

TEST_CASE("Defaults of variables are put in", "[serving]") {
  const auto [written, expected] = GENERATE(table<std::string, std::string>({
      {"${L:-4096}", "4096"},
      {"${L-4096}", "4096"},
      {"${A:-${B:-512}}", "512"},
      {"${A:+1}4096", "4096"},
      {"40$$96", "40$96"},
  }));
  CAPTURE(written);
  const Launch launch = launch_of(
      "services:\n  a:\n    image: vllm/vllm-openai\n    command: [\"--model\", \"a/b\", "
      "\"--max-model-len\", \"" +
      written + "\"]\n");
  CHECK(value(launch, "max-model-len") == expected);
}

TEST_CASE("An entrypoint replaces the image's and a shell's script is read", "[serving]") {
  const std::string text =
      "services:\n  a:\n    image: my/own:1\n    gpus: 4\n    environment: [MODEL=org/m]\n"
      "    entrypoint: [bash, -c]\n"
      "    command: [\"python3 -m sglang.launch_server --model-path $$MODEL --tp 4\"]\n";
  const Launch launch = launch_of(text);
  CHECK(launch.engine == Engine::sglang);
  CHECK(value(launch, "model-path") == "org/m");
  CHECK(spot(launch, "tensor-parallel-size") == spot(text, "4\"]"));
  CHECK(around(launch, "gpus") == "4");
}

TEST_CASE("Environment of llama.cpp is settings with places", "[serving]") {
  const std::string text = R"(services:
  llama:
    image: ghcr.io/ggml-org/llama.cpp:server-cuda
    environment:
      LLAMA_ARG_MODEL: /models/a.gguf
      LLAMA_ARG_CTX_SIZE: 65536
    deploy: {resources: {reservations: {devices: [{driver: nvidia, count: all, capabilities: [gpu]}]}}}
)";
  const Launch launch = launch_of(text);
  CHECK(launch.engine == Engine::llama_cpp);
  CHECK(value(launch, "ctx-size") == "65536");
  CHECK(spot(launch, "ctx-size") == spot(text, "65536"));
  CHECK(around(launch, "gpus") == "absent");
}

TEST_CASE("Services without an engine are refused", "[serving]") {
  const Diagnostic none = refusal("services:\n  a: {image: nginx}\n  b: {image: redis}\n");
  CHECK_THAT(none.why, Contains("2 services"));
  CHECK_THAT(refusal("services:\n  a: {image: \"ollama/ollama\"}\n").what,
             Contains("cannot judge Ollama"));
}
