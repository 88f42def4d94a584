// A question turned round in words: the question in a line, the answer in a few.
#include <fmt/format.h>

#include "analysis/solve_parts.hpp"
#include "base/counted.hpp"
#include "base/format.hpp"
#include "report/server_words.hpp"
#include "report/solve_facts.hpp"
#include "report/writer.hpp"

namespace roofline::report {
namespace {

/// What all sentences of an answer are made of.
class Words {
 public:
  Words(const SolveRequest& request, const SolveResult& result, const ServerContext& context)
      : request_(request), result_(result), context_(context), write_(context.significant_digits) {}

  [[nodiscard]] std::string title() const {
    const std::string limits = constraints();
    return fmt::format("{}{}{}", question(), limits.empty() ? "" : ": " + limits,
                       context_.overrides);
  }

  [[nodiscard]] std::vector<Fact> facts() const {
    std::vector<Fact> facts{answer()};
    if (result_.sweet_spot && !result_.answer) facts.push_back(help(*result_.sweet_spot));
    for (const SolveEdge& edge : result_.edges) facts.push_back(fact_of(edge));
    if (const SolveTrial* trial = at_answer()) facts.push_back(needs(*trial));
    return facts;
  }

 private:
  [[nodiscard]] std::string question() const {
    const char* sought = result_.largest ? "largest" : "smallest";
    switch (request_.unknown) {
      case SolveFor::batch:
        return fmt::format("{} batch for decode of {}, context {}, on {}", sought, context_.subject,
                           count_text(request_.context), context_.devices);
      case SolveFor::context:
        return fmt::format("{} context for decode of {}, batch {}, on {}", sought, context_.subject,
                           count_text(request_.batch), context_.devices);
      case SolveFor::concurrency:
        return fmt::format("{} concurrency for serving {}, {} prompt and {} output tokens, on {}",
                           sought, context_.subject, count_text(request_.shape.prompt),
                           count_text(request_.shape.output), context_.devices);
      case SolveFor::devices:
        break;
    }
    return fmt::format("fewest {} for decode of {}, batch {}, context {}",
                       request_.server.device.name, context_.subject, count_text(request_.batch),
                       count_text(request_.context));
  }

  [[nodiscard]] std::string constraints() const {
    const SolveConstraints& c = request_.constraints;
    std::string text;
    const auto add = [&](const std::string& one) { text += (text.empty() ? "" : ", ") + one; };
    if (c.compute_bound) add("compute-bound");
    if (c.tpot) add("TPOT within " + limit_text(*c.tpot));
    if (c.ttft) add("TTFT within " + limit_text(*c.ttft));
    if (c.tokens_per_second)
      add(fmt::format("at least {} tok/s", format_exact(*c.tokens_per_second)));
    if (c.dollars_per_million_tokens) {
      add(fmt::format("at most {} USD per million tokens",
                      format_exact(*c.dollars_per_million_tokens)));
    }
    if (text.empty()) text = "within memory";
    return text;
  }

  [[nodiscard]] const SolveTrial* at_answer() const {
    for (const SolveTrial& trial : result_.proof) {
      const bool same =
          request_.unknown != SolveFor::devices || trial.deployment == result_.deployment;
      if (result_.answer && trial.value == *result_.answer && same) return &trial;
    }
    return nullptr;
  }

  [[nodiscard]] Fact answer() const {
    const std::string noun(to_string(request_.unknown));
    if (!result_.answer) {
      return {noun, request_.constraints.compute_bound ? "never" : "none", result_.reason};
    }
    return {noun, count_text(*result_.answer), why_this()};
  }
  [[nodiscard]] std::string why_this() const {
    const SolveTrial& trial = *at_answer();
    if (request_.unknown == SolveFor::devices) {
      if (!result_.bound) return "one is enough";
      const std::string flags = flags_of(result_.deployment);
      if (*result_.bound == SolveLimit::memory) return flags + "; fewer do not hold it";
      return fmt::format("{}; fewer miss {}", flags, noun_of(*result_.bound));
    }
    if (request_.constraints.compute_bound) {
      const std::string by_memory =
          result_.bound == SolveLimit::memory ? "; memory holds no more" : "";
      return fmt::format("{} FLOP/byte, ridge {}{}", write_.number(trial.intensity->value()),
                         write_.number(trial.ridge->value()), by_memory);
    }
    if (!result_.bound) {
      return result_.largest ? "as far as was looked: nothing bounds it" : "one is enough";
    }
    if (*result_.bound == SolveLimit::memory) return "memory holds no more";
    return fmt::format("{} would miss {}", result_.largest ? "more" : "less",
                       noun_of(*result_.bound));
  }
  [[nodiscard]] Fact help(const SweetSpot& spot) const {
    std::string text = "no shorter context";
    if (!spot.contexts.empty()) {
      text = fmt::format("a context of {} or less", count_text(spot.contexts.front().context));
      if (spot.batch_at_context) {
        text += fmt::format(" (there from batch {} on)", count_text(*spot.batch_at_context));
      }
    }
    if (!spot.with_8_bit_kv) return {"what would help", text, {}};
    const std::string limit = write_.number(spot.with_8_bit_kv->limit.value());
    if (spot.batch_with_8_bit_kv) {
      return {"what would help",
              fmt::format("{}; or K/V in fp8, from batch {} on (limit {})", text,
                          count_text(*spot.batch_with_8_bit_kv), limit),
              {}};
    }
    return {"what would help",
            fmt::format("{}; K/V in fp8 does not suffice (limit {})", text, limit),
            {}};
  }

  [[nodiscard]] Fact fact_of(const SolveEdge& edge) const {
    const std::string label(to_string(edge.limit));
    if (!edge.value) return {label, "never met", {}};
    if (*edge.value == largest_solution && edge.at_most) return {label, "any", {}};
    return {label,
            fmt::format("{} or {}", count_text(*edge.value), edge.at_most ? "less" : "more"),
            {}};
  }

  [[nodiscard]] Fact needs(const SolveTrial& trial) const {
    const std::string size = write_.size(trial.memory_needed);
    if (!result_.usable_memory) return {"needs", size, "of a capacity that is not known"};
    return {"needs", size,
            fmt::format("of {} usable{}: {}", write_.size(*result_.usable_memory),
                        on_each_device(trial.deployment), *trial.fits ? "fits" : "does not fit")};
  }

  const SolveRequest& request_;
  const SolveResult& result_;
  const ServerContext& context_;
  Writer write_;
};

}  // namespace

std::string solve_title(const SolveRequest& request, const SolveResult& result,
                        const ServerContext& context) {
  return Words(request, result, context).title();
}

std::vector<Fact> solve_facts(const SolveRequest& request, const SolveResult& result,
                              const ServerContext& context) {
  return Words(request, result, context).facts();
}

}  // namespace roofline::report
