// The types of ggml's tensors: how many elements share a block, and what a block takes.
#pragma once

#include <cstdint>
#include <string_view>

#include "roofline/number_format.hpp"

namespace roofline::gguf {

struct TensorType {
  std::uint32_t id = 0;
  std::string_view name;
  std::int64_t block_elements = 1;
  std::int64_t block_bytes = 0;
  MatrixType element = MatrixType::int8;  ///< the type that enters a product
  bool block_quantized = false;  ///< engines round activations to int8 for a product with it
  bool weights = true;           ///< engines multiply by matrices of it

  [[nodiscard]] double bits() const {
    return 8.0 * static_cast<double>(block_bytes) / static_cast<double>(block_elements);
  }
};

/// The type that a file names by its number; none if ggml has no such type (any more).
[[nodiscard]] const TensorType* find_tensor_type(std::uint32_t id);

/// What general.file_type calls a mix of types ("Q4_K_M"); empty if the number is unknown.
[[nodiscard]] std::string_view file_type_name(std::int64_t file_type);

}  // namespace roofline::gguf
