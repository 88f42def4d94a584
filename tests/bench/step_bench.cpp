// One step in process: totals of a decode step, as a sweep would evaluate them.
#define CATCH_CONFIG_MAIN
#define CATCH_CONFIG_ENABLE_BENCHMARKING
#include <catch2/catch.hpp>
#include <chrono>
#include <numeric>

#include "roofline/analyze.hpp"
#include "roofline/catalog.hpp"
#include "roofline/sweep.hpp"

using namespace roofline;

TEST_CASE("a decode step of llama-3.1-8b", "[bench]") {
  const Catalog catalog;
  const Model model = catalog.model("llama-3.1-8b");
  const Device device = catalog.device("H100");
  const Precision precision = resolve_precision(model, {}).precision;
  const Rates rates = choose_rates(device, model, precision, Accumulate::fp32);
  Step step = decode_step(32, 2048);
  std::vector<Operator> operators;
  list_operators(model, step, precision, {}, operators);
  REQUIRE(time_step(operators, rates, device.bandwidth).flops == Flops(514657878016));

  BENCHMARK("operators and totals") {
    step.groups.front().count = step.groups.front().count % 512 + 1;
    list_operators(model, step, precision, {}, operators);
    return time_step(operators, rates, device.bandwidth);
  };
  BENCHMARK("a whole analysis with its own copies") {
    return analyze({.models = {model},
                    .devices = {device},
                    .workloads = {{"decode", Decode{32, 2048}}},
                    .precision = {},
                    .price = {}});
  };
  BENCHMARK("reading a device file") {
    return catalog.device("H100");
  };
  BENCHMARK("reading a model file") {
    return catalog.model("llama-3.1-8b");
  };
}

TEST_CASE("a sweep of 10,000 points", "[bench]") {
  const Catalog catalog;
  SweepRequest request;
  request.models = {catalog.model("llama-3.1-8b")};
  request.devices = {catalog.device("H100")};
  request.workload = {"decode", Decode{}};
  request.batches.resize(100);
  request.contexts.resize(100);
  std::iota(request.batches.begin(), request.batches.end(), 1);
  std::iota(request.contexts.begin(), request.contexts.end(), 2048);
  REQUIRE(point_count(request) == 10'000);
  const auto points_per_second = [&](const auto& visit) {
    const auto start = std::chrono::steady_clock::now();
    sweep(request, visit);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    return 10'000 / time.count();
  };
  double seconds = 0;
  const double evaluated =
      points_per_second([&](const SweepPoint& point) { seconds += point.time->roofline.value(); });
  const double analysed = points_per_second(
      [&](const SweepPoint& point) { seconds += point.analysis().roofline_time.value(); });
  CHECK(seconds > 0);
  WARN("points per second: " << evaluated << " evaluated, " << analysed << " with analyses");
}
