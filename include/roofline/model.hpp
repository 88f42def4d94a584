// Model: the one description of an architecture that the cost model sees, whatever file it was
// read from. Groups of like layers: mixer kind x feed-forward kind x count.
// Symbols: h hidden size, H query heads, H_kv key/value heads, d head size, m MLP width, E experts,
// k experts a token, V vocabulary.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
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
  std::optional<std::int64_t> chunk;   ///< a query attends its own chunk of so many tokens only
  bool qkv_bias = false;
  bool output_bias = false;
  bool output_gate = false;   ///< the query projection is twice as wide (Qwen3-Next)
  bool reuses_cache = false;  ///< attends an earlier layer's K/V: no cache of its own, K and V
                              ///< matrices in the file but not in the step (Gemma 3n)

  friend bool operator==(const Attention&, const Attention&) = default;
};

/// Multi-head latent attention (DeepSeek): one latent of r_kv + r elements a token for all heads.
struct LatentAttention {
  std::int64_t heads = 0;
  std::optional<std::int64_t> query_rank;  ///< none: one matrix h -> H (u + r)
  std::int64_t kv_rank = 0;                ///< r_kv
  std::int64_t rope_dim = 0;               ///< r
  std::int64_t nope_dim = 0;               ///< u
  std::int64_t value_dim = 0;              ///< v

  friend bool operator==(const LatentAttention&, const LatentAttention&) = default;
};

/// Mamba: a selective state space of `inner` channels with `state` elements each.
struct Mamba1 {
  std::int64_t inner = 0;
  std::int64_t state = 0;
  std::int64_t convolution = 0;  ///< taps
  std::int64_t step_rank = 0;    ///< of the time step's projection
  std::int64_t vectors = 0;      ///< parameters of norms and projection biases inside the mixer

  friend bool operator==(const Mamba1&, const Mamba1&) = default;
};

/// Mamba 2: `heads` of `head_dim` channels; B and C shared by `groups`.
struct Mamba2 {
  std::int64_t heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t state = 0;
  std::int64_t groups = 0;
  std::int64_t convolution = 0;
  std::int64_t vectors = 0;  ///< parameters of projection biases inside the mixer

  friend bool operator==(const Mamba2&, const Mamba2&) = default;
};

/// Gated delta rule (Qwen3-Next): a state of key_dim x value_dim for each value head.
struct GatedDelta {
  std::int64_t key_heads = 0;
  std::int64_t key_dim = 0;
  std::int64_t value_heads = 0;
  std::int64_t value_dim = 0;
  std::int64_t convolution = 0;

  friend bool operator==(const GatedDelta&, const GatedDelta&) = default;
};

/// Linear ("lightning") attention: a state of head_dim x head_dim for each head, and an output
/// gate of the heads' width.
struct LinearAttention {
  std::int64_t heads = 0;
  std::int64_t head_dim = 0;

  friend bool operator==(const LinearAttention&, const LinearAttention&) = default;
};

/// What mixes tokens in a layer; monostate: nothing does (a block that is an MLP alone).
using Mixer = std::variant<std::monostate, Attention, LatentAttention, Mamba1, Mamba2, GatedDelta,
                           LinearAttention>;

struct Mlp {
  std::int64_t width = 0;
  bool gated = true;  ///< two matrices h x m and one m x h; plain: one and one
  bool bias = false;

  friend bool operator==(const Mlp&, const Mlp&) = default;
};

/// Routed experts, each an MLP of `width`, beside a shared MLP that every token passes.
struct Experts {
  std::int64_t count = 0;      ///< E
  std::int64_t per_token = 0;  ///< k
  std::int64_t width = 0;
  bool gated = true;
  bool bias = false;              ///< of each expert
  std::int64_t shared_width = 0;  ///< 0: no shared expert
  bool shared_gate = false;       ///< h weights that scale the shared expert's output
  bool router_bias = false;       ///< E elements (also a score correction)

  friend bool operator==(const Experts&, const Experts&) = default;
};

/// What a layer does to each token alone; monostate: nothing (a block that is a mixer alone).
using FeedForward = std::variant<std::monostate, Mlp, Experts>;

/// A matrix that a few families add beside mixer and feed-forward. It counts as Part::mlp.
struct LinearMap {
  std::string_view name;  ///< a literal
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;

  friend bool operator==(const LinearMap&, const LinearMap&) = default;
};

struct LayerGroup {
  std::int64_t count = 0;
  Mixer mixer;
  FeedForward feed_forward;
  std::int64_t norm_parameters = 0;  ///< of one layer; vectors of other kinds too
  std::vector<LinearMap> extra_maps;

  friend bool operator==(const LayerGroup&, const LayerGroup&) = default;
};

/// Parameters by part, each an exact count.
struct ParameterCount {
  PerPart<std::int64_t> parts;
  /// Those that a token passes by: routed experts, and rows of the second table.
  std::int64_t idle = 0;

  [[nodiscard]] std::int64_t total() const;
  /// Those that one token passes; both tables included.
  [[nodiscard]] std::int64_t active() const { return total() - idle; }
  friend bool operator==(const ParameterCount&, const ParameterCount&) = default;
};

/// What the model's publisher says of its size.
struct PublishedCount {
  std::int64_t parameters = 0;
  bool exact = false;  ///< to the last digit, else rounded ("70B")
  /// Those of vision and audio towers, whether `parameters` has them or not.
  std::int64_t tower_parameters = 0;
  std::string source;

  friend bool operator==(const PublishedCount&, const PublishedCount&) = default;
};

/// How a file stores the weights: as its quantization_config says, or as its tensors are.
struct StoredWeights {
  std::string name;    ///< "gptq-int4-g128", "Q4_K_M"
  std::string origin;  ///< "quantization_config", "safetensors headers", "GGUF tensors"
  /// None: in Model::published_format. A format counted from tensors has the mean bits of a part.
  PerPart<std::optional<NumberFormat>> parts;

  friend bool operator==(const StoredWeights&, const StoredWeights&) = default;
};

/// What the headers of a model's tensors hold.
struct TensorTotals {
  std::int64_t files = 0;
  std::int64_t tensors = 0;
  Bytes bytes;          ///< of all tensors
  Bytes decoder_bytes;  ///< without what the step leaves out: towers, prediction layers, buffers
  /// Elements of the decoder; none where some are packed.
  std::optional<std::int64_t> decoder_elements;
  Bytes computed_bytes;  ///< of the decoder, as the config alone has them

  friend bool operator==(const TensorTotals&, const TensorTotals&) = default;
};

struct Model {
  std::string name;
  std::vector<std::string> aliases;
  std::string family;  ///< Hugging Face's model_type, or GGUF's architecture
  std::int64_t hidden_size = 0;
  std::int64_t vocabulary = 0;
  std::int64_t learned_positions = 0;  ///< rows of a position table, 0 for rotary
  std::int64_t lookup_width = 0;       ///< elements a token of a second table (Gemma 3n), of
  std::int64_t lookup_rows = 0;        ///< so many rows; looked up as the embedding is
  bool tied_embeddings = false;
  std::int64_t final_norm_parameters = 0;  ///< and other vectors outside the layers
  std::vector<LayerGroup> layers;
  std::vector<LinearMap> extra_maps;   ///< outside the layers
  std::int64_t prediction_layers = 0;  ///< of several tokens at once, beside `layers`: not counted
  std::optional<std::int64_t> max_context;

  NumberFormat published_format;             ///< of everything that `stored` does not mention
  bool format_assumed = false;               ///< the file does not say its number format
  std::optional<StoredWeights> stored;       ///< where it is quantised, or its tensors were counted
  std::optional<NumberFormat> state_format;  ///< of recurrent states, where the file says it
  std::optional<NumberFormat> kv_format;     ///< of the K/V cache, where the file says it
  std::optional<TensorTotals> tensors;       ///< where the file's tensors were counted

  std::optional<PublishedCount> published;
  std::string source;
  std::string notes;
  /// What every answer says: parts that the config tells of and the step leaves out (headers of
  /// tensors tell it exactly, among the warnings), and what was not understood.
  std::vector<std::string> left_out;
  std::vector<std::string> warnings;
  std::vector<std::string> defaults;  ///< what the file lacks and the family's default was

  friend bool operator==(const Model&, const Model&) = default;
};

/// Number of layers in all groups.
[[nodiscard]] std::int64_t layer_count(const Model& model);

/// Parameters of the whole model. Every dimension is within the limits that the readers enforce.
[[nodiscard]] ParameterCount count_parameters(const Model& model);

/// Elements of one layer's cache that one token takes: 2 H_kv d; of latent attention r_kv + r;
/// 0 where a layer reuses another's or keeps a state.
[[nodiscard]] std::int64_t kv_elements(const Mixer& mixer);

/// Tokens that a layer's cache holds of a sequence of `tokens`: at most its window or chunk.
[[nodiscard]] std::int64_t kept_tokens(const Mixer& mixer, std::int64_t tokens);

/// Elements that one token adds to the K/V cache, over all layers (window layers too).
[[nodiscard]] std::int64_t kv_elements_per_token(const Model& model);

/// Elements that one sequence keeps whatever its length.
struct StateSize {
  std::int64_t recurrent = 0;    ///< in Precision::state
  std::int64_t convolution = 0;  ///< kept in the activations' type

  friend bool operator==(const StateSize&, const StateSize&) = default;
};
/// Of one layer: Mamba inner x state; Mamba 2 and linear attention heads x d x state (or d);
/// gated delta heads x key_dim x value_dim; convolutions channels x (taps - 1).
[[nodiscard]] StateSize state_size(const Mixer& mixer);
/// Of all layers.
[[nodiscard]] StateSize state_size(const Model& model);

/// How a model file is to be read.
struct ReadOptions {
  /// The family that a file of an unknown model_type is taken for; empty: none. Only "llama".
  std::string assume;
  /// The headers of the file's tensors will be counted: a quantisation that the config alone
  /// leaves open is a warning.
  bool tensors_follow = false;
};

/// Reads a Hugging Face config.json as it is, or wrapped with metadata as in data/models
/// (data/schema/model.schema.json); `file` names it in messages and, without its directory and
/// suffix, the model. Throws Error for what is missing, impossible or of an unknown family.
[[nodiscard]] Model read_model(std::string_view text, const std::string& file,
                               const ReadOptions& options = {});

/// The model_types that read_model knows, in alphabetical order.
[[nodiscard]] std::vector<std::string> model_families();

/// Reads the model at `path`: a JSON file as above ("-": standard input), a GGUF file (metadata
/// and tensor infos alone), or a directory with config.json, whose safetensors headers and
/// hf_quant_config.json are read where they are there. Throws Error.
[[nodiscard]] Model load_model(const std::string& path, const ReadOptions& options = {});

}  // namespace roofline
