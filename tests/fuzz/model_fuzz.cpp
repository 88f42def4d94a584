// Any bytes as a model file: a model whose every figure is finite and positive, or an Error.
#include <cmath>
#include <cstdint>
#include <string_view>

#include "roofline/analyze.hpp"
#include "roofline/error.hpp"

using namespace roofline;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Device device = {.name = "d",
                                .peaks = {{PeakKey{MatrixType::fp16}, FlopsPerSecond(1e12)}},
                                .bandwidth = BytesPerSecond(1e12)};
  try {
    const Model model = read_model({reinterpret_cast<const char*>(data), size}, "f");
    ensure(count_parameters(model).total() > 0, "a model has parameters");
    const AnalyzeResult result = analyze({.models = {model},
                                          .devices = {device},
                                          .workloads = {{"decode", Decode{8, 2048}}},
                                          .precision = {},
                                          .price = {}});
    const double time = result.points.front().roofline_time.value();
    ensure(std::isfinite(time) && time > 0, "a step takes time");
  } catch (const Error&) {
  }
  return 0;
}
