// The K/V cache cannot hold one sequence of the longest length that is allowed: vLLM and others
// refuse to start.
#include <fmt/format.h>

#include <algorithm>

#include <optional>
#include <string>

#include "analysis/check/figures.hpp"
#include "analysis/check/rules/rules.hpp"
#include "analysis/check/rules/setting_names.hpp"
#include "analysis/check/rules/tried_fixes.hpp"

namespace roofline::rules {
namespace {

/// The longest length that is held for sure. What a shorter one leaves for K/V may differ, as steps
/// get smaller with it: so it is tried, and what that holds after it.
void attempt_shorter(const RuleSubject& subject, TriedFixes& fixes, std::int64_t& wanted) {
  constexpr int most_trials = 4;
  constexpr std::int64_t most_tokens = std::int64_t{1} << 40;
  wanted = std::min(subject.memory->longest.low,
                    subject.serving->server.model.max_context.value_or(most_tokens));
  for (int trial = 0; trial < most_trials && wanted > 0; ++trial) {
    const Change change = with_max_model_len(subject, wanted);
    if (fixes.attempt(change)) return;
    const std::optional<EngineMemoryBudget> budget = memory_with(subject, change.apply);
    if (!budget || budget->longest.low >= wanted) return;
    wanted = budget->longest.low;
  }
}

std::string fixes(const RuleSubject& subject) {
  std::int64_t wanted = 0;
  TriedFixes fixes(
      subject, [&](const EngineMemoryBudget& budget) { return holds_a_sequence(budget, wanted); });
  attempt_shorter(subject, fixes, wanted);
  wanted = subject.serving->plan.max_model_len.value;
  if (takes_8_bit_kv(subject)) fixes.attempt(with_8_bit_kv(subject));
  fixes.attempt_tensor();
  fixes.attempt_memory_share();
  return fixes.text();
}

std::string left_text(const BytesEstimate& kv) {
  if (kv.low == kv.high) return bytes_text(kv.value);
  return fmt::format("{} ({} to {})", bytes_text(kv.value), bytes_text(kv.low),
                     bytes_text(kv.high));
}

std::string length_name(const RuleSubject& subject) {
  const ServingPlan& plan = subject.serving->plan;
  std::string name = name_of(plan.max_model_len, setting_names(subject).max_model_len);
  return sharing_slots(plan) > 1 ? "each slot's part of " + name : name;
}

/// vLLM takes the longest length that fits where it is "auto".
bool fits_itself(const RuleSubject& subject) {
  return subject.plan->engine == Engine::vllm && !subject.plan->max_model_len.given &&
         subject.launch->find("max-model-len") != nullptr;
}

/// llama.cpp shortens a context that is not given, and else leaves layers in the host's memory.
std::string shrink_text(const ServingPlan& plan, std::int64_t holds, std::string_view name) {
  if (plan.max_model_len.given) {
    return fmt::format("{} keeps layers in host memory: {} tokens fit on the GPU, {} is {}",
                       engine_title(plan.engine), digits(holds), name,
                       digits(plan.max_model_len.value));
  }
  return fmt::format("{} shrinks {} to {} tokens, the model has {}", engine_title(plan.engine),
                     name, digits(holds), digits(plan.max_model_len.value));
}

}  // namespace

void kv_too_small(const RuleSubject& subject, RuleFindings& findings) {
  if (subject.memory == nullptr) return findings.skip("its memory is not known");
  const EngineMemoryBudget& memory = *subject.memory;
  if (!memory.kv_tokens) return findings.skip("a model without K/V");
  if (memory.kv.high <= Bytes()) return findings.skip("nothing is left for K/V at all");
  const ServingPlan& plan = subject.serving->plan;
  const std::int64_t length = plan.max_model_len.value;
  if (memory.longest.low >= length) return;
  const std::string name = length_name(subject);
  const bool shrinks = memory.shrinks || fits_itself(subject);
  const bool perhaps = memory.longest.high >= length;
  Finding finding;
  finding.place = place_of(subject.plan->max_model_len, subject);
  finding.subject = "max-model-len";
  finding.uncertain = perhaps || shrinks;
  // The others start, and refuse a request that is too long.
  if (plan.engine != Engine::vllm && !plan.max_model_len.given) finding.severity = Severity::note;
  if (shrinks) {
    finding.severity = Severity::note;
    finding.what = shrink_text(plan, perhaps ? memory.longest.low : memory.longest.value, name);
  } else if (perhaps) {
    finding.what = fmt::format("K/V cache may hold only {} tokens, {} is {}",
                               digits(memory.longest.low), name, digits(length));
  } else {
    finding.what = fmt::format("K/V cache holds {} tokens, {} is {}", digits(memory.longest.value),
                               name, digits(length));
  }
  finding.why =
      fmt::format("one sequence of that length needs {} on each device; {} is left of {}{}",
                  bytes_text(memory.sequence), left_text(memory.kv), bytes_text(memory.total),
                  plan.max_model_len.given ? "" : "; the length is the model's own");
  finding.fix = fixes(subject);
  findings.add(std::move(finding));
}

}  // namespace roofline::rules
