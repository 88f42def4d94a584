// The roof: ridge, verdict and achievable rate of the textbook's devices, and the ridge itself.
#include "roofline/roof.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <string>

namespace roofline {
namespace {

Roof roof(double tflop_per_s, double gb_per_s) {
  return {.peak = FlopsPerSecond(tflop_per_s * 1e12), .bandwidth = BytesPerSecond(gb_per_s * 1e9)};
}

struct TextbookDevice {
  std::string name;
  Roof roof;
  double ridge;
  double decode_tflop_per_s;  ///< achievable at 31.416501060308896 FLOP/byte
};

const std::array textbook_devices{
    TextbookDevice{"T4", roof(65, 320), 203.125, 10.053280339298848},
    TextbookDevice{"L4", roof(120, 300), 400, 9.424950318092668},
    TextbookDevice{"A10G", roof(125, 600), 625.0 / 3, 18.849900636185335},
    TextbookDevice{"A100", roof(312, 2039), 153.01618440411966, 64.05824566196983},
    TextbookDevice{"H100", roof(989, 3350), 295.2238805970149, 105.24527855203479}};

TEST_CASE("The textbook's devices have the textbook's ridges", "[roofline]") {
  for (const TextbookDevice& device : textbook_devices) {
    INFO(device.name);
    CHECK(device.roof.ridge().value() == Approx(device.ridge).epsilon(1e-12));
  }
}

TEST_CASE("Decode of 32 sequences achieves the textbook's rates", "[roofline]") {
  for (const TextbookDevice& device : textbook_devices) {
    INFO(device.name);
    const FlopsPerSecond rate = device.roof.achievable(FlopsPerByte(31.416501060308896));
    CHECK(rate.value() == Approx(device.decode_tflop_per_s * 1e12).epsilon(1e-12));
  }
}

TEST_CASE("The textbook's intensities have the textbook's verdicts", "[roofline]") {
  const auto [intensity, verdict] = GENERATE(table<double, Verdict>({
      {762.4588744588744, Verdict::compute_bound},
      {2187.9254658385094, Verdict::compute_bound},
      {0.9999997076038567, Verdict::memory_bound},
      {31.416501060308896, Verdict::memory_bound},
      {1024, Verdict::compute_bound},
  }));
  for (const TextbookDevice& device : textbook_devices) {
    CAPTURE(device.name, intensity);
    CHECK(device.roof.verdict(FlopsPerByte(intensity)) == verdict);
  }
}

TEST_CASE("The ridge itself is compute-bound and achieves the peak", "[roofline]") {
  const Roof t4 = roof(65, 320);
  const auto [intensity, verdict, achievable] = GENERATE(table<double, Verdict, double>({
      {203.125, Verdict::compute_bound, 65e12},
      {203.12499999999997, Verdict::memory_bound, 64.99999999999999e12},
      {203.12500000000003, Verdict::compute_bound, 65e12},
      {1e9, Verdict::compute_bound, 65e12},
      {101.5625, Verdict::memory_bound, 32.5e12},
      {0, Verdict::memory_bound, 0},
  }));
  CAPTURE(intensity);
  CHECK(t4.verdict(FlopsPerByte(intensity)) == verdict);
  CHECK(t4.achievable(FlopsPerByte(intensity)).value() == Approx(achievable).epsilon(1e-12));
  CHECK(t4.achievable(FlopsPerByte(intensity)) <= t4.peak);
}

TEST_CASE("Verdicts have their words", "[roofline]") {
  CHECK(to_string(Verdict::memory_bound) == "memory-bound");
  CHECK(to_string(Verdict::compute_bound) == "compute-bound");
}

}  // namespace
}  // namespace roofline
