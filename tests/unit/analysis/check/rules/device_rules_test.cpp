// Rules about what a GPU computes and how many of them there are.
#include <catch2/catch.hpp>
#include <string>
#include <tuple>

#include "analysis/check/rule_subject.hpp"
#include "analysis/check/rules/compute_capability.hpp"
#include "analysis/check/rules/rules.hpp"

namespace roofline {
namespace {

using Catch::Matchers::Contains;

// NVIDIA's list of compute capabilities.
TEST_CASE("Compute capabilities of the catalogue's GPUs", "[check]") {
  const auto [name, capability] = GENERATE(table<std::string, int>({{"P100-PCIe-16GB", 60},
                                                                    {"Tesla-P40", 61},
                                                                    {"V100-SXM2-32GB", 70},
                                                                    {"T4", 75},
                                                                    {"A100-SXM-80GB", 80},
                                                                    {"A10G", 86},
                                                                    {"RTX-3090", 86},
                                                                    {"L4", 89},
                                                                    {"RTX-4090", 89},
                                                                    {"H100", 90},
                                                                    {"GH200-96GB", 90},
                                                                    {"B200", 100},
                                                                    {"B300", 103},
                                                                    {"RTX-5090", 120}}));
  CAPTURE(name);
  CHECK(rules::compute_capability(test_catalog().device(name)) == capability);
}

TEST_CASE("Other makers' GPUs have no compute capability", "[check]") {
  CHECK_FALSE(rules::compute_capability(test_catalog().device("MI300X")).has_value());
}

RuleCase with_dtype(const std::string& gpu, const std::string& dtype,
                    Engine engine = Engine::vllm) {
  return served_case(
      "Llama-3.1-8B", gpu,
      [&](ServingPlan& plan) {
        if (!dtype.empty()) plan.dtype = given(dtype, "dtype", 4);
      },
      engine);
}

TEST_CASE("bf16 that the GPU has no unit for", "[check]") {
  const Finding asked = only_finding(rules::dtype_unsupported, with_dtype("T4", "bfloat16"));
  CHECK(asked.what == "bf16 is not computed by T4");
  CHECK(asked.why == "T4 has compute capability 7.5, bf16 needs 8.0; vLLM refuses to start");
  CHECK(asked.place == at(4));
  CHECK(asked.subject == "activations");
  CHECK(asked.fix == "dtype float16");
  CHECK_FALSE(asked.uncertain);
  const Finding left_open =
      only_finding(rules::dtype_unsupported, with_dtype("V100-SXM2-32GB", ""));
  CHECK(left_open.uncertain);
  CHECK_THAT(left_open.why, Contains("falls back to float16"));
  CHECK(only_finding(rules::dtype_unsupported, with_dtype("T4", "bfloat16", Engine::sglang))
            .uncertain);
}

TEST_CASE("bf16 where there is a unit, and fp16, are computed", "[check]") {
  CHECK(passes(rules::dtype_unsupported, with_dtype("A10G", "bfloat16")));
  CHECK(passes(rules::dtype_unsupported, with_dtype("T4", "half")));
  CHECK(passes(rules::dtype_unsupported, with_dtype("MI300X", "bfloat16")));
}

RuleCase with_fp8_weights(const std::string& gpu, const std::string& version,
                          Engine engine = Engine::vllm) {
  return served_case(
      "Llama-3.1-8B", gpu,
      [&](ServingPlan& plan) {
        plan.version = version;
        plan.dtype = given<std::string>("float16");
        plan.quantization = given<std::string>("fp8", "quantization", 6);
      },
      engine);
}

TEST_CASE("fp8 weights are unpacked where there is no unit, or refused", "[check]") {
  const Finding unpacked =
      only_finding(rules::dtype_unsupported, with_fp8_weights("A100-SXM-80GB", "0.10.0"));
  CHECK(unpacked.what == "weights in fp8 are not computed by A100-SXM-80GB");
  CHECK_THAT(unpacked.why, Contains("unpacks them to 16 bits"));
  CHECK(unpacked.uncertain);
  CHECK(unpacked.place == at(6));
  const auto is_uncertain = [](const std::string& gpu, const std::string& version, Engine engine) {
    return only_finding(rules::dtype_unsupported, with_fp8_weights(gpu, version, engine)).uncertain;
  };
  CHECK_FALSE(is_uncertain("T4", "0.10.0", Engine::vllm));
  CHECK(is_uncertain("T4", "0.15.0", Engine::vllm));
  CHECK_FALSE(is_uncertain("V100-SXM2-32GB", "0.15.0", Engine::vllm));
  CHECK_FALSE(is_uncertain("A100-SXM-80GB", "1.0", Engine::tensorrt_llm));
  CHECK(passes(rules::dtype_unsupported, with_fp8_weights("L4", "0.10.0")));
}

TEST_CASE("fp8 K/V before there were units", "[check]") {
  const auto with_kv = [](const std::string& gpu) {
    return served_case("Llama-3.1-8B", gpu, [](ServingPlan& plan) {
      plan.kv_dtype = given<std::string>("fp8", "kv-cache-dtype", 7);
    });
  };
  const Finding finding = only_finding(rules::dtype_unsupported, with_kv("A100-SXM-80GB"));
  CHECK(finding.what == "K/V in fp8 is not computed by A100-SXM-80GB");
  CHECK(finding.place == at(7));
  CHECK(finding.uncertain);
  CHECK(finding.fix == "kv-cache-dtype auto");
  CHECK(passes(rules::dtype_unsupported, with_kv("H100")));
}

TEST_CASE("Types are not judged for llama.cpp or an unknown GPU", "[check]") {
  const RuleCase unknown = plan_case([](ServingPlan&) {});
  CHECK(apply(rules::dtype_unsupported, unknown).skipped() == "its model or GPU is not known");
  CHECK_FALSE(
      apply(rules::dtype_unsupported, with_dtype("T4", "", Engine::llama_cpp)).skipped().empty());
}

RuleCase with_tensor(const std::string& model, const std::string& gpu, std::int64_t ways) {
  return served_case(
      model, gpu, [&](ServingPlan& plan) { plan.tensor = given(ways, "tensor_parallel_size", 3); });
}

TEST_CASE("Heads that do not divide by the devices", "[check]") {
  // 32 heads, 8 K/V heads and a width of 12288.
  const Finding finding = only_finding(rules::not_divisible, with_tensor("Qwen3-8B", "L4", 3));
  CHECK(finding.what == "qwen3-8b cannot be split over 3 devices (tp 3)");
  CHECK_THAT(finding.why, Contains("32 query heads do not divide by 3"));
  CHECK(finding.place == at(3));
  CHECK(finding.fix == "tensor_parallel_size 2 or tensor_parallel_size 4");
}

TEST_CASE("A pipeline has no more stages than layers", "[check]") {
  const RuleCase made = served_case("Qwen3-8B", "L4", [](ServingPlan& plan) {
    plan.pipeline = given<std::int64_t>(40, "pipeline-parallel-size", 8);
  });
  const Finding finding = only_finding(rules::not_divisible, made);
  CHECK(finding.why == "it has 36 layers");
  CHECK(finding.place == at(8));
  CHECK(finding.fix == "pipeline-parallel-size 36");
}

TEST_CASE("What divides is not reported", "[check]") {
  CHECK(passes(rules::not_divisible, with_tensor("Qwen3-8B", "L4", 4)));
  CHECK(apply(rules::not_divisible, with_tensor("Qwen3-8B", "L4", 1)).skipped() == "one device");
}

RuleCase with_gpus(std::int64_t gpus, std::int64_t tensor, std::int64_t data,
                   Engine engine = Engine::vllm) {
  return plan_case(
      [&](ServingPlan& plan) {
        plan.gpus = given(gpus, "nvidia.com/gpu", 9);
        plan.tensor = given(tensor);
        plan.data = given(data);
      },
      engine);
}

TEST_CASE("GPUs that are asked for against those that ranks need", "[check]") {
  const Finding few = only_finding(rules::gpu_count_mismatch, with_gpus(2, 4, 2));
  CHECK(few.what == "nvidia.com/gpu 2 is asked for, tp 4 x dp 2 needs 8");
  CHECK(few.place == at(9));
  CHECK(few.fix == "nvidia.com/gpu 8");
  CHECK_FALSE(few.uncertain);
  const Finding many = only_finding(rules::gpu_count_mismatch, with_gpus(8, 4, 1));
  CHECK(many.why == "4 of the GPUs stand idle");
  CHECK(many.uncertain);
  CHECK(passes(rules::gpu_count_mismatch, with_gpus(8, 4, 2)));
}

TEST_CASE("Ranks on other nodes need no GPU here", "[check]") {
  RuleCase made = with_gpus(8, 8, 2);
  made.launch.settings = {{.name = "data-parallel-size-local",
                           .written = "--data-parallel-size-local",
                           .values = {"1"},
                           .place = at(5)}};
  CHECK(passes(rules::gpu_count_mismatch, made));
  made = with_gpus(8, 16, 1, Engine::sglang);
  made.launch.settings = {
      {.name = "nnodes", .written = "--nnodes", .values = {"2"}, .place = at(5)}};
  CHECK(passes(rules::gpu_count_mismatch, made));
}

TEST_CASE("SGLang's attention replicas are within its tensor ranks", "[check]") {
  RuleCase made = with_gpus(8, 8, 8, Engine::sglang);
  made.plan.attention_dp = given(true);
  CHECK(passes(rules::gpu_count_mismatch, made));
}

TEST_CASE("Where nothing says how many GPUs there are nothing is compared", "[check]") {
  const RuleCase made = plan_case([](ServingPlan&) {});
  CHECK(apply(rules::gpu_count_mismatch, made).skipped() == "nothing says how many GPUs there are");
}

RuleCase with_latent(const std::function<void(ServingPlan&)>& change) {
  RuleCase made = served_case("DeepSeek-V3", "H200-SXM-141GB", [&](ServingPlan& plan) {
    plan.tensor = given<std::int64_t>(8, "-tp", 3);
    plan.max_model_len = given<std::int64_t>(32768);
    change(plan);
  });
  made.memory = budget_of({gib(30), gib(30), gib(30)}, {32768, 32768, 32768});
  // 61 layers x (512 + 64) elements x 2 bytes.
  made.memory->kv_per_token = Bytes(70272);
  made.memory->full_sequences = {1, 1, 1};
  return made;
}

TEST_CASE("Tensor parallelism leaves the whole latent on every device", "[check]") {
  const Finding finding =
      only_finding(rules::latent_kv_not_divided, with_latent([](ServingPlan&) {}));
  CHECK(finding.what == "the latent K/V cache is there 8 times: -tp 8 does not divide it");
  CHECK_THAT(finding.why, Contains("68.62 KiB on each of the devices"));
  CHECK(finding.place == at(3));
  CHECK_THAT(finding.fix, Contains("decode-context-parallel-size 8"));
}

TEST_CASE("A latent that is divided, or none", "[check]") {
  CHECK(passes(rules::latent_kv_not_divided, with_latent([](ServingPlan& plan) {
                 plan.context_parallel = given<std::int64_t>(8);
               })));
  CHECK(passes(rules::latent_kv_not_divided,
               with_latent([](ServingPlan& plan) { plan.attention_dp = given(true); })));
  RuleCase dense = with_tensor("Qwen3-8B", "L4", 4);
  dense.memory = budget_of({gib(4), gib(4), gib(4)}, {8192, 8192, 8192});
  CHECK(apply(rules::latent_kv_not_divided, dense).skipped() == "no latent attention");
}

}  // namespace
}  // namespace roofline
