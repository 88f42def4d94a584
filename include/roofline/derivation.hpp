// How a figure came about: each formula with its numbers put in, so that a reader can redo it.
#pragma once

#include <string>
#include <vector>

#include "roofline/analyze.hpp"

namespace roofline {

struct DerivationStep {
  std::string quantity;  ///< "qkv: FLOP"
  std::string formula;   ///< "2 T K N L"
  std::string numbers;   ///< the same with numbers: plain arithmetic that any calculator takes
  double value = 0;  ///< what the library computed, in SI units: never worked out from `numbers`
  std::string unit;

  friend bool operator==(const DerivationStep&, const DerivationStep&) = default;
};

/// The derivation of a point that is a step of `model`.
[[nodiscard]] std::vector<DerivationStep> derive(const Model& model, const AnalyzePoint& point);

/// The derivation of a point that is a kernel on its own.
[[nodiscard]] std::vector<DerivationStep> derive(const AnalyzePoint& point);

}  // namespace roofline
