// The fewest devices, and questions that are refused.
#include <catch2/catch.hpp>

#include "analysis/serving_inputs.hpp"
#include "roofline/catalog.hpp"
#include "roofline/error.hpp"
#include "roofline/solve.hpp"

namespace roofline {
namespace {

Server llama_70b() {
  const Catalog catalog;
  Server server;
  server.model = catalog.model("llama-3-70b");
  server.device = catalog.device("H100");
  return server;
}

SolveResult fewest(const Server& server, std::int64_t batch, std::int64_t context,
                   const SolveConstraints& constraints = {}) {
  return solve({.unknown = SolveFor::devices,
                .server = server,
                .constraints = constraints,
                .batch = batch,
                .context = context});
}

// 141.1 GB of weights, 76.97 GB usable.
TEST_CASE("Two H100 hold llama-3-70b", "[analysis]") {
  const SolveResult result = fewest(llama_70b(), 1, 2048);
  REQUIRE(result.answer == 2);
  CHECK(result.deployment == Deployment{.tensor = 2});
  CHECK(result.bound == SolveLimit::memory);
  REQUIRE(result.proof.size() == 3);
  CHECK(result.proof[0].deployment == Deployment{});
  CHECK(result.proof[0].fits == false);
  CHECK(result.proof[1].fits == true);
  CHECK(result.proof[2].value == 3);
  CHECK(result.proof[2].deployment == Deployment{.pipeline = 3});  // 3 do not divide 64 heads
}

// K/V of 32 sequences of 8,192 takes 85.9 GB more. The fullest of three stages has 27 of 80 layers:
// 27/80 x (136.9 + 85.9) GB and 2.1 GB of a table are 77.3 GB.
TEST_CASE("Four H100 where a third of the layers is too much for one", "[analysis]") {
  const SolveResult result = fewest(llama_70b(), 32, 8192);
  REQUIRE(result.answer == 4);
  CHECK(result.deployment == Deployment{.tensor = 4});
}

// On 8 devices a token takes 5.212 ms; a pipeline takes as long as one device.
TEST_CASE("Devices for a limit on TPOT", "[analysis]") {
  const SolveResult result = fewest(llama_70b(), 1, 2048, {.tpot = Seconds(0.00522)});
  REQUIRE(result.answer == 8);
  CHECK(result.deployment == Deployment{.tensor = 8});
  CHECK(result.bound == SolveLimit::tpot);
  for (const SolveTrial& trial : result.proof) {
    if (trial.deployment == result.deployment) {
      CHECK(trial.tpot.value() == Approx(5.212e-3).margin(0.0005e-3));
    }
  }
}

TEST_CASE("A limit on TPOT that no number of devices meets", "[analysis]") {
  const SolveResult result = fewest(llama_70b(), 1, 2048, {.tpot = Seconds(1e-4)});
  CHECK_FALSE(result.answer);
  CHECK_THAT(
      result.reason,
      Catch::StartsWith(
          "no deployment of up to 1,024 devices meets the TPOT limit; the nearest is tp 64: "));
  REQUIRE(result.proof.size() == 1);
  CHECK(result.proof.front().deployment.tensor == 64);  // the most that divide 64 heads
}

// At 1 USD for 1000 tokens a second and device: two devices halve all bytes, 106.1 tokens a second
// at 18.84 USD as on one; four have half of the K/V still, (40,064 + 14,080) / 1e7 s: 184.7 tokens
// a second at 21.66 USD. A pipeline costs more.
TEST_CASE("Limits on devices that contradict", "[analysis]") {
  Server server = small_server();
  server.device.capacity = Bytes(1e9);
  server.price = DollarsPerHour(3.6);
  const SolveResult result =
      fewest(server, 1, 110, {.tokens_per_second = 110, .dollars_per_million_tokens = 20});
  CHECK_FALSE(result.answer);
  CHECK(
      result.reason ==
      "the throughput limit and the cost limit contradict: no deployment of up to 8 devices meets "
      "both");
}

std::string refusal(const SolveRequest& request) {
  try {
    (void)solve(request);
  } catch (const Error& error) {
    return error.diagnostics().front().what;
  }
  return "none";
}

TEST_CASE("Questions that solve refuses", "[analysis]") {
  const Server small = small_server();
  CHECK(
      refusal({.unknown = SolveFor::batch, .server = small, .constraints = {.ttft = Seconds(1)}}) ==
      "the TTFT limit has no say in the batch");
  CHECK(refusal({.unknown = SolveFor::devices,
                 .server = small,
                 .constraints = {.compute_bound = true}}) == "the ridge has no say in the devices");
  CHECK(refusal({.unknown = SolveFor::batch,
                 .server = small,
                 .constraints = {.compute_bound = true, .tpot = Seconds(1)}}) ==
        "the ridge and other limits are two questions");
  CHECK(refusal({.unknown = SolveFor::batch, .server = small}) == "the memory of X is not known");
  CHECK(refusal({.unknown = SolveFor::batch,
                 .server = small,
                 .constraints = {.dollars_per_million_tokens = 1}}) == "no price of X is known");
  CHECK(refusal({.unknown = SolveFor::devices,
                 .server = small_server({.tensor = 2}),
                 .constraints = {.tpot = Seconds(1)}}) == "the deployment is what is to be found");
}

}  // namespace
}  // namespace roofline
