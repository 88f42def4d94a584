#include <catch2/catch.hpp>
#include <string>
#include <tuple>

#include "analysis/check/resolve.hpp"
#include "roofline/serving_plan.hpp"

using namespace roofline;

namespace {

ServingPlan plan_of_model(const std::string& flag, const std::string& value) {
  Launch launch;
  launch.engine = Engine::llama_cpp;
  launch.settings.push_back({.name = flag, .written = flag, .values = {value}, .place = {}});
  return plan_of(launch);
}

}  // namespace

TEST_CASE("a GGUF file's name says its types", "[analysis][check]") {
  const auto [flag, value, type, bits] =
      GENERATE(table<std::string, std::string, std::string, double>({
          {"hf-repo", "org/Llama-3.1-8B-GGUF:IQ4_XS", "IQ4_XS", 4.25},
          {"hf-repo", "org/Llama-3.1-8B-GGUF:Q8_0", "Q8_0", 8.5},
          {"hf-repo", "org/Llama-3.1-8B-GGUF", "Q4_K_M", 4.5},
          {"model", "/m/llama-3.1-8b-q5_k_m.gguf", "q5_k_m", 5.5},
          {"model", "/m/llama-3.1-8b.Q6_K.gguf", "Q6_K", 6.5625},
          {"model", "/m/llama-3.1-8b-f16.gguf", "f16", 16},
          {"model", "/m/qwen3-8b.gguf", "", 16},
      }));
  CAPTURE(value);
  const ServingPlan plan = plan_of_model(flag, value);
  CHECK(plan.quantization.value == type);
  const Catalog catalog;
  const ResolvedServing serving =
      resolve_serving(plan, catalog.model("llama-3.1-8b"), catalog.device("L4"), catalog);
  CHECK(serving.precision.weights[Part::mlp].bits == bits);
}
