// Rankings of devices: figures by hand, orders, ties, and those that cannot be ranked.
#include "roofline/compare.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

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
          .workload = {"decode", Decode{32, 2048}},
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
  CHECK(only.point->roofline_time.value() == near(0.011799625728));
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
  CHECK_FALSE(by_time.candidates[3].point.has_value());
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
    request.workload = {"matmul", MatmulShape{.m = 1, .k = 1, .n = 1}};
  }
  CHECK_THROWS_AS(compare(request), Error);
}

}  // namespace
}  // namespace roofline
