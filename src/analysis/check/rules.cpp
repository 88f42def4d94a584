// The table of rules: every id that a finding can have, with what it says by default.
#include "analysis/check/rules/rules.hpp"
#include "analysis/check/requirements.hpp"
#include "analysis/check/rule.hpp"

#include <algorithm>
#include <array>

namespace roofline {
namespace {

/// Findings that come from elsewhere: from what is ignored, or from a baseline.
void reported_elsewhere(const RuleSubject& /*subject*/, RuleFindings& /*findings*/) {}

void without_baseline(const RuleSubject& /*subject*/, RuleFindings& findings) {
  findings.skip("there is no baseline");
}

/// Rules of what a project requires: each shows the requirements of its name.
void require_concurrency(const RuleSubject& subject, RuleFindings& findings) {
  apply_requirements("require-concurrency", subject, findings);
}
void require_cost(const RuleSubject& subject, RuleFindings& findings) {
  apply_requirements("require-cost", subject, findings);
}
void require_decode_verdict(const RuleSubject& subject, RuleFindings& findings) {
  apply_requirements("require-decode-verdict", subject, findings);
}
void require_fits(const RuleSubject& subject, RuleFindings& findings) {
  apply_requirements("require-fits", subject, findings);
}
void require_intensity(const RuleSubject& subject, RuleFindings& findings) {
  apply_requirements("require-intensity", subject, findings);
}
void require_kv_tokens(const RuleSubject& subject, RuleFindings& findings) {
  apply_requirements("require-kv-tokens", subject, findings);
}
void require_prefill_verdict(const RuleSubject& subject, RuleFindings& findings) {
  apply_requirements("require-prefill-verdict", subject, findings);
}
void require_requests(const RuleSubject& subject, RuleFindings& findings) {
  apply_requirements("require-requests", subject, findings);
}
void require_throughput(const RuleSubject& subject, RuleFindings& findings) {
  apply_requirements("require-throughput", subject, findings);
}
void require_tpot(const RuleSubject& subject, RuleFindings& findings) {
  apply_requirements("require-tpot", subject, findings);
}
void require_ttft(const RuleSubject& subject, RuleFindings& findings) {
  apply_requirements("require-ttft", subject, findings);
}
void require_weights(const RuleSubject& subject, RuleFindings& findings) {
  apply_requirements("require-weights", subject, findings);
}

/// By id.
constexpr std::array rules_by_id{
    Rule{{"batched-tokens-too-small", Severity::error,
          "a step takes fewer tokens than a prompt or the sequences need"},
         rules::batched_tokens_too_small},
    Rule{{"context-beyond-model", Severity::error,
          "longer sequences are allowed than the model has positions for"},
         rules::context_beyond_model},
    Rule{{"decode-memory-bound", Severity::note,
          "decode stays memory-bound at the configured batch: more FLOP/s do not help"},
         rules::decode_memory_bound},
    Rule{{"dtype-unsupported", Severity::error,
          "the GPU has no unit for the type of weights, activations or K/V"},
         rules::dtype_unsupported},
    Rule{{"duplicate-key", Severity::warning, "a key is there twice: the last one counts"},
         rules::duplicate_key},
    Rule{{"gpu-count-mismatch", Severity::error,
          "more or fewer GPUs are asked for than tp x pp x dp"},
         rules::gpu_count_mismatch},
    Rule{{"ignore-without-reason", Severity::warning, "findings are ignored without a reason"},
         reported_elsewhere},
    Rule{{"ignored-key", Severity::warning, "the engine passes over a setting without a word"},
         rules::ignored_key},
    Rule{{"kv-below-max-num-seqs", Severity::warning,
          "the K/V cache holds far fewer sequences than may run at once"},
         rules::kv_below_max_num_seqs},
    Rule{{"kv-too-small", Severity::error,
          "the K/V cache cannot hold one sequence of max-model-len"},
         rules::kv_too_small},
    Rule{{"latent-kv-not-divided", Severity::note,
          "tensor parallelism leaves a whole latent K/V cache on every device"},
         rules::latent_kv_not_divided},
    Rule{{"not-divisible", Severity::error,
          "heads, experts, layers or blocks do not divide by the number of devices"},
         rules::not_divisible},
    Rule{{"regression", Severity::error, "a figure is worse than in the baseline"},
         without_baseline},
    Rule{{"require-concurrency", Severity::error,
          "fewer sequences in flight than required, or more"},
         require_concurrency},
    Rule{{"require-cost", Severity::error, "output tokens cost more than required, at the least"},
         require_cost},
    Rule{{"require-decode-verdict", Severity::error,
          "decode is bound by something else than required"},
         require_decode_verdict},
    Rule{{"require-fits", Severity::error,
          "a sequence of max-model-len does not fit, or does, against what is required"},
         require_fits},
    Rule{{"require-intensity", Severity::error,
          "the arithmetic intensity of decode is not as required"},
         require_intensity},
    Rule{{"require-kv-tokens", Severity::error,
          "the K/V cache does not hold the tokens that are required"},
         require_kv_tokens},
    Rule{{"require-prefill-verdict", Severity::error,
          "prefill is bound by something else than required"},
         require_prefill_verdict},
    Rule{{"require-requests", Severity::error, "the request rate cannot be reached"},
         require_requests},
    Rule{{"require-throughput", Severity::error, "the rate of output tokens cannot be reached"},
         require_throughput},
    Rule{{"require-tpot", Severity::error,
          "the time per output token is longer than required, at the least"},
         require_tpot},
    Rule{{"require-ttft", Severity::error,
          "the time to the first token is longer than required, at the least"},
         require_ttft},
    Rule{{"require-weights", Severity::error, "weights take more of a device than required"},
         require_weights},
    Rule{{"unknown-key", Severity::error, "the engine has no such setting"}, rules::unknown_key},
    Rule{{"unused-ignore", Severity::warning, "an ignore comment that nothing is ignored by"},
         reported_elsewhere},
    Rule{{"utilization-too-high", Severity::warning,
          "so much memory is given to the engine that the rest is too small"},
         rules::utilization_too_high},
    Rule{{"utilization-too-low", Severity::warning,
          "memory is left unused that the K/V cache could have"},
         rules::utilization_too_low},
    Rule{{"weights-too-large", Severity::error, "weights leave nothing for the K/V cache"},
         rules::weights_too_large},
    Rule{{"yaml-surprise", Severity::warning, "YAML reads a value as something else than it looks"},
         rules::yaml_surprise},
};

}  // namespace

const std::vector<Rule>& all_rules() {
  static const std::vector<Rule> rules(rules_by_id.begin(), rules_by_id.end());
  return rules;
}

const std::vector<RuleInfo>& check_rules() {
  static const std::vector<RuleInfo> infos = [] {
    std::vector<RuleInfo> list;
    for (const Rule& rule : all_rules()) list.push_back(rule.info);
    return list;
  }();
  return infos;
}

std::vector<std::string> rule_ids() {
  std::vector<std::string> ids;
  for (const RuleInfo& info : check_rules()) ids.emplace_back(info.id);
  return ids;
}

const RuleInfo* find_rule(std::string_view id) {
  const std::vector<RuleInfo>& infos = check_rules();
  const auto found = std::lower_bound(
      infos.begin(), infos.end(), id,
      [](const RuleInfo& info, std::string_view wanted) { return info.id < wanted; });
  return found != infos.end() && found->id == id ? &*found : nullptr;
}

}  // namespace roofline
