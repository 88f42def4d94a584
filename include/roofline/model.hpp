// Model: the one description of an architecture that the cost model sees, whatever file it was
// read from. Groups of like layers: attention kind x MLP kind x count.
// Symbols: h hidden size, H query heads, H_kv key/value heads, d head size, m MLP width, V
// vocabulary.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/number_format.hpp"
#include "roofline/quantity.hpp"

namespace roofline {

/// Softmax attention: multi-head (H_kv = H), grouped (H_kv < H) or multi-query (H_kv = 1).
struct Attention {
  std::int64_t query_heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::optional<std::int64_t> window;  ///< tokens that a query attends at most, itself included
  bool qkv_bias = false;
  bool output_bias = false;

  friend bool operator==(const Attention&, const Attention&) = default;
};

struct Mlp {
  std::int64_t width = 0;
  bool gated = true;  ///< two matrices h x m and one m x h; plain: one and one
  bool bias = false;

  friend bool operator==(const Mlp&, const Mlp&) = default;
};

struct LayerGroup {
  std::int64_t count = 0;
  Attention attention;
  Mlp mlp;
  std::int64_t norm_parameters = 0;  ///< of one layer

  friend bool operator==(const LayerGroup&, const LayerGroup&) = default;
};

/// Parameters by what they are, each an exact count.
struct ParameterCount {
  std::int64_t embedding = 0;  ///< V h, and learned positions
  std::int64_t lm_head = 0;    ///< V h, 0 where tied to the embedding
  std::int64_t layers = 0;     ///< the layers' matrices
  std::int64_t biases = 0;
  std::int64_t norms = 0;

  [[nodiscard]] std::int64_t total() const { return embedding + lm_head + layers + biases + norms; }
  friend bool operator==(const ParameterCount&, const ParameterCount&) = default;
};

/// What the model's publisher says of its size.
struct PublishedCount {
  std::int64_t parameters = 0;
  bool exact = false;  ///< to the last digit, else rounded ("70B")
  std::string source;

  friend bool operator==(const PublishedCount&, const PublishedCount&) = default;
};

struct Model {
  std::string name;
  std::vector<std::string> aliases;
  std::string family;  ///< Hugging Face's model_type
  std::int64_t hidden_size = 0;
  std::int64_t vocabulary = 0;
  std::int64_t learned_positions = 0;  ///< rows of a position table, 0 for rotary
  bool tied_embeddings = false;
  std::int64_t final_norm_parameters = 0;
  std::vector<LayerGroup> layers;
  std::optional<std::int64_t> max_context;

  NumberFormat published_format;             ///< of everything that is not quantised
  bool format_assumed = false;               ///< the file does not say its number format
  std::optional<NumberFormat> quantization;  ///< of the weights, where the file is quantised
  std::optional<NumberFormat> kv_format;     ///< of the K/V cache, where the file says it

  std::optional<PublishedCount> published;
  std::string source;
  std::string notes;
  std::vector<std::string> reading_notes;  ///< what the reader took from a family's default

  friend bool operator==(const Model&, const Model&) = default;
};

/// Number of layers in all groups.
[[nodiscard]] std::int64_t layer_count(const Model& model);

/// Parameters of the whole model. Every dimension is within the limits that the readers enforce.
[[nodiscard]] ParameterCount count_parameters(const Model& model);

/// Elements that one token adds to the K/V cache, over all layers (window layers too): sum of
/// 2 H_kv d.
[[nodiscard]] std::int64_t kv_elements_per_token(const Model& model);

/// Reads a Hugging Face config.json as it is, or wrapped with metadata as in data/models
/// (data/schema/model.schema.json); `file` names it in messages and, without its directory and
/// suffix, the model. Throws Error for what is missing, impossible or of an unknown family.
[[nodiscard]] Model read_model(std::string_view text, const std::string& file);

}  // namespace roofline
