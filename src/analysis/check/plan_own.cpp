// The plan of a deployment in this project's own file: one set of names for all engines.
#include <array>
#include <utility>
#include <vector>

#include "analysis/check/plan_parts.hpp"
#include "base/parse.hpp"
#include "spec/serving/own_settings.hpp"

namespace roofline {
namespace {

Given<std::int64_t> own_count(const EngineSetting& setting) {
  return placed(setting, [](std::string_view text, std::string_view name) {
    return parse_count(text, name);
  });
}

Given<Bytes> own_bytes(const EngineSetting& setting) {
  return placed(setting, parse_bytes);
}

Given<std::int64_t> own_length(const EngineSetting& setting) {
  if (value_of(&setting) == "auto") return given_by(setting, std::int64_t{0});
  return own_count(setting);
}

/// A catalogue's format, known by the setting's name however it is spelt.
void read_weights(const EngineSetting& s, ServingPlan& plan) {
  plan.dtype = word_of(s);
  plan.dtype.written = "weight-dtype";
}

void read_cache_type(const EngineSetting& s, ServingPlan& plan) {
  plan.kv_dtype = word_of(s);
  if (plan.engine == Engine::llama_cpp) plan.value_dtype = plan.kv_dtype;
}

constexpr std::array keys{
    PlanKey{"attention-dp",
            [](const EngineSetting& s, ServingPlan& plan) { plan.attention_dp = switch_of(s); }},
    PlanKey{"block-size",
            [](const EngineSetting& s, ServingPlan& plan) { plan.block_tokens = ranks_of(s); }},
    PlanKey{"chunked-prefill",
            [](const EngineSetting& s, ServingPlan& plan) { plan.chunked_prefill = switch_of(s); }},
    PlanKey{"cpu-offload",
            [](const EngineSetting& s, ServingPlan& plan) { plan.cpu_offload = own_bytes(s); }},
    PlanKey{"cuda-graphs",
            [](const EngineSetting& s, ServingPlan& plan) { plan.cuda_graphs = switch_of(s); }},
    PlanKey{"dp", [](const EngineSetting& s, ServingPlan& plan) { plan.data = ranks_of(s); }},
    PlanKey{"draft-model",
            [](const EngineSetting& s, ServingPlan& plan) {
              if (!is_none(s)) plan.draft_model = given_by(s, true);
            }},
    PlanKey{"dtype", [](const EngineSetting& s, ServingPlan& plan) { plan.dtype = word_of(s); }},
    PlanKey{"ep", [](const EngineSetting& s, ServingPlan& plan) { plan.expert = ranks_of(s); }},
    PlanKey{"gpu-layers",
            [](const EngineSetting& s, ServingPlan& plan) { plan.gpu_layers = count_of(s, 0); }},
    PlanKey{"gpu-memory-utilization",
            [](const EngineSetting& s, ServingPlan& plan) { plan.memory_share = share_of(s); }},
    PlanKey{"kv-cache-memory",
            [](const EngineSetting& s, ServingPlan& plan) { plan.kv_memory = own_bytes(s); }},
    PlanKey{"kv-cache-tokens",
            [](const EngineSetting& s, ServingPlan& plan) { plan.kv_token_limit = own_count(s); }},
    PlanKey{"kv-dtype", read_cache_type},
    PlanKey{"max-model-len",
            [](const EngineSetting& s, ServingPlan& plan) { plan.max_model_len = own_length(s); }},
    PlanKey{"max-num-batched-tokens",
            [](const EngineSetting& s, ServingPlan& plan) { plan.batched_tokens = own_count(s); }},
    PlanKey{"max-num-seqs",
            [](const EngineSetting& s, ServingPlan& plan) { plan.max_sequences = own_count(s); }},
    PlanKey{"model", [](const EngineSetting& s, ServingPlan& plan) { plan.model = word_of(s); },
            true},
    PlanKey{"pp", [](const EngineSetting& s, ServingPlan& plan) { plan.pipeline = ranks_of(s); }},
    PlanKey{"quantization",
            [](const EngineSetting& s, ServingPlan& plan) { plan.quantization = word_of(s); }},
    PlanKey{"tp", [](const EngineSetting& s, ServingPlan& plan) { plan.tensor = ranks_of(s); }},
    PlanKey{"weight-dtype", read_weights},
};

constexpr bool names_are_those_of_the_reader() {
  if (keys.size() != own_setting_names.size()) return false;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].name != own_setting_names[i]) return false;
  }
  return true;
}
static_assert(names_are_those_of_the_reader());

}  // namespace

void plan_own_settings(const Launch& launch, ServingPlan& plan, ErrorCollector& errors) {
  read_settings(launch, keys, true, plan, errors);
  fill_engine_defaults(plan);
  if (plan.expert.given && plan.expert.value > 1) {
    plan.expert_parallel = {true, plan.expert.written, plan.expert.place, true};
  }
  if (plan.engine == Engine::sglang) errors.collect([&] { check_attention_replicas(plan); });
}

}  // namespace roofline
