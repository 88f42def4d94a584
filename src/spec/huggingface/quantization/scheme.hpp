// How a quantised matrix is stored: bits an element, and what elements share.
#pragma once

#include <cstdint>
#include <string>

#include "roofline/number_format.hpp"

namespace roofline::huggingface {

/// Matrices are outputs x inputs, as PyTorch keeps them.
struct Scheme {
  std::string name;                       ///< "gptq-int4-g128"
  MatrixType element = MatrixType::bf16;  ///< the type that enters a product
  bool rounds_activations = false;
  double element_bits = 16;
  double shared_bits = 0;          ///< scale and zero point of a block
  std::int64_t block_outputs = 1;  ///< 0: all of them
  std::int64_t block_inputs = 0;   ///< 0: all of them
  bool flattened = false;          ///< blocks run over the flattened matrix, wherever it is cut
  double input_bits = 0;           ///< more for each input (the order of GPTQ's groups)
  std::string source;

  friend bool operator==(const Scheme&, const Scheme&) = default;
};

/// What devices cannot split, as NumberFormat has it: a side that shares one scale as a whole can
/// be.
[[nodiscard]] std::int64_t whole_outputs(const Scheme& scheme);
[[nodiscard]] std::int64_t whole_inputs(const Scheme& scheme);

/// Bits that a matrix takes, the last blocks of a side filled up.
[[nodiscard]] double stored_bits(const Scheme& scheme, std::int64_t outputs, std::int64_t inputs);

}  // namespace roofline::huggingface
