// What engines take of a device besides, and the fewest devices with which a request fits.
#pragma once

#include <optional>

#include "analysis/evaluator.hpp"
#include "roofline/fit.hpp"

namespace roofline {

/// At most; only whole matrices where `overhead_known`.
[[nodiscard]] EngineMemory engine_memory(const Setting& setting, bool overhead_known);

/// The need of each device, with all that engines take if `certain`; none if it is more than there
/// is, or the request cannot be run.
[[nodiscard]] std::optional<Bytes> need_if_it_fits(const FitRequest& request, bool certain);

/// The first candidate deployment instead of the request's own that fits; none if none does.
[[nodiscard]] std::optional<Deployment> fewest_devices(const FitRequest& request, bool certain);

}  // namespace roofline
