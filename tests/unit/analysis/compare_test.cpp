// Rankings of devices for a step and for requests: figures by hand, orders, ties, and those that
// cannot be ranked.
#include "roofline/compare.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/serving_inputs.hpp"
#include "roofline/catalog.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

Approx near(double value) {
  return Approx(value).epsilon(1e-12);
}

struct Figures {
  double terabytes_per_s;
  double usable_gigabytes;
  double dollars;
  double watts;
};

Device device_named(const std::string& name, const Figures& figures) {
  Device device;
  device.name = name;
  device.peaks[{.type = MatrixType::bf16}] = FlopsPerSecond(989e12);
  device.bandwidth = BytesPerSecond(figures.terabytes_per_s * 1e12);
  device.usable = Bytes(figures.usable_gigabytes * 1e9);
  if (figures.dollars > 0) {
    device.prices = {{.per_hour = DollarsPerHour(figures.dollars),
                      .as_of = "2026-03-01",
                      .provider = "someone",
                      .tier = "on-demand",
                      .note = {},
                      .source = "a page"}};
  }
  if (figures.watts > 0) device.tdp = Watts(figures.watts);
  return device;
}

/// Decode of llama-3.1-8b at batch 32 and context 2048: 23,599,251,456 bytes through memory, and
/// memory-bound on all of them.
CompareRequest request_for(std::vector<Device> devices, RankBy by) {
  return {.model = Catalog().model("llama-3.1-8b"),
          .devices = std::move(devices),
          .question = NamedWorkload{"decode", Decode{32, 2048}},
          .by = by};
}

std::string ranking(const CompareResult& result) {
  std::string text;
  for (const Candidate& candidate : result.candidates) {
    text += candidate.rank ? std::string(1, static_cast<char>('0' + *candidate.rank)) : "-";
    text += candidate.gpu + " ";
  }
  return text;
}

std::string ranking(std::vector<Device> devices, RankBy by) {
  return ranking(compare(request_for(std::move(devices), by)));
}

// Slow: cheap, frugal by the hour. Quick: twice as fast, three times as dear, one and a half the
// power, half the memory.
const Figures slow{.terabytes_per_s = 1, .usable_gigabytes = 80, .dollars = 1, .watts = 200};
const Figures quick{.terabytes_per_s = 2, .usable_gigabytes = 40, .dollars = 3, .watts = 300};

TEST_CASE("Each order puts its best first", "[analysis]") {
  const auto [by, expected] = GENERATE(table<RankBy, std::string>(
      {{RankBy::time, "1quick 2slow "},
       {RankBy::throughput, "1quick 2slow "},
       {RankBy::cost, "1slow 2quick "},    // 1 / 1 against 3 / 2 dollars a token
       {RankBy::energy, "1quick 2slow "},  // 200 / 1 against 300 / 2 joules a token
       {RankBy::fit, "1slow 2quick "}}));
  CHECK(ranking({device_named("slow", slow), device_named("quick", quick)}, by) == expected);
}

TEST_CASE("Figures of a candidate", "[analysis]") {
  const CompareResult result = compare(request_for({device_named("quick", quick)}, RankBy::cost));
  const Candidate& only = result.candidates.front();
  // 23599251456 / 2e12 s for 32 tokens.
  CHECK(only.point()->roofline_time.value() == near(0.011799625728));
  CHECK(only.step()->tokens_per_second == near(32 / 0.011799625728));
  CHECK(*only.step()->dollars_per_million_tokens == near(3.0 / 3600 * 0.011799625728 / 32 * 1e6));
  CHECK(*only.joules_per_token == near(300 * 0.011799625728 / 32));
  // 90 % of 40 GB.
  CHECK(only.step()->usable_memory == Bytes(36e9));
  CHECK(*only.memory_left() == near(1 - only.step()->memory.total().value() / 36e9));
  CHECK(only.listed->provider == "someone");
  CHECK(*only.price == DollarsPerHour(3));
}

TEST_CASE("A price that is given counts for every device", "[analysis]") {
  CompareRequest request = request_for(
      {device_named("slow", slow), device_named("unpriced", {1, 80, 0, 0})}, RankBy::cost);
  request.price = DollarsPerHour(2);
  const CompareResult result = compare(request);
  CHECK(ranking(result) == "1slow 1unpriced ");
  for (const Candidate& candidate : result.candidates) {
    CHECK(*candidate.price == DollarsPerHour(2));
    CHECK_FALSE(candidate.listed.has_value());
  }
}

TEST_CASE("Equals have the same rank and stand by name", "[analysis]") {
  CHECK(ranking({device_named("d", quick), device_named("c", slow), device_named("b", quick),
                 device_named("a", {0.5, 80, 1, 200})},
                RankBy::time) == "1b 1d 3c 4a ");
}

TEST_CASE("Those that cannot be ranked stand last, by name and with the reason", "[analysis]") {
  Device no_rate = device_named("no-rate", slow);
  no_rate.peaks.clear();
  no_rate.peaks[{.type = MatrixType::int8}] = FlopsPerSecond(1e15);
  const std::vector<Device> devices{
      device_named("small", {9, 16, 1, 100}), device_named("unpriced", {9, 80, 0, 100}), no_rate,
      device_named("powerless", {9, 80, 1, 0}), device_named("slow", slow)};
  const CompareResult by_time = compare(request_for(devices, RankBy::time));
  CHECK(ranking(by_time) == "1powerless 1unpriced 3slow -no-rate -small ");
  CHECK(by_time.candidates[3].obstacle == Obstacle::rate);
  CHECK(by_time.candidates[3].reason.find("no rate for bf16") != std::string::npos);
  CHECK(by_time.candidates[3].point() == nullptr);
  CHECK(by_time.candidates[4].obstacle == Obstacle::memory);
  CHECK(by_time.candidates[4].reason.find("of 14.40 GB usable") != std::string::npos);
  CHECK(ranking(compare(request_for(devices, RankBy::cost))) ==
        "1powerless 2slow -no-rate -small -unpriced ");
  CHECK(ranking(compare(request_for(devices, RankBy::energy))) ==
        "1unpriced 2slow -no-rate -powerless -small ");
}

TEST_CASE("A capacity that is not known is no obstacle but to a ranking by fit", "[analysis]") {
  Device vague = device_named("vague", quick);
  vague.usable.reset();
  vague.capacity.reset();
  CHECK(ranking({vague, device_named("slow", slow)}, RankBy::time) == "1vague 2slow ");
  CHECK(ranking({vague, device_named("slow", slow)}, RankBy::fit) == "1slow -vague ");
}

TEST_CASE("Devices without a link are not ranked for several of them", "[analysis]") {
  Device linked = device_named("linked", slow);
  linked.interconnect = Interconnect{.name = "link",
                                     .per_direction = BytesPerSecond(450e9),
                                     .total = {},
                                     .joins = {},
                                     .hop_latency = {}};
  CompareRequest request = request_for({device_named("alone", quick), linked}, RankBy::energy);
  request.deployment.tensor = 2;
  const CompareResult result = compare(request);
  CHECK(ranking(result) == "1linked -alone ");
  CHECK(result.candidates[1].obstacle == Obstacle::link);
  // Two devices draw 400 W.
  const Candidate& first = result.candidates.front();
  CHECK(*first.joules_per_token == near(400 / first.step()->tokens_per_second));
}

TEST_CASE("Not one that can be ranked is an answer", "[analysis]") {
  CHECK_FALSE(
      compare(request_for({device_named("small", {9, 8, 1, 1})}, RankBy::time)).any_ranked());
  CHECK(compare(request_for({device_named("slow", slow)}, RankBy::time)).any_ranked());
}

TEST_CASE("What no device could make right is an error", "[analysis]") {
  CompareRequest request = request_for({device_named("slow", slow)}, RankBy::time);
  SECTION("heads that do not divide") {
    request.deployment.tensor = 3;
  }
  SECTION("experts of a model that has none") {
    request.experts.kind = ExpertChoice::Kind::all;
  }
  SECTION("a kernel") {
    request.question = NamedWorkload{"matmul", MatmulShape{.m = 1, .k = 1, .n = 1}};
  }
  CHECK_THROWS_AS(compare(request), Error);
}

// Requests of 100 prompt and 21 output tokens to the small server, a prompt a step. On the slow
// device, with 10 MB/s and 1 GFLOP/s:
//   decode(B) = 16.0256 ms + 2.816 ms B; a prompt, memory-bound, 18.5856 ms
//   TPOT = decode(B) + 18.5856 ms (B - 1) / 21; requests/s = 1 / (18.5856 ms + 21 decode(B) / B)
// The quick one takes half of each. Weights and activations need 249,856 bytes, a sequence 32,768.
struct ServerFigures {
  double speed;
  double sequences;  ///< that memory holds; 0: the capacity is not known
  double dollars;
  double watts;
};

Device serving_device(const std::string& name, const ServerFigures& figures) {
  Device device = small_server().device;
  device.name = name;
  device.peaks = {{{.type = MatrixType::bf16}, FlopsPerSecond(small_peak * figures.speed)}};
  device.bandwidth = BytesPerSecond(small_bandwidth * figures.speed);
  if (figures.sequences > 0) {
    device.capacity = Bytes(249'856 + 32'768 * (figures.sequences + 0.5));
  }
  if (figures.dollars > 0) {
    device.prices = {{.per_hour = DollarsPerHour(figures.dollars),
                      .as_of = "2026-03-01",
                      .provider = "someone",
                      .tier = "on-demand",
                      .note = {},
                      .source = "a page"}};
  }
  if (figures.watts > 0) device.tdp = Watts(figures.watts);
  return device;
}

const ServerFigures slow_server{.speed = 1, .sequences = 9, .dollars = 1, .watts = 200};
const ServerFigures quick_server{.speed = 2, .sequences = 5, .dollars = 3, .watts = 300};

CompareRequest serving_request(std::vector<Device> devices, RankBy by,
                               const ServingQuestion& question) {
  CompareRequest request{
      .model = small_server().model, .devices = std::move(devices), .question = question, .by = by};
  request.limits.utilization = 1;
  request.limits.batched_tokens = 100;
  return request;
}

CompareRequest serving_request(RankBy by, const ServingQuestion& question) {
  return serving_request(
      {serving_device("slow", slow_server), serving_device("quick", quick_server)}, by, question);
}

const ServingQuestion four_at_once{.shape = small_shape, .concurrency = 4};

TEST_CASE("Each order of servers puts its best first", "[analysis]") {
  const std::vector<Device> devices{serving_device("slow", slow_server),
                                    serving_device("quick", {2, 5, 3, 500}),
                                    serving_device("thrifty", {0.5, 4, 0.1, 115})};
  const auto [by, expected] = GENERATE(table<RankBy, std::string>({
      {RankBy::time, "1quick 2slow 3thrifty "},
      {RankBy::throughput, "1quick 2slow 3thrifty "},
      {RankBy::cost, "1thrifty 2slow 3quick "},    // 0.1 / 0.5, 1 / 1, 3 / 2 dollars a token
      {RankBy::energy, "1slow 2thrifty 3quick "},  // 200 / 1, 115 / 0.5, 500 / 2 joules a token
      {RankBy::fit, "1slow 2quick 3thrifty "},     // 9, 5 and 4 sequences
  }));
  CHECK(ranking(compare(serving_request(devices, by, four_at_once))) == expected);
}

TEST_CASE("Figures of a server", "[analysis]") {
  const CompareResult result = compare(serving_request(RankBy::time, four_at_once));
  const Candidate& slow_one = result.candidates.back();
  const ServingPoint& point = *slow_one.steady_state();
  const double decode = 0.0160256 + 4 * 0.002816;
  const double tokens_per_second = 21 / (0.0185856 + 21 * decode / 4);
  CHECK(point.concurrency == 4);
  CHECK(point.ttft.value() == near(0.0185856));
  CHECK(point.tpot.value() == near(decode + 3.0 / 21 * 0.0185856));
  CHECK(point.output_tokens_per_second == near(tokens_per_second));
  CHECK(*point.dollars_per_million_tokens == near(1.0 / 3600 / tokens_per_second * 1e6));
  CHECK(*slow_one.joules_per_token == near(200 / tokens_per_second));
  CHECK(slow_one.serving()->bound == ServeBound::asked);
  CHECK(slow_one.serving()->memory_concurrency == 9);
  CHECK(slow_one.price == DollarsPerHour(1));
  CHECK(slow_one.listed->provider == "someone");
  CHECK(slow_one.step() == nullptr);
  CHECK(result.candidates.front().steady_state()->tpot.value() == near(point.tpot.value() / 2));
}

TEST_CASE("Servers answer for the concurrency that the limits leave", "[analysis]") {
  // TPOT of the quick one is 11.2713 ms at 2 sequences and 13.1218 ms at 3, of the slow one twice
  // that; 10 requests/s take 2.75 sequences on the quick one.
  const auto [question, concurrency, bound] =
      GENERATE(table<ServingQuestion, std::int64_t, ServeBound>(
          {{{.shape = small_shape}, 5, ServeBound::memory},
           {{.shape = small_shape, .concurrency = 7}, 5, ServeBound::memory},
           {{.shape = small_shape, .tpot_limit = Seconds(0.013)}, 2, ServeBound::tpot_limit},
           {{.shape = small_shape, .requests_per_second = 10}, 3, ServeBound::request_rate}}));
  const CompareResult result = compare(serving_request(RankBy::time, question));
  const auto quick_one = std::find_if(result.candidates.begin(), result.candidates.end(),
                                      [](const Candidate& c) { return c.gpu == "quick"; });
  REQUIRE(quick_one->steady_state() != nullptr);
  CHECK(quick_one->steady_state()->concurrency == concurrency);
  CHECK(quick_one->serving()->bound == bound);
  CHECK(quick_one->rank.has_value());
}

TEST_CASE("Servers whose answer is no stand last with the reason", "[analysis]") {
  // One sequence takes 18.8416 ms a token on the slow one, one prompt 18.5856 ms; its 9 sequences
  // reach 8.687 requests/s.
  const auto [question, obstacle, reason] = GENERATE(table<ServingQuestion, Obstacle, std::string>(
      {{{.shape = small_shape, .tpot_limit = Seconds(0.018)},
        Obstacle::tpot_limit,
        "TPOT of one sequence is 18.84 ms at best"},
       {{.shape = small_shape, .ttft_limit = Seconds(0.018)},
        Obstacle::ttft_limit,
        "TTFT of a prompt of 100 tokens is 18.59 ms at best"},
       {{.shape = small_shape, .requests_per_second = 10},
        Obstacle::request_rate,
        "reach 8.687 requests/s at most"}}));
  const CompareResult result = compare(serving_request(RankBy::fit, question));
  CHECK(ranking(result) == "1quick -slow ");
  CHECK(result.candidates[1].obstacle == obstacle);
  CHECK_THAT(result.candidates[1].reason, Catch::Matchers::Contains(reason));
  CHECK(result.candidates[1].steady_state() == nullptr);
}

TEST_CASE("Servers that cannot be ranked or asked stand last", "[analysis]") {
  Device no_rate = serving_device("no-rate", slow_server);
  no_rate.peaks = {{{.type = MatrixType::int8}, FlopsPerSecond(1e15)}};
  Device small = serving_device("small", slow_server);
  small.capacity = Bytes(200'000);
  const std::vector<Device> devices{small,
                                    no_rate,
                                    serving_device("slow", slow_server),
                                    serving_device("unpriced", {1, 9, 0, 200}),
                                    serving_device("powerless", {1, 9, 1, 0}),
                                    serving_device("vague", {2, 0, 1, 200})};
  const auto [by, expected] = GENERATE(table<RankBy, std::string>(
      {{RankBy::time, "1vague 2powerless 2slow 2unpriced -no-rate -small "},
       {RankBy::cost, "1vague 2powerless 2slow -no-rate -small -unpriced "},
       {RankBy::energy, "1vague 2slow 2unpriced -no-rate -powerless -small "},
       {RankBy::fit, "1powerless 1slow 1unpriced -no-rate -small -vague "}}));
  const CompareResult result = compare(serving_request(devices, by, four_at_once));
  CHECK(ranking(result) == expected);
  for (const Candidate& candidate : result.candidates) {
    CHECK(candidate.reason.empty() == candidate.rank.has_value());
    if (candidate.gpu == "no-rate") CHECK(candidate.obstacle == Obstacle::rate);
    if (candidate.gpu == "small") CHECK(candidate.obstacle == Obstacle::memory);
  }
  const CompareResult open = compare(serving_request(devices, by, {.shape = small_shape}));
  const auto vague = std::find_if(open.candidates.begin(), open.candidates.end(),
                                  [](const Candidate& c) { return c.gpu == "vague"; });
  CHECK(vague->obstacle == Obstacle::capacity);
  CHECK(vague->reason.find("nothing limits the concurrency") == 0);
  CHECK(vague->serving() == nullptr);
}

TEST_CASE("Servers without a link are not ranked for several devices", "[analysis]") {
  Device alone = serving_device("alone", quick_server);
  alone.interconnect.reset();
  CompareRequest request =
      serving_request({alone, serving_device("linked", slow_server)}, RankBy::time, four_at_once);
  request.deployment.tensor = 2;
  const CompareResult result = compare(request);
  CHECK(ranking(result) == "1linked -alone ");
  CHECK(result.candidates[1].obstacle == Obstacle::link);
}

TEST_CASE("Each row is what serve says of that device alone", "[analysis]") {
  const Catalog catalog;
  CompareRequest request{.model = catalog.model("llama-3.1-8b"),
                         .devices = {},
                         .question = ServingQuestion{.shape = {.prompt = 2000, .output = 300},
                                                     .tpot_limit = Seconds(0.05),
                                                     .ttft_limit = Seconds(0.5)},
                         .by = RankBy::throughput};
  request.limits.overhead = Bytes(1e9);
  for (const char* name : {"T4", "L4", "A100", "H100", "MI300X"}) {
    request.devices.push_back(catalog.device(name));
  }
  const CompareResult result = compare(request);
  REQUIRE(result.candidates.size() == 5);
  for (const Candidate& candidate : result.candidates) {
    ServeRequest alone;
    alone.server.model = request.model;
    alone.server.device = catalog.device(candidate.gpu);
    alone.server.limits.overhead = Bytes(1e9);
    alone.shape = {.prompt = 2000, .output = 300};
    alone.tpot_limit = Seconds(0.05);
    alone.ttft_limit = Seconds(0.5);
    const ServeResult expected = serve(alone);
    REQUIRE(candidate.serving() != nullptr);
    CHECK(candidate.serving()->point == expected.point);
    CHECK(candidate.serving()->bound == expected.bound);
    CHECK(candidate.serving()->notes == expected.notes);
    CHECK(candidate.reason == expected.reason);
  }
}

TEST_CASE("What no device could serve is an error", "[analysis]") {
  CompareRequest request = serving_request(RankBy::time, four_at_once);
  auto& question = std::get<ServingQuestion>(request.question);
  SECTION("heads that do not divide") {
    request.deployment.tensor = 3;
  }
  SECTION("experts of a model that has none") {
    request.experts.kind = ExpertChoice::Kind::all;
  }
  SECTION("a concurrency and a rate") {
    question.requests_per_second = 1;
  }
  SECTION("no prompt") {
    question.shape.prompt = 0;
  }
  CHECK_THROWS_AS(compare(request), Error);
}

}  // namespace
}  // namespace roofline
