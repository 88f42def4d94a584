// The textbook's five statements, and all its figures, from the built-in spec file to the verdicts.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "roofline/analyze.hpp"
#include "roofline/catalog.hpp"
#include "roofline/spec_file.hpp"

namespace roofline {
namespace {

Approx near(double value) {
  return Approx(value).epsilon(1e-12);
}

const std::vector<AnalyzePoint>& textbook() {
  static const std::vector<AnalyzePoint> points = [] {
    const Catalog catalog;
    const CatalogEntry entry = catalog.find(EntryKind::spec, "textbook");
    const SpecFile spec = read_spec_file(entry.text, "textbook.json", catalog);
    return analyze({.models = spec.models,
                    .devices = spec.devices,
                    .workloads = spec.workloads,
                    .precision = {},
                    .price = {}})
        .points;
  }();
  return points;
}

const AnalyzePoint& point_of(const std::string& workload, const std::string& gpu) {
  const auto found =
      std::find_if(textbook().begin(), textbook().end(), [&](const AnalyzePoint& point) {
        return point.workload.name == workload && point.gpu == gpu;
      });
  REQUIRE(found != textbook().end());
  return *found;
}

const std::array<std::string, 5> gpus{"T4", "L4", "A10G", "A100", "H100"};

TEST_CASE("Prefill at batch 1 is compute-bound on a T4", "[analysis]") {
  CHECK(point_of("prefill, batch 1", "T4").verdict() == Verdict::compute_bound);
}

TEST_CASE("Prefill at batch 8 is compute-bound on an A100", "[analysis]") {
  CHECK(point_of("prefill, batch 8", "A100").verdict() == Verdict::compute_bound);
}

TEST_CASE("Decode at batch 1 is memory-bound on all five", "[analysis]") {
  for (const std::string& gpu : gpus) {
    INFO(gpu);
    CHECK(point_of("decode, batch 1", gpu).verdict() == Verdict::memory_bound);
  }
}

TEST_CASE("Batch 32 more than doubles the intensity of decode", "[analysis]") {
  for (const std::string& gpu : gpus) {
    INFO(gpu);
    CHECK(point_of("decode, batch 32", gpu).intensity().value() >
          2 * point_of("decode, batch 1", gpu).intensity().value());
  }
}

TEST_CASE("Attention over 2048 tokens is above the ridge of a T4", "[analysis]") {
  const AnalyzePoint& point = point_of("attention, 2048 tokens", "T4");
  CHECK(point.intensity() > point.roof.ridge());
  CHECK(point.verdict() == Verdict::compute_bound);
}

TEST_CASE("The textbook has 25 points with its intensities and verdicts", "[analysis]") {
  struct Row {
    std::string workload;
    double intensity;
    Verdict verdict;
  };
  const std::array rows{Row{"prefill, batch 1", 762.4588744588744, Verdict::compute_bound},
                        Row{"prefill, batch 8", 2187.9254658385094, Verdict::compute_bound},
                        Row{"decode, batch 1", 0.9999997076038567, Verdict::memory_bound},
                        Row{"decode, batch 32", 31.416501060308896, Verdict::memory_bound},
                        Row{"attention, 2048 tokens", 1024, Verdict::compute_bound}};
  CHECK(textbook().size() == 25);
  for (const Row& row : rows) {
    for (const std::string& gpu : gpus) {
      CAPTURE(row.workload, gpu);
      const AnalyzePoint& point = point_of(row.workload, gpu);
      CHECK(point.intensity().value() == near(row.intensity));
      CHECK(point.verdict() == row.verdict);
      const bool compute_bound = row.verdict == Verdict::compute_bound;
      CHECK(point.roofline_time == (compute_bound ? point.compute_time : point.memory_time));
      if (compute_bound) CHECK(point.achievable() == point.roof.peak);
    }
  }
}

TEST_CASE("The textbook's devices have its ridges and rates of decode", "[analysis]") {
  const auto [gpu, ridge, tflop_per_s] = GENERATE(table<std::string, double, double>({
      {"T4", 203.125, 10.053280339298848},
      {"L4", 400, 9.424950318092668},
      {"A10G", 208.33333333333334, 18.849900636185335},
      {"A100", 153.01618440411966, 64.05824566196983},
      {"H100", 295.2238805970149, 105.24527855203479},
  }));
  INFO(gpu);
  const AnalyzePoint& point = point_of("decode, batch 32", gpu);
  CHECK(point.roof.ridge().value() == near(ridge));
  CHECK(point.achievable().value() == near(tflop_per_s * 1e12));
}

}  // namespace
}  // namespace roofline
