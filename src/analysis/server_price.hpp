// The price of a server's devices, and of what they compute.
#pragma once

#include <optional>

#include "roofline/deployment.hpp"
#include "roofline/device.hpp"
#include "roofline/server.hpp"

namespace roofline {

/// The catalogue's price of one device; none where one was given, or none is known.
[[nodiscard]] std::optional<Price> listed_price(const Server& server);

/// Of one device: what was given, else the catalogue's.
[[nodiscard]] std::optional<DollarsPerHour> price_of(const Server& server);

/// Of a million tokens on all devices of a deployment.
[[nodiscard]] std::optional<double> dollars_per_million(std::optional<DollarsPerHour> price,
                                                        const Deployment& deployment,
                                                        double tokens_per_second);

}  // namespace roofline
