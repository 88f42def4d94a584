// From what was asked for and what the model's file says to the formats of a step.
#include <fmt/format.h>

#include "roofline/analyze.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

/// The 16-bit type that the model is computed in.
NumberFormat computed_format(const Model& model, std::vector<std::string>& notes) {
  if (model.format_assumed) {
    notes.push_back(fmt::format("{} does not say its number format: bf16 assumed", model.name));
  }
  if (model.published_format.element != MatrixType::fp32) return model.published_format;
  notes.push_back(fmt::format(
      "{} is published in fp32: bf16 assumed, as engines load it (--weight-dtype fp32 for 4 bytes)",
      model.name));
  return plain_format(MatrixType::bf16);
}

/// Throws for a format that only weights are stored in.
void require_uses(const Precision& precision) {
  ErrorCollector errors;
  const auto require = [&](bool possible, const char* what, const NumberFormat& format,
                           const char* fix) {
    if (possible) return;
    errors.add(Error(Diagnostic{.what = fmt::format("{} cannot be in {}", what, format.name),
                                .why = "it is a format of stored weights",
                                .fix = fix}));
  };
  require(precision.activations.for_activations, "activations", precision.activations,
          "--act-dtype bf16, fp16, fp8 or int8");
  require(precision.kv.for_kv, "the K/V cache", precision.kv, "--kv-dtype bf16, fp16, fp8 or q8-0");
  errors.throw_if_any();
}

}  // namespace

ResolvedPrecision resolve_precision(const Model& model, const PrecisionRequest& request) {
  ResolvedPrecision result;
  Precision& precision = result.precision;
  const bool whole = request.weights && request.weights->coverage == Coverage::everything;
  precision.unquantized = whole ? *request.weights : computed_format(model, result.notes);
  if (request.weights) {
    precision.weights = *request.weights;
  } else {
    precision.weights = model.quantization.value_or(precision.unquantized);
  }
  precision.activations = request.activations.value_or(precision.unquantized);
  precision.kv = request.kv.value_or(model.kv_format.value_or(precision.unquantized));
  require_uses(precision);
  if (request.weights && request.weights->coverage == Coverage::layers) {
    result.notes.push_back(
        fmt::format("{} covers the layers' matrices: embeddings, lm_head and norms stay {}",
                    request.weights->name, precision.unquantized.name));
  }
  if (request.weights && request.weights->coverage == Coverage::matrices) {
    result.notes.push_back(fmt::format(
        "all matrices counted in {}: real GGUF files mix in wider types", request.weights->name));
  }
  return result;
}

Precision kernel_precision(const PrecisionRequest& request) {
  const NumberFormat fp16 = plain_format(MatrixType::fp16);
  const bool whole = request.weights && request.weights->coverage == Coverage::everything;
  const NumberFormat& unquantized = whole ? *request.weights : fp16;
  Precision precision{.weights = request.weights.value_or(fp16),
                      .unquantized = unquantized,
                      .kv = request.kv.value_or(unquantized),
                      .activations = request.activations.value_or(unquantized)};
  require_uses(precision);
  return precision;
}

}  // namespace roofline
