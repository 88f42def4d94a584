// Which format a part of the weights is in: a quantisation covers some of them only.
#include "roofline/step.hpp"

namespace roofline {

const NumberFormat& embedding_format(const Precision& precision) {
  const bool covered = precision.weights.coverage == Coverage::matrices ||
                       precision.weights.coverage == Coverage::everything;
  return covered ? precision.weights : precision.unquantized;
}

const NumberFormat& lm_head_format(const Model& model, const Precision& precision) {
  const bool covered = precision.weights.coverage == Coverage::layers_and_lm_head;
  return covered && !model.tied_embeddings ? precision.weights : embedding_format(precision);
}

const NumberFormat& norm_format(const Precision& precision) {
  if (precision.weights.coverage == Coverage::everything) return precision.weights;
  if (precision.weights.coverage == Coverage::matrices) {
    static const NumberFormat fp32 = plain_format(MatrixType::fp32);
    return fp32;
  }
  return precision.unquantized;
}

}  // namespace roofline
