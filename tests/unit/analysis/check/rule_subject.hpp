// A launch for a rule to look at: a plan on a model and GPU of the catalogue, and a memory budget
// with figures that the test chooses.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "analysis/check/resolve.hpp"
#include "analysis/check/rule.hpp"
#include "roofline/catalog.hpp"

namespace roofline {

inline constexpr double gibibyte = 1024.0 * 1024 * 1024;

inline Bytes gib(double count) {
  return Bytes(count * gibibyte);
}

inline Place at(std::int64_t line, std::int64_t column = 1) {
  return {.file = "serve.yaml", .line = line, .column = column, .end_column = column + 1};
}

/// A value that a file gives.
template <class T>
Given<T> given(T value, std::string written = {}, std::int64_t line = 2) {
  return {
      .value = std::move(value), .written = std::move(written), .place = at(line), .given = true};
}

struct RuleCase {
  Launch launch{};
  ServingPlan plan{};
  std::optional<ResolvedServing> serving{};
  std::optional<EngineMemoryBudget> memory{};
  LaunchFigures figures{};
  std::optional<double> threshold{};
};

inline const Catalog& test_catalog() {
  static const Catalog catalog;
  return catalog;
}

/// A plan without a model and a GPU.
inline RuleCase plan_case(const std::function<void(ServingPlan&)>& change,
                          Engine engine = Engine::vllm) {
  RuleCase made;
  made.launch.engine = engine;
  made.launch.place = at(1);
  made.plan.engine = engine;
  made.plan.place = at(1);
  for (Given<std::int64_t>* ways :
       {&made.plan.tensor, &made.plan.pipeline, &made.plan.data, &made.plan.context_parallel}) {
    ways->value = 1;
  }
  change(made.plan);
  return made;
}

/// The plan on a model and a GPU, without a memory budget.
inline RuleCase served_case(const std::string& model, const std::string& gpu,
                            const std::function<void(ServingPlan&)>& change,
                            Engine engine = Engine::vllm) {
  RuleCase made = plan_case(change, engine);
  made.serving = resolve_serving(made.plan, test_catalog().model(model), test_catalog().device(gpu),
                                 test_catalog());
  return made;
}

/// A budget of 20 GiB of which 18 may be used, and 15 are weights. `kv` is left.
inline EngineMemoryBudget budget_of(const BytesEstimate& kv, const CountEstimate& longest) {
  EngineMemoryBudget budget;
  budget.total = gib(20);
  budget.allowed = gib(18);
  budget.weights = gib(15);
  budget.activations = {gib(0.5), gib(0.4), gib(0.6)};
  budget.graphs = {gib(0.25), gib(0.2), gib(0.3)};
  budget.other = {gib(0.125), gib(0.1), gib(0.2)};
  budget.kv = kv;
  budget.sequence = gib(16);
  budget.kv_tokens = longest;
  budget.kv_per_token = Bytes(131072);
  budget.longest = longest;
  return budget;
}

inline RuleSubject subject_of(const RuleCase& made) {
  return {.launch = &made.launch,
          .plan = &made.plan,
          .serving = made.serving ? &*made.serving : nullptr,
          .memory = made.memory ? &*made.memory : nullptr,
          .figures = &made.figures,
          .catalog = &test_catalog(),
          .threshold = made.threshold};
}

inline RuleFindings apply(void (*rule)(const RuleSubject&, RuleFindings&), const RuleCase& made) {
  RuleFindings findings;
  rule(subject_of(made), findings);
  return findings;
}

/// True if the rule looked and found nothing.
inline bool passes(void (*rule)(const RuleSubject&, RuleFindings&), const RuleCase& made) {
  const RuleFindings findings = apply(rule, made);
  return findings.findings().empty() && findings.skipped().empty();
}

/// The only finding; an empty one if there is none, or more.
inline Finding only_finding(void (*rule)(const RuleSubject&, RuleFindings&), const RuleCase& made) {
  const RuleFindings findings = apply(rule, made);
  return findings.findings().size() == 1 ? findings.findings().front() : Finding{};
}

}  // namespace roofline
