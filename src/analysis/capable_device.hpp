// A device that nothing is wrong with: what it cannot run is the question's mistake.
#pragma once

#include "roofline/device.hpp"

namespace roofline {

/// Has a rate for every type and a link that joins any number of devices.
[[nodiscard]] Device capable_device();

}  // namespace roofline
