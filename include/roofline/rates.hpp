// Which of a device's matrix rates an operator runs at, by the types of its operands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "roofline/device.hpp"
#include "roofline/model.hpp"
#include "roofline/quantity.hpp"
#include "roofline/step.hpp"

namespace roofline {

/// How products are summed up, where a device has two rates.
enum class Accumulate { fp32, fp16 };

struct Rate {
  PeakKey key;
  FlopsPerSecond peak;

  friend bool operator==(const Rate&, const Rate&) = default;
};

/// The fastest rate of `device` whose type holds both operands' values; it is the narrowest type
/// that the device has, unless a wider one is faster there (an integer unit outside the matrix
/// unit, a slow fp16). fp16 and bf16 stand in for each other where a device has one of them only;
/// without either, fp32 does. A peak that was given for the operands' type goes before all.
/// Throws Error if no rate of the device will do.
[[nodiscard]] Rate choose_rate(const Device& device, MatrixType a, MatrixType b,
                               Accumulate accumulate);

/// The rate of a product of stored `values` (`noun` in notes: "awq weights") with `activations`.
/// Appends to `notes`, once, what is not as its operands ask for. Throws as choose_rate does.
[[nodiscard]] Rate rate_product(const Device& device, MatrixType values, MatrixType activations,
                                std::string_view noun, Accumulate accumulate,
                                std::vector<std::string>& notes);

/// The rate of weights in that format with `activations`, which are rounded to the weights' type
/// where the format says so. Notes and throws as rate_product does.
[[nodiscard]] Rate rate_weights(const Device& device, const NumberFormat& weights,
                                std::string_view noun, MatrixType activations,
                                Accumulate accumulate, std::vector<std::string>& notes);

/// The rates of a step's operators.
struct Rates {
  PerPart<Rate> weights;  ///< of the parts that the model has
  Rate cache;             ///< where it has attention
  Rate state;             ///< where it has recurrences: that of products of activations
  std::vector<std::string> notes;

  [[nodiscard]] const Rate& of(const Operator& op) const;
  /// True if some operator runs at the peak of that key.
  [[nodiscard]] bool use(const PeakKey& key) const;
  friend bool operator==(const Rates&, const Rates&) = default;
};

/// Throws Error as choose_rate does.
[[nodiscard]] Rates choose_rates(const Device& device, const Model& model,
                                 const Precision& precision, Accumulate accumulate);

}  // namespace roofline
