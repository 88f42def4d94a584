// Weights, and what a step needs beside them, leave nothing for K/V: no engine starts so.
#include <fmt/format.h>

#include "analysis/check/rules/rules.hpp"
#include "analysis/check/rules/setting_names.hpp"
#include "analysis/check/rules/tried_fixes.hpp"

namespace roofline::rules {
namespace {

std::string fixes(const RuleSubject& subject) {
  const ServingPlan& plan = subject.serving->plan;
  const auto tried = [&](const TriedFixes::Test& good) {
    TriedFixes fixes(subject, good);
    fixes.attempt_tensor();
    if (takes_fp8_weights(subject)) {
      fixes.attempt(with_fp8_weights(subject));
    }
    fixes.attempt_memory_share();
    return fixes.text();
  };
  std::string start = tried([&](const EngineMemoryBudget& budget) {
    return holds_a_sequence(budget, plan.max_model_len.value);
  });
  if (!start.empty()) return start;
  return tried([](const EngineMemoryBudget& budget) { return budget.kv.low > Bytes(); });
}

}  // namespace

void weights_too_large(const RuleSubject& subject, RuleFindings& findings) {
  if (subject.memory == nullptr) return findings.skip("its memory is not known");
  const EngineMemoryBudget& memory = *subject.memory;
  if (memory.kv.high > Bytes()) return;
  Finding finding;
  finding.place = place_of(subject.plan->model, subject);
  finding.subject = "weights";
  finding.what = fmt::format("nothing is left for K/V: weights take {}, {} may use {}",
                             bytes_text(memory.weights), engine_title(subject.plan->engine),
                             bytes_text(memory.allowed));
  finding.why =
      fmt::format("beside them activations take {}, graphs {}, the rest {}; the device has {}",
                  bytes_text(memory.activations.value), bytes_text(memory.graphs.value),
                  bytes_text(memory.other.value), bytes_text(memory.total));
  if (memory.shrinks) {
    finding.uncertain = true;
    finding.severity = Severity::note;
    finding.why += "; layers that do not fit stay in host memory";
  }
  finding.fix = fixes(subject);
  findings.add(std::move(finding));
}

}  // namespace roofline::rules
