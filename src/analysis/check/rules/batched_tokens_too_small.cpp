// A step takes fewer tokens than it has to: a whole prompt where prompts are not cut into chunks,
// and one token of each sequence.
#include <fmt/format.h>

#include "analysis/check/rules/rules.hpp"
#include "analysis/check/rules/setting_names.hpp"
#include "analysis/check/rules/tried_fixes.hpp"

namespace roofline::rules {
namespace {

/// What fits in memory now must fit with the fix too.
TriedFixes fixes_that_fit(const RuleSubject& subject) {
  const std::int64_t length = subject.serving->plan.max_model_len.value;
  const bool fits = subject.memory != nullptr && holds_a_sequence(*subject.memory, length);
  return {subject, [fits, length](const EngineMemoryBudget& budget) {
            return !fits || holds_a_sequence(budget, std::min(length, budget.longest.value));
          }};
}

Change with_batched_tokens(const RuleSubject& subject, std::int64_t tokens) {
  const ServingPlan& plan = subject.serving->plan;
  return {fmt::format("{} {}", name_of(plan.batched_tokens, setting_names(subject).batched_tokens),
                      digits(tokens)),
          [tokens](ServingPlan& changed) { give(changed.batched_tokens, tokens); }};
}

Change with_chunked_prefill(const RuleSubject& subject) {
  const ServingPlan& plan = subject.serving->plan;
  std::string name(setting_names(subject).chunked_prefill);
  // "no-enable-chunked-prefill" is turned round, not set to true.
  if (plan.chunked_prefill.written.find("no") != 0 && plan.chunked_prefill.given) {
    name = name_of(plan.chunked_prefill, name);
  }
  return {fmt::format("{} true", name),
          [](ServingPlan& changed) { give(changed.chunked_prefill, true); }};
}

void check_prompts(const RuleSubject& subject, RuleFindings& findings) {
  const ServingPlan& plan = subject.serving->plan;
  const std::int64_t tokens = plan.batched_tokens.value;
  const std::int64_t length = plan.max_model_len.value;
  if (plan.chunked_prefill.value || tokens >= length) return;
  const SettingNames& names = setting_names(subject);
  Finding finding;
  finding.place = place_of(subject.plan->batched_tokens, subject);
  finding.subject = "max-model-len";
  finding.uncertain = plan.engine != Engine::vllm;
  finding.what =
      fmt::format("{} {} is below {} {}", name_of(plan.batched_tokens, names.batched_tokens),
                  digits(tokens), name_of(plan.max_model_len, names.max_model_len), digits(length));
  finding.why =
      plan.engine == Engine::vllm
          ? "prompts are not cut into chunks, and a longer one would fit in no step: vLLM "
            "refuses to start"
          : fmt::format(
                "prompts are not cut into chunks: {} refuses each of more than {} "
                "tokens",
                engine_title(plan.engine), digits(tokens));
  TriedFixes fixes = fixes_that_fit(subject);
  fixes.attempt(with_chunked_prefill(subject));
  fixes.attempt(with_batched_tokens(subject, length));
  fixes.attempt(with_max_model_len(subject, tokens));
  finding.fix = fixes.text();
  findings.add(std::move(finding));
}

void check_sequences(const RuleSubject& subject, RuleFindings& findings) {
  const ServingPlan& plan = subject.serving->plan;
  const std::int64_t tokens = plan.batched_tokens.value;
  const std::int64_t sequences = plan.max_sequences.value;
  if (plan.engine != Engine::vllm || tokens >= sequences) return;
  const SettingNames& names = setting_names(subject);
  Finding finding;
  finding.place = place_of(subject.plan->batched_tokens, subject);
  finding.subject = "max-num-seqs";
  finding.what = fmt::format("{} {} is below {} {}",
                             name_of(plan.batched_tokens, names.batched_tokens), digits(tokens),
                             name_of(plan.max_sequences, names.max_sequences), digits(sequences));
  finding.why = "vLLM refuses to start: a decode step has a token of each sequence";
  TriedFixes fixes = fixes_that_fit(subject);
  fixes.attempt(with_batched_tokens(subject, sequences));
  fixes.attempt(with_max_sequences(subject, tokens));
  finding.fix = fixes.text();
  findings.add(std::move(finding));
}

}  // namespace

void batched_tokens_too_small(const RuleSubject& subject, RuleFindings& findings) {
  if (subject.serving == nullptr) return findings.skip("its model or GPU is not known");
  const ServingPlan& plan = subject.serving->plan;
  if (plan.engine != Engine::vllm && plan.engine != Engine::tensorrt_llm) {
    return findings.skip(fmt::format("{} cuts prompts as it has to", engine_title(plan.engine)));
  }
  if (!plan.batched_tokens.given) return findings.skip("the engine chooses the size of a step");
  check_prompts(subject, findings);
  check_sequences(subject, findings);
}

}  // namespace roofline::rules
