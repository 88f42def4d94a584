// Settings that the engine passes over without a word: what the reader saw, flags that do nothing
// any more, and a share of the memory beside a number of bytes.
#include <fmt/format.h>

#include "analysis/check/resolve.hpp"
#include "analysis/check/rules/remarks.hpp"
#include "analysis/check/rules/rules.hpp"
#include "analysis/check/rules/setting_names.hpp"
#include "spec/serving/command_line.hpp"

namespace roofline::rules {
namespace {

/// vLLM's first engine still used what the second one ignores.
bool is_first_engine(const Launch& launch) {
  return launch.engine == Engine::vllm && !launch.version.empty() &&
         !is_at_least(launch.version, "0.8");
}

void add_idle_flags(const Launch& launch, RuleFindings& findings) {
  if (is_first_engine(launch) || has_own_names(launch)) return;
  const EngineFlags& flags = engine_flags(launch.engine);
  for (const EngineSetting& setting : launch.settings) {
    const EngineFlag* flag = find_flag(flags, setting.name);
    if (flag == nullptr || !flag->removed.starts_with("ignored")) continue;
    Finding finding;
    finding.place = setting.place;
    finding.subject = setting.name;
    finding.what = fmt::format("{} does nothing", setting.written);
    finding.why = fmt::format("{} takes it and ignores it{}", engine_title(launch.engine),
                              flag->removed.substr(std::string_view("ignored").size()));
    finding.fix = fmt::format("leave out {}", setting.written);
    findings.add(std::move(finding));
  }
}

void add_idle_share(const RuleSubject& subject, RuleFindings& findings) {
  const ServingPlan& plan = *subject.plan;
  if (plan.engine != Engine::vllm || !plan.kv_memory.given || !plan.memory_share.given) return;
  const std::string name = name_of(plan.memory_share, setting_names(subject).memory_share);
  Finding finding;
  finding.place = place_of(plan.memory_share, subject);
  finding.subject = "gpu-memory-utilization";
  finding.what = fmt::format("{} does nothing", name);
  finding.why = fmt::format("{} says how large the cache is",
                            name_of(plan.kv_memory, "kv-cache-memory-bytes"));
  finding.fix = fmt::format("leave out {}", name);
  findings.add(std::move(finding));
}

}  // namespace

void ignored_key(const RuleSubject& subject, RuleFindings& findings) {
  add_remarks("ignored-key", subject, findings);
  add_idle_flags(*subject.launch, findings);
  add_idle_share(subject, findings);
}

}  // namespace roofline::rules
