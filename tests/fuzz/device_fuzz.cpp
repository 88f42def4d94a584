// Any bytes as a device file: a device, or an Error.
#include <cstdint>
#include <string_view>

#include "roofline/device.hpp"
#include "roofline/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto device = roofline::read_device({reinterpret_cast<const char*>(data), size}, "f");
    roofline::ensure(!device.peaks.empty(), "a device has a peak");
    roofline::ensure(device.bandwidth.value() > 0, "a device has a bandwidth");
  } catch (const roofline::Error&) {
  }
  return 0;
}
