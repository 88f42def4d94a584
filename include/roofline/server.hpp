// Server: a model on devices with what its engine decides, the subject of fit, serve and solve.
#pragma once

#include <cstdint>
#include <optional>

#include "roofline/analyze.hpp"
#include "roofline/deployment.hpp"
#include "roofline/device.hpp"
#include "roofline/memory.hpp"
#include "roofline/model.hpp"
#include "roofline/quantity.hpp"
#include "roofline/step.hpp"

namespace roofline {

/// How an engine shares out a device's memory, and how much it computes in a step.
struct EngineLimits {
  double utilization = default_utilization;  ///< share of the device's memory, above 0, at most 1
  Bytes overhead;                            ///< fixed, of each device: taken off what is usable
  std::int64_t block_tokens = 16;            ///< K/V is paged: a sequence has whole blocks
  std::int64_t batched_tokens = 8192;        ///< prompt tokens in a step at most

  friend bool operator==(const EngineLimits&, const EngineLimits&) = default;
};

struct Server {
  Model model;
  Device device;
  Deployment deployment{};
  PrecisionRequest precision{};
  ExpertChoice experts{};
  EngineLimits limits{};
  std::optional<DollarsPerHour> price{};  ///< of one device; none: usual_price of the device
};

/// How far fit and solve look for the fewest devices.
inline constexpr std::int64_t most_devices = 1024;

}  // namespace roofline
