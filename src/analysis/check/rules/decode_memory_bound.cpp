// Decode stays memory-bound at the largest batch that is configured: FLOP/s are not what it lacks.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/check/engine_kv.hpp"
#include "analysis/check/rules/rules.hpp"
#include "analysis/check/rules/setting_names.hpp"
#include "analysis/evaluator.hpp"
#include "base/format.hpp"
#include "roofline/error.hpp"
#include "roofline/serve.hpp"
#include "roofline/solve.hpp"

namespace roofline::rules {
namespace {

std::string where_compute_bound(const Server& server, std::int64_t context, std::int64_t held) {
  SolveRequest request{.unknown = SolveFor::batch, .server = server, .context = context};
  request.constraints.compute_bound = true;
  const SolveResult result = solve(request);
  if (!result.answer) return "no batch makes it compute-bound at this context";
  return fmt::format("it is compute-bound from {} sequences on{}", digits(*result.answer),
                     *result.answer > held ? ", more than the K/V cache holds" : "");
}

Finding finding_of(const RuleSubject& subject, const StepTime& time, std::int64_t batch,
                   std::int64_t held, std::int64_t context) {
  const ServingPlan& plan = subject.serving->plan;
  const std::int64_t allowed = allowed_sequences(*subject.serving);
  const std::string most =
      batch < allowed
          ? "as many as the K/V cache holds"
          : fmt::format("as many as {} allows",
                        name_of(plan.max_sequences, setting_names(subject).max_sequences));
  Finding finding;
  finding.place = place_of(subject.plan->max_sequences, subject);
  finding.subject = "decode";
  finding.what = fmt::format("decode is memory-bound at {} sequences: {} FLOP/byte, ridge {}",
                             digits(batch), format_significant(time.intensity().value()),
                             format_significant(time.roof.ridge().value()));
  finding.why =
      fmt::format("{}, at context {}; more FLOP/s do not help, bandwidth does; {}", most,
                  digits(context), where_compute_bound(subject.serving->server, context, held));
  return finding;
}

}  // namespace

void decode_memory_bound(const RuleSubject& subject, RuleFindings& findings) {
  if (subject.serving == nullptr || subject.memory == nullptr) {
    return findings.skip("its memory is not known");
  }
  const ResolvedServing& serving = *subject.serving;
  const Server& server = serving.server;
  const RequestShape shape{serving.plan.prompt.value, serving.plan.output.value};
  const std::int64_t held =
      sequences_that_fit(serving, *subject.memory, shape.prompt + shape.output).value;
  const std::int64_t batch = std::min(held, allowed_sequences(serving));
  if (batch < 1) return findings.skip("the K/V cache holds no sequence");
  const std::int64_t context = shape.prompt + shape.output / 2;
  try {
    const Setting setting =
        make_setting(server.model, server.device, server.deployment, server.precision);
    Evaluator evaluator(setting, server.experts);
    const StepTime& time = evaluator.evaluate(decode_step(batch, context));
    if (time.verdict() != Verdict::memory_bound) return;
    findings.add(finding_of(subject, time, batch, held, context));
  } catch (const Error& error) {
    findings.skip(error.what());
  }
}

}  // namespace roofline::rules
