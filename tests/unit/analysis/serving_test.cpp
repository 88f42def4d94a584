// The steady state of continuous batching, against figures reckoned by hand.
#include "analysis/serving.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <tuple>

#include "analysis/serving_inputs.hpp"

namespace roofline {
namespace {

Approx near(double value) {
  return Approx(value).epsilon(1e-12);
}

ServingPoint point_at(const Server& server, std::int64_t concurrency,
                      std::optional<DollarsPerHour> price = {},
                      const RequestShape& shape = small_shape) {
  const Setting setting =
      make_setting(server.model, server.device, server.deployment, server.precision);
  return Serving(setting, server, shape, price).at(concurrency);
}

TEST_CASE("A concurrency of four has its figures", "[analysis]") {
  const ServingPoint point = point_at(small_server(), 4);
  CHECK(point.concurrency == 4);
  CHECK(point.decode.value() == near(0.0272896));
  CHECK(point.prompt_share.value() == near(0.017344));
  CHECK(point.ttft.value() == near(0.0185856));
  CHECK(point.tpot.value() == near(0.0272896 + 3.0 / 21 * 0.017344));
  CHECK(point.requests_per_second == near(1 / (0.017344 + 21 * 0.0272896 / 4)));
  CHECK(point.output_tokens_per_second == near(21 / (0.017344 + 21 * 0.0272896 / 4)));
  CHECK(point.input_tokens_per_second == near(100 / (0.017344 + 21 * 0.0272896 / 4)));
  CHECK_FALSE(point.dollars_per_million_tokens);
  CHECK_FALSE(point.joules_per_token);
}

TEST_CASE("A sequence alone waits for no other prompt", "[analysis]") {
  const ServingPoint point = point_at(small_server(), 1);
  CHECK(point.tpot == point.decode);
  CHECK(point.decode.value() == near(0.0188416));
  CHECK(point.requests_per_second == near(1 / (0.017344 + 21 * 0.0188416)));
}

TEST_CASE("A decode step stands at whole tokens of mean context", "[analysis]") {
  const auto [output, context] = GENERATE(
      table<std::int64_t, double>({{1, 100}, {2, 101}, {3, 101}, {20, 110}, {21, 110}, {22, 111}}));
  const ServingPoint point = point_at(small_server(), 1, {}, {.prompt = 100, .output = output});
  CHECK(point.decode.value() == near((160'256 + 256 * context) / small_bandwidth));
}

TEST_CASE("The budget decides how many prompts share a step", "[analysis]") {
  // g prompts: the larger of 160,256 + 25,600 g bytes and 17,344,000 g FLOP.
  const auto [budget, prompts] = GENERATE(table<std::int64_t, double>(
      {{1, 1}, {99, 1}, {100, 1}, {199, 1}, {200, 2}, {299, 2}, {300, 3}, {8192, 81}}));
  Server server = small_server();
  server.limits.batched_tokens = budget;
  const double compute = 17'344'000 / small_peak;
  const double memory = (160'256 / prompts + 25'600) / small_bandwidth;
  CHECK(point_at(server, 4).prompt_share.value() == near(compute > memory ? compute : memory));
}

TEST_CASE("Cost and energy count every device", "[analysis]") {
  Server server = small_server({.tensor = 1, .pipeline = 1, .expert = 1, .data = 3});
  server.device.tdp = Watts(50);
  const ServingPoint point = point_at(server, 3, DollarsPerHour(0.5));
  const double rate = 3 * 21 / (0.017344 + 21 * 0.0188416);
  CHECK(point.output_tokens_per_second == near(rate));
  REQUIRE(point.dollars_per_million_tokens);
  CHECK(*point.dollars_per_million_tokens == near(0.5 * 3 / 3600 / rate * 1e6));
  REQUIRE(point.joules_per_token);
  CHECK(*point.joules_per_token == near(50 * 3 / rate));
}

TEST_CASE("Replicas share the sequences and the fullest sets the pace", "[analysis]") {
  // Of B sequences on 2 replicas the fullest has B_r.
  const auto [concurrency, in_replica] =
      GENERATE(table<std::int64_t, std::int64_t>({{1, 1}, {2, 1}, {3, 2}, {4, 2}, {7, 4}}));
  const ServingPoint point =
      point_at(small_server({.tensor = 1, .pipeline = 1, .expert = 1, .data = 2}), concurrency);
  const auto each = static_cast<double>(in_replica);
  const double decode = small_decode(in_replica);
  CHECK(point.decode.value() == near(decode));
  CHECK(point.prompt_share.value() == near(small_prompt_share));
  CHECK(point.ttft.value() == near(small_ttft));
  CHECK(point.tpot.value() == near(decode + (each - 1) / 21 * small_prompt_share));
  CHECK(point.requests_per_second ==
        near(static_cast<double>(concurrency) / (each * small_prompt_share + 21 * decode)));
}

TEST_CASE("A pipeline has as many micro-batches under way as stages", "[analysis]") {
  // Of B sequences m micro-batches of at most `together`.
  const auto [concurrency, micro_batches, together] =
      GENERATE(table<std::int64_t, double, std::int64_t>(
          {{1, 1, 1}, {2, 2, 1}, {3, 2, 2}, {4, 2, 2}, {9, 2, 5}}));
  const ServingPoint point =
      point_at(small_server({.tensor = 1, .pipeline = 2, .expert = 1, .data = 1}), concurrency);
  const auto sequences = static_cast<double>(concurrency);
  const double decode = small_decode(together);
  const double share = small_prompt_share / micro_batches;
  CHECK(point.decode.value() == near(decode));
  CHECK(point.prompt_share.value() == near(small_prompt_share));
  CHECK(point.ttft.value() == near(small_ttft));
  CHECK(point.tpot.value() == near(decode + (sequences - 1) / 21 * share));
  CHECK(point.requests_per_second == near(sequences / (sequences * share + 21 * decode)));
}

TEST_CASE("Replicas of pipelines deal sequences to both", "[analysis]") {
  // 11 on 3 replicas: 4 in the fullest, 2 micro-batches of 2, together 6 sequences a step.
  const ServingPoint point =
      point_at(small_server({.tensor = 1, .pipeline = 2, .expert = 1, .data = 3}), 11);
  CHECK(point.decode.value() == near(small_decode(2)));
  CHECK(point.tpot.value() == near(small_decode(2) + 3.0 / 21 * small_prompt_share / 2));
  CHECK(point.requests_per_second ==
        near(11 / (4 * small_prompt_share / 2 + 21 * small_decode(2))));
}

}  // namespace
}  // namespace roofline
