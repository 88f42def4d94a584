#include "spec/safetensors/tensor_names.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

namespace roofline::safetensors {
namespace {

using Words = std::initializer_list<std::string_view>;

bool is_any(std::string_view word, Words words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool contains_any(std::string_view text, Words words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
}

/// A name at its points: model.layers.0.mlp.gate_proj.weight -> module path and what it holds.
struct Name {
  std::vector<std::string_view> path;   ///< of the module, layer prefix included
  std::vector<std::string_view> inner;  ///< the path behind the layer's number, all where none
  std::optional<std::int64_t> layer;
  Content content = Content::weights;
  bool companion = false;  ///< belongs to another tensor, which is a matrix
  bool bias = false;
};

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t point = text.find('.');
    words.push_back(text.substr(0, point));
    if (point == std::string_view::npos) return words;
    text.remove_prefix(point + 1);
  }
}

/// What quantisers store instead of a module's weight.
bool is_packed_word(std::string_view word) {
  return is_any(word, {"qweight", "weight_packed", "blocks"});
}

/// What they store beside it.
bool is_scale_word(std::string_view word) {
  return is_any(word, {"qzeros",
                       "scales",
                       "biases",
                       "g_idx",
                       "perm",
                       "zeros",
                       "absmax",
                       "SCB",
                       "weight_format",
                       "weight_scale",
                       "weight_scale_inv",
                       "weight_scale_2",
                       "weight_shape",
                       "weight_zero_point",
                       "weight_g_idx",
                       "weight_global_scale",
                       "weight_scales",
                       "weight_zeros",
                       "input_scale",
                       "input_scale_ub",
                       "input_global_scale",
                       "output_scale",
                       "q_scale",
                       "k_scale",
                       "v_scale",
                       "pre_quant_scale"});
}

std::optional<std::string_view> without_ending(std::string_view word, Words endings) {
  for (const std::string_view ending : endings) {
    if (word.size() > ending.size() && word.ends_with(ending)) {
      return word.substr(0, word.size() - ending.size());
    }
  }
  return std::nullopt;
}

bool is_packed_type(ElementType type) {
  return !is_floating_point(type) && type != ElementType::i8;
}

/// Takes from the path's end what says which tensor of the module it is.
void read_leaf(Name& name, ElementType type) {
  std::vector<std::string_view>& path = name.path;
  const auto weight = std::find(path.begin(), path.end(), "weight");
  if (weight != path.end() && weight + 1 != path.end()) {  // weight.absmax, weight.quant_state.x
    path.erase(weight, path.end());
    name.content = Content::scales;
    name.companion = true;
    return;
  }
  name.content = is_packed_type(type) ? Content::packed : Content::weights;
  const std::string_view last = path.back();
  name.companion = true;
  if (is_packed_word(last) || is_scale_word(last)) {
    name.content = is_scale_word(last) ? Content::scales : Content::packed;
    path.pop_back();
  } else if (const auto packed = without_ending(last, {"_blocks", "_packed"})) {
    name.content = Content::packed;
    path.back() = *packed;
  } else if (const auto scaled = without_ending(
                 last, {"_scales", "_proj_scale", "_proj_scale_inv", "_proj_weight_scale",
                        "_proj_weight_scale_2", "_proj_input_scale"})) {
    name.content = Content::scales;
    path.back() = *scaled;
  } else {
    name.companion = false;
    name.bias = last == "bias" || last.ends_with("_bias");
    if (last == "weight" || last == "bias") path.pop_back();
  }
}

void read_layer(Name& name) {
  const std::vector<std::string_view>& path = name.path;
  name.inner = path;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    if (!is_any(path[i], {"layers", "h", "blocks", "layer", "block"})) continue;
    const std::string_view digits = path[i + 1];
    std::int64_t number = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (result.ec != std::errc{} || result.ptr != digits.data() + digits.size()) continue;
    name.layer = number;
    name.inner.assign(path.begin() + static_cast<std::ptrdiff_t>(i) + 2, path.end());
    return;
  }
}

Name read_name(std::string_view text, ElementType type) {
  Name name;
  name.path = split(text);
  read_leaf(name, type);
  read_layer(name);
  return name;
}

template <class Test>
bool any_word(const std::vector<std::string_view>& words, Test test) {
  return std::any_of(words.begin(), words.end(), test);
}

bool has(const std::vector<std::string_view>& words, Words wanted) {
  return any_word(words, [&](std::string_view word) { return is_any(word, wanted); });
}

std::string_view last(const std::vector<std::string_view>& words) {
  return words.empty() ? std::string_view{} : words.back();
}

std::optional<Place> tower(const Name& name) {
  const auto& path = name.path;
  if (any_word(path, [](std::string_view word) {
        return contains_any(word, {"audio", "speech", "conformer"}) ||
               is_any(word, {"talker", "token2wav", "code2wav", "apm", "tts"});
      })) {
    return Place::audio_tower;
  }
  const bool vision = any_word(path, [](std::string_view word) {
    return contains_any(word, {"vision", "visual", "image", "multi_modal_projector", "mm_projector",
                               "img_"}) ||
           is_any(word, {"vpm", "resampler", "connector", "patch_merger", "merger", "aligner",
                         "sam_model", "vit", "embed_tokens_extend"});
  });
  // InternVL's projector has no more telling name.
  if (vision || path.front() == "mlp1") return Place::vision_tower;
  return std::nullopt;
}

bool is_surplus_layer(const Name& name, const NameContext& context) {
  return name.layer && *name.layer >= context.layers + context.prediction_layers;
}

bool is_prediction_layer(const Name& name, const NameContext& context) {
  if (name.layer && *name.layer >= context.layers) return true;
  return any_word(name.path, [](std::string_view word) {
    return word.starts_with("mtp") || word.starts_with("nextn");
  });
}

bool is_buffer(const Name& name, int dimensions) {
  if (any_word(name.path, [](std::string_view word) {
        return is_any(word,
                      {"masked_bias", "causal_mask", "position_ids", "rotary_emb", "rotary_pos_emb",
                       "inv_freq", "cos_cached", "sin_cached", "freqs_cis", "rope_freqs"});
      })) {
    return true;
  }
  // The causal mask of GPT-2's kind is called attn.bias; a bias has one dimension.
  return name.bias && dimensions >= 2 &&
         is_any(last(name.path), {"attn", "attention", "self_attn"});
}

bool is_score_correction(const Name& name) {
  return is_any(last(name.path), {"e_score_correction_bias", "expert_bias", "correction_bias"});
}

bool is_vector(const Name& name, int dimensions) {
  if (name.companion) return false;
  return dimensions <= 1 || name.bias ||
         is_any(last(name.path), {"conv1d", "A_log", "D", "dt_bias", "sinks"});
}

bool is_router(const std::vector<std::string_view>& inner) {
  if (has(inner, {"router", "shared_expert_gate"})) return true;
  const std::size_t n = inner.size();
  const std::string_view module = last(inner);
  if (n >= 2 && module == "wg" && inner[n - 2] == "gate") return true;
  return module == "gate" && !has(inner, {"experts", "shared_expert", "shared_experts"});
}

bool is_mixer(const std::vector<std::string_view>& inner) {
  if (has(inner, {"mixer"})) {  // Nemotron-H calls every kind of block a mixer
    return !has(inner, {"up_proj", "down_proj", "gate_proj", "fc1", "fc2"});
  }
  return any_word(inner, [](std::string_view word) {
    return contains_any(word, {"attn", "attention"}) || is_any(word, {"mamba", "conv", "ssm"});
  });
}

std::optional<Part> layer_part(const std::vector<std::string_view>& inner) {
  if (is_router(inner)) return Part::router;
  if (has(inner, {"shared_expert", "shared_experts", "shared_mlp"})) return Part::shared_experts;
  if (has(inner, {"experts"})) return Part::experts;
  if (has(inner, {"block_sparse_moe"}) && has(inner, {"input_linear", "output_linear"})) {
    return Part::experts;  // GraniteMoE: all experts in one tensor
  }
  if (is_mixer(inner)) return Part::mixer;
  if (has(inner, {"mlp", "feed_forward", "ffn", "fc1", "fc2", "block_sparse_moe", "residual_mlp",
                  "mixer", "laurel", "altup", "per_layer_input_gate", "per_layer_projection"})) {
    return Part::mlp;
  }
  return std::nullopt;
}

std::optional<Part> outer_part(const std::vector<std::string_view>& path) {
  if (has(path, {"lm_head", "embed_out", "output_layer"}) || last(path) == "output") {
    return Part::lm_head;
  }
  if (has(path, {"embed_tokens", "wte", "wpe", "word_embeddings", "embed_in", "tok_embeddings",
                 "embeddings", "embedding", "embed_positions", "position_embeddings",
                 "embed_tokens_per_layer"})) {
    return Part::embedding;
  }
  if (has(path, {"project_in", "project_out", "per_layer_model_projection", "altup_projections",
                 "altup_unembed_projections"})) {
    return Part::mlp;
  }
  return std::nullopt;
}

}  // namespace

TensorRole role_of(const Tensor& tensor, const NameContext& context) {
  const Name name = read_name(tensor.name, tensor.type);
  TensorRole role{.content = name.content};
  if (name.path.empty()) return role;
  if (const auto place = tower(name)) {
    role.place = *place;
  } else if (is_surplus_layer(name, context)) {
    role.place = Place::surplus_layer;
  } else if (is_prediction_layer(name, context)) {
    role.place = Place::prediction_layer;
  } else if (is_buffer(name, tensor.dimensions)) {
    role.place = Place::buffer;
  } else if (is_score_correction(name) || is_vector(name, tensor.dimensions)) {
    role.place = Place::decoder;
    role.score_correction = is_score_correction(name);
  } else if (const auto part = name.layer ? layer_part(name.inner) : outer_part(name.path)) {
    const bool repeated = *part == Part::lm_head && context.tied_embeddings;
    role.place = repeated ? Place::repeated_lm_head : Place::decoder;
    role.part = *part;
  }
  return role;
}

}  // namespace roofline::safetensors
