// Every kind of matrix that a model has, with its shapes and the names that checkpoints give it:
// what a list of modules means for the parts of the model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "roofline/model.hpp"

namespace roofline::huggingface {

/// Where in a layer a kind is, and which alternative of it: layers that differ have other ones.
struct Place {
  int slot = 0;  ///< mixer, feed-forward, others
  int alternative = 0;

  friend bool operator==(const Place&, const Place&) = default;
};

struct MatrixShape {
  std::int64_t outputs = 0;
  std::int64_t inputs = 0;
  std::int64_t copies = 1;  ///< in one layer: experts
  std::int64_t layers = 1;  ///< that have it so

  friend bool operator==(const MatrixShape&, const MatrixShape&) = default;
};

/// The matrices of all layers that have the same name.
struct MatrixKind {
  Part part = Part::mixer;
  Place place;
  /// Full names in a layer, as any family writes them: "self_attn.q_proj", "attn.c_attn". That of
  /// an expert without its number; of what is in no layer, the whole name.
  std::vector<std::string> names;
  std::vector<MatrixShape> shapes;
  std::int64_t layers = 0;  ///< that have one; 0: it is in no layer
};

/// At most 64 kinds: a set of them is the bits of a word.
inline constexpr std::size_t most_kinds = 64;

/// Embedding and lm_head (where untied), then what the layers have. Their elements add up to
/// count_parameters but for vectors.
[[nodiscard]] std::vector<MatrixKind> matrix_kinds(const Model& model);

}  // namespace roofline::huggingface
