// From what was asked for and what the model's file says to the formats of a step.
#include <fmt/format.h>

#include "roofline/analyze.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

/// The 16-bit type that the model is computed in.
NumberFormat computed_format(const Model& model, std::vector<std::string>& notes) {
  if (model.format_assumed) {
    notes.push_back(fmt::format("{} does not say its number format: bf16 assumed{}", model.name,
                                model.stored ? " for what is not quantised" : ""));
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
  require(precision.state.for_activations, "the recurrent state", precision.state,
          "--state-dtype fp32, bf16 or fp16");
  require(precision.kv.for_kv, "the K/V cache", precision.kv, "--kv-dtype bf16, fp16, fp8 or q8-0");
  errors.throw_if_any();
}

}  // namespace

namespace {

/// Puts a format that was asked for on the parts that it covers.
void cover(const NumberFormat& format, const Model& model, Precision& precision,
           std::vector<std::string>& notes) {
  const std::string wide = precision.weights[Part::vectors].name;
  precision.weights_name = format.name;
  for (const Part part : {Part::mixer, Part::mlp, Part::shared_experts, Part::experts}) {
    precision.weights[part] = format;
  }
  if (format.coverage == Coverage::layers) {
    const bool routed = count_parameters(model).parts[Part::router] > 0;
    notes.push_back(
        fmt::format("{} covers the layers' matrices: embeddings, lm_head{} norms stay {}",
                    format.name, routed ? ", router and" : " and", wide));
    return;
  }
  precision.weights[Part::embedding] = format;
  precision.weights[Part::lm_head] = format;
  const bool everything = format.coverage == Coverage::everything;
  const NumberFormat rest = everything ? format : plain_format(MatrixType::fp32);
  precision.weights[Part::router] = rest;
  precision.weights[Part::vectors] = rest;
  if (!everything) {
    notes.push_back(
        fmt::format("all matrices counted in {}: real GGUF files mix in wider types", format.name));
  }
}

/// The parts as the file stores them. What is published in fp32 is loaded in 16 bits. A type that
/// was asked for activations is not rounded to that of a checkpoint's weights.
void cover_as_stored(const Model& model, bool activations_given, Precision& precision) {
  const bool gguf = model.stored->origin == "GGUF tensors";
  for (const Part part : all_parts) {
    const std::optional<NumberFormat>& format = model.stored->parts[part];
    const bool narrowed = model.published_format.element == MatrixType::fp32 && format &&
                          format->element == MatrixType::fp32;
    if (!format || narrowed) continue;
    precision.weights_name = model.stored->name;
    precision.weights[part] = *format;
    if (activations_given && !gguf) precision.weights[part].rounds_activations = false;
  }
}

}  // namespace

namespace {

/// fp32 unless the file or the user says otherwise: engines differ in it.
void resolve_state(const Model& model, const PrecisionRequest& request, ResolvedPrecision& result) {
  const auto& given = request.state ? request.state : model.state_format;
  if (given) {
    result.precision.state = *given;
  } else if (state_size(model).recurrent > 0) {
    result.notes.emplace_back(
        "recurrent state taken in fp32 (--state-dtype bf16 where the engine keeps it so)");
  }
}

}  // namespace

ResolvedPrecision resolve_precision(const Model& model, const PrecisionRequest& request) {
  ResolvedPrecision result;
  Precision& precision = result.precision;
  const bool whole = request.weights && request.weights->coverage == Coverage::everything;
  const NumberFormat wide = whole ? *request.weights : computed_format(model, result.notes);
  precision.weights_name = wide.name;
  precision.weights = PerPart<NumberFormat>(wide);
  precision.activations = request.activations.value_or(wide);
  precision.kv = request.kv.value_or(model.kv_format.value_or(wide));
  resolve_state(model, request, result);
  require_uses(precision);
  if (request.weights) {
    cover(*request.weights, model, precision, result.notes);
  } else if (model.stored) {
    cover_as_stored(model, request.activations.has_value(), precision);
  }
  return result;
}

Precision kernel_precision(const PrecisionRequest& request) {
  const NumberFormat fp16 = plain_format(MatrixType::fp16);
  const bool whole = request.weights && request.weights->coverage == Coverage::everything;
  const NumberFormat& wide = whole ? *request.weights : fp16;
  const NumberFormat& weights = request.weights ? *request.weights : fp16;
  Precision precision{.weights_name = weights.name,
                      .weights = PerPart<NumberFormat>(weights),
                      .kv = request.kv.value_or(wide),
                      .activations = request.activations.value_or(wide)};
  require_uses(precision);
  return precision;
}

}  // namespace roofline
