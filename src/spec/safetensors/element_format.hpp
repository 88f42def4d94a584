// From a file's element types to number formats.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "roofline/number_format.hpp"
#include "spec/safetensors/safetensors_file.hpp"

namespace roofline::safetensors {

/// The type of a product with such elements; none for those that are in no product.
[[nodiscard]] std::optional<MatrixType> matrix_type_of(ElementType type);

/// The format of unpacked weights, `counts` of each element type: the name lists the types, the
/// most frequent one first and the one of the product; bits are the mean.
[[nodiscard]] NumberFormat format_of(const std::array<std::int64_t, element_type_count>& counts);

/// The format of packed weights that nothing describes, from their mean bits.
[[nodiscard]] NumberFormat packed_format(std::int64_t bytes, std::int64_t parameters);

}  // namespace roofline::safetensors
