// What the tests that rebuild published files share: layers that many models have, and the model
// that the counter makes of a list of tensors. For tests.
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "roofline/model.hpp"
#include "spec/safetensors/stored_weights.hpp"
#include "tensor_list.hpp"

namespace roofline::safetensors {

inline bool warns_of(const Model& model, const std::string& text) {
  for (const std::string& warning : model.warnings) {
    if (warning.find(text) != std::string::npos) return true;
  }
  return false;
}

inline Model counted(Model model, const TensorList& list) {
  TensorCounter counter(model);
  counter.add_file(list.tensors());
  counter.store(model, "directory");
  CHECK(model.tensors->tensors == static_cast<std::int64_t>(list.tensors().size()));
  CHECK(model.tensors->bytes == Bytes(static_cast<double>(list.bytes())));
  return model;
}

inline double bits(const Model& model, Part part) {
  REQUIRE(model.stored.has_value());
  REQUIRE(model.stored->parts[part].has_value());
  return model.stored->parts[part]->bits;
}

inline NumberFormat format(const std::string& name, MatrixType element, double bits_an_element) {
  NumberFormat result;
  result.name = name;
  result.element = element;
  result.bits = bits_an_element;
  return result;
}

inline StoredWeights stored_layers(const NumberFormat& quantised) {
  StoredWeights stored{.name = quantised.name, .origin = "quantization_config", .parts = {}};
  for (const Part part : {Part::mixer, Part::mlp, Part::shared_experts, Part::experts}) {
    stored.parts[part] = quantised;
  }
  return stored;
}

/// Attention and norms of a decoder whose matrices `add` writes.
template <class Add>
void add_dense_layer(TensorList& list, const std::string& layer, std::int64_t h, std::int64_t q,
                     std::int64_t kv, std::int64_t width, Add add) {
  add(layer + "self_attn.q_proj", q, h);
  add(layer + "self_attn.k_proj", kv, h);
  add(layer + "self_attn.v_proj", kv, h);
  add(layer + "self_attn.o_proj", h, q);
  add(layer + "mlp.gate_proj", width, h);
  add(layer + "mlp.up_proj", width, h);
  add(layer + "mlp.down_proj", h, width);
  list.add(layer + "input_layernorm.weight", {h});
  list.add(layer + "post_attention_layernorm.weight", {h});
}

inline LayerGroup dense_layers(std::int64_t count, const Attention& attention, std::int64_t width,
                               std::int64_t norms) {
  return {.count = count,
          .mixer = attention,
          .feed_forward = Mlp{.width = width},
          .norm_parameters = norms,
          .extra_maps = {}};
}

inline Attention heads(std::int64_t query, std::int64_t kv, std::int64_t head_dim) {
  return {.query_heads = query, .kv_heads = kv, .head_dim = head_dim, .window = {}, .chunk = {}};
}

}  // namespace roofline::safetensors
