#include "analysis/capable_device.hpp"

namespace roofline {

Device capable_device() {
  Device device;
  device.name = "any device";
  for (const std::string& name : peak_names()) device.peaks[*peak_key(name)] = FlopsPerSecond(1e12);
  device.bandwidth = BytesPerSecond(1e12);
  device.interconnect = Interconnect{.name = "link",
                                     .per_direction = BytesPerSecond(1e12),
                                     .total = {},
                                     .joins = {},
                                     .hop_latency = {}};
  return device;
}

}  // namespace roofline
