#include "spec/safetensors/stored_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/format.hpp"
#include "roofline/error.hpp"
#include "spec/safetensors/element_format.hpp"
#include "spec/safetensors/json_stream.hpp"

namespace roofline::safetensors {
namespace {

constexpr std::string_view origin = "safetensors headers";

std::string count_text(std::int64_t count) {
  return format_count(static_cast<double>(count));
}

std::string bytes_text(std::int64_t bytes) {
  return format_scaled(static_cast<double>(bytes), "B");
}

/// "438 tensors, 423,060,336 parameters, 846.1 MB"
std::string sum_text(const TensorSum& sum, std::string_view elements) {
  const std::string weights =
      sum.weights == 0 ? "" : fmt::format("{} {}, ", count_text(sum.weights), elements);
  return fmt::format("{} {}, {}{}", count_text(sum.tensors),
                     sum.tensors == 1 ? "tensor" : "tensors", weights, bytes_text(sum.bytes));
}

TensorSum total(const PerPart<TensorSum>& parts) {
  TensorSum sum;
  for (const Part part : all_parts) sum += parts[part];
  return sum;
}

/// Elements of 8 bits or fewer, packed ones and scales: signs of a quantised file.
bool is_quantised(const TensorSum& sum) {
  if (sum.packed_bytes > 0 || sum.scale_bytes > 0) return true;
  for (std::size_t i = 0; i < element_type_count; ++i) {
    if (sum.weights_by_type[i] > 0 && bits_of(static_cast<ElementType>(i)) <= 8) return true;
  }
  return false;
}

/// The one type of all weights; none where there are several, or packed ones.
std::optional<ElementType> only_type(const TensorSum& sum) {
  std::optional<ElementType> only;
  if (sum.packed_bytes > 0 || sum.scale_bytes > 0) return std::nullopt;
  for (std::size_t i = 0; i < element_type_count; ++i) {
    if (sum.weights_by_type[i] == 0) continue;
    if (only) return std::nullopt;
    only = static_cast<ElementType>(i);
  }
  return only;
}

/// Turns the sums of the files into those of the model's parts, and the model into what they show.
class Reconciler {
 public:
  Reconciler(Model& model, const PerPart<TensorSum>& parts, const TensorSum& repeated_head)
      : model_(model), parts_(parts), repeated_head_(repeated_head) {}

  void run(const std::string& where) {
    settle_lm_head();
    const PerPart<std::int64_t> counts = count_parameters(model_).parts;
    // Families differ in whether an MLP that all tokens pass is an expert.
    if (counts[Part::shared_experts] == 0) move(Part::shared_experts, Part::mlp);
    if (counts[Part::mlp] == 0) move(Part::mlp, Part::shared_experts);
    for (const Part part : all_parts) {
      if (counts[part] > 0 && parts_[part].bytes == 0) refuse_missing(part, counts[part], where);
      if (counts[part] == 0 && parts_[part].bytes > 0) drop(part);
    }
  }

  [[nodiscard]] const PerPart<TensorSum>& parts() const { return parts_; }
  [[nodiscard]] const TensorSum& repeated_head() const { return repeated_head_; }

 private:
  void settle_lm_head() {
    if (model_.tied_embeddings && parts_[Part::embedding].bytes == 0) {
      std::swap(parts_[Part::embedding], repeated_head_);
    }
    if (model_.tied_embeddings || parts_[Part::lm_head].bytes > 0) return;
    if (parts_[Part::embedding].bytes == 0) return;
    model_.tied_embeddings = true;
    model_.warnings.emplace_back(
        "the files hold no lm_head: it is taken as tied to the embedding, against config.json");
  }

  void move(Part from, Part to) {
    parts_[to] += parts_[from];
    parts_[from] = {};
  }

  void drop(Part part) {
    model_.warnings.push_back(fmt::format("{} that config.json does not describe: {}, left out",
                                          to_string(part), sum_text(parts_[part], "parameters")));
    parts_[part] = {};
  }

  [[noreturn]] static void refuse_missing(Part part, std::int64_t count, const std::string& where) {
    throw Error(Diagnostic{
        .what = fmt::format("the safetensors files hold no tensors of the {}", to_string(part)),
        .where = where,
        .why = fmt::format("config.json describes {} parameters of it", count_text(count)),
        .fix = "check that config.json belongs to them and that none is missing"});
  }

  Model& model_;
  PerPart<TensorSum> parts_;
  TensorSum repeated_head_;
};

/// The wide type that most of the matrices' elements have.
std::optional<MatrixType> main_type(const PerPart<TensorSum>& parts) {
  TensorSum matrices;
  for (const Part part : all_parts) {
    if (part != Part::vectors && part != Part::router) matrices += parts[part];
  }
  std::optional<MatrixType> main;
  std::int64_t most = 0;
  for (const ElementType type : {ElementType::bf16, ElementType::f16, ElementType::f32}) {
    const std::int64_t weights = matrices.weights_by_type[static_cast<std::size_t>(type)];
    if (weights <= most) continue;
    most = weights;
    main = matrix_type_of(type);
  }
  return main;
}

/// What the tensors are wins over what the config says they are.
void settle_published_format(Model& model, const PerPart<TensorSum>& parts) {
  const auto type = main_type(parts);
  if (!type) return;
  const std::string name(to_string(*type));
  if (model.format_assumed) {
    model.defaults.push_back(fmt::format("torch_dtype is absent: {}, as the tensors are", name));
  } else if (*type != model.published_format.element) {
    model.defaults.push_back(fmt::format("torch_dtype says {}, the tensors are {}: {}",
                                         model.published_format.name, name, name));
  }
  model.published_format = plain_format(*type);
  model.format_assumed = false;
}

/// The format of a part whose tensors add up to `sum`, with their mean bits; none where it is the
/// published one to the last bit.
std::optional<NumberFormat> part_format(const Model& model, const TensorSum& sum,
                                        std::int64_t parameters,
                                        const std::optional<NumberFormat>& config) {
  const auto only = only_type(sum);
  const bool exact = sum.weights == parameters;
  if (only && exact && matrix_type_of(*only) == model.published_format.element) return {};
  NumberFormat format;
  if (config && is_quantised(sum)) {
    format = *config;
  } else if (sum.packed_bytes > 0) {
    format = packed_format(sum.bytes, parameters);
  } else {
    format = format_of(sum.weights_by_type);
  }
  format.bits = 8 * static_cast<double>(sum.bytes) / static_cast<double>(parameters);
  return format;
}

void store_formats(Model& model, const PerPart<TensorSum>& parts, const ParameterCount& count) {
  StoredWeights stored;
  const TensorSum all = total(parts);
  const auto only = only_type(all);
  stored.name = model.stored ? model.stored->name : format_of(all.weights_by_type).name;
  stored.origin = origin;
  // Where one type fits all, a parameter that config and names give to different parts is no
  // reason for mean bits.
  const bool plain = only && all.weights == count.total() &&
                     matrix_type_of(*only) == model.published_format.element;
  bool guessed = false;
  for (const Part part : all_parts) {
    if (plain || count.parts[part] == 0) continue;
    const auto config = model.stored ? model.stored->parts[part] : std::nullopt;
    stored.parts[part] = part_format(model, parts[part], count.parts[part], config);
    guessed = guessed || (!config && parts[part].packed_bytes > 0);
  }
  if (guessed) {
    if (!model.stored) stored.name = "packed";
    model.warnings.emplace_back(
        "the files hold packed weights that no quantization_config describes: sizes are exact, "
        "their element type is a guess from them");
  }
  model.stored = std::move(stored);
}

void warn_of_difference(Model& model, std::int64_t score_corrections) {
  const TensorTotals& totals = *model.tensors;
  const std::int64_t computed = count_parameters(model).total();
  if (totals.decoder_elements) {
    const std::int64_t difference = *totals.decoder_elements - computed;
    if (difference == 0 || difference == score_corrections) return;
    model.warnings.push_back(
        fmt::format("the tensors hold {} parameters, config.json describes {}: does it belong to "
                    "them?",
                    count_text(*totals.decoder_elements), count_text(computed)));
    return;
  }
  // Packed weights cannot be counted; scales and indexes may differ from the usual by a little.
  constexpr double notable = 0.05;
  const double ratio = totals.decoder_bytes / totals.computed_bytes;
  if (std::abs(ratio - 1) <= notable) return;
  model.warnings.push_back(
      fmt::format("the tensors take {}, computed from config.json are {}: does it belong to them?",
                  format_scaled(totals.decoder_bytes.value(), "B"),
                  format_scaled(totals.computed_bytes.value(), "B")));
}

void warn_of_left_out(Model& model, const std::array<TensorSum, place_count>& left_out,
                      const std::vector<std::string>& unknown) {
  const auto sum = [&](Place place) { return left_out[static_cast<std::size_t>(place)]; };
  const auto warn = [&](const char* what, Place place, const char* elements) {
    if (sum(place).tensors == 0) return;
    model.warnings.push_back(fmt::format("{}: {}, left out", what, sum_text(sum(place), elements)));
  };
  warn("vision tower and projector", Place::vision_tower, "parameters");
  warn("audio tower and projector", Place::audio_tower, "parameters");
  warn("prediction layers (MTP)", Place::prediction_layer, "parameters");
  warn("layers that config.json does not describe (does it belong to them?)", Place::surplus_layer,
       "parameters");
  warn("an lm_head beside the embedding that it is tied to", Place::repeated_lm_head, "parameters");
  warn("buffers (causal masks, rotary tables)", Place::buffer, "elements");
  const TensorSum lost = sum(Place::unknown);
  if (lost.tensors == 0) return;
  model.warnings.push_back(
      fmt::format("of no known part: {}, left out: {}{}", sum_text(lost, "parameters"),
                  fmt::join(unknown, ", "),
                  lost.tensors > static_cast<std::int64_t>(unknown.size()) ? ", ..." : ""));
}

}  // namespace

Bytes computed_bytes(const Model& model) {
  const ParameterCount count = count_parameters(model);
  Bytes sum;
  for (const Part part : all_parts) {
    const bool own = model.stored && model.stored->parts[part];
    const NumberFormat& format = own ? *model.stored->parts[part] : model.published_format;
    sum += static_cast<double>(count.parts[part]) * format.element_size();
  }
  return sum;
}

TensorSum& TensorSum::operator+=(const TensorSum& other) {
  tensors += other.tensors;
  bytes += other.bytes;
  weights += other.weights;
  packed_bytes += other.packed_bytes;
  scale_bytes += other.scale_bytes;
  for (std::size_t i = 0; i < element_type_count; ++i) {
    weights_by_type[i] += other.weights_by_type[i];
  }
  return *this;
}

TensorCounter::TensorCounter(const Model& model)
    : names_{.layers = layer_count(model),
             .prediction_layers = model.prediction_layers,
             .tied_embeddings = model.tied_embeddings} {}

void TensorCounter::add_file(const std::vector<Tensor>& tensors) {
  constexpr std::size_t most_unknown = 3;
  ++files_;
  for (const Tensor& tensor : tensors) {
    const TensorRole role = role_of(tensor, names_);
    TensorSum& sum = role.place == Place::decoder ? parts_[role.part]
                                                  : left_out_[static_cast<std::size_t>(role.place)];
    ++sum.tensors;
    sum.bytes += tensor.bytes();
    if (role.content == Content::weights || role.place == Place::buffer) {
      sum.weights += tensor.elements;
      sum.weights_by_type[static_cast<std::size_t>(tensor.type)] += tensor.elements;
    } else {
      (role.content == Content::packed ? sum.packed_bytes : sum.scale_bytes) += tensor.bytes();
    }
    if (role.score_correction) score_corrections_ += tensor.elements;
    if (role.place == Place::unknown && unknown_.size() < most_unknown) {
      unknown_.push_back(shown(tensor.name));
    }
  }
}

std::int64_t TensorCounter::tensors() const {
  std::int64_t sum = total(parts_).tensors;
  for (const TensorSum& left_out : left_out_) sum += left_out.tensors;
  return sum;
}

void TensorCounter::store(Model& model, const std::string& where) const {
  const Bytes computed = computed_bytes(model);
  std::array<TensorSum, place_count> left_out = left_out_;
  TensorSum& repeated_head = left_out[static_cast<std::size_t>(Place::repeated_lm_head)];
  Reconciler reconciler(model, parts_, repeated_head);
  reconciler.run(where);
  repeated_head = reconciler.repeated_head();
  const PerPart<TensorSum>& parts = reconciler.parts();
  const TensorSum decoder = total(parts);

  TensorTotals totals;
  totals.files = files_;
  totals.tensors = tensors();
  totals.computed_bytes = computed;
  std::int64_t bytes = total(parts_).bytes;
  for (const TensorSum& sum : left_out_) bytes += sum.bytes;
  totals.bytes = Bytes(static_cast<double>(bytes));
  totals.decoder_bytes = Bytes(static_cast<double>(decoder.bytes));
  if (decoder.packed_bytes == 0) totals.decoder_elements = decoder.weights;
  model.tensors = totals;

  settle_published_format(model, parts);
  if (model.stored && !is_quantised(decoder)) {
    model.warnings.push_back(
        fmt::format("the tensors are {} although quantization_config says {}: taken as quantised "
                    "when they are loaded",
                    format_of(decoder.weights_by_type).name, model.stored->name));
  } else {
    store_formats(model, parts, count_parameters(model));
  }
  model.left_out.clear();
  warn_of_difference(model, score_corrections_);
  warn_of_left_out(model, left_out, unknown_);
}

}  // namespace roofline::safetensors
