// The batch of a decode step: at the ridge, and within limits.
#include <catch2/catch.hpp>

#include "analysis/serving_inputs.hpp"
#include "roofline/catalog.hpp"
#include "roofline/solve.hpp"

namespace roofline {
namespace {

Server on_h100(const std::string& model) {
  const Catalog catalog;
  Server server;
  server.model = catalog.model(model);
  server.device = catalog.device("H100");
  for (const char* type : {"fp16", "bf16"}) {
    server.device.peaks[peak_key(type).value()] = FlopsPerSecond(989e12);
  }
  server.precision.weights = catalog.format("fp16");
  return server;
}

SolveResult sweet_spot(const Server& server, std::int64_t context) {
  return solve({.unknown = SolveFor::batch,
                .server = server,
                .constraints = {.compute_bound = true},
                .context = context});
}

SolveResult batch_within(const Server& server, const SolveConstraints& constraints) {
  return solve(
      {.unknown = SolveFor::batch, .server = server, .constraints = constraints, .context = 110});
}

TEST_CASE("The sweet spot of llama-3-70b on an H100", "[analysis]") {
  const auto [context, batch] =
      GENERATE(table<std::int64_t, std::int64_t>({{512, 452}, {1024, 963}, {1476, 477'356}}));
  const SolveResult result = sweet_spot(on_h100("llama-3-70b"), context);
  REQUIRE(result.answer == batch);
  REQUIRE(result.proof.size() == 3);
  CHECK(result.proof[0].intensity < result.proof[0].ridge);
  CHECK(result.proof[0].missed == std::vector{SolveLimit::ridge});
  CHECK(result.proof[1].value == batch);
  CHECK(result.proof[1].intensity >= result.proof[1].ridge);
  CHECK(result.proof[1].missed.empty());
}

TEST_CASE("From context 1477 on no batch of llama-3-70b reaches an H100's ridge", "[analysis]") {
  const SolveResult result = sweet_spot(on_h100("llama-3-70b"), 1477);
  REQUIRE_FALSE(result.answer);
  CHECK(result.sweet_spot->tendency.limit.value() == Approx(295.2070412999323).epsilon(1e-12));
  CHECK(result.sweet_spot->tendency.ridge.value() == Approx(989e12 / 3350e9).epsilon(1e-12));
  REQUIRE(result.sweet_spot->contexts.size() == 2);
  CHECK(result.sweet_spot->contexts[0].context == 1476);
  CHECK(result.sweet_spot->contexts[0].reached());
  CHECK(result.sweet_spot->contexts[1].context == 1477);
  CHECK_FALSE(result.sweet_spot->contexts[1].reached());
  CHECK(result.sweet_spot->batch_at_context == 477'356);
}

TEST_CASE("What would help llama-3.1-8b over the ridge", "[analysis]") {
  const SolveResult result = sweet_spot(on_h100("llama-3.1-8b"), 2048);
  REQUIRE_FALSE(result.answer);
  const SweetSpot& spot = *result.sweet_spot;
  CHECK(spot.tendency.limit.value() == Approx(59.9140625).epsilon(1e-12));
  CHECK(spot.contexts.front().context == 393);
  CHECK(spot.batch_at_context == 554'073);
  CHECK(spot.with_8_bit_kv->limit.value() == Approx(119.828125).epsilon(1e-12));
  CHECK_FALSE(spot.batch_with_8_bit_kv);
}

// FLOP of a sequence 160,256 + 512 S, bytes 160,256 + 256 S B, ridge 100. At context 2 B is at
// least 100 x 160,256 / (161,280 - 51,200) = 145.6.
TEST_CASE("A sweet spot by hand", "[analysis]") {
  CHECK(sweet_spot(small_server(), 2).answer == 146);
}

// At context 7 the limit is 163,840 / 1,792 = 91.4; at 6 it is 106.3, reached from 1647.4 on. With
// 8-bit K/V it is 182.9, reached from 215.9 on.
TEST_CASE("A sweet spot that 8-bit K/V makes possible", "[analysis]") {
  const SolveResult result = sweet_spot(small_server(), 7);
  REQUIRE_FALSE(result.answer);
  CHECK(result.sweet_spot->contexts.front().context == 6);
  CHECK(result.sweet_spot->batch_at_context == 1648);
  CHECK(result.sweet_spot->batch_with_8_bit_kv == 216);
}

// What a second replica's sequences cost the first one nothing: 291 deal 146 to the first.
TEST_CASE("Replicas have the sweet spot each", "[analysis]") {
  CHECK(sweet_spot(small_server({.data = 2}), 2).answer == 291);
}

// A step takes (160,256 + 28,160 B) / 1e7 seconds: 30 ms allow 4.96 sequences.
TEST_CASE("The largest batch within a TPOT limit", "[analysis]") {
  const SolveResult result = batch_within(small_server(), {.tpot = Seconds(0.03)});
  CHECK(result.largest);
  CHECK(result.answer == 4);
  CHECK(result.bound == SolveLimit::tpot);
  CHECK(result.edges == std::vector<SolveEdge>{{SolveLimit::tpot, true, 4}});
  REQUIRE(result.proof.size() == 3);
  CHECK(result.proof[1].missed.empty());
  CHECK(result.proof[2].missed == std::vector{SolveLimit::tpot});
}

// B / t >= 120 where B >= 160,256 / (1e7 / 120 - 28,160) = 2.90.
TEST_CASE("The smallest batch with a throughput", "[analysis]") {
  const SolveResult result = batch_within(small_server(), {.tokens_per_second = 120});
  CHECK_FALSE(result.largest);
  CHECK(result.answer == 3);
  CHECK(result.bound == SolveLimit::throughput);
}

// At 3.6 USD an hour 8 USD a million tokens are 125 tokens a second: B >= 160,256 / 51,840 = 3.09.
TEST_CASE("The smallest batch within a cost", "[analysis]") {
  Server server = small_server();
  server.price = DollarsPerHour(3.6);
  const SolveResult result = batch_within(server, {.dollars_per_million_tokens = 8});
  CHECK(result.answer == 4);
  CHECK(result.bound == SolveLimit::cost);
}

// Throughput tends to 1e7 / 28,160 = 355.1 tokens a second.
TEST_CASE("A throughput that no batch reaches", "[analysis]") {
  const SolveResult near = batch_within(small_server(), {.tokens_per_second = 355});
  CHECK(near.answer == 17'779);  // 160,256 / (1e7 / 355 - 28,160) = 17,778.4
  const SolveResult result = batch_within(small_server(), {.tokens_per_second = 356});
  CHECK_FALSE(result.answer);
  CHECK(result.reason == "no batch meets the throughput limit, however large");
}

TEST_CASE("Limits on a batch that contradict", "[analysis]") {
  const SolveResult result =
      batch_within(small_server(), {.tpot = Seconds(0.03), .tokens_per_second = 250});
  CHECK_FALSE(result.answer);  // 250 tokens a second need 160,256 / 11,840 = 13.5
  CHECK(result.reason ==
        "the TPOT limit and the throughput limit contradict: the one allows a batch of 4 at most, "
        "the "
        "other needs 14");
}

TEST_CASE("Not even a batch of one", "[analysis]") {
  const SolveResult result = batch_within(small_server(), {.tpot = Seconds(0.001)});
  CHECK_FALSE(result.answer);
  CHECK(result.reason == "at batch 1 TPOT is 18.84 ms, the limit is 1.000 ms");
}

TEST_CASE("Memory alone bounds a batch", "[analysis]") {
  Server server = small_server();
  server.device.capacity = Bytes(1e7);
  const SolveResult result = batch_within(server, {});
  REQUIRE(result.answer);
  CHECK(result.bound == SolveLimit::memory);
  REQUIRE(result.proof.size() == 3);
  CHECK(result.proof[1].memory_needed <= Bytes(0.9e7));
  CHECK(result.proof[2].memory_needed > Bytes(0.9e7));
}

// With 7 replicas 7 sequences take as long as one, 18.84 ms: 371.5 tokens a second. 8 to 14 take as
// long as two, 21.66 ms: 369.4 tokens a second for 8, 415.6 for 9.
TEST_CASE("Throughput falls behind a multiple of the replicas", "[analysis]") {
  const Server server = small_server({.data = 7});
  CHECK(batch_within(server, {.tokens_per_second = 370}).answer == 7);
  CHECK(batch_within(server, {.tokens_per_second = 372}).answer == 9);
  CHECK(batch_within(server, {.tpot = Seconds(0.019), .tokens_per_second = 370}).answer == 7);
}

}  // namespace
}  // namespace roofline
