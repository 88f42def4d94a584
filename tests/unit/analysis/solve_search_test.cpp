// The searches along lines that are monotone in pieces, against looking at every value.
#include <algorithm>
#include <catch2/catch.hpp>

#include "analysis/solve_parts.hpp"
#include "roofline/small_inputs.hpp"

namespace roofline {
namespace {

constexpr std::int64_t last = 60;

/// Sequences over 3 replicas of 2 micro-batches: what the fullest one has decides the time.
SolveTrial saw_tooth(std::int64_t value) {
  const auto replica = (value + 2) / 3;
  const auto together = (replica + 1) / 2;
  SolveTrial trial{.value = value, .tpot = {}, .memory_needed = {}};
  const double time = 10 + 3 * static_cast<double>(together) + static_cast<double>(replica);
  trial.tpot = Seconds(time);
  trial.tokens_per_second = static_cast<double>(value) / time;
  return trial;
}

SolveResult search(const SolveConstraints& constraints, std::int64_t high) {
  SolveResult result;
  const SequenceSearch search{.noun = "batch",
                              .at =
                                  [&](std::int64_t value) {
                                    SolveTrial trial = saw_tooth(value);
                                    trial.fits = value <= high;
                                    judge(trial, constraints, true);
                                    return trial;
                                  },
                              .memory_most = high,
                              .strides = {6, 3, 1}};
  result.usable_memory = Bytes(1);
  solve_sequences(constraints, search, result);
  return result;
}

TEST_CASE("The smallest number of sequences is what looking at each finds", "[analysis]") {
  for (std::int64_t high = 1; high <= last; ++high) {
    for (double asked = 0.1; asked < 3; asked += 0.05) {
      std::optional<std::int64_t> expected;
      for (std::int64_t value = high; value >= 1; --value) {
        if (saw_tooth(value).tokens_per_second >= asked) expected = value;
      }
      INFO(high << " " << asked);
      CHECK(search({.tokens_per_second = asked}, high).answer == expected);
    }
  }
}

TEST_CASE("The largest number of sequences is what looking at each finds", "[analysis]") {
  for (double limit = 13; limit < 60; limit += 1.5) {
    for (double asked = 0.1; asked < 3; asked += 0.05) {
      std::optional<std::int64_t> expected;
      for (std::int64_t value = 1; value <= last; ++value) {
        const SolveTrial trial = saw_tooth(value);
        if (trial.tpot <= Seconds(limit) && trial.tokens_per_second >= asked) expected = value;
      }
      INFO(limit << " " << asked);
      const SolveConstraints both{.tpot = Seconds(limit), .tokens_per_second = asked};
      CHECK(search(both, last).answer == expected);
    }
  }
}

Model with_attention(std::optional<std::int64_t> window, std::optional<std::int64_t> chunk) {
  Attention attention = some_attention;
  attention.window = window;
  attention.chunk = chunk;
  return model_of(attention, Mlp{.width = 128});
}

/// constant + of_all S + of_part s, s being what a window or chunk leaves of S.
struct Line {
  std::int64_t constant, of_all, of_part;
  std::optional<std::int64_t> window, chunk;

  [[nodiscard]] std::int64_t at(std::int64_t length) const {
    const std::int64_t part = chunk ? (length - 1) % *chunk + 1 : std::min(length, *window);
    return constant + of_all * length + of_part * part;
  }
};

std::int64_t last_where(std::int64_t high, const HoldsAt& holds) {
  std::int64_t found = 0;
  for (std::int64_t length = 1; length <= high; ++length) {
    if (holds(length)) found = length;
  }
  return found;
}

TEST_CASE("The longest context at the ridge is what looking at each finds", "[analysis]") {
  const auto [window, chunk] =
      GENERATE(table<std::optional<std::int64_t>, std::optional<std::int64_t>>(
          {{7, std::nullopt}, {std::nullopt, 7}, {1, std::nullopt}, {std::nullopt, 16}}));
  const Model model = with_attention(window, chunk);
  for (std::int64_t constant = -60; constant <= 60; constant += 9) {
    for (std::int64_t of_all = -3; of_all <= 3; ++of_all) {
      for (std::int64_t of_part = -5; of_part <= 5; ++of_part) {
        for (const std::int64_t high : {1, 2, 7, 8, 30, 48}) {
          const Line line{constant, of_all, of_part, window, chunk};
          const HoldsAt holds = [&](std::int64_t length) { return line.at(length) >= 0; };
          INFO(constant << " " << of_all << " " << of_part << " " << high);
          CHECK(longest_outweighing(model, high, holds) == last_where(high, holds));
        }
      }
    }
  }
}

TEST_CASE("The longest context within a time is what looking at each finds", "[analysis]") {
  const auto [window, chunk] =
      GENERATE(table<std::optional<std::int64_t>, std::optional<std::int64_t>>(
          {{7, std::nullopt}, {std::nullopt, 7}}));
  const Model model = with_attention(window, chunk);
  for (std::int64_t limit = 0; limit <= 200; ++limit) {
    const Line line{5, 2, 3, window, chunk};
    const HoldsAt holds = [&](std::int64_t length) { return line.at(length) <= limit; };
    INFO(limit);
    CHECK(longest_within(model, 48, holds) == last_where(48, holds));
  }
}

}  // namespace
}  // namespace roofline
