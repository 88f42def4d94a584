// Trials of a decode step, and how they are judged.
#include <fmt/format.h>

#include <array>

#include "analysis/server_price.hpp"
#include "analysis/solve_parts.hpp"
#include "base/format.hpp"
#include "base/number.hpp"

namespace roofline {
namespace {

std::string time_text(Seconds time) {
  return format_scaled(time.value(), "s");
}

}  // namespace

DecodeTrials::DecodeTrials(const Setting& setting, const SolveRequest& request)
    : setting_(setting),
      request_(request),
      evaluator_(setting, request.server.experts),
      capacity_(setting, request.server.limits) {}

const StepTime& DecodeTrials::decode(std::int64_t batch, std::int64_t context) {
  return evaluator_.evaluate(decode_step(batch, context));
}

Seconds DecodeTrials::prefill(std::int64_t prompt) {
  return evaluator_.evaluate(prefill_step(1, prompt)).roofline;
}

SolveTrial DecodeTrials::at(std::int64_t value, std::int64_t batch, std::int64_t context) {
  SolveTrial trial{
      .value = value, .deployment = setting_.deployment, .tpot = {}, .memory_needed = {}};
  const StepTime& time = decode(batch, context);
  trial.intensity = time.intensity();
  trial.ridge = time.roof.ridge();
  trial.tpot = time.roofline;
  trial.tokens_per_second = number(batch) / time.roofline.value();
  trial.dollars_per_million_tokens =
      dollars_per_million(price_of(request_.server), setting_.deployment, trial.tokens_per_second);
  if (request_.constraints.ttft) trial.ttft = prefill(context);
  trial.memory_needed = capacity_.need(batch, context).total();
  if (capacity_.usable()) trial.fits = trial.memory_needed <= *capacity_.usable();
  return trial;
}

bool meets(const SolveTrial& trial, SolveLimit limit, const SolveConstraints& c) {
  switch (limit) {
    case SolveLimit::ridge:
      return !c.compute_bound || trial.intensity >= trial.ridge;
    case SolveLimit::memory:
      return trial.fits.value_or(true);
    case SolveLimit::tpot:
      return !c.tpot || trial.tpot <= *c.tpot;
    case SolveLimit::ttft:
      return !c.ttft || trial.ttft <= c.ttft;
    case SolveLimit::throughput:
      return !c.tokens_per_second || trial.tokens_per_second >= *c.tokens_per_second;
    case SolveLimit::cost:
      break;
  }
  return !c.dollars_per_million_tokens ||
         trial.dollars_per_million_tokens <= c.dollars_per_million_tokens;
}

void judge(SolveTrial& trial, const SolveConstraints& constraints, bool memory_counts) {
  constexpr std::array limits{SolveLimit::ridge, SolveLimit::memory,     SolveLimit::tpot,
                              SolveLimit::ttft,  SolveLimit::throughput, SolveLimit::cost};
  for (const SolveLimit limit : limits) {
    if (limit == SolveLimit::memory && !memory_counts) continue;
    if (!meets(trial, limit, constraints)) trial.missed.push_back(limit);
  }
}

std::string describe_miss(const SolveTrial& trial, SolveLimit limit, const SolveConstraints& c,
                          std::optional<Bytes> usable) {
  switch (limit) {
    case SolveLimit::ridge: {
      const auto [intensity, ridge] = told_apart(*trial.intensity, *trial.ridge);
      return fmt::format("the intensity is {} FLOP/byte, the ridge {}", intensity, ridge);
    }
    case SolveLimit::memory:
      return fmt::format("it needs {} of {} usable",
                         format_scaled(trial.memory_needed.value(), "B"),
                         format_scaled(usable->value(), "B"));
    case SolveLimit::tpot:
      return fmt::format("TPOT is {}, the limit is {}", time_text(trial.tpot), time_text(*c.tpot));
    case SolveLimit::ttft:
      return fmt::format("TTFT is {}, the limit is {}", time_text(*trial.ttft), time_text(*c.ttft));
    case SolveLimit::throughput:
      return fmt::format("throughput is {} tok/s, {} were asked for",
                         format_significant(trial.tokens_per_second),
                         format_significant(*c.tokens_per_second));
    case SolveLimit::cost:
      break;
  }
  return fmt::format("a million tokens cost {} USD, the limit is {}",
                     format_significant(*trial.dollars_per_million_tokens),
                     format_significant(*c.dollars_per_million_tokens));
}

std::pair<std::string, std::string> told_apart(FlopsPerByte intensity, FlopsPerByte ridge) {
  constexpr int most = 15;
  int digits = 4;
  const auto text = [&](FlopsPerByte value) { return format_significant(value.value(), digits); };
  while (digits < most && text(intensity) == text(ridge)) ++digits;
  return {text(intensity), text(ridge)};
}

std::string_view noun_of(SolveLimit limit) {
  switch (limit) {
    case SolveLimit::ridge:
      return "the ridge";
    case SolveLimit::memory:
      return "memory";
    case SolveLimit::tpot:
      return "the TPOT limit";
    case SolveLimit::ttft:
      return "the TTFT limit";
    case SolveLimit::throughput:
      return "the throughput limit";
    case SolveLimit::cost:
      break;
  }
  return "the cost limit";
}

std::vector<SolveTrial> trials_around(std::int64_t value, std::int64_t least, const TrialAt& at) {
  std::vector<SolveTrial> trials;
  for (std::int64_t near = value - 1; near <= value + 1; ++near) {
    if (near >= least) trials.push_back(at(near));
  }
  return trials;
}

}  // namespace roofline
