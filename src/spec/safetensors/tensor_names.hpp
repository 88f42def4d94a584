// The name of a tensor to the part of the model that it belongs to, in the spellings of all
// families, or to what a step of the text decoder leaves out.
#pragma once

#include <cstdint>

#include "roofline/number_format.hpp"
#include "spec/safetensors/safetensors_file.hpp"

namespace roofline::safetensors {

/// Where a tensor belongs.
enum class Place {
  decoder,           ///< a Part of it
  vision_tower,      ///< and its projector
  audio_tower,       ///< and its projector
  prediction_layer,  ///< of several tokens at once (MTP): not a step's own
  repeated_lm_head,  ///< of a model whose lm_head is its embedding
  surplus_layer,     ///< behind those that the config describes
  buffer,            ///< causal masks, rotary tables: no weights
  unknown
};

/// What a tensor's elements are.
enum class Content {
  weights,  ///< one element is one weight
  packed,   ///< one element holds several weights, or a part of one
  scales    ///< scales, zero points, and what else describes packed weights
};

struct TensorRole {
  Place place = Place::unknown;
  Part part = Part::vectors;  ///< of a tensor of the decoder
  Content content = Content::weights;
  bool score_correction = false;  ///< a router's bias, which some families do not count

  friend bool operator==(const TensorRole&, const TensorRole&) = default;
};

/// What decides between two roles of one name.
struct NameContext {
  std::int64_t layers = 0;
  std::int64_t prediction_layers = 0;  ///< those behind the model's own
  bool tied_embeddings = false;
};

[[nodiscard]] TensorRole role_of(const Tensor& tensor, const NameContext& context);

}  // namespace roofline::safetensors
