#include "analysis/check/rules/setting_names.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/number.hpp"

namespace roofline::rules {
namespace {

constexpr SettingNames vllm_names{.max_model_len = "max-model-len",
                                  .max_sequences = "max-num-seqs",
                                  .batched_tokens = "max-num-batched-tokens",
                                  .chunked_prefill = "enable-chunked-prefill",
                                  .memory_share = "gpu-memory-utilization",
                                  .tensor = "tensor-parallel-size",
                                  .pipeline = "pipeline-parallel-size",
                                  .data = "data-parallel-size",
                                  .expert = "enable-expert-parallel",
                                  .attention_dp = "",
                                  .dtype = "dtype",
                                  .kv_dtype = "kv-cache-dtype",
                                  .quantization = "quantization"};
constexpr SettingNames sglang_names{.max_model_len = "context-length",
                                    .max_sequences = "max-running-requests",
                                    .batched_tokens = "chunked-prefill-size",
                                    .chunked_prefill = "chunked-prefill-size",
                                    .memory_share = "mem-fraction-static",
                                    .tensor = "tensor-parallel-size",
                                    .pipeline = "pipeline-parallel-size",
                                    .data = "data-parallel-size",
                                    .expert = "expert-parallel-size",
                                    .attention_dp = "enable-dp-attention",
                                    .dtype = "dtype",
                                    .kv_dtype = "kv-cache-dtype",
                                    .quantization = "quantization"};
constexpr SettingNames tensorrt_names{.max_model_len = "max_seq_len",
                                      .max_sequences = "max_batch_size",
                                      .batched_tokens = "max_num_tokens",
                                      .chunked_prefill = "enable_chunked_prefill",
                                      .memory_share = "kv_cache_config.free_gpu_memory_fraction",
                                      .tensor = "tensor_parallel_size",
                                      .pipeline = "pipeline_parallel_size",
                                      .data = "",
                                      .expert = "moe_expert_parallel_size",
                                      .attention_dp = "enable_attention_dp",
                                      .dtype = "dtype",
                                      .kv_dtype = "kv_cache_config.dtype",
                                      .quantization = ""};
constexpr SettingNames llama_names{.max_model_len = "ctx-size",
                                   .max_sequences = "parallel",
                                   .batched_tokens = "ubatch-size",
                                   .chunked_prefill = "",
                                   .memory_share = "",
                                   .tensor = "",
                                   .pipeline = "",
                                   .data = "",
                                   .expert = "",
                                   .attention_dp = "",
                                   .dtype = "",
                                   .kv_dtype = "cache-type-k",
                                   .quantization = ""};

/// This project's own (spec/serving/own_settings.hpp).
constexpr SettingNames own_names{.max_model_len = "max-model-len",
                                 .max_sequences = "max-num-seqs",
                                 .batched_tokens = "max-num-batched-tokens",
                                 .chunked_prefill = "chunked-prefill",
                                 .memory_share = "gpu-memory-utilization",
                                 .tensor = "tp",
                                 .pipeline = "pp",
                                 .data = "dp",
                                 .expert = "ep",
                                 .attention_dp = "attention-dp",
                                 .dtype = "dtype",
                                 .kv_dtype = "kv-dtype",
                                 .quantization = "quantization"};
constexpr SettingNames own_llama_names{.max_model_len = "max-model-len",
                                       .max_sequences = "max-num-seqs",
                                       .batched_tokens = "max-num-batched-tokens",
                                       .chunked_prefill = "",
                                       .memory_share = "",
                                       .tensor = "",
                                       .pipeline = "",
                                       .data = "",
                                       .expert = "",
                                       .attention_dp = "",
                                       .dtype = "",
                                       .kv_dtype = "kv-dtype",
                                       .quantization = ""};

const SettingNames& names_of(Engine engine) {
  switch (engine) {
    case Engine::sglang:
      return sglang_names;
    case Engine::tensorrt_llm:
      return tensorrt_names;
    case Engine::llama_cpp:
      return llama_names;
    case Engine::vllm:
      break;
  }
  return vllm_names;
}

}  // namespace

const SettingNames& setting_names(const RuleSubject& subject) {
  const Engine engine = subject.plan->engine;
  if (!has_own_names(*subject.launch)) return names_of(engine);
  return engine == Engine::llama_cpp ? own_llama_names : own_names;
}

std::string_view engine_title(Engine engine) {
  switch (engine) {
    case Engine::sglang:
      return "SGLang";
    case Engine::tensorrt_llm:
      return "TensorRT-LLM";
    case Engine::llama_cpp:
      return "llama.cpp";
    case Engine::vllm:
      break;
  }
  return "vLLM";
}

std::string digits(std::int64_t count) {
  return format_exact(number(count));
}

std::string bytes_text(Bytes bytes) {
  return format_binary_bytes(std::max(0.0, bytes.value()));
}

}  // namespace roofline::rules
