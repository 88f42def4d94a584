// Tensor parallelism does not divide a latent K/V cache: every rank holds all of it.
#include <fmt/format.h>

#include <algorithm>
#include <variant>
#include <vector>

#include "analysis/check/rules/rules.hpp"
#include "analysis/check/rules/setting_names.hpp"
#include "analysis/check/rules/tried_fixes.hpp"

namespace roofline::rules {
namespace {

bool has_latent(const Model& model) {
  return std::any_of(model.layers.begin(), model.layers.end(), [](const LayerGroup& layer) {
    return std::holds_alternative<LatentAttention>(layer.mixer);
  });
}

/// Attention by data parallelism instead: each rank has its own sequences.
Change with_replicas(const RuleSubject& subject, std::int64_t ways) {
  const std::int64_t replicas = std::max<std::int64_t>(1, subject.serving->plan.data.value) * ways;
  const SettingNames& names = setting_names(subject);
  const std::string experts = has_own_names(*subject.launch)
                                  ? fmt::format("{} {}", names.expert, digits(replicas))
                                  : fmt::format("{} true", names.expert);
  return {fmt::format("{} 1 and {} {} and {}", name_of(subject.plan->tensor, names.tensor),
                      name_of(subject.plan->data, names.data), digits(replicas), experts),
          [replicas](ServingPlan& changed) {
            give<std::int64_t>(changed.tensor, 1);
            give(changed.data, replicas);
            give(changed.expert_parallel, true);
          }};
}

Change with_context_parallel(std::int64_t ways) {
  return {fmt::format("decode-context-parallel-size {}", digits(ways)),
          [ways](ServingPlan& changed) { give(changed.context_parallel, ways); }};
}

Change with_attention_dp(const RuleSubject& subject, std::int64_t ways) {
  const SettingNames& names = setting_names(subject);
  if (subject.plan->engine == Engine::tensorrt_llm) {
    return {fmt::format("{} true", names.attention_dp),
            [](ServingPlan& changed) { give(changed.attention_dp, true); }};
  }
  return {fmt::format("{} true and {} {}", names.attention_dp,
                      name_of(subject.plan->data, names.data), digits(ways)),
          [ways](ServingPlan& changed) {
            give(changed.attention_dp, true);
            give(changed.data, ways);
          }};
}

}  // namespace

void latent_kv_not_divided(const RuleSubject& subject, RuleFindings& findings) {
  if (subject.serving == nullptr || subject.memory == nullptr) {
    return findings.skip("its memory is not known");
  }
  const ServingPlan& plan = subject.serving->plan;
  if (!has_latent(subject.serving->server.model)) return findings.skip("no latent attention");
  if (plan.attention_dp.value) return;
  const std::int64_t ways = std::max<std::int64_t>(1, plan.tensor.value);
  const std::int64_t copies = ways / std::max<std::int64_t>(1, plan.context_parallel.value);
  if (copies <= 1) return;
  const EngineMemoryBudget& memory = *subject.memory;
  Finding finding;
  finding.place = place_of(subject.plan->tensor, subject);
  finding.subject = "tensor-parallel-size";
  finding.what = fmt::format("the latent K/V cache is there {} times: {} {} does not divide it",
                             digits(copies), name_of(plan.tensor, setting_names(subject).tensor),
                             digits(ways));
  finding.why = fmt::format("a token takes {} on each of the devices, whatever their number",
                            bytes_text(memory.kv_per_token));
  const std::int64_t before = memory.full_sequences.value;
  TriedFixes fixes(subject, [before](const EngineMemoryBudget& budget) {
    return budget.full_sequences.value > before;
  });
  if (plan.engine == Engine::vllm) {
    if (!has_own_names(*subject.launch)) fixes.attempt(with_context_parallel(ways));
    fixes.attempt(with_replicas(subject, ways));
  } else {
    fixes.attempt(with_attention_dp(subject, ways));
  }
  finding.fix = fixes.text();
  findings.add(std::move(finding));
}

}  // namespace roofline::rules
