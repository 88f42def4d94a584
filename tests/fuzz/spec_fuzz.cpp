// Any bytes as a spec file: one that can be evaluated, or an Error.
#include <cstdint>
#include <string_view>

#include "roofline/error.hpp"
#include "roofline/spec_file.hpp"

using namespace roofline;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Catalog catalog;
  try {
    const SpecFile spec = read_spec_file({reinterpret_cast<const char*>(data), size}, "f", catalog);
    ensure(!spec.workloads.empty(), "a spec file has workloads");
    constexpr std::size_t few = 100;
    if (spec.workloads.size() * spec.devices.size() * (spec.models.size() + 1) > few) return 0;
    (void)analyze({.models = spec.models,
                   .devices = spec.devices,
                   .workloads = spec.workloads,
                   .precision = {},
                   .price = {}});
  } catch (const Error&) {
  }
  return 0;
}
