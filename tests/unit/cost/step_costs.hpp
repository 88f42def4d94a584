// What the tests of a step's operators share: formats, lists, totals, and small models.
#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "roofline/step.hpp"

namespace roofline {

inline Precision all_in(const NumberFormat& format) {
  return {.weights_name = format.name,
          .weights = PerPart<NumberFormat>(format),
          .kv = format,
          .activations = format};
}

/// 16 bits of everything.
inline Precision fp16() {
  return all_in(plain_format(MatrixType::fp16));
}

inline Model make_model(std::int64_t hidden, std::int64_t vocabulary,
                        std::vector<LayerGroup> groups) {
  Model model;
  model.hidden_size = hidden;
  model.vocabulary = vocabulary;
  model.layers = std::move(groups);
  return model;
}

inline LayerGroup layers(std::int64_t count, const Mixer& mixer, const FeedForward& feed_forward) {
  LayerGroup group;
  group.count = count;
  group.mixer = mixer;
  group.feed_forward = feed_forward;
  return group;
}

/// Layers without a mixer, without a feed-forward, or with neither.
inline constexpr std::monostate nothing;

inline std::vector<Operator> operators_of(const Model& model, const Step& step,
                                          const Precision& precision = fp16()) {
  std::vector<Operator> operators;
  list_operators(model, step, precision, {}, operators);
  return operators;
}

inline std::vector<std::string_view> names_of(const std::vector<Operator>& operators) {
  std::vector<std::string_view> names;
  for (const Operator& op : operators) names.push_back(op.name);
  return names;
}

/// The first of that name.
inline const Operator& find(const std::vector<Operator>& operators, std::string_view name) {
  for (const Operator& op : operators) {
    if (op.name == name) return op;
  }
  FAIL("no operator " << name);
  return operators.front();
}

struct Totals {
  Flops flops;
  Bytes weights;
  Bytes kv;
  Bytes state;
  Bytes activations;

  [[nodiscard]] Bytes compulsory() const { return weights + kv + state; }
};

inline Totals totals_of(const std::vector<Operator>& operators) {
  Totals totals;
  for (const Operator& op : operators) {
    totals.flops += op.flops;
    totals.weights += op.weights;
    totals.kv += op.kv;
    totals.state += op.state;
    totals.activations += op.activations;
  }
  return totals;
}

}  // namespace roofline
