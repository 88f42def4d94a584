// So much of the memory is given to the engine that what lives in the rest has no room.
#include <fmt/format.h>

#include "analysis/check/rules/rules.hpp"
#include "analysis/check/rules/setting_names.hpp"
#include "analysis/check/rules/tried_fixes.hpp"
#include "analysis/check/step_activations.hpp"
#include "base/format.hpp"

namespace roofline::rules {
namespace {

constexpr double default_most = 0.95;
constexpr Bytes context_bytes{0.5 * gib};        ///< the CUDA context and its libraries
constexpr Bytes communication_bytes{0.5 * gib};  ///< NCCL's buffers, of more devices than one

/// What an engine does not charge to its share.
Bytes outside(const RuleSubject& subject) {
  Bytes bytes = context_bytes;
  if (subject.serving->server.deployment.devices() > 1) bytes = bytes + communication_bytes;
  // SGLang's share is of weights and K/V alone.
  if (subject.plan->engine == Engine::sglang) {
    bytes = bytes + subject.memory->activations.value + subject.memory->graphs.value;
  }
  return bytes;
}

std::string contents(const RuleSubject& subject) {
  std::string text = "the CUDA context";
  if (subject.serving->server.deployment.devices() > 1) text += ", NCCL's buffers";
  if (subject.plan->engine == Engine::sglang) text += ", activations and graphs";
  return text;
}

/// A sequence that fits now has to fit with the fix too.
std::string fix_of(const RuleSubject& subject, double most) {
  const std::int64_t length = subject.serving->plan.max_model_len.value;
  const bool fits = holds_a_sequence(*subject.memory, length);
  TriedFixes fixes(subject, [fits, length](const EngineMemoryBudget& budget) {
    return !fits || holds_a_sequence(budget, length);
  });
  fixes.attempt(with_memory_share(subject, most));
  return fixes.text();
}

}  // namespace

void utilization_too_high(const RuleSubject& subject, RuleFindings& findings) {
  const ServingPlan& plan = *subject.plan;
  if (!plan.memory_share.given) return findings.skip("the engine chooses its share");
  if (plan.engine == Engine::llama_cpp) return findings.skip("llama.cpp has no share");
  if (plan.kv_memory.given && plan.engine == Engine::vllm) {
    return findings.skip("the cache's bytes are given instead");
  }
  const double most = subject.threshold.value_or(default_most);
  const double share = plan.memory_share.value;
  if (share <= most) return;
  const std::string name = name_of(plan.memory_share, setting_names(subject).memory_share);
  Finding finding;
  finding.place = place_of(plan.memory_share, subject);
  finding.subject = "gpu-memory-utilization";
  finding.what = fmt::format("{} {} is above {}", name, format_exact(share), format_exact(most));
  if (subject.memory != nullptr && subject.serving != nullptr) {
    const Bytes rest = subject.memory->total - subject.memory->allowed;
    const Bytes needed = outside(subject);
    finding.uncertain = rest >= needed;
    finding.why =
        fmt::format("{} of {} are left for {}: about {}, and memory fragments", bytes_text(rest),
                    bytes_text(subject.memory->total), contents(subject), bytes_text(needed));
    finding.fix = fix_of(subject, most);
  }
  findings.add(std::move(finding));
}

}  // namespace roofline::rules
