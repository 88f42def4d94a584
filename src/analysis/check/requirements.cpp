#include "analysis/check/requirements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "analysis/check/engine_kv.hpp"
#include "analysis/check/figures.hpp"
#include "analysis/check/rules/setting_names.hpp"
#include "analysis/check/rules/tried_fixes.hpp"
#include "base/closest.hpp"
#include "base/format.hpp"
#include "base/number.hpp"
#include "base/parse.hpp"

namespace roofline {
namespace {

/// A figure of a launch: what it is at, and between which bounds it may be.
struct Figure {
  double value = 0;
  double low = 0;
  double high = 0;
};

using Getter = std::optional<Figure> (*)(const LaunchFigures&, const ResolvedServing&);

struct Quality {
  std::string_view name;  ///< "ttft"
  std::string_view rule;
  double (*parse)(std::string_view text, std::string_view name);
  std::string (*format)(double value);
  Getter get;
  std::string_view noun;   ///< in a finding: "the TTFT"
  std::string_view bound;  ///< "at least" of a floor, "at most" of a ceiling, else ""
};

double read_time(std::string_view text, std::string_view name) {
  return parse_time(text, name).value();
}
double read_bytes(std::string_view text, std::string_view name) {
  return parse_bytes(text, name).value();
}
double read_count(std::string_view text, std::string_view name) {
  return number(parse_count(text, name));
}
double read_number(std::string_view text, std::string_view name) {
  return parse_number(text, name);
}

std::string time_text(double value) {
  return format_scaled(value, "s");
}
std::string bytes_text(double value) {
  return format_scaled(value, "B");
}
std::string count_words(double value) {
  return format_count(value);
}
std::string rate_text(double value) {
  return format_significant(value) + " tok/s";
}
std::string requests_text(double value) {
  return format_significant(value) + " requests/s";
}
std::string cost_text(double value) {
  return "$" + format_significant(value) + " per million tokens";
}
std::string intensity_text(double value) {
  return format_significant(value) + " FLOP/byte";
}

Figure exactly(double value) {
  return {value, value, value};
}
Figure estimated(const CountEstimate& count) {
  return {number(count.value), number(count.low), number(count.high)};
}

std::optional<Figure> ttft(const LaunchFigures& figures, const ResolvedServing& /*serving*/) {
  if (!figures.serving) return std::nullopt;
  return exactly(figures.serving->ttft.value());
}
std::optional<Figure> tpot(const LaunchFigures& figures, const ResolvedServing& /*serving*/) {
  if (!figures.serving) return std::nullopt;
  return exactly(figures.serving->tpot.value());
}
std::optional<Figure> throughput(const LaunchFigures& figures, const ResolvedServing& /*serving*/) {
  if (!figures.serving) return std::nullopt;
  return exactly(figures.serving->output_tokens_per_second);
}
std::optional<Figure> requests(const LaunchFigures& figures, const ResolvedServing& /*serving*/) {
  if (!figures.serving) return std::nullopt;
  return exactly(figures.serving->requests_per_second);
}
std::optional<Figure> cost(const LaunchFigures& figures, const ResolvedServing& /*serving*/) {
  if (!figures.serving || !figures.serving->dollars_per_million_tokens) return std::nullopt;
  return exactly(*figures.serving->dollars_per_million_tokens);
}
std::optional<Figure> intensity(const LaunchFigures& figures, const ResolvedServing& /*serving*/) {
  if (!figures.decode_intensity) return std::nullopt;
  return exactly(figures.decode_intensity->value());
}
std::optional<Figure> kv_tokens(const LaunchFigures& figures, const ResolvedServing& /*serving*/) {
  if (!figures.memory || !figures.memory->kv_tokens) return std::nullopt;
  return estimated(*figures.memory->kv_tokens);
}
std::optional<Figure> weights(const LaunchFigures& figures, const ResolvedServing& /*serving*/) {
  if (!figures.memory) return std::nullopt;
  return exactly(figures.memory->weights.value());
}
std::optional<Figure> concurrency(const LaunchFigures& figures, const ResolvedServing& serving) {
  if (!figures.memory) return std::nullopt;
  const ServingPlan& plan = serving.plan;
  const CountEstimate held =
      sequences_that_fit(serving, *figures.memory, plan.prompt.value + plan.output.value);
  const std::int64_t allowed = allowed_sequences(serving);
  return estimated(
      {std::min(held.value, allowed), std::min(held.low, allowed), std::min(held.high, allowed)});
}

constexpr std::array<Quality, 9> qualities{{
    {"concurrency", "require-concurrency", read_count, count_words, concurrency,
     "the number of sequences in flight", ""},
    {"cost", "require-cost", read_number, cost_text, cost, "the cost", "at least "},
    {"intensity", "require-intensity", read_number, intensity_text, intensity,
     "the arithmetic intensity of decode", ""},
    {"kv-tokens", "require-kv-tokens", read_count, count_words, kv_tokens,
     "the number of tokens in the K/V cache", ""},
    {"requests", "require-requests", read_number, requests_text, requests, "the request rate",
     "at most "},
    {"throughput", "require-throughput", read_number, rate_text, throughput, "the throughput",
     "at most "},
    {"tpot", "require-tpot", read_time, time_text, tpot, "the TPOT", "at least "},
    {"ttft", "require-ttft", read_time, time_text, ttft, "the TTFT", "at least "},
    {"weights", "require-weights", read_bytes, bytes_text, weights,
     "the size of the weights on a device", ""},
}};

struct Limit {
  const Quality* quality = nullptr;
  bool at_most = false;
};

std::optional<Limit> limit_named(std::string_view name) {
  const bool at_most = name.starts_with("max-");
  if (!at_most && !name.starts_with("min-")) return std::nullopt;
  name.remove_prefix(4);
  for (const Quality& quality : qualities) {
    if (quality.name == name) return Limit{&quality, at_most};
  }
  return std::nullopt;
}

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
  return requirement.place.file.empty() ? subject.plan->place : requirement.place;
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
  return fmt::format(
      "at concurrency {}, prompts of {} and outputs of {} tokens, at full "
      "efficiency: no engine does better",
      format_count(number(subject.figures->serving->concurrency)), prompt,
      format_count(number(plan.output.value)));
}

void apply_limit(const EngineSetting& requirement, const Limit& limit, const RuleSubject& subject,
                 RuleFindings& findings) {
  const Quality& quality = *limit.quality;
  const double bound = limit_of(requirement, limit);
  const std::optional<Figure> figure = quality.get(*subject.figures, *subject.serving);
  if (!figure) return findings.skip(fmt::format("{} is not known", quality.noun));
  const Kept kept = is_kept(*figure, limit, bound);
  if (kept == Kept::yes) return;
  Finding finding;
  finding.place = place_of_requirement(requirement, subject);
  finding.subject = requirement.name;
  finding.uncertain = kept == Kept::perhaps;
  finding.what =
      fmt::format("{} is {}{}, {} is {}", quality.noun, quality.bound,
                  quality.format(figure->value), requirement.name, quality.format(bound));
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
                             requirement.name, text_of(requirement));
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
  for (const Quality& quality : qualities) {
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
