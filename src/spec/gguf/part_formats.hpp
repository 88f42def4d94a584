// How a file stores each part of a model, from the types and sizes of its tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "roofline/model.hpp"
#include "spec/gguf/block.hpp"

namespace roofline::gguf {

/// A format for each part that has tensors, whose bits are the mean over them, exactly; `file_type`
/// is general.file_type.
[[nodiscard]] StoredWeights stored_weights(const PerPart<TypeSizes>& sizes,
                                           std::optional<std::int64_t> file_type);

/// Of all parts together.
[[nodiscard]] Size total_size(const PerPart<TypeSizes>& sizes);

}  // namespace roofline::gguf
