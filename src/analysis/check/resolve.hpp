// A plan on its model and device: what the engine makes of what the config leaves out.
#pragma once

#include "roofline/catalog.hpp"
#include "roofline/engine_memory.hpp"

namespace roofline {

/// Fills in the engine's defaults, by version, model and device. Throws Error for a type or
/// quantisation that no engine of that kind has, and what cannot be reckoned with.
[[nodiscard]] ResolvedServing resolve_serving(const ServingPlan& plan, const Model& model,
                                              const Device& device, const Catalog& catalog);

[[nodiscard]] bool has_experts(const Model& model);

/// The release that is taken where nothing says one: "0.30.0".
[[nodiscard]] std::string_view assumed_version(Engine engine);

/// True if `version` ("0.21.0", "v0.9", "nightly") is `release` or later; what is no version is the
/// newest.
[[nodiscard]] bool is_at_least(std::string_view version, std::string_view release);

}  // namespace roofline
