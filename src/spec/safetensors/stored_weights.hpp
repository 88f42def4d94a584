// From the tensors of a model's files to how its weights are stored: bytes of each part, counted
// instead of computed, and what the files hold beside the decoder.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "roofline/model.hpp"
#include "spec/safetensors/safetensors_file.hpp"
#include "spec/safetensors/tensor_names.hpp"

namespace roofline::safetensors {

inline constexpr std::size_t place_count = 8;

/// Sums over tensors. Weights are counted where an element is one; packed ones are bytes alone.
struct TensorSum {
  std::int64_t tensors = 0;
  std::int64_t bytes = 0;
  std::int64_t weights = 0;
  std::int64_t packed_bytes = 0;
  std::int64_t scale_bytes = 0;
  std::array<std::int64_t, element_type_count> weights_by_type{};

  TensorSum& operator+=(const TensorSum& other);
  friend bool operator==(const TensorSum&, const TensorSum&) = default;
};

/// Of all parts, each in its format in model.stored or else the published one.
[[nodiscard]] Bytes computed_bytes(const Model& model);

/// Adds up the tensors of one file after another and keeps only the sums.
class TensorCounter {
 public:
  /// `model` as its config describes it.
  explicit TensorCounter(const Model& model);

  void add_file(const std::vector<Tensor>& tensors);

  [[nodiscard]] std::int64_t tensors() const;

  /// Fills in model.stored and model.tensors, and its warnings: what the step leaves out, and
  /// where tensors and config contradict each other. Throws Error at `where` if the files have
  /// nothing of a part that the config describes.
  void store(Model& model, const std::string& where) const;

 private:
  NameContext names_;
  std::int64_t files_ = 0;
  PerPart<TensorSum> parts_;
  std::array<TensorSum, place_count> left_out_;  ///< by Place; the decoder's is unused
  std::int64_t score_corrections_ = 0;
  std::vector<std::string> unknown_;  ///< the first few names
};

}  // namespace roofline::safetensors
