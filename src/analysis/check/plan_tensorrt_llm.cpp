// The plan of a TensorRT-LLM server: flags of trtllm-serve, keys of its YAML file, and the config
// of an engine that was built.
#include <array>

#include "analysis/check/plan_parts.hpp"

namespace roofline {
namespace {

void read_model(const EngineSetting& s, ServingPlan& plan) {
  plan.model = word_of(s);
}
void read_tensor(const EngineSetting& s, ServingPlan& plan) {
  plan.tensor = ranks_of(s);
}
void read_pipeline(const EngineSetting& s, ServingPlan& plan) {
  plan.pipeline = ranks_of(s);
}
void read_sequences(const EngineSetting& s, ServingPlan& plan) {
  plan.max_sequences = count_or_none(s);
}
void read_tokens(const EngineSetting& s, ServingPlan& plan) {
  plan.batched_tokens = count_or_none(s);
}
void read_length(const EngineSetting& s, ServingPlan& plan) {
  plan.max_model_len = count_or_none(s);
}
void read_share(const EngineSetting& s, ServingPlan& plan) {
  plan.memory_share = share_of(s);
}
void read_cache_type(const EngineSetting& s, ServingPlan& plan) {
  plan.kv_dtype = word_of(s);
}
void read_dtype(const EngineSetting& s, ServingPlan& plan) {
  plan.dtype = word_of(s);
}
void read_quantization(const EngineSetting& s, ServingPlan& plan) {
  plan.quantization = word_of(s);
}

/// None and -1 leave it to the engine.
void read_expert(const EngineSetting& s, ServingPlan& plan) {
  if (is_none(s) || value_of(&s) == "-1") {
    plan.expert = default_of(std::int64_t{1});
    return;
  }
  plan.expert = ranks_of(s);
}

void read_block(const EngineSetting& s, ServingPlan& plan) {
  plan.block_tokens = is_none(s) ? left_open_by<std::int64_t>(s) : ranks_of(s);
}

/// 0 is no limit.
void read_cache_bytes(const EngineSetting& s, ServingPlan& plan) {
  if (is_none(s)) return;
  const Given<std::int64_t> bytes = count_of(s, 0);
  if (bytes.value > 0) plan.kv_memory = given_by(s, Bytes(static_cast<double>(bytes.value)));
}

void refuse_context_ranks(const EngineSetting& s, ServingPlan&) {
  if (ranks_of(s).value == 1) return;
  refuse_setting(s, "context parallelism of this engine is not reckoned with",
                 "leave it out, or 1");
}

constexpr std::array keys{
    PlanKey{"model", read_model, true},
    PlanKey{"tensor-parallel-size", read_tensor},
    PlanKey{"pretrained-config.mapping.tp-size", read_tensor},
    PlanKey{"pipeline-parallel-size", read_pipeline},
    PlanKey{"pretrained-config.mapping.pp-size", read_pipeline},
    PlanKey{"context-parallel-size", refuse_context_ranks},
    PlanKey{"pretrained-config.mapping.cp-size", refuse_context_ranks},
    PlanKey{"moe-expert-parallel-size", read_expert},
    PlanKey{"pretrained-config.mapping.moe-ep-size", read_expert},
    PlanKey{"enable-attention-dp",
            [](const EngineSetting& s, ServingPlan& plan) { plan.attention_dp = switch_of(s); }},
    PlanKey{"max-batch-size", read_sequences},
    PlanKey{"build-config.max-batch-size", read_sequences},
    PlanKey{"max-num-tokens", read_tokens},
    PlanKey{"build-config.max-num-tokens", read_tokens},
    PlanKey{"max-seq-len", read_length},
    PlanKey{"build-config.max-seq-len", read_length},
    PlanKey{"enable-chunked-prefill",
            [](const EngineSetting& s, ServingPlan& plan) { plan.chunked_prefill = switch_of(s); }},
    PlanKey{"free-gpu-memory-fraction", read_share},
    PlanKey{"kv-cache-config.free-gpu-memory-fraction", read_share},
    PlanKey{
        "kv-cache-config.max-tokens",
        [](const EngineSetting& s, ServingPlan& plan) { plan.kv_token_limit = count_or_none(s); }},
    PlanKey{"kv-cache-config.max-gpu-total-bytes", read_cache_bytes},
    PlanKey{"kv-cache-config.tokens-per-block", read_block},
    PlanKey{"kv-cache-dtype", read_cache_type},
    PlanKey{"kv-cache-config.dtype", read_cache_type},
    PlanKey{"pretrained-config.quantization.kv-cache-quant-algo", read_cache_type},
    PlanKey{"quant-config.kv-cache-quant-algo", read_cache_type},
    PlanKey{"dtype", read_dtype},
    PlanKey{"pretrained-config.dtype", read_dtype},
    PlanKey{"quant-config.quant-algo", read_quantization},
    PlanKey{"pretrained-config.quantization.quant-algo", read_quantization},
    PlanKey{"cuda-graph-config",
            [](const EngineSetting& s, ServingPlan& plan) {
              if (is_none(s)) plan.cuda_graphs = given_by(s, false);
            }},
    PlanKey{"use-cuda-graph",
            [](const EngineSetting& s, ServingPlan& plan) { plan.cuda_graphs = switch_of(s); }},
};

void read_draft(const Launch& launch, ServingPlan& plan) {
  const EngineSetting* type = last_setting(launch, "speculative-config.decoding-type");
  for (const std::string_view name :
       {"speculative-config.speculative-model-dir", "speculative-config.speculative-model"}) {
    const EngineSetting* model = last_setting(launch, name);
    if (model == nullptr || is_none(*model)) continue;
    const std::string_view kind = value_of(type);
    plan.draft_model = given_by(*model, kind != "MTP" && kind != "NGram" && kind != "Lookahead");
  }
}

}  // namespace

void plan_tensorrt_llm(const Launch& launch, ServingPlan& plan, ErrorCollector& errors) {
  read_settings(launch, keys, false, plan, errors);
  fill_engine_defaults(plan);
  if (plan.expert.given && plan.expert.value > 1) {
    plan.expert_parallel = {true, plan.expert.written, plan.expert.place, true};
  }
  read_draft(launch, plan);
}

}  // namespace roofline
