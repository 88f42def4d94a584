// The full product of lists: its order, that a point is analyze's, and points that cannot be run.
#include "roofline/sweep.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "roofline/catalog.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

SweepRequest request_of(const std::vector<std::string>& models,
                        const std::vector<std::string>& devices, Workload workload = Decode{}) {
  const Catalog catalog;
  SweepRequest request;
  for (const std::string& name : models) request.models.push_back(catalog.model(name));
  for (const std::string& name : devices) request.devices.push_back(catalog.device(name));
  request.workload = {"step", std::move(workload)};
  return request;
}

std::vector<std::string> visited(const SweepRequest& request) {
  std::vector<std::string> points;
  sweep(request, [&](const SweepPoint& point) {
    points.push_back(fmt::format(
        "{} {} b{} c{} {}.{}.{}.{} {} {}", point.model.name, point.device.name, point.batch,
        point.context, point.deployment.tensor, point.deployment.pipeline, point.deployment.expert,
        point.deployment.data, point.precision.weights_name, point.precision.kv.name));
  });
  return points;
}

TEST_CASE("The first list varies slowest", "[analysis]") {
  SweepRequest request = request_of({"llama-3.1-8b"}, {"H100", "L4"});
  request.batches = {4, 1};
  request.tensor = {1, 2};
  CHECK(visited(request) ==
        std::vector<std::string>{"llama-3.1-8b H100-SXM5-80GB b4 c2048 1.1.1.1 bf16 bf16",
                                 "llama-3.1-8b H100-SXM5-80GB b4 c2048 2.1.1.1 bf16 bf16",
                                 "llama-3.1-8b H100-SXM5-80GB b1 c2048 1.1.1.1 bf16 bf16",
                                 "llama-3.1-8b H100-SXM5-80GB b1 c2048 2.1.1.1 bf16 bf16",
                                 "llama-3.1-8b L4 b4 c2048 1.1.1.1 bf16 bf16",
                                 "llama-3.1-8b L4 b4 c2048 2.1.1.1 bf16 bf16",
                                 "llama-3.1-8b L4 b1 c2048 1.1.1.1 bf16 bf16",
                                 "llama-3.1-8b L4 b1 c2048 2.1.1.1 bf16 bf16"});
}

TEST_CASE("Contexts, deployments and formats vary in that order", "[analysis]") {
  const Catalog catalog;
  SweepRequest request = request_of({"llama-3.1-8b"}, {"H100"});
  request.contexts = {512, 1024};
  request.pipeline = {1, 2};
  request.data = {1, 2};
  request.kv = {std::nullopt, catalog.format("fp8")};
  const std::vector<std::string> points = visited(request);
  REQUIRE(points.size() == 16);
  CHECK(point_count(request) == 16);
  const std::string start = "llama-3.1-8b H100-SXM5-80GB b1 ";
  CHECK(points[0] == start + "c512 1.1.1.1 bf16 bf16");
  CHECK(points[1] == start + "c512 1.1.1.1 bf16 fp8");
  CHECK(points[2] == start + "c512 1.1.1.2 bf16 bf16");
  CHECK(points[4] == start + "c512 1.2.1.1 bf16 bf16");
  CHECK(points[8] == start + "c1024 1.1.1.1 bf16 bf16");
}

TEST_CASE("As many replicas as experts are spread over", "[analysis]") {
  SweepRequest request = request_of({"mixtral-8x7b"}, {"H100"});
  request.expert = {1, 4};
  request.data = {0};
  const std::vector<std::string> points = visited(request);
  REQUIRE(points.size() == 2);
  CHECK(points[0].find(" 1.1.1.1 ") != std::string::npos);
  CHECK(points[1].find(" 1.1.4.4 ") != std::string::npos);
}

TEST_CASE("A point is what analyze says of it", "[analysis]") {
  const Workload workload =
      GENERATE(Workload(Decode{}), Workload(Prefill{.cached = 100}), Workload(Mixed{}),
               Workload(Verify{}), Workload(Decode{.others = {{.count = 3, .context = 99}}}));
  SweepRequest request = request_of({"llama-3.1-8b", "mixtral-8x7b"}, {"H100"}, workload);
  request.batches = {2, 64};
  request.contexts = {300, 4096};
  request.tensor = {2};
  request.price = DollarsPerHour(2);
  sweep(request, [&](const SweepPoint& point) {
    NamedWorkload named = request.workload;
    std::visit(
        [&](auto& kind) {
          if constexpr (requires { kind.context; }) {
            kind.batch = point.batch;
            kind.context = point.context;
          }
        },
        named.workload);
    const AnalyzeResult expected = analyze({.models = {point.model},
                                            .devices = {point.device},
                                            .workloads = {named},
                                            .price = request.price,
                                            .deployment = {.tensor = 2}});
    const AnalyzePoint& one = expected.points.front();
    const AnalyzePoint swept = point.analysis();
    const auto& a = std::get<StepAnalysis>(one.detail);
    const auto& b = std::get<StepAnalysis>(swept.detail);
    REQUIRE(point.time != nullptr);
    CHECK(*point.time == a.time);
    CHECK(b.time == a.time);
    CHECK(b.step == a.step);
    CHECK(b.memory == a.memory);
    CHECK(b.operators == a.operators);
    CHECK(b.dollars_per_million_tokens == a.dollars_per_million_tokens);
    CHECK(b.tokens_per_second == a.tokens_per_second);
    CHECK(swept.workload == named);
    CHECK(swept.notes == one.notes);
    CHECK(swept.gpu == one.gpu);
  });
}

TEST_CASE("Points that cannot be run have a reason and no time", "[analysis]") {
  SweepRequest request = request_of({"llama-3.1-8b"}, {"T4", "H100"});
  request.tensor = {1, 3};  // 32 query heads
  std::vector<std::string> reasons;
  sweep(request, [&](const SweepPoint& point) {
    CHECK((point.time == nullptr) == !point.reason.empty());
    reasons.emplace_back(point.reason);
    if (point.time != nullptr) return;
    const AnalyzePoint analysis = point.analysis();
    CHECK(analysis.gpu == point.device.name);
    CHECK(std::get<StepAnalysis>(analysis.detail).deployment.tensor == 3);
  });
  REQUIRE(reasons.size() == 4);
  CHECK(reasons[0].empty());
  CHECK_FALSE(reasons[1].empty());
  CHECK(reasons[2].empty());
  CHECK_FALSE(reasons[3].empty());
}

TEST_CASE("A prompt that is cached to its end is a point that cannot be run", "[analysis]") {
  SweepRequest request = request_of({"llama-3.1-8b"}, {"H100"}, Prefill{.cached = 512});
  request.contexts = {512, 513};
  std::vector<bool> run;
  sweep(request, [&](const SweepPoint& point) { run.push_back(point.time != nullptr); });
  CHECK(run == std::vector<bool>{false, true});
}

TEST_CASE("What is wrong with all points is an error before the first", "[analysis]") {
  SweepRequest request = request_of({"llama-3.1-8b"}, {"H100"});
  SECTION("a kernel") {
    request.workload = {"matmul", MatmulShape{.m = 1, .k = 1, .n = 1}};
  }
  SECTION("experts of a model that has none") {
    request.experts.kind = ExpertChoice::Kind::all;
  }
  SECTION("activations in a block format") {
    request.precision.activations = Catalog().format("Q4_K");
  }
  SECTION("too many combinations") {
    request.tensor.assign(101, 1);
    request.pipeline.assign(100, 1);
  }
  bool called = false;
  CHECK_THROWS_AS(sweep(request, [&](const SweepPoint&) { called = true; }), Error);
  CHECK_FALSE(called);
}

TEST_CASE("The number of points does not overflow", "[analysis]") {
  SweepRequest request;
  request.models.resize(1);
  request.devices.resize(1);
  request.batches.assign(100'000, 1);
  request.contexts.assign(100'000, 1);
  CHECK(point_count(request) == 10'000'000'000U);
  request.tensor.assign(100'000, 1);
  request.pipeline.assign(100'000, 1);
  CHECK(point_count(request) == 18'446'744'073'709'551'615U);
}

}  // namespace
}  // namespace roofline
