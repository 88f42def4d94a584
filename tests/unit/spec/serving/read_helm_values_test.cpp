// Values of vLLM's production-stack chart, and what its template makes of them.
#include <catch2/catch.hpp>

#include "read_config.hpp"

using namespace roofline;
using namespace roofline::testing;
using Catch::Matchers::Contains;

namespace {

const std::string values = R"(servingEngineSpec:
  runtimeClassName: ""
  modelSpec:
  - name: chat
    repository: vllm/vllm-openai
    tag: v0.21.0
    modelURL: org/m-32b
    replicaCount: 2
    requestGPU: 2
    nodeSelectorTerms:
    - matchExpressions:
      - {key: nvidia.com/gpu.product, operator: In, values: [NVIDIA-L40S]}
    vllmConfig:
      tensorParallelSize: 2
      maxModelLen: 16384
      gpuMemoryUtilization: "0.92"
      enableChunkedPrefill: false
      pipelineParallelSize: 2
      extraArgs: ["--kv-cache-dtype", "fp8", "--max-model-len=8192"]
  - {name: small, repository: vllm/vllm-openai, tag: latest, modelURL: org/m-1b}
)";

}  // namespace

TEST_CASE("Each model of the chart is a launch", "[serving]") {
  const ServingConfig config = read(values);
  CHECK(config.type == ConfigType::helm);
  REQUIRE(config.launches.size() == 2);
  const Launch& chat = config.launches[0];
  CHECK(chat.name == "chat");
  CHECK(chat.version == "0.21.0");
  const auto [name, expected] = GENERATE(table<std::string, std::string>({
      {"model", "org/m-32b"},
      {"tensor-parallel-size", "2"},
      {"gpu-memory-utilization", "0.92"},
      {"enable-chunked-prefill", "false"},
      {"kv-cache-dtype", "fp8"},
  }));
  CAPTURE(name);
  CHECK(value(chat, name) == expected);
  CHECK(around(chat, "gpus") == "2");
  CHECK(around(chat, "gpu") == "L40S");
}

TEST_CASE("Extra arguments come last and so count", "[serving]") {
  const Launch chat = read(values).launches[0];
  CHECK(value(chat, "max-model-len") == "8192");
  CHECK(chat.find("max-model-len")->place.line == 19);
  CHECK(chat.find("tensor-parallel-size")->written == "tensorParallelSize");
  CHECK(spot(chat, "tensor-parallel-size") == spot(values, "2\n      maxModelLen"));
}

TEST_CASE("Without its key the chart turns prefix caching off", "[serving]") {
  const ServingConfig config = read(values);
  CHECK(value(config.launches[0], "enable-prefix-caching") == "false");
  // Without any vllmConfig the template writes neither form.
  CHECK(value(config.launches[1], "enable-prefix-caching") == "absent");
}

TEST_CASE("Keys that the template does not use are remarked", "[serving]") {
  const Launch chat = read(values).launches[0];
  REQUIRE(chat.remarks.size() == 1);
  CHECK(chat.remarks[0].rule == "ignored-key");
  CHECK(spot(chat.remarks[0].place) == spot(values, "pipelineParallelSize"));
  CHECK(value(chat, "pipeline-parallel-size") == "absent");
}

TEST_CASE("A chart without models is refused", "[serving]") {
  CHECK_THAT(refusal("servingEngineSpec:\n  modelSpec: []\n").why, Contains("0 models"));
}
