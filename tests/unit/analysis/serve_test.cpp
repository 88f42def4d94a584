// Which concurrency is answered, what bounds it, and when the answer is no; reckoned by hand.
#include "roofline/serve.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/serving_inputs.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

using Catch::Matchers::Contains;

Approx near(double value) {
  return Approx(value).epsilon(1e-12);
}

ServeRequest small_request(const Deployment& deployment = {}) {
  ServeRequest request;
  request.server = small_server(deployment);
  request.shape = small_shape;
  return request;
}

bool has_note(const ServeResult& result, const std::string& part) {
  return std::any_of(result.notes.begin(), result.notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

std::string error_of(const ServeRequest& request) {
  try {
    (void)serve(request);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// Memory for `sequences` and a half. Weights with the embedding take 173,056 bytes, a sequence of
/// 121 tokens 8 blocks of 16, 32,768 bytes; a prefill step of 100 tokens 64,000 at gate+up and
/// 12,800 in the residual stream.
ServeRequest with_memory(ServeRequest request, std::int64_t sequences) {
  request.server.limits.batched_tokens = 100;
  request.server.limits.utilization = 1;
  request.server.device.capacity =
      Bytes(173'056 + 76'800 + 32'768 * (static_cast<double>(sequences) + 0.5));
  return request;
}

TEST_CASE("Bounds have names", "[analysis]") {
  CHECK(to_string(ServeBound::asked) == "asked");
  CHECK(to_string(ServeBound::request_rate) == "request-rate");
  CHECK(to_string(ServeBound::memory) == "memory");
  CHECK(to_string(ServeBound::tpot_limit) == "tpot-limit");
  CHECK(to_string(ServeBound::ttft_limit) == "ttft-limit");
}

TEST_CASE("A concurrency that was asked for is answered", "[analysis]") {
  ServeRequest request = small_request();
  request.concurrency = 4;
  const ServeResult result = serve(request);
  REQUIRE(result.point);
  CHECK(result.point->concurrency == 4);
  CHECK(result.point->tpot.value() == near(0.0272896 + 3.0 / 21 * 0.017344));
  CHECK(result.bound == ServeBound::asked);
  CHECK(result.reason.empty());
  CHECK_FALSE(result.memory_concurrency);
  CHECK(has_note(result, "the memory of X is not known"));
}

TEST_CASE("Without a question the answer is what memory holds", "[analysis]") {
  const ServeResult result = serve(with_memory(small_request(), 5));
  REQUIRE(result.point);
  CHECK(result.memory_concurrency == 5);
  CHECK(result.point->concurrency == 5);
  CHECK(result.bound == ServeBound::memory);
  CHECK(result.point->decode.value() == near(small_decode(5)));
}

TEST_CASE("More than memory holds becomes what it holds", "[analysis]") {
  const auto [asked, answered, bound] = GENERATE(table<std::int64_t, std::int64_t, ServeBound>(
      {{4, 4, ServeBound::asked}, {5, 5, ServeBound::asked}, {6, 5, ServeBound::memory}}));
  ServeRequest request = with_memory(small_request(), 5);
  request.concurrency = asked;
  const ServeResult result = serve(request);
  REQUIRE(result.point);
  CHECK(result.point->concurrency == answered);
  CHECK(result.bound == bound);
  CHECK(has_note(result, "concurrency 6 was asked for: the answer is for the 5") == (asked == 6));
}

TEST_CASE("Memory that holds no sequence makes the answer no", "[analysis]") {
  ServeRequest request = with_memory(small_request(), 0);
  request.concurrency = 1;
  const ServeResult result = serve(request);
  CHECK_FALSE(result.point);
  CHECK(result.memory_concurrency == 0);
  CHECK(result.bound == ServeBound::memory);
  CHECK_THAT(result.reason, Contains("memory does not hold one sequence of 121 tokens"));
}

TEST_CASE("A TPOT limit allows exactly so many", "[analysis]") {
  // 16.0256 ms + 2.816 ms B + 17.344 ms (B - 1) / 21
  const auto [limit, most] = GENERATE(table<double, std::int64_t>({{0.0188, 0},
                                                                   {0.01885, 1},
                                                                   {0.02248, 1},
                                                                   {0.02249, 2},
                                                                   {0.0479, 8},
                                                                   {0.0480, 9},
                                                                   {0.05, 9},
                                                                   {3.657, 999},
                                                                   {3.6572, 1000}}));
  ServeRequest request = small_request();
  request.tpot_limit = Seconds(limit);
  const ServeResult result = serve(request);
  CHECK(result.tpot_concurrency == most);
  CHECK(result.bound == ServeBound::tpot_limit);
  REQUIRE(result.point.has_value() == (most > 0));
  if (most > 0) CHECK(result.point->concurrency == most);
  if (most == 0) CHECK_THAT(result.reason, Contains("TPOT of one sequence is 18.84 ms"));
}

TEST_CASE("The tighter of memory and TPOT limit binds", "[analysis]") {
  const auto [held, answered, bound] = GENERATE(table<std::int64_t, std::int64_t, ServeBound>(
      {{8, 8, ServeBound::memory}, {9, 9, ServeBound::memory}, {10, 9, ServeBound::tpot_limit}}));
  ServeRequest request = with_memory(small_request(), held);
  // A budget of one prompt: its share is 18.5856 ms, so that 16.0256 + 2.816 B + 0.885 (B - 1).
  request.tpot_limit = Seconds(0.0485);
  const ServeResult result = serve(request);
  REQUIRE(result.point);
  CHECK(result.point->concurrency == answered);
  CHECK(result.bound == bound);
  CHECK(result.memory_concurrency == held);
  CHECK(result.tpot_concurrency == 9);
}

TEST_CASE("A TTFT limit is met by every concurrency or by none", "[analysis]") {
  const auto [limit, met] = GENERATE(table<double, bool>({{0.0185, false}, {0.0186, true}}));
  ServeRequest request = small_request();
  request.concurrency = 4;
  request.ttft_limit = Seconds(limit);
  const ServeResult result = serve(request);
  CHECK(result.point.has_value() == met);
  CHECK((result.ttft_concurrency == 0) == !met);
  CHECK(result.bound == (met ? ServeBound::asked : ServeBound::ttft_limit));
  if (!met) CHECK_THAT(result.reason, Contains("TTFT of a prompt of 100 tokens is 18.59 ms"));
}

TEST_CASE("A request rate is kept up with by the fewest sequences", "[analysis]") {
  // B / (76.48 ms B + 336.5376 ms)
  const auto [rate, fewest] =
      GENERATE(table<double, std::int64_t>({{2.42, 1}, {2.43, 2}, {6, 4}, {9, 10}, {13, 760}}));
  ServeRequest request = small_request();
  request.requests_per_second = rate;
  const ServeResult result = serve(request);
  REQUIRE(result.point);
  CHECK(result.rate_concurrency == fewest);
  CHECK(result.point->concurrency == fewest);
  CHECK(result.bound == ServeBound::request_rate);
  CHECK(result.point->requests_per_second == rate);
  const double capacity =
      static_cast<double>(fewest) / (0.07648 * static_cast<double>(fewest) + 0.3365376);
  CHECK(*result.most_requests_per_second == Approx(capacity).epsilon(1e-12));
}

TEST_CASE("Idle time is paid for where a rate is asked for", "[analysis]") {
  ServeRequest request = small_request();
  request.requests_per_second = 0.5;
  request.server.price = DollarsPerHour(1.8);
  request.server.device.tdp = Watts(300);
  const ServeResult result = serve(request);
  REQUIRE(result.point);
  CHECK(result.point->output_tokens_per_second == 0.5 * 21);
  CHECK(result.point->input_tokens_per_second == 0.5 * 100);
  // 1.8 USD an hour buy 0.5 x 21 x 3600 = 37,800 tokens; 300 W are spread over 10.5 a second.
  CHECK(*result.point->dollars_per_million_tokens == Approx(1.8e6 / 37'800).epsilon(1e-12));
  CHECK(*result.point->joules_per_token == Approx(300 / 10.5).epsilon(1e-12));
}

TEST_CASE("A rate that nothing reaches makes the answer no", "[analysis]") {
  ServeRequest request = small_request();
  request.requests_per_second = 13.1;  // 1 / 76.48 ms is 13.08
  const ServeResult result = serve(request);
  CHECK_FALSE(result.point);
  CHECK_FALSE(result.rate_concurrency);
  CHECK(result.bound == ServeBound::request_rate);
  CHECK_THAT(result.reason, Contains("no concurrency reaches 13.1 requests/s: 13.08"));
}

TEST_CASE("A rate beyond what the limits leave makes the answer no", "[analysis]") {
  ServeRequest request = small_request();
  request.requests_per_second = 9;
  request.tpot_limit = Seconds(0.05);
  const ServeResult result = serve(request);
  CHECK_FALSE(result.point);
  CHECK(result.rate_concurrency == 10);
  CHECK(result.tpot_concurrency == 9);
  CHECK(result.bound == ServeBound::tpot_limit);
  CHECK_THAT(result.reason,
             Contains("need a concurrency of 10") &&
                 Contains("the 9 sequences that the TPOT limit allows reach 8.782 requests/s"));
}

/// What B sequences give on `replicas` pipelines of `stages`, from the formula.
double rate_by_hand(std::int64_t concurrency, std::int64_t replicas, std::int64_t stages) {
  const std::int64_t in_replica = (concurrency + replicas - 1) / replicas;
  const std::int64_t micro_batches = std::min(stages, in_replica);
  const std::int64_t together = (in_replica + micro_batches - 1) / micro_batches;
  const double prompts = static_cast<double>(in_replica) * small_prompt_share;
  return static_cast<double>(concurrency) /
         (prompts / static_cast<double>(micro_batches) + 21 * small_decode(together));
}

TEST_CASE("The fewest for a rate are found where more can be worse", "[analysis]") {
  const auto [replicas, stages] =
      GENERATE(table<std::int64_t, std::int64_t>({{2, 1}, {5, 1}, {1, 2}, {3, 2}, {4, 2}}));
  ServeRequest request =
      small_request({.tensor = 1, .pipeline = stages, .expert = 1, .data = replicas});
  for (std::int64_t target = 1; target <= 60; ++target) {
    const double rate = rate_by_hand(target, replicas, stages) * (1 - 1e-9);
    std::int64_t fewest = 1;
    while (rate_by_hand(fewest, replicas, stages) < rate) ++fewest;
    request.requests_per_second = rate;
    CHECK(serve(request).rate_concurrency == fewest);
  }
}

TEST_CASE("The best rate within a limit may need fewer sequences", "[analysis]") {
  // Long outputs at context 2,100: steps of 1 and 2 sequences are 69.7856 and 123.5456 ms. On 2
  // stages 2 sequences reach 0.007164 requests/s, 3 reach 0.006070, 4 reach 0.008094.
  ServeRequest request = small_request({.tensor = 1, .pipeline = 2, .expert = 1, .data = 1});
  request.shape = {.prompt = 100, .output = 4000};
  request.requests_per_second = 0.0072;
  CHECK(serve(request).rate_concurrency == 4);
  request.tpot_limit = Seconds(0.123551);  // 3: 123.549936 ms, 4: 123.552104 ms
  const ServeResult result = serve(request);
  CHECK(result.tpot_concurrency == 3);
  CHECK_FALSE(result.point);
  CHECK_THAT(result.reason,
             Contains("the 3 sequences that the TPOT limit allows reach 0.007164 requests/s"));
}

TEST_CASE("What cannot be answered is an error", "[analysis]") {
  ServeRequest request = small_request();
  CHECK_THAT(error_of(request), Contains("nothing limits the concurrency"));
  request.concurrency = 4;
  CHECK(error_of(request).empty());
  request.requests_per_second = 2;
  CHECK_THAT(error_of(request), Contains("two questions"));
  request.concurrency.reset();
  request.requests_per_second = 0;
  CHECK_THAT(error_of(request), Contains("a request rate is above 0"));
  request.requests_per_second = 2;
  request.shape.output = 0;
  CHECK_THAT(error_of(request), Contains("at least 1 prompt token"));
}

TEST_CASE("However much memory there is the search ends", "[analysis]") {
  ServeRequest request = small_request();
  request.server.model.layers.front().mixer = LinearAttention{.heads = 4, .head_dim = 16};
  request.server.device.capacity = Bytes(1e24);
  const ServeResult result = serve(request);
  REQUIRE(result.point);
  CHECK(result.point->concurrency == 1'000'000'000);
  CHECK(result.bound == ServeBound::memory);
  CHECK(has_note(result, "more than 1,000,000,000 sequences are not looked at"));
}

TEST_CASE("A price that is given goes before the catalogue's", "[analysis]") {
  ServeRequest request = small_request();
  request.concurrency = 4;
  ServeResult result = serve(request);
  CHECK_FALSE(result.point->dollars_per_million_tokens);
  CHECK(has_note(result, "no price of X is known"));
  request.server.device.prices = {{.per_hour = DollarsPerHour(2.5),
                                   .as_of = "2026-09-09",
                                   .provider = "Cloud",
                                   .tier = "on-demand",
                                   .note = {},
                                   .source = {}}};
  result = serve(request);
  const double rate = 21 / (0.017344 + 21 * 0.0272896 / 4);
  CHECK(*result.point->dollars_per_million_tokens == near(2.5 / 3600 / rate * 1e6));
  REQUIRE(result.price);
  CHECK(result.price->provider == "Cloud");
  CHECK(has_note(result, "X: 2.5 USD an hour: Cloud, on-demand, 2026-09-09"));
  request.server.price = DollarsPerHour(5);
  result = serve(request);
  CHECK_FALSE(result.price);
  CHECK(*result.point->dollars_per_million_tokens == near(5 / 3600.0 / rate * 1e6));
}

TEST_CASE("Notes say what was assumed", "[analysis]") {
  ServeRequest request = small_request({.tensor = 1, .pipeline = 2, .expert = 1, .data = 2});
  request.concurrency = 4;
  request.server.model.max_context = 120;
  request.server.device.tdp = Watts(700);
  request.server.device.tdp_is_estimate = true;
  const ServeResult result = serve(request);
  CHECK(has_note(result, "context 121 is beyond the 120 tokens that small is made for"));
  CHECK(has_note(result, "concurrency is that of all 2 replicas"));
  CHECK(has_note(result, "sequences pass the 2 stages as up to 2 micro-batches at once"));
  CHECK(has_note(result, "the TDP of X, 700 W, is an estimate"));
}

}  // namespace
}  // namespace roofline
