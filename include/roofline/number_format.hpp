// Number formats: how many bits an element takes in memory, and what a matrix unit makes of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/quantity.hpp"

namespace roofline {

/// The types that matrix units have rates for.
enum class MatrixType { fp64, fp32, tf32, bf16, fp16, fp8, fp6, fp4, int8, int4 };

/// From wide to narrow; of two equally fast ones the later is named.
inline constexpr std::array all_matrix_types{
    MatrixType::fp64, MatrixType::fp32, MatrixType::tf32, MatrixType::fp16, MatrixType::bf16,
    MatrixType::fp8,  MatrixType::fp6,  MatrixType::fp4,  MatrixType::int8, MatrixType::int4};

[[nodiscard]] std::string_view to_string(MatrixType type);

/// True if every value of `type` is a value of `wider` too (bf16 and fp16 hold neither the other;
/// a type holds itself).
[[nodiscard]] bool holds(MatrixType wider, MatrixType type);

/// The parts of a model that files store in formats of their own.
enum class Part {
  embedding,       ///< token and position tables, and an lm_head that is tied to them
  lm_head,         ///< where it is a matrix of its own
  mixer,           ///< the layers' attention or state-space matrices
  mlp,             ///< dense MLPs, and matrices that a few families add
  shared_experts,  ///< those that every token passes
  experts,         ///< routed ones
  router,
  vectors  ///< norms, biases and what else is no matrix product
};
inline constexpr std::size_t part_count = 8;
inline constexpr std::array<Part, part_count> all_parts{
    Part::embedding,      Part::lm_head, Part::mixer,  Part::mlp,
    Part::shared_experts, Part::experts, Part::router, Part::vectors};

/// "embedding", "lm_head", "mixer", "mlp", "shared experts", "experts", "router", "vectors".
[[nodiscard]] std::string_view to_string(Part part);

/// A value for each part.
template <class Value>
class PerPart {
 public:
  PerPart() = default;
  explicit PerPart(const Value& value) { values_.fill(value); }
  [[nodiscard]] const Value& operator[](Part part) const {
    return values_[static_cast<std::size_t>(part)];
  }
  [[nodiscard]] Value& operator[](Part part) { return values_[static_cast<std::size_t>(part)]; }
  friend bool operator==(const PerPart&, const PerPart&) = default;

 private:
  std::array<Value, part_count> values_{};
};

/// What a format is used for when a model's weights are said to be in it.
enum class Coverage {
  layers,     ///< the layers' matrices but the router; the rest keeps its own type
  matrices,   ///< all matrices, embeddings too (GGUF); router, norms and biases are fp32
  everything  ///< every parameter (fp32, bf16, fp16)
};

[[nodiscard]] std::string_view to_string(Coverage coverage);

/// How one element is stored. Scales and zero points are part of `bits`.
struct NumberFormat {
  std::string name;
  std::vector<std::string> aliases;
  double bits = 16;                       ///< effective bits an element
  MatrixType element = MatrixType::bf16;  ///< the type that enters a product
  /// The engine rounds activations to `element` for a product with weights in this format, however
  /// wide they are stored (GGUF block types: int8; checkpoints quantised W8A8).
  bool rounds_activations = false;
  bool for_activations = true;  ///< engines keep activations in it
  bool for_kv = true;           ///< engines keep the K/V cache in it
  Coverage coverage = Coverage::everything;
  /// Elements along the inputs that share a scale and cannot be split: 1 where any number of them
  /// can, a scale an output included; of a mix of formats the largest.
  std::int64_t block_inputs = 1;
  std::int64_t block_outputs = 1;  ///< along the outputs: 128 for blocks of 128 x 128
  std::string description;
  std::string source;

  /// Effective bytes an element.
  [[nodiscard]] Bytes element_size() const { return Bytes(bits / 8); }

  friend bool operator==(const NumberFormat&, const NumberFormat&) = default;
};

/// Bare elements of a type, without scales, that cover everything: fp32, bf16, fp16.
[[nodiscard]] NumberFormat plain_format(MatrixType type);

/// Reads an entry of data/formats; `file` names it in messages. Throws Error.
[[nodiscard]] NumberFormat read_number_format(std::string_view text, const std::string& file);

}  // namespace roofline
