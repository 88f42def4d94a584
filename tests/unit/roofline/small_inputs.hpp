// What the tests of rates and memory share: formats of a step, small models, made-up devices.
#pragma once

#include <map>
#include <string>

#include "roofline/device.hpp"
#include "roofline/model.hpp"
#include "roofline/step.hpp"

namespace roofline {

inline Precision all_in(const NumberFormat& format) {
  return {.weights_name = format.name,
          .weights = PerPart<NumberFormat>(format),
          .kv = format,
          .activations = format};
}

inline constexpr Attention some_attention{
    .query_heads = 4, .kv_heads = 2, .head_dim = 16, .window = {}, .chunk = {}};

inline Model model_of(const Mixer& mixer, const FeedForward& feed_forward) {
  Model model;
  model.hidden_size = 64;
  model.vocabulary = 100;
  LayerGroup layer;
  layer.count = 2;
  layer.mixer = mixer;
  layer.feed_forward = feed_forward;
  model.layers = {layer};
  return model;
}

/// A model with an lm_head of its own.
inline Model some_model() {
  return model_of(some_attention, Mlp{.width = 128});
}

/// Formats that cover the layers alone leave the rest in bf16.
inline Precision precision_of(const NumberFormat& weights, const NumberFormat& activations,
                              const NumberFormat& kv) {
  const NumberFormat bf16 = plain_format(MatrixType::bf16);
  const bool layers_alone = weights.coverage == Coverage::layers;
  Precision precision{.weights_name = weights.name,
                      .weights = PerPart<NumberFormat>(layers_alone ? bf16 : weights),
                      .kv = kv,
                      .activations = activations};
  for (const Part part : {Part::mixer, Part::mlp, Part::shared_experts, Part::experts}) {
    precision.weights[part] = weights;
  }
  return precision;
}
inline Device device_with(const std::map<std::string, double>& peaks) {
  Device device;
  device.name = "X";
  for (const auto& [name, peak] : peaks)
    device.peaks[peak_key(name).value()] = FlopsPerSecond(peak);
  return device;
}

}  // namespace roofline
