// The plan of a vLLM server.
#include <algorithm>
#include <array>

#include "analysis/check/plan_parts.hpp"
#include "analysis/check/resolve.hpp"

namespace roofline {
namespace {

/// As long as fits is 0: "auto" and -1.
Given<std::int64_t> length_of(const EngineSetting& setting) {
  const std::string_view value = value_of(&setting);
  if (value == "auto" || value == "-1") return given_by(setting, std::int64_t{0});
  return human_count_of(setting);
}

Given<Bytes> cache_bytes_of(const EngineSetting& setting) {
  const Given<std::int64_t> count = human_count_of(setting);
  if (!count.given) return left_open_by<Bytes>(setting);
  return given_by(setting, Bytes(static_cast<double>(count.value)));
}

Given<std::int64_t> block_of(const EngineSetting& setting) {
  return is_none(setting) ? left_open_by<std::int64_t>(setting) : ranks_of(setting);
}

/// Blocks; tokens once their size is known.
Given<std::int64_t> blocks_of(const EngineSetting& setting) {
  return is_none(setting) ? left_open_by<std::int64_t>(setting) : count_of(setting);
}

constexpr std::array keys{
    PlanKey{"model", [](const EngineSetting& s, ServingPlan& plan) { plan.model = word_of(s); },
            true},
    PlanKey{"tensor-parallel-size",
            [](const EngineSetting& s, ServingPlan& plan) { plan.tensor = ranks_of(s); }},
    PlanKey{"pipeline-parallel-size",
            [](const EngineSetting& s, ServingPlan& plan) { plan.pipeline = ranks_of(s); }},
    PlanKey{"data-parallel-size",
            [](const EngineSetting& s, ServingPlan& plan) { plan.data = ranks_of(s); }},
    PlanKey{"decode-context-parallel-size",
            [](const EngineSetting& s, ServingPlan& plan) { plan.context_parallel = ranks_of(s); }},
    PlanKey{"enable-expert-parallel",
            [](const EngineSetting& s, ServingPlan& plan) { plan.expert_parallel = switch_of(s); }},
    PlanKey{"max-model-len",
            [](const EngineSetting& s, ServingPlan& plan) { plan.max_model_len = length_of(s); }},
    PlanKey{"max-num-seqs", [](const EngineSetting& s,
                               ServingPlan& plan) { plan.max_sequences = count_or_none(s); }},
    PlanKey{
        "max-num-batched-tokens",
        [](const EngineSetting& s, ServingPlan& plan) { plan.batched_tokens = human_count_of(s); }},
    PlanKey{"enable-chunked-prefill",
            [](const EngineSetting& s, ServingPlan& plan) { plan.chunked_prefill = switch_of(s); }},
    PlanKey{"gpu-memory-utilization",
            [](const EngineSetting& s, ServingPlan& plan) { plan.memory_share = share_of(s); }},
    PlanKey{"kv-cache-memory-bytes",
            [](const EngineSetting& s, ServingPlan& plan) { plan.kv_memory = cache_bytes_of(s); }},
    PlanKey{"num-gpu-blocks-override",
            [](const EngineSetting& s, ServingPlan& plan) { plan.kv_token_limit = blocks_of(s); }},
    PlanKey{"block-size",
            [](const EngineSetting& s, ServingPlan& plan) { plan.block_tokens = block_of(s); }},
    PlanKey{"dtype", [](const EngineSetting& s, ServingPlan& plan) { plan.dtype = word_of(s); }},
    PlanKey{"quantization",
            [](const EngineSetting& s, ServingPlan& plan) { plan.quantization = word_of(s); }},
    PlanKey{"kv-cache-dtype",
            [](const EngineSetting& s, ServingPlan& plan) { plan.kv_dtype = word_of(s); }},
    PlanKey{"enforce-eager",
            [](const EngineSetting& s, ServingPlan& plan) { plan.cuda_graphs = off_switch_of(s); }},
    PlanKey{"cpu-offload-gb",
            [](const EngineSetting& s, ServingPlan& plan) { plan.cpu_offload = gibibytes_of(s); }},
    PlanKey{
        "disable-hybrid-kv-cache-manager",
        [](const EngineSetting& s, ServingPlan& plan) { plan.full_window_cache = switch_of(s); }},
    PlanKey{"prefill-context-parallel-size",
            [](const EngineSetting& s, ServingPlan&) {
              if (ranks_of(s).value == 1) return;
              refuse_setting(s, "prefill over several devices is not reckoned with",
                             "leave it out, or 1");
            }},
};

/// Drafts that need no weights beside the model's: none, lookups, and the model's own layers.
bool has_weights_of_its_own(std::string_view method) {
  const bool own_layers = method.find("mtp") != std::string_view::npos;
  return !own_layers && method != "ngram" && method != "ngram_gpu" && method != "suffix" &&
         method != "[ngram]";
}

void read_draft(const Launch& launch, ServingPlan& plan) {
  const auto first_of = [&](std::initializer_list<std::string_view> names) {
    const EngineSetting* found = nullptr;
    for (const std::string_view name : names) {
      if (found == nullptr) found = last_setting(launch, name);
    }
    return found;
  };
  const EngineSetting* model =
      first_of({"speculative-config.model", "spec-model", "speculative-model"});
  const EngineSetting* method = first_of({"speculative-config.method", "spec-method"});
  if (model == nullptr || is_none(*model)) return;
  plan.draft_model = given_by(
      *model, has_weights_of_its_own(value_of(method)) && has_weights_of_its_own(value_of(model)));
}

void read_graphs(const Launch& launch, ServingPlan& plan) {
  const EngineSetting* mode = last_setting(launch, "compilation-config.cudagraph-mode");
  const EngineSetting* level = last_setting(launch, "optimization-level");
  if (mode != nullptr && (value_of(mode) == "NONE" || value_of(mode) == "none")) {
    plan.cuda_graphs = given_by(*mode, false);
  } else if (level != nullptr && value_of(level) == "0") {
    plan.cuda_graphs = given_by(*level, false);
  }
}

}  // namespace

void plan_vllm(const Launch& launch, ServingPlan& plan, ErrorCollector& errors) {
  read_settings(launch, keys, false, plan, errors);
  fill_engine_defaults(plan);
  plan.kv_token_limit.value *= plan.block_tokens.value;
  if (plan.expert_parallel.value) {
    plan.expert.value = plan.data.value * plan.tensor.value;
    plan.expert.written = plan.expert_parallel.written;
    plan.expert.place = plan.expert_parallel.place;
    plan.expert.given = true;
  }
  read_draft(launch, plan);
  read_graphs(launch, plan);
}

}  // namespace roofline
