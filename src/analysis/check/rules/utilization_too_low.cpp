// Memory that was paid for is left unused, while the K/V cache could have it.
#include <fmt/format.h>

#include "analysis/check/rules/rules.hpp"
#include "analysis/check/rules/setting_names.hpp"
#include "analysis/check/rules/tried_fixes.hpp"
#include "base/format.hpp"

namespace roofline::rules {
namespace {

constexpr double default_least = 0.6;
constexpr double usual_share = default_utilization;

std::string fix_of(const RuleSubject& subject, bool is_short) {
  const std::int64_t length = subject.serving->plan.max_model_len.value;
  TriedFixes fixes(subject, [is_short, length](const EngineMemoryBudget& budget) {
    return !is_short || holds_a_sequence(budget, length);
  });
  fixes.attempt(with_memory_share(subject, usual_share));
  return fixes.text();
}

}  // namespace

void utilization_too_low(const RuleSubject& subject, RuleFindings& findings) {
  const ServingPlan& plan = *subject.plan;
  if (!plan.memory_share.given) return findings.skip("the engine chooses its share");
  if (plan.engine == Engine::llama_cpp) return findings.skip("llama.cpp has no share");
  if (plan.kv_memory.given && plan.engine == Engine::vllm) {
    return findings.skip("the cache's bytes are given instead");
  }
  const double least = subject.threshold.value_or(default_least);
  const double share = plan.memory_share.value;
  const bool known = subject.memory != nullptr && subject.serving != nullptr;
  const bool is_short =
      known && subject.memory->longest.value < subject.serving->plan.max_model_len.value;
  if (share >= (is_short ? usual_share : least)) return;
  const std::string name = name_of(plan.memory_share, setting_names(subject).memory_share);
  Finding finding;
  finding.place = place_of(plan.memory_share, subject);
  finding.subject = "gpu-memory-utilization";
  finding.uncertain = !is_short;
  finding.what = fmt::format("{} {} leaves memory unused", name, format_exact(share));
  if (known) {
    const EngineMemoryBudget& memory = *subject.memory;
    finding.why = fmt::format(
        "{} of {} are not used, and {}", bytes_text(memory.total - memory.allowed),
        bytes_text(memory.total),
        is_short ? "the K/V cache is too small" : "nothing here says what else runs on the device");
    finding.fix = fix_of(subject, is_short);
  }
  findings.add(std::move(finding));
}

}  // namespace roofline::rules
