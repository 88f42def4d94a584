// The words that the answers of fit, serve and solve share.
#pragma once

#include <string>
#include <string_view>

#include "roofline/deployment.hpp"
#include "roofline/quantity.hpp"

namespace roofline::report {

/// A limit as it was typed: "20 ms".
[[nodiscard]] std::string limit_text(Seconds limit);

/// What to type for `wanted` instead of `given`: "--tp 4 --pp 2"; ways that are 1 in both are left
/// out.
[[nodiscard]] std::string flags_of(const Deployment& wanted, const Deployment& given = {});

/// " on each device" where there are several.
[[nodiscard]] std::string_view on_each_device(const Deployment& deployment);

inline constexpr const char* capacity_not_known = "the memory capacity is not known";

}  // namespace roofline::report
