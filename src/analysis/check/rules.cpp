// The table of rules: every id that a finding can have, with what it says by default.
#include "analysis/check/rules/rules.hpp"
#include "analysis/check/requirements.hpp"
#include "analysis/check/rule.hpp"

#include <algorithm>

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

const std::vector<Rule>& table() {
  static const std::vector<Rule> rules{
      {{"batched-tokens-too-small", Severity::error,
        "a step takes fewer tokens than a prompt or the sequences need"},
       rules::batched_tokens_too_small},
      {{"context-beyond-model", Severity::error,
        "longer sequences are allowed than the model has positions for"},
       rules::context_beyond_model},
      {{"decode-memory-bound", Severity::note,
        "decode stays memory-bound at the configured batch: more FLOP/s do not help"},
       rules::decode_memory_bound},
      {{"dtype-unsupported", Severity::error,
        "the GPU has no unit for the type of weights, activations or K/V"},
       rules::dtype_unsupported},
      {{"duplicate-key", Severity::warning, "a key is there twice: the last one counts"},
       rules::duplicate_key},
      {{"gpu-count-mismatch", Severity::error,
        "more or fewer GPUs are asked for than tp x pp x dp"},
       rules::gpu_count_mismatch},
      {{"ignore-without-reason", Severity::warning, "findings are ignored without a reason"},
       reported_elsewhere},
      {{"ignored-key", Severity::warning, "the engine passes over a setting without a word"},
       rules::ignored_key},
      {{"kv-below-max-num-seqs", Severity::warning,
        "the K/V cache holds far fewer sequences than may run at once"},
       rules::kv_below_max_num_seqs},
      {{"kv-too-small", Severity::error, "the K/V cache cannot hold one sequence of max-model-len"},
       rules::kv_too_small},
      {{"latent-kv-not-divided", Severity::note,
        "tensor parallelism leaves a whole latent K/V cache on every device"},
       rules::latent_kv_not_divided},
      {{"not-divisible", Severity::error,
        "heads, experts, layers or blocks do not divide by the number of devices"},
       rules::not_divisible},
      {{"regression", Severity::error, "a figure is worse than in the baseline"}, without_baseline},
      {{"require-concurrency", Severity::error, "fewer sequences in flight than required, or more"},
       require_concurrency},
      {{"require-cost", Severity::error, "output tokens cost more than required, at the least"},
       require_cost},
      {{"require-decode-verdict", Severity::error,
        "decode is bound by something else than required"},
       require_decode_verdict},
      {{"require-fits", Severity::error,
        "a sequence of max-model-len does not fit, or does, against what is required"},
       require_fits},
      {{"require-intensity", Severity::error,
        "the arithmetic intensity of decode is not as required"},
       require_intensity},
      {{"require-kv-tokens", Severity::error,
        "the K/V cache does not hold the tokens that are required"},
       require_kv_tokens},
      {{"require-prefill-verdict", Severity::error,
        "prefill is bound by something else than required"},
       require_prefill_verdict},
      {{"require-requests", Severity::error, "the request rate cannot be reached"},
       require_requests},
      {{"require-throughput", Severity::error, "the rate of output tokens cannot be reached"},
       require_throughput},
      {{"require-tpot", Severity::error,
        "the time per output token is longer than required, at the least"},
       require_tpot},
      {{"require-ttft", Severity::error,
        "the time to the first token is longer than required, at the least"},
       require_ttft},
      {{"require-weights", Severity::error, "weights take more of a device than required"},
       require_weights},
      {{"unknown-key", Severity::error, "the engine has no such setting"}, rules::unknown_key},
      {{"unused-ignore", Severity::warning, "an ignore comment that nothing is ignored by"},
       reported_elsewhere},
      {{"utilization-too-high", Severity::warning,
        "so much memory is given to the engine that the rest is too small"},
       rules::utilization_too_high},
      {{"utilization-too-low", Severity::warning,
        "memory is left unused that the K/V cache could have"},
       rules::utilization_too_low},
      {{"weights-too-large", Severity::error, "weights leave nothing for the K/V cache"},
       rules::weights_too_large},
      {{"yaml-surprise", Severity::warning, "YAML reads a value as something else than it looks"},
       rules::yaml_surprise},
  };
  return rules;
}

}  // namespace

const std::vector<Rule>& all_rules() {
  return table();
}

const std::vector<RuleInfo>& check_rules() {
  static const std::vector<RuleInfo> infos = [] {
    std::vector<RuleInfo> list;
    for (const Rule& rule : all_rules()) list.push_back(rule.info);
    return list;
  }();
  return infos;
}

const RuleInfo* find_rule(std::string_view id) {
  const std::vector<RuleInfo>& infos = check_rules();
  const auto found = std::lower_bound(
      infos.begin(), infos.end(), id,
      [](const RuleInfo& info, std::string_view wanted) { return info.id < wanted; });
  return found != infos.end() && found->id == id ? &*found : nullptr;
}

}  // namespace roofline
