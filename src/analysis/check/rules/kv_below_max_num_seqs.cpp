// The K/V cache holds far fewer sequences, at the lengths that are stated, than may run at once:
// the rest waits, or is preempted and computed again.
#include <fmt/format.h>

#include <cmath>

#include "analysis/check/engine_kv.hpp"
#include "analysis/check/figures.hpp"
#include "analysis/check/rules/rules.hpp"
#include "analysis/check/rules/setting_names.hpp"
#include "analysis/check/rules/tried_fixes.hpp"
#include "base/format.hpp"
#include "base/number.hpp"
#include "roofline/error.hpp"

namespace roofline::rules {
namespace {

constexpr double default_share = 0.5;

/// A change after which enough of them are held.
std::string fix_of(const RuleSubject& subject, std::int64_t tokens, double share) {
  std::string text;
  const auto attempt = [&](const Change& change) {
    try {
      const std::optional<ResolvedServing> serving = serving_with(subject, change.apply);
      if (!serving) return;
      const CountEstimate held = sequences_that_fit(*serving, engine_memory(*serving), tokens);
      if (number(held.value) < share * number(allowed_sequences(*serving))) return;
      text += (text.empty() ? "" : " or ") + change.text;
    } catch (const Error&) {  // it cannot be run so
    }
  };
  const std::int64_t held = sequences_that_fit(*subject.serving, *subject.memory, tokens).value;
  const std::int64_t engines =
      allowed_sequences(*subject.serving) / subject.serving->plan.max_sequences.value;
  const std::int64_t each = held / engines;
  if (each > 0) attempt(with_max_sequences(subject, each));
  if (takes_8_bit_kv(subject)) attempt(with_8_bit_kv(subject));
  return text;
}

}  // namespace

void kv_below_max_num_seqs(const RuleSubject& subject, RuleFindings& findings) {
  if (subject.serving == nullptr || subject.memory == nullptr) {
    return findings.skip("its memory is not known");
  }
  const ServingPlan& given = *subject.plan;
  const ServingPlan& plan = subject.serving->plan;
  if (!subject.memory->kv_tokens) return findings.skip("a model without K/V");
  if (!given.prompt.given || !given.output.given) {
    return findings.skip("no lengths of prompts and outputs are stated");
  }
  if (!given.max_sequences.given) return findings.skip("the engine chooses how many may run");
  if (subject.memory->kv.high <= Bytes()) return findings.skip("nothing is left for K/V at all");
  const std::int64_t tokens = plan.prompt.value + plan.output.value;
  const double share = subject.threshold.value_or(default_share);
  const CountEstimate held = sequences_that_fit(*subject.serving, *subject.memory, tokens);
  const std::int64_t most = allowed_sequences(*subject.serving);
  if (number(held.value) >= share * number(most)) return;
  Finding finding;
  finding.place = place_of(given.max_sequences, subject);
  finding.subject = "max-num-seqs";
  finding.uncertain = number(held.high) >= share * number(most);
  finding.what = fmt::format(
      "K/V cache holds {} sequences of {} tokens, {} allows {}", digits(held.value), digits(tokens),
      name_of(given.max_sequences, setting_names(subject).max_sequences), digits(most));
  finding.why = fmt::format(
      "{} prompt and {} output tokens each; fewer than {} % of those that may run find room, the "
      "others wait or are preempted",
      digits(plan.prompt.value), digits(plan.output.value),
      format_exact(std::round(1e6 * share) / 1e4));
  finding.fix = fix_of(subject, tokens, share);
  findings.add(std::move(finding));
}

}  // namespace roofline::rules
