// The number formats that an engine's dtype words mean on a model.
#pragma once

#include <optional>

#include "roofline/analyze.hpp"
#include "roofline/catalog.hpp"
#include "roofline/serving_plan.hpp"

namespace roofline {

/// What the plan asks for; what it leaves to the model is none. Throws Error for words that the
/// engine does not know, and for a quantisation that a model's files would have to have.
[[nodiscard]] PrecisionRequest precision_of(const ServingPlan& plan, const Model& model,
                                            const Catalog& catalog);

/// The format of a cache in one of the engine's words; none for "auto" and "". Throws Error.
[[nodiscard]] std::optional<NumberFormat> cache_format(const Given<std::string>& word,
                                                       const ServingPlan& plan,
                                                       const Catalog& catalog);

}  // namespace roofline
