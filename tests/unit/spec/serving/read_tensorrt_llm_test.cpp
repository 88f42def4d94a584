// TensorRT-LLM: nested options, and the config.json of a built engine.
#include <catch2/catch.hpp>

#include "read_config.hpp"

using namespace roofline;
using namespace roofline::testing;
using Catch::Matchers::Contains;

TEST_CASE("Nested options are joined by points", "[serving]") {
  const std::string text = R"(kv_cache_config:
  dtype: fp8
  free_gpu_memory_fraction: 0.85
  enable_block_reuse: false
  max_attention_window: [512, 32768]
enable_attention_dp: true
cuda_graph_config: null
tensor_parallel_size: 8
moe_config: {backend: CUTLASS}
kv_cache_cfg: {dtype: fp8}
)";
  const Launch launch = launch_of(text);
  CHECK(launch.engine == Engine::tensorrt_llm);
  CHECK(value(launch, "kv-cache-config.dtype") == "fp8");
  CHECK(value(launch, "kv-cache-config.free-gpu-memory-fraction") == "0.85");
  CHECK(value(launch, "kv-cache-config.enable-block-reuse") == "false");
  CHECK(value(launch, "kv-cache-config.max-attention-window") == "512|32768");
  CHECK(value(launch, "enable-attention-dp") == "true");
  CHECK(value(launch, "cuda-graph-config") == "None");
  CHECK(value(launch, "tensor-parallel-size") == "8");
  CHECK(launch.find("kv-cache-config.dtype")->known);
  CHECK(launch.find("moe-config.backend")->known);
  CHECK(launch.find("kv-cache-config.dtype")->written == "kv_cache_config.dtype");
  CHECK(spot(launch, "kv-cache-config.free-gpu-memory-fraction") == spot(text, "0.85"));
  REQUIRE(launch.find("kv-cache-cfg.dtype") != nullptr);
  CHECK_FALSE(launch.find("kv-cache-cfg.dtype")->known);
}

TEST_CASE("The config of a built engine says how it was built", "[serving]") {
  const Launch launch = launch_of(R"({
  "version": "0.17.0",
  "pretrained_config": {
    "architecture": "LlamaForCausalLM", "dtype": "bfloat16", "hidden_size": 4096,
    "mapping": {"world_size": 4, "tp_size": 2, "pp_size": 2},
    "quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": null}
  },
  "build_config": {"max_batch_size": 64, "max_num_tokens": 8192, "max_seq_len": 4096}
})");
  CHECK(launch.version == "0.17.0");
  CHECK(value(launch, "pretrained-config.mapping.tp-size") == "2");
  CHECK(value(launch, "pretrained-config.mapping.pp-size") == "2");
  CHECK(value(launch, "pretrained-config.quantization.quant-algo") == "FP8");
  CHECK(value(launch, "pretrained-config.quantization.kv-cache-quant-algo") == "None");
  CHECK(value(launch, "build-config.max-batch-size") == "64");
  CHECK(launch.find("pretrained-config.hidden-size")->known);
  CHECK(spot(launch, "build-config.max-batch-size") == "8:38");
}

TEST_CASE("A build config without its parts is refused", "[serving]") {
  CHECK_THAT(refusal(R"({"version": "1.0"})", ConfigType::tensorrt_llm_build).why,
             Contains("pretrained_config"));
  CHECK_THAT(refusal(R"({"build_config": 3})").what, Contains("keys and values"));
}
