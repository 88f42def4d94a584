// The list of formulas that is being written, and the part of it that is about operators.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "roofline/derivation.hpp"

namespace roofline::derivation {

class Derivation {
 public:
  void add(std::string quantity, std::string formula, std::string numbers, double value,
           std::string unit) {
    steps_.push_back(
        {std::move(quantity), std::move(formula), std::move(numbers), value, std::move(unit)});
  }

  [[nodiscard]] std::vector<DerivationStep> take() { return std::move(steps_); }

 private:
  std::vector<DerivationStep> steps_;
};

/// A number that a calculator takes.
[[nodiscard]] std::string number(double value);
/// Bytes an element.
[[nodiscard]] std::string size(const NumberFormat& format);

/// Tokens of the step, and each operator's FLOP and bytes.
void derive_operators(Derivation& d, const Model& model, const StepAnalysis& analysis);

}  // namespace roofline::derivation
