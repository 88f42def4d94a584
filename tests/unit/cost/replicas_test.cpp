// Sequences dealt out over replicas: what the fullest of them gets.
#include <catch2/catch.hpp>
#include <vector>

#include "roofline/step.hpp"

namespace roofline {
namespace {

Step step_of(std::vector<StepGroup> groups) {
  return {.groups = std::move(groups)};
}

TEST_CASE("One replica does the step as it is", "[cost]") {
  Step step = step_of({{.count = 3, .new_tokens = 1, .cached_tokens = 9}, {.count = 1}});
  step.causal = false;
  CHECK(replica_step(step, {.tensor = 8, .pipeline = 2, .expert = 8}) == step);
}

TEST_CASE("The fullest replica has the sequences rounded up", "[cost]") {
  const auto [batch, data, own] = GENERATE(table<std::int64_t, std::int64_t, std::int64_t>(
      {{8, 2, 4}, {9, 2, 5}, {10, 3, 4}, {11, 3, 4}, {12, 3, 4}, {1, 8, 1}, {2, 8, 1}}));
  CAPTURE(batch, data);
  const Step replica = replica_step(decode_step(batch, 100), {.data = data});
  CHECK(replica == decode_step(own, 100));
}

TEST_CASE("Groups are dealt in turn, most new tokens first", "[cost]") {
  // Positions 0 the chunk, 1 to 3 the long ones, 4 to 8 the short ones: replica 0 of 2 gets 0 2 4
  // 6 8, of 3 gets 0 3 6, of 5 gets 0 5.
  const Step step = step_of({{.count = 5, .new_tokens = 1, .cached_tokens = 10},
                             {.count = 3, .new_tokens = 1, .cached_tokens = 99},
                             {.count = 1, .new_tokens = 512, .cached_tokens = 0}});
  const StepGroup chunk{.count = 1, .new_tokens = 512, .cached_tokens = 0};
  const auto longer = [](std::int64_t count) {
    return StepGroup{.count = count, .new_tokens = 1, .cached_tokens = 99};
  };
  const auto shorter = [](std::int64_t count) {
    return StepGroup{.count = count, .new_tokens = 1, .cached_tokens = 10};
  };
  CHECK(replica_step(step, {.data = 2}).groups == std::vector{chunk, longer(1), shorter(3)});
  CHECK(replica_step(step, {.data = 3}).groups == std::vector{chunk, longer(1), shorter(1)});
  CHECK(replica_step(step, {.data = 5}).groups == std::vector{chunk, shorter(1)});
}

TEST_CASE("Replicas keep the mask, the choice of experts and the rows of logits", "[cost]") {
  Step step = step_of({{.count = 4, .new_tokens = 5, .cached_tokens = 7, .logit_rows = 5}});
  step.causal = false;
  step.experts = {.kind = ExpertChoice::Kind::fixed, .count = 3};
  const Step replica = replica_step(step, {.data = 4});
  CHECK_FALSE(replica.causal);
  CHECK(replica.experts == step.experts);
  CHECK(replica.groups ==
        std::vector{StepGroup{.count = 1, .new_tokens = 5, .cached_tokens = 7, .logit_rows = 5}});
}

TEST_CASE("Replicas that share experts bring their tokens together", "[cost]") {
  // New tokens of the whole step x joined replicas / replicas.
  const auto [tensor, expert, data, batch, joined] =
      GENERATE(table<int, int, int, int, double>({{1, 8, 8, 1, 1},
                                                  {1, 8, 8, 64, 64},
                                                  {2, 16, 8, 64, 64},
                                                  {2, 8, 8, 64, 32},
                                                  {8, 8, 2, 64, 0},
                                                  {8, 4, 2, 64, 0},
                                                  {1, 1, 4, 64, 0}}));
  CAPTURE(tensor, expert, data, batch);
  const Deployment deployment{.tensor = tensor, .expert = expert, .data = data};
  CHECK(replica_step(decode_step(batch, 100), deployment).joined_tokens == joined);
}

}  // namespace
}  // namespace roofline
