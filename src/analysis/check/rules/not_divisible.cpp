// Heads, K/V heads, widths, experts, quantisation blocks and layers that do not divide by the
// number of devices: engines refuse it.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "analysis/check/rules/rules.hpp"
#include "analysis/check/rules/setting_names.hpp"
#include "analysis/check/rules/tried_fixes.hpp"
#include "roofline/step.hpp"

namespace roofline::rules {
namespace {

/// What a problem is about: the way of sharing that its text ends in.
enum class Way { tensor, pipeline, expert };

Way way_of(const Diagnostic& problem) {
  if (problem.what.find("(ep ") != std::string::npos) return Way::expert;
  if (problem.what.find("(pp ") != std::string::npos) return Way::pipeline;
  return Way::tensor;
}

Change with_pipeline(const RuleSubject& subject, std::int64_t stages) {
  return {fmt::format("{} {}", name_of(subject.plan->pipeline, setting_names(subject).pipeline),
                      digits(stages)),
          [stages](ServingPlan& changed) { give(changed.pipeline, stages); }};
}

Change with_experts_spread(const RuleSubject& subject, std::int64_t ranks) {
  const ServingPlan& plan = *subject.plan;
  const std::string_view usual = setting_names(subject).expert;
  if (plan.engine == Engine::vllm && !has_own_names(*subject.launch)) {
    return {fmt::format("{} true", name_of(plan.expert_parallel, usual)),
            [](ServingPlan& changed) { give(changed.expert_parallel, true); }};
  }
  return {fmt::format("{} {}", name_of(plan.expert, usual), digits(ranks)),
          [ranks](ServingPlan& changed) { give(changed.expert, ranks); }};
}

/// The nearest below and above of those that can be run.
void attempt_nearest(TriedFixes& fixes, std::int64_t wrong, std::int64_t most,
                     const std::function<Change(std::int64_t)>& with) {
  for (std::int64_t value = std::min(wrong - 1, most); value >= 1; --value) {
    if (fixes.attempt(with(value))) break;
  }
  for (std::int64_t value = wrong + 1; value <= std::min(4 * wrong, most); ++value) {
    if (fixes.attempt(with(value))) break;
  }
}

std::string fix_of(const RuleSubject& subject, Way way) {
  const ServingPlan& plan = subject.serving->plan;
  if (setting_names(subject).tensor.empty()) return {};
  constexpr std::int64_t most_ways = 1024;
  TriedFixes fixes(subject, [](const EngineMemoryBudget& /*any*/) { return true; });
  const auto tensor = [&](std::int64_t ways) { return with_tensor(subject, ways); };
  switch (way) {
    case Way::pipeline: {
      const std::int64_t layers = layer_count(subject.serving->server.model);
      attempt_nearest(fixes, plan.pipeline.value, layers,
                      [&](std::int64_t stages) { return with_pipeline(subject, stages); });
      return fixes.text();
    }
    case Way::expert:
      if (plan.engine != Engine::vllm || plan.expert.given) {
        attempt_nearest(fixes, subject.serving->server.deployment.expert, most_ways,
                        [&](std::int64_t ranks) { return with_experts_spread(subject, ranks); });
      } else {
        attempt_nearest(fixes, plan.tensor.value, most_ways, tensor);
      }
      return fixes.text();
    case Way::tensor:
      break;
  }
  attempt_nearest(fixes, plan.tensor.value, most_ways, tensor);
  if (subject.serving->server.deployment.expert == 1) {
    fixes.attempt(with_experts_spread(subject, plan.tensor.value));
  }
  return fixes.text();
}

Place place_of_way(const RuleSubject& subject, Way way) {
  const ServingPlan& plan = *subject.plan;
  if (way == Way::pipeline) return place_of(plan.pipeline, subject);
  if (way == Way::tensor) return place_of(plan.tensor, subject);
  if (plan.expert.place) return *plan.expert.place;
  return place_of(plan.expert_parallel, subject);
}

std::string_view subject_of(Way way) {
  switch (way) {
    case Way::pipeline:
      return "pipeline-parallel-size";
    case Way::expert:
      return "expert-parallel-size";
    case Way::tensor:
      break;
  }
  return "tensor-parallel-size";
}

}  // namespace

void not_divisible(const RuleSubject& subject, RuleFindings& findings) {
  if (subject.serving == nullptr) return findings.skip("its model or GPU is not known");
  const Server& server = subject.serving->server;
  if (server.deployment.devices() == 1 && server.deployment.expert == 1) {
    return findings.skip("one device");
  }
  for (const Diagnostic& problem :
       deployment_problems(server.model, subject.serving->precision, server.deployment)) {
    const Way way = way_of(problem);
    Finding finding;
    finding.place = place_of_way(subject, way);
    finding.subject = subject_of(way);
    finding.what = problem.what;
    finding.why = problem.why;
    finding.fix = fix_of(subject, way);
    findings.add(std::move(finding));
  }
}

}  // namespace roofline::rules
