#include "analysis/check/requirements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "analysis/check/engine_kv.hpp"
#include "analysis/check/figures.hpp"
#include "analysis/check/required_figures.hpp"
#include "analysis/check/rules/setting_names.hpp"
#include "analysis/check/rules/tried_fixes.hpp"
#include "analysis/server_price.hpp"
#include "base/closest.hpp"
#include "base/format.hpp"
#include "base/number.hpp"
#include "base/parse.hpp"

namespace roofline {
namespace {
const std::vector<std::string>& verdict_words() {
  static const std::vector<std::string> words{"compute-bound", "memory-bound", "network-bound"};
  return words;
}

bool is_verdict(std::string_view name) {
  return name == "decode-verdict" || name == "prefill-verdict";
}

std::string text_of(const EngineSetting& requirement) {
  return requirement.values.empty() ? std::string() : requirement.values.front();
}

[[noreturn]] void refuse_value(const EngineSetting& requirement,
                               const std::vector<std::string>& words) {
  throw Error(Diagnostic{
      .what = fmt::format("{}: '{}' is none of its values", requirement.name, text_of(requirement)),
      .where = requirement.place.file.empty() ? "" : to_string(requirement.place),
      .fix = fmt::format("one of {}", fmt::join(words, ", ")),
      .suggestions = closest(text_of(requirement), words)});
}

double limit_of(const EngineSetting& requirement, const Limit& limit) {
  try {
    return limit.quality->parse(text_of(requirement), requirement.name);
  } catch (const Error& error) {
    std::vector<Diagnostic> diagnostics = error.diagnostics();
    for (Diagnostic& diagnostic : diagnostics) {
      if (!requirement.place.file.empty()) diagnostic.where = to_string(requirement.place);
    }
    throw Error(std::move(diagnostics));
  }
}

Place place_of_requirement(const EngineSetting& requirement, const RuleSubject& subject) {
  const bool here = requirement.place.file == subject.plan->place.file;
  return here ? requirement.place : subject.plan->place;
}

/// "max-ttft", and where another file says it.
std::string name_of_requirement(const EngineSetting& requirement, const RuleSubject& subject) {
  const Place& place = requirement.place;
  if (place.file.empty() || place.file == subject.plan->place.file) return requirement.name;
  return fmt::format("{} of {}:{}", requirement.name, place.file, place.line);
}

/// How far a limit is kept.
enum class Kept { yes, perhaps, no };

Kept is_kept(const Figure& figure, const Limit& limit, double bound) {
  const auto within = [&](double value) { return limit.at_most ? value <= bound : value >= bound; };
  if (!within(figure.value)) return Kept::no;
  return within(figure.low) && within(figure.high) ? Kept::yes : Kept::perhaps;
}

/// Changes that were tried, of which each alone keeps the limit.
std::string fix_of(const RuleSubject& subject, const Limit& limit, double bound) {
  const ServingPlan& plan = subject.serving->plan;
  std::vector<std::string> texts;
  const auto attempt = [&](const rules::Change& change) {
    try {
      const std::optional<ResolvedServing> changed = serving_with(subject, change.apply);
      if (!changed) return false;
      const std::optional<Figure> figure = limit.quality->get(figures_of(*changed), *changed);
      if (!figure || is_kept(*figure, limit, bound) != Kept::yes) return false;
    } catch (const Error&) {  // it cannot be run so
      return false;
    }
    texts.push_back(change.text);
    return true;
  };
  if (limit.quality->name == "concurrency" && bound >= 1) {
    const std::int64_t replicas = allowed_sequences(*subject.serving) / plan.max_sequences.value;
    const double each = bound / number(std::max<std::int64_t>(1, replicas));
    attempt(rules::with_max_sequences(
        subject, static_cast<std::int64_t>(limit.at_most ? std::floor(each) : std::ceil(each))));
  }
  constexpr std::int64_t most_ways = 16;
  if (rules::setting_names(subject).tensor.empty()) return {};
  for (std::int64_t ways = plan.tensor.value * 2; ways <= most_ways; ways *= 2) {
    if (attempt(rules::with_tensor(subject, ways))) break;
  }
  return fmt::format("{}", fmt::join(texts, " or "));
}

/// What a device costs, and who says so.
std::string price_text(const Server& server) {
  const std::optional<Price> listed = listed_price(server);
  std::string text =
      fmt::format(", {} USD an hour of a device", format_significant(price_of(server)->value()));
  if (listed) text += fmt::format(" ({}, {})", listed->provider, listed->as_of);
  return text;
}

/// What the figure was reckoned at, or how sure it is.
std::string why_of(const Figure& figure, const Quality& quality, const RuleSubject& subject) {
  if (figure.low != figure.high) {
    return fmt::format("an estimate: it may be {} to {}", quality.format(figure.low),
                       quality.format(figure.high));
  }
  if (quality.bound.empty()) return {};
  const ServingPlan& plan = subject.serving->plan;
  const std::string prompt = format_count(number(plan.prompt.value));
  if (quality.name == "ttft") {
    return fmt::format(
        "a prompt of {} tokens on idle devices, at full efficiency: no engine does "
        "better",
        prompt);
  }
  const std::string price = quality.name == "cost" ? price_text(subject.serving->server) : "";
  return fmt::format(
      "at concurrency {}, prompts of {} and outputs of {} tokens{}, at full "
      "efficiency: no engine does better",
      format_count(number(subject.figures->serving->concurrency)), prompt,
      format_count(number(plan.output.value)), price);
}

/// A requirement that is passed over would be taken for one that is met.
[[noreturn]] void refuse_to_judge(const EngineSetting& requirement, const RuleSubject& subject,
                                  std::string why, std::string fix) {
  throw Error(Diagnostic{
      .what = fmt::format("{} cannot be judged", name_of_requirement(requirement, subject)),
      .where = to_string(place_of_requirement(requirement, subject)),
      .why = std::move(why),
      .fix = std::move(fix)});
}

/// Several tokens come of a step of speculative decoding: how many, nothing here says.
bool depends_on_drafts(const Quality& quality, const RuleSubject& subject) {
  if (quality.name != "tpot" && quality.name != "throughput" && quality.name != "requests" &&
      quality.name != "cost") {
    return false;
  }
  const auto speculates = [](const EngineSetting& setting) {
    return setting.name.starts_with("speculative");
  };
  return subject.plan->draft_model.value ||
         (subject.launch != nullptr && std::any_of(subject.launch->settings.begin(),
                                                   subject.launch->settings.end(), speculates));
}

void apply_limit(const EngineSetting& requirement, const Limit& limit, const RuleSubject& subject,
                 RuleFindings& findings) {
  const Quality& quality = *limit.quality;
  const double bound = limit_of(requirement, limit);
  if (depends_on_drafts(quality, subject)) {
    refuse_to_judge(requirement, subject,
                    "a step of speculative decoding has several tokens, how many is not known",
                    "require max-ttft or min-kv-tokens");
  }
  const std::optional<Figure> figure = quality.get(*subject.figures, *subject.serving);
  if (!figure) {
    refuse_to_judge(requirement, subject, fmt::format("{} is not known", quality.noun),
                    quality.name == "cost" ? "--price 2.49" : "");
  }
  const Kept kept = is_kept(*figure, limit, bound);
  if (kept == Kept::yes) return;
  Finding finding;
  finding.place = place_of_requirement(requirement, subject);
  finding.subject = requirement.name;
  finding.uncertain = kept == Kept::perhaps;
  finding.what = fmt::format("{} is {}{}, {} is {}", quality.noun, quality.bound,
                             quality.format(figure->value),
                             name_of_requirement(requirement, subject), quality.format(bound));
  finding.why = why_of(*figure, quality, subject);
  finding.fix = fix_of(subject, limit, bound);
  findings.add(std::move(finding));
}

void apply_verdict(const EngineSetting& requirement, const RuleSubject& subject,
                   RuleFindings& findings) {
  const bool decode = requirement.name == "decode-verdict";
  const std::string& found =
      decode ? subject.figures->decode_verdict : subject.figures->prefill_verdict;
  if (found == text_of(requirement)) return;
  Finding finding;
  finding.place = place_of_requirement(requirement, subject);
  finding.subject = requirement.name;
  finding.what = fmt::format("{} is {}, {} asks for {}", decode ? "decode" : "prefill", found,
                             name_of_requirement(requirement, subject), text_of(requirement));
  findings.add(std::move(finding));
}

void apply_fits(const EngineSetting& requirement, const RuleSubject& subject,
                RuleFindings& findings) {
  const EngineMemoryBudget& memory = *subject.figures->memory;
  const bool wanted = text_of(requirement) == "true";
  const bool fits = memory.sequence <= memory.kv.value;
  const bool certain = (memory.sequence <= memory.kv.low) == (memory.sequence <= memory.kv.high);
  if (fits == wanted && certain) return;
  Finding finding;
  finding.place = place_of_requirement(requirement, subject);
  finding.subject = requirement.name;
  finding.uncertain = fits == wanted;
  finding.what =
      fmt::format("a sequence of {} tokens {}: it needs {}, {} is left",
                  format_count(number(subject.serving->plan.max_model_len.value)),
                  certain ? (fits ? "fits" : "does not fit") : "may not fit",
                  rules::bytes_text(memory.sequence), rules::bytes_text(memory.kv.value));
  if (memory.kv.low != memory.kv.high) {
    finding.why = fmt::format("an estimate: {} to {} may be left", rules::bytes_text(memory.kv.low),
                              rules::bytes_text(memory.kv.high));
  }
  findings.add(std::move(finding));
}

std::string_view rule_of(const std::string& requirement) {
  if (requirement == "fits") return "require-fits";
  if (requirement == "decode-verdict") return "require-decode-verdict";
  if (requirement == "prefill-verdict") return "require-prefill-verdict";
  const std::optional<Limit> limit = limit_named(requirement);
  return limit ? limit->quality->rule : std::string_view();
}

}  // namespace

std::vector<std::string> requirement_names() {
  std::vector<std::string> names{"decode-verdict", "fits", "prefill-verdict"};
  for (const Quality& quality : required_qualities()) {
    names.push_back(fmt::format("max-{}", quality.name));
    names.push_back(fmt::format("min-{}", quality.name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

void require_requirement(const EngineSetting& requirement) {
  if (is_verdict(requirement.name)) {
    const auto& words = verdict_words();
    if (std::find(words.begin(), words.end(), text_of(requirement)) == words.end()) {
      refuse_value(requirement, words);
    }
    return;
  }
  if (requirement.name == "fits") {
    const std::string text = text_of(requirement);
    if (text != "true" && text != "false") refuse_value(requirement, {"true", "false"});
    return;
  }
  const std::optional<Limit> limit = limit_named(requirement.name);
  if (limit) return (void)limit_of(requirement, *limit);
  throw Error(
      Diagnostic{.what = fmt::format("unknown requirement '{}'", requirement.name),
                 .where = requirement.place.file.empty() ? "" : to_string(requirement.place),
                 .fix = fmt::format("one of {}", fmt::join(requirement_names(), ", ")),
                 .suggestions = closest(requirement.name, requirement_names())});
}

void apply_requirements(std::string_view rule, const RuleSubject& subject, RuleFindings& findings) {
  bool any = false;
  for (const EngineSetting& requirement : subject.plan->require) {
    if (rule_of(requirement.name) != rule) continue;
    any = true;
    if (subject.figures == nullptr || !subject.figures->memory || subject.serving == nullptr) {
      findings.skip("the deployment could not be reckoned with");
    } else if (is_verdict(requirement.name)) {
      apply_verdict(requirement, subject, findings);
    } else if (requirement.name == "fits") {
      apply_fits(requirement, subject, findings);
    } else {
      apply_limit(requirement, *limit_named(requirement.name), subject, findings);
    }
  }
  if (!any) findings.skip("nothing is required of it");
}

}  // namespace roofline
