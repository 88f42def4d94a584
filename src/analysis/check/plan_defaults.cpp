// Defaults of the engines that depend on nothing but their version.
#include <utility>

#include "analysis/check/plan_parts.hpp"
#include "analysis/check/resolve.hpp"

namespace roofline {
namespace {

void fill_vllm(ServingPlan& plan) {
  fill(plan.block_tokens, std::int64_t{16});
  fill(plan.memory_share, is_at_least(plan.version, "0.21") ? 0.92 : 0.9);
  fill(plan.chunked_prefill, is_at_least(plan.version, "0.8"));
}

void fill_sglang(ServingPlan& plan) {
  fill(plan.block_tokens, std::int64_t{1});
  fill(plan.chunked_prefill, true);
}

void fill_tensorrt_llm(ServingPlan& plan) {
  fill(plan.memory_share, 0.9);
  fill(plan.max_sequences, std::int64_t{2048});
  fill(plan.batched_tokens, std::int64_t{8192});
  fill(plan.block_tokens, std::int64_t{32});
  fill(plan.chunked_prefill, false);
}

void fill_llama_cpp(ServingPlan& plan) {
  constexpr std::int64_t automatic_slots = 4;
  fill(plan.max_sequences, automatic_slots);
  fill(plan.batched_tokens, std::int64_t{512});
  fill(plan.block_tokens, std::int64_t{1});
  fill(plan.memory_share, 1.0);
  fill(plan.chunked_prefill, true);
  fill(plan.kv_dtype, std::string("f16"));
  fill(plan.value_dtype, std::string("f16"));
}

}  // namespace

void fill_engine_defaults(ServingPlan& plan) {
  switch (plan.engine) {
    case Engine::vllm:
      return fill_vllm(plan);
    case Engine::sglang:
      return fill_sglang(plan);
    case Engine::tensorrt_llm:
      return fill_tensorrt_llm(plan);
    case Engine::llama_cpp:
      return fill_llama_cpp(plan);
  }
}

}  // namespace roofline
