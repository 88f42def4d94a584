#include "roofline/rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "roofline/error.hpp"

namespace roofline {
namespace {

bool is_wide(MatrixType type) {
  return type == MatrixType::fp64 || type == MatrixType::fp32 || type == MatrixType::tf32;
}

bool is_16_bit(MatrixType type) {
  return type == MatrixType::fp16 || type == MatrixType::bf16;
}

/// The rates of `type` on `device`, the faster accumulation only if it is asked for.
std::optional<Rate> rate_of(const Device& device, MatrixType type, Accumulate accumulate) {
  std::optional<Rate> best;
  for (const auto& [key, peak] : device.peaks) {
    if (key.type != type) continue;
    if (key.unit == PeakKey::Unit::accumulate_fp16 && accumulate != Accumulate::fp16) continue;
    if (!best || peak > best->peak) best = Rate{key, peak};
  }
  return best;
}

/// The rate of the operands' own type, where the user gave one: a wider type that would be faster
/// does not overrule it.
std::optional<Rate> given_rate(const Device& device, MatrixType own, Accumulate accumulate) {
  const bool given = std::any_of(device.given_peaks.begin(), device.given_peaks.end(),
                                 [&](const PeakKey& key) { return key.type == own; });
  return given ? rate_of(device, own, accumulate) : std::nullopt;
}

/// The fastest rate among the types that hold both operands.
std::optional<Rate> fastest(const Device& device, MatrixType a, MatrixType b,
                            Accumulate accumulate) {
  std::optional<Rate> best;
  for (const MatrixType type : all_matrix_types) {
    if (!holds(type, a) || !holds(type, b)) continue;
    const std::optional<Rate> rate = rate_of(device, type, accumulate);
    if (rate && (!best || rate->peak >= best->peak)) best = rate;
  }
  return best;
}

/// The narrowest type that holds both.
MatrixType narrowest(MatrixType a, MatrixType b) {
  MatrixType result = MatrixType::fp64;
  for (const MatrixType type : all_matrix_types) {
    if (holds(type, a) && holds(type, b)) result = type;
  }
  return result;
}

std::string asked(MatrixType a, MatrixType b) {
  return a == b ? std::string(to_string(a)) : fmt::format("{} x {}", to_string(a), to_string(b));
}

}  // namespace

Rate choose_rate(const Device& device, MatrixType a, MatrixType b, Accumulate accumulate) {
  // A weight of the other 16-bit type is converted to the activations' type.
  if (is_16_bit(a) && is_16_bit(b)) a = b;
  if (const auto given = given_rate(device, narrowest(a, b), accumulate)) return *given;
  std::optional<Rate> rate = fastest(device, a, b, accumulate);
  const bool has_16_bits = rate && is_16_bit(rate->key.type);
  const bool wants_16_bits = (is_16_bit(a) || is_16_bit(b)) && !is_wide(a) && !is_wide(b);
  if (wants_16_bits && !has_16_bits) {
    const MatrixType type = is_16_bit(b) ? b : a;
    const MatrixType other = type == MatrixType::bf16 ? MatrixType::fp16 : MatrixType::bf16;
    const std::optional<Rate> stand_in = rate_of(device, other, accumulate);
    if (stand_in && (!rate || stand_in->peak >= rate->peak)) rate = stand_in;
  }
  if (rate) return *rate;
  throw Error(Diagnostic{.what = fmt::format("{} has no rate for {}", device.name, asked(a, b)),
                         .why = "none of its peaks is of a type that holds these values",
                         .fix = fmt::format("--peak {}=100TFLOP/s", to_string(narrowest(a, b)))});
}

const Rate& Rates::of(const Operator& op) const {
  switch (op.operands) {
    case Operands::cache:
      return cache;
    case Operands::state:
      return state;
    case Operands::weights:
    case Operands::none:
      break;
  }
  return weights[op.part];
}

bool Rates::use(const PeakKey& key) const {
  const auto runs_at = [&](const Rate& rate) {
    return rate.key == key && rate.peak > FlopsPerSecond();
  };
  return runs_at(cache) || runs_at(state) ||
         std::any_of(all_parts.begin(), all_parts.end(),
                     [&](Part part) { return runs_at(weights[part]); });
}

namespace {

void add_once(std::vector<std::string>& notes, std::string note) {
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
}

/// Says why fp16 accumulation, where it was asked for, makes no difference.
void note_accumulation(const Device& device, const Rate& rate, std::vector<std::string>& notes) {
  if (rate.key.unit == PeakKey::Unit::accumulate_fp16) return;
  const bool has_rate = device.peaks.contains({rate.key.type, PeakKey::Unit::accumulate_fp16});
  add_once(notes, has_rate ? fmt::format("fp16 accumulation is no faster for {} on the device",
                                         to_string(rate.key.type))
                           : fmt::format("the device has no {} rate with fp16 accumulation",
                                         to_string(rate.key.type)));
}

}  // namespace

Rate rate_product(const Device& device, MatrixType values, MatrixType activations,
                  std::string_view noun, Accumulate accumulate, std::vector<std::string>& notes) {
  const Rate rate = choose_rate(device, values, activations, accumulate);
  const std::string runs_at = to_string(rate.key);
  if (values != activations) {
    add_once(notes, fmt::format("{} with {} activations: products run at the {} peak", noun,
                                to_string(activations), runs_at));
  } else if (rate.key.type != activations) {
    const bool slower = rate_of(device, activations, accumulate).has_value();
    add_once(notes, fmt::format("{} arithmetic runs at the {} peak: the device's {}",
                                to_string(activations), runs_at,
                                slower ? "own rate is no faster" : "peaks have no such type"));
  }
  if (accumulate == Accumulate::fp16) note_accumulation(device, rate, notes);
  return rate;
}

Rate rate_weights(const Device& device, const NumberFormat& weights, std::string_view noun,
                  MatrixType activations, Accumulate accumulate, std::vector<std::string>& notes) {
  const std::string what = fmt::format("{} {}", weights.name, noun);
  if (!weights.rounds_activations) {
    return rate_product(device, weights.element, activations, what, accumulate, notes);
  }
  if (weights.element != activations) {
    add_once(notes, fmt::format("{}: activations are rounded to {} for each product", what,
                                to_string(weights.element)));
  }
  return rate_product(device, weights.element, weights.element, what, accumulate, notes);
}

namespace {

constexpr std::array layer_parts{Part::mixer, Part::mlp, Part::experts, Part::shared_experts};

template <class... Kinds>
bool has_mixer(const Model& model) {
  return std::any_of(model.layers.begin(), model.layers.end(), [](const LayerGroup& layer) {
    return (std::holds_alternative<Kinds>(layer.mixer) || ...);
  });
}

/// Formats of one name may differ in their bits: a part has the mean of its matrices.
bool run_alike(const NumberFormat& a, const NumberFormat& b) {
  return a.name == b.name && a.element == b.element && a.rounds_activations == b.rounds_activations;
}

/// The layers' matrices are all in one format, or each part is called by its name.
bool layers_alike(const ParameterCount& count, const Precision& precision) {
  const NumberFormat* first = nullptr;
  for (const Part part : layer_parts) {
    if (count.parts[part] == 0) continue;
    if (first != nullptr && !run_alike(*first, precision.weights[part])) return false;
    first = &precision.weights[part];
  }
  return true;
}

}  // namespace

Rates choose_rates(const Device& device, const Model& model, const Precision& precision,
                   Accumulate accumulate) {
  const MatrixType activations = precision.activations.element;
  const ParameterCount count = count_parameters(model);
  const bool alike = layers_alike(count, precision);
  Rates rates;
  const auto rate_part = [&](Part part, std::string_view noun) {
    if (count.parts[part] == 0) return;
    rates.weights[part] =
        rate_weights(device, precision.weights[part], noun, activations, accumulate, rates.notes);
  };
  // Engines differ in the type of a router that is stored in fp32; the fastest is the bound.
  const auto rate_router = [&] {
    if (precision.weights[Part::router].element != MatrixType::fp32) {
      rate_part(Part::router, "router");
    } else if (count.parts[Part::router] > 0) {
      rates.weights[Part::router] = choose_rate(device, activations, activations, accumulate);
    }
  };
  for (const Part part : layer_parts) rate_part(part, alike ? "weights" : to_string(part));
  if (has_mixer<Attention, LatentAttention>(model)) {
    rates.cache = rate_product(device, precision.kv.element, activations,
                               precision.kv.name + " K/V", accumulate, rates.notes);
  }
  if (has_mixer<Mamba1, Mamba2, GatedDelta, LinearAttention>(model)) {
    rates.state = rate_product(device, activations, activations, "state", accumulate, rates.notes);
  }
  rate_router();
  const Part lm_head = lm_head_part(model);
  const bool same = alike && run_alike(precision.weights[lm_head], precision.weights[Part::mixer]);
  rate_part(lm_head, same ? "weights" : "lm_head");
  return rates;
}

}  // namespace roofline
