// The longest context of a batch, and the number of sequences in flight.
#include <catch2/catch.hpp>

#include "analysis/serving_inputs.hpp"
#include "roofline/solve.hpp"

namespace roofline {
namespace {

SolveResult longest_context(std::int64_t batch, const SolveConstraints& constraints) {
  return solve({.unknown = SolveFor::context,
                .server = small_server(),
                .constraints = constraints,
                .batch = batch});
}

SolveResult concurrency(const SolveConstraints& constraints) {
  Server server = small_server();
  server.price = DollarsPerHour(3.6);
  return solve({.unknown = SolveFor::concurrency,
                .server = server,
                .constraints = constraints,
                .shape = small_shape});
}

// Four sequences: (160,256 + 1,024 S) / 1e7 seconds. 30 ms allow 136.5 tokens; 100 tokens a second
// are 40 ms, which allow 234.1. A prompt of S takes 256 S^2 + 147,712 S + 12,800 FLOP: 20 ms allow
// 113.1.
TEST_CASE("The longest context within limits", "[analysis]") {
  const auto [limit, constraints, context] =
      GENERATE(table<SolveLimit, SolveConstraints, std::int64_t>(
          {{SolveLimit::tpot, {.tpot = Seconds(0.03)}, 136},
           {SolveLimit::throughput, {.tokens_per_second = 100}, 234},
           {SolveLimit::ttft, {.ttft = Seconds(0.02)}, 113},
           {SolveLimit::tpot, {.tpot = Seconds(0.03), .tokens_per_second = 100}, 136},
           {SolveLimit::ttft, {.tpot = Seconds(0.03), .ttft = Seconds(0.02)}, 113}}));
  const SolveResult result = longest_context(4, constraints);
  CHECK(result.answer == context);
  CHECK(result.bound == limit);
  REQUIRE(result.proof.size() == 3);
  CHECK(result.proof[1].missed.empty());
  CHECK(result.proof[2].missed == std::vector{limit});
}

// 200 (160,256 + 512 S) >= 100 (160,256 + 51,200 S) up to S = 3.19.
TEST_CASE("The longest context at the ridge", "[analysis]") {
  const SolveResult result = longest_context(200, {.compute_bound = true});
  CHECK(result.answer == 3);
  CHECK(result.bound == SolveLimit::ridge);
}

TEST_CASE("No context is short enough for the ridge at a small batch", "[analysis]") {
  const SolveResult result = longest_context(32, {.compute_bound = true});
  CHECK_FALSE(result.answer);  // 32 x 160,768 / (160,256 + 8,192) = 30.54
  CHECK(result.reason ==
        "at batch 32 and a context of 1 the intensity is 30.54 FLOP/byte, the ridge 100.0");
}

TEST_CASE("Memory bounds a context", "[analysis]") {
  Server server = small_server();
  server.device.capacity = Bytes(1e7);
  const SolveResult result =
      solve({.unknown = SolveFor::context, .server = server, .constraints = {}, .batch = 4});
  REQUIRE(result.answer);
  CHECK(*result.answer % 16 == 0);  // whole blocks
  CHECK(result.bound == SolveLimit::memory);
  CHECK(result.proof[1].memory_needed <= Bytes(0.9e7));
  CHECK(result.proof[2].memory_needed > Bytes(0.9e7));
}

// TPOT(B) = 16.03 ms + 2.816 ms B + (B - 1) / 21 x 17.34 ms: 40 ms allow 6.81, 25 ms 2.69.
// Output tokens a second 21 / (17.34 ms + 21 (16.03 ms / B + 2.816 ms)): 100 need 2.52, 150 5.30.
TEST_CASE("Concurrency within limits", "[analysis]") {
  const auto [limit, constraints, sequences] =
      GENERATE(table<SolveLimit, SolveConstraints, std::int64_t>(
          {{SolveLimit::tpot, {.tpot = Seconds(0.04)}, 6},
           {SolveLimit::throughput, {.tokens_per_second = 100}, 3},
           {SolveLimit::throughput, {.tokens_per_second = 150}, 6},
           {SolveLimit::cost, {.dollars_per_million_tokens = 10}, 3},
           {SolveLimit::tpot, {.tpot = Seconds(0.04), .tokens_per_second = 150}, 6}}));
  const SolveResult result = concurrency(constraints);
  CHECK(result.answer == sequences);
  CHECK(result.bound == limit);
}

TEST_CASE("Limits on a concurrency that contradict", "[analysis]") {
  const SolveResult result = concurrency({.tpot = Seconds(0.025), .tokens_per_second = 150});
  CHECK_FALSE(result.answer);
  CHECK(result.reason ==
        "the TPOT limit and the throughput limit contradict: the one allows a concurrency of 2 at "
        "most, the other needs 6");
}

// A prompt of 100 takes (160,256 + 25,600) / 1e7 s at any concurrency.
TEST_CASE("A limit on TTFT that no concurrency meets", "[analysis]") {
  CHECK(concurrency({.tpot = Seconds(0.04), .ttft = Seconds(0.0186)}).answer == 6);
  const SolveResult result = concurrency({.tpot = Seconds(0.04), .ttft = Seconds(0.0185)});
  CHECK_FALSE(result.answer);
  CHECK(result.reason == "at concurrency 1 TTFT is 18.59 ms, the limit is 18.50 ms");
}

}  // namespace
}  // namespace roofline
