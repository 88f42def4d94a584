// A device with round figures, for tests of pictures.
#pragma once

#include <string>

#include "roofline/device.hpp"

namespace roofline {

/// fp16: 100 TFLOP/s over 1 TB/s, a ridge of 100 FLOP/byte; fp8 twice that, fp32 a tenth.
inline Device small_device(const std::string& name) {
  Device device;
  device.name = name;
  device.peaks = {{{.type = MatrixType::fp16}, FlopsPerSecond(100e12)},
                  {{.type = MatrixType::fp8}, FlopsPerSecond(200e12)},
                  {{.type = MatrixType::fp32}, FlopsPerSecond(10e12)}};
  device.bandwidth = BytesPerSecond(1e12);
  return device;
}

}  // namespace roofline
