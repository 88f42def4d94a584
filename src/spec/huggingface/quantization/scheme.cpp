#include "spec/huggingface/quantization/scheme.hpp"

#include <algorithm>

namespace roofline::huggingface {
namespace {

double blocks(std::int64_t side, std::int64_t block) {
  if (block == 0 || block >= side) return 1;
  const std::int64_t count = (side + block - 1) / block;
  return static_cast<double>(count);
}

}  // namespace

std::int64_t whole_outputs(const Scheme& scheme) {
  return scheme.flattened ? 1 : std::max<std::int64_t>(1, scheme.block_outputs);
}

std::int64_t whole_inputs(const Scheme& scheme) {
  return scheme.flattened ? 1 : std::max<std::int64_t>(1, scheme.block_inputs);
}

double stored_bits(const Scheme& scheme, std::int64_t outputs, std::int64_t inputs) {
  const double elements = static_cast<double>(outputs) * static_cast<double>(inputs);
  return scheme.element_bits * elements +
         scheme.shared_bits * blocks(outputs, scheme.block_outputs) *
             blocks(inputs, scheme.block_inputs) +
         scheme.input_bits * static_cast<double>(inputs);
}

}  // namespace roofline::huggingface
