#include "analysis/check/figures.hpp"

#include <algorithm>
#include <utility>

#include "analysis/check/engine_kv.hpp"
#include "analysis/check/resolve.hpp"
#include "analysis/server_price.hpp"
#include "analysis/serving.hpp"
#include "roofline/analyze.hpp"

namespace roofline {
namespace {

std::string verdict_text(const AnalyzePoint& point) {
  return std::string(to_string(point.verdict()));
}

/// The decode step at that concurrency and mean context, and the prefill step of one prompt.
void add_verdicts(const ResolvedServing& serving, std::int64_t concurrency,
                  LaunchFigures& figures) {
  const Server& server = serving.server;
  const ServingPlan& plan = serving.plan;
  const std::int64_t context = plan.prompt.value + plan.output.value / 2;
  AnalyzeRequest request{.models = {server.model},
                         .devices = {server.device},
                         .workloads = {{"decode", Decode{.batch = concurrency, .context = context}},
                                       {"prefill", Prefill{.context = plan.prompt.value}}},
                         .precision = server.precision,
                         .deployment = server.deployment};
  const AnalyzeResult result = analyze(request);
  figures.decode_intensity = result.points.front().intensity();
  figures.decode_verdict = verdict_text(result.points.front());
  figures.prefill_verdict = verdict_text(result.points.back());
}

}  // namespace

std::int64_t concurrency_of(const ResolvedServing& serving, const EngineMemoryBudget& memory) {
  const ServingPlan& plan = serving.plan;
  if (plan.concurrency.given) return plan.concurrency.value;
  const std::int64_t tokens = plan.prompt.value + plan.output.value;
  const std::int64_t held = sequences_that_fit(serving, memory, tokens).value;
  return std::max<std::int64_t>(1, std::min(held, allowed_sequences(serving)));
}

LaunchFigures figures_of(const ResolvedServing& serving) {
  const Server& server = serving.server;
  LaunchFigures figures;
  figures.model = server.model.name;
  figures.gpu = server.device.name;
  figures.devices = server.deployment.devices();
  figures.memory = engine_memory(serving);
  const std::int64_t concurrency = concurrency_of(serving, *figures.memory);
  const Setting setting =
      make_setting(server.model, server.device, server.deployment, server.precision);
  Serving steady(setting, server, {serving.plan.prompt.value, serving.plan.output.value},
                 price_of(server));
  figures.serving = steady.at(concurrency);
  add_verdicts(serving, concurrency, figures);
  return figures;
}

std::optional<ResolvedServing> serving_with(const RuleSubject& subject,
                                            const std::function<void(ServingPlan&)>& change) {
  ServingPlan plan = *subject.plan;
  change(plan);
  const Server& server = subject.serving->server;
  try {
    ResolvedServing serving = resolve_serving(plan, server.model, server.device, *subject.catalog);
    if (can_deploy(server.model, serving.precision, serving.server.deployment)) return serving;
  } catch (const Error&) {  // the engine would refuse it
  }
  return std::nullopt;
}

std::optional<EngineMemoryBudget> memory_with(const RuleSubject& subject,
                                              const std::function<void(ServingPlan&)>& change) {
  const std::optional<ResolvedServing> serving = serving_with(subject, change);
  if (!serving) return std::nullopt;
  try {
    return engine_memory(*serving);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace roofline
