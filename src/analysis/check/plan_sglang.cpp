// The plan of an SGLang server.
#include <fmt/format.h>

#include <array>

#include "analysis/check/plan_parts.hpp"
#include "base/format.hpp"
#include "base/number.hpp"

namespace roofline {
namespace {

constexpr std::int64_t prefill_tokens = 16384;  ///< --max-prefill-tokens where nothing gives it

/// Tokens of a chunk; 0 and below: prompts are not cut.
void read_chunk(const EngineSetting& setting, ServingPlan& plan) {
  const Given<std::int64_t> chunk = count_of(setting, -1);
  plan.chunked_prefill = given_by(setting, chunk.value > 0);
  if (chunk.value > 0) plan.batched_tokens = chunk;
}

constexpr std::array keys{
    PlanKey{"model-path",
            [](const EngineSetting& s, ServingPlan& plan) { plan.model = word_of(s); }, true},
    PlanKey{"tensor-parallel-size",
            [](const EngineSetting& s, ServingPlan& plan) { plan.tensor = ranks_of(s); }},
    PlanKey{"pipeline-parallel-size",
            [](const EngineSetting& s, ServingPlan& plan) { plan.pipeline = ranks_of(s); }},
    PlanKey{"data-parallel-size",
            [](const EngineSetting& s, ServingPlan& plan) { plan.data = ranks_of(s); }},
    PlanKey{"expert-parallel-size",
            [](const EngineSetting& s, ServingPlan& plan) { plan.expert = ranks_of(s); }},
    PlanKey{"enable-dp-attention",
            [](const EngineSetting& s, ServingPlan& plan) { plan.attention_dp = switch_of(s); }},
    PlanKey{"context-length",
            [](const EngineSetting& s, ServingPlan& plan) { plan.max_model_len = count_of(s); }},
    PlanKey{"max-running-requests",
            [](const EngineSetting& s, ServingPlan& plan) { plan.max_sequences = count_of(s); }},
    PlanKey{"max-total-tokens",
            [](const EngineSetting& s, ServingPlan& plan) { plan.kv_token_limit = count_of(s); }},
    PlanKey{"chunked-prefill-size", read_chunk},
    PlanKey{"mem-fraction-static",
            [](const EngineSetting& s, ServingPlan& plan) { plan.memory_share = share_of(s); }},
    PlanKey{"page-size",
            [](const EngineSetting& s, ServingPlan& plan) { plan.block_tokens = ranks_of(s); }},
    PlanKey{"dtype", [](const EngineSetting& s, ServingPlan& plan) { plan.dtype = word_of(s); }},
    PlanKey{"quantization",
            [](const EngineSetting& s, ServingPlan& plan) { plan.quantization = word_of(s); }},
    PlanKey{"kv-cache-dtype",
            [](const EngineSetting& s, ServingPlan& plan) { plan.kv_dtype = word_of(s); }},
    PlanKey{"disable-cuda-graph",
            [](const EngineSetting& s, ServingPlan& plan) { plan.cuda_graphs = off_switch_of(s); }},
    PlanKey{"cpu-offload-gb",
            [](const EngineSetting& s, ServingPlan& plan) { plan.cpu_offload = gibibytes_of(s); }},
    PlanKey{
        "disable-hybrid-swa-memory",
        [](const EngineSetting& s, ServingPlan& plan) { plan.full_window_cache = switch_of(s); }},
    PlanKey{"attention-context-parallel-size",
            [](const EngineSetting& s, ServingPlan&) {
              if (ranks_of(s).value == 1) return;
              refuse_setting(s, "prefill over several devices is not reckoned with",
                             "leave it out, or 1");
            }},
    PlanKey{"kt-num-gpu-experts",
            [](const EngineSetting& s, ServingPlan&) {
              refuse_setting(s, "experts in the host's memory are not reckoned with",
                             "leave it out: all experts on the devices");
            }},
};

/// Backends that spread the experts over all tensor ranks, whatever ep is.
void read_expert_backend(const Launch& launch, ServingPlan& plan) {
  const EngineSetting* backend = last_setting(launch, "moe-a2a-backend");
  const EngineSetting* spread = nullptr;
  if (backend != nullptr && !is_none(resolved(*backend))) spread = backend;
  for (const std::string_view old : {"enable-deepep-moe", "enable-ep-moe"}) {
    const EngineSetting* setting = last_setting(launch, old);
    if (setting != nullptr && switch_of(*setting).value) spread = setting;
  }
  if (spread != nullptr) plan.expert = given_by(*spread, plan.tensor.value);
}

/// Without chunks a step takes max-prefill-tokens.
void read_whole_prompts(const Launch& launch, ServingPlan& plan) {
  if (!plan.chunked_prefill.given || plan.chunked_prefill.value) return;
  const EngineSetting* tokens = last_setting(launch, "max-prefill-tokens");
  if (tokens != nullptr) {
    plan.batched_tokens = count_of(resolved(*tokens));
    return;
  }
  const Given<bool>& chunked = plan.chunked_prefill;
  plan.batched_tokens = {prefill_tokens, chunked.written, chunked.place, true};
}

void read_draft(const Launch& launch, ServingPlan& plan) {
  const EngineSetting* algorithm = last_setting(launch, "speculative-algorithm");
  const EngineSetting* model = last_setting(launch, "speculative-draft-model-path");
  if (algorithm == nullptr || model == nullptr || is_none(*algorithm)) return;
  plan.draft_model = given_by(*model, value_of(algorithm) != "NGRAM");
}

}  // namespace

void check_attention_replicas(const ServingPlan& plan) {
  if (!plan.attention_dp.value || plan.tensor.value % plan.data.value == 0) return;
  throw Error(Diagnostic{
      .what = fmt::format("{}: {} replicas of attention do not divide {} {}", plan.data.written,
                          format_exact(number(plan.data.value)),
                          plan.tensor.given ? plan.tensor.written : "tp",
                          format_exact(number(plan.tensor.value))),
      .where = to_string(plan.data.place.value_or(plan.place)),
      .why = "with attention in data parallel, they are within the tensor-parallel ranks",
      .fix = fmt::format("as many as {0}: {1}", plan.tensor.given ? plan.tensor.written : "tp",
                         format_exact(number(plan.tensor.value)))});
}

void plan_sglang(const Launch& launch, ServingPlan& plan, ErrorCollector& errors) {
  read_settings(launch, keys, false, plan, errors);
  fill_engine_defaults(plan);
  errors.collect([&] { read_expert_backend(launch, plan); });
  errors.collect([&] { read_whole_prompts(launch, plan); });
  plan.expert_parallel = plan.expert.given ? Given<bool>{plan.expert.value > 1, plan.expert.written,
                                                         plan.expert.place, plan.expert.value > 1}
                                           : Given<bool>{};
  read_draft(launch, plan);
  errors.collect([&] { check_attention_replicas(plan); });
}

}  // namespace roofline
