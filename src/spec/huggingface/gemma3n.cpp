// Gemma 3n: Gemma 3's attention in alternating-updates streams (AltUp), low-rank residuals
// (LAuReL), a table of per-layer embeddings, and last layers that reuse earlier layers' K/V.
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/family_checks.hpp"
#include "spec/huggingface/gated_decoder.hpp"
#include "spec/huggingface/layer_lists.hpp"
#include "spec/huggingface/window_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace roofline::huggingface {
namespace {

constexpr std::int64_t default_period = 5;
constexpr std::int64_t norms_a_layer = 4;
constexpr std::int64_t most_streams = 1000;

/// Sizes that Gemma 3n alone has.
struct Extras {
  std::int64_t per_layer = 0;  ///< p: width of a layer's own embedding
  std::int64_t streams = 0;    ///< a: copies of the hidden state
  std::int64_t rank = 0;       ///< r: of the low-rank residual
};

Extras read_extras(Config& config) {
  // They choose and clip values; the sparsity of activations is not made use of in a product.
  read_past(config, {"activation_sparsity_pattern", "altup_active_idx", "altup_coef_clip",
                     "altup_correct_scale"});
  return {.per_layer = config.count_or({"hidden_size_per_layer_input"}, most_width, 256),
          .streams = config.count_or({"altup_num_inputs"}, most_streams, 4, 2),
          .rank = config.count_or({"laurel_rank"}, most_width, 64)};
}

std::vector<LinearMap> layer_maps(std::int64_t h, const Extras& e) {
  return {{.name = "laurel left", .inputs = h, .outputs = e.rank},
          {.name = "laurel right", .inputs = e.rank, .outputs = h},
          {.name = "per-layer gate", .inputs = h, .outputs = e.per_layer},
          {.name = "per-layer projection", .inputs = e.per_layer, .outputs = h},
          {.name = "altup router", .inputs = h, .outputs = e.streams},
          {.name = "altup prediction", .inputs = e.streams, .outputs = e.streams * e.streams},
          {.name = "altup correction", .inputs = e.streams, .outputs = e.streams}};
}

LayerGroup read_layer(Config& config, const Model& model, const Extras& extras) {
  const bool bias = config.flag_or("attention_bias", false);
  LayerGroup layer = read_attention_layer(config,
                                          {.attention = {.qkv_bias = bias, .output_bias = bias},
                                           .head_dim_required = true,
                                           .query_key_norms = QueryKeyNorms::per_head,
                                           .norms_a_layer = norms_a_layer},
                                          model);
  // Norms behind LAuReL and the per-layer projection, AltUp's norm and its output scale.
  layer.norm_parameters += 4 * model.hidden_size;
  layer.extra_maps = layer_maps(model.hidden_size, extras);
  return layer;
}

/// One width, or a list of one for each layer.
std::vector<std::int64_t> read_widths(Config& config, std::int64_t layers) {
  (void)config.at("intermediate_size");
  return *read_layer_counts(config, {"intermediate_size"}, layers, most_mlp_width);
}

WindowOf read_windows(Config& config, std::int64_t layers) {
  const std::optional<std::int64_t> window = config.count("sliding_window", most_context);
  if (!config.find("layer_types")) config.note_default("layer_types", "every fifth layer full");
  return read_layer_types(config, layers, window, full_every(default_period, window));
}

/// The first layer that has no cache of its own. A shared layer reuses the last one of its kind
/// before that, so both kinds must be there.
std::int64_t first_shared_layer(Config& config, std::int64_t layers, const WindowOf& windows) {
  const std::int64_t shared = config.count_or({"num_kv_shared_layers"}, most_layers, 15, 0);
  const auto owned_by = [&](bool window) {
    for (std::int64_t i = 0; i < layers - shared; ++i) {
      if (windows(i).has_value() == window) return true;
    }
    return false;
  };
  for (std::int64_t i = std::max<std::int64_t>(layers - shared, 0); i < layers; ++i) {
    if (!owned_by(windows(i).has_value())) {
      config.fail(fmt::format("layer {} has no earlier layer whose K/V it could reuse", i),
                  fmt::format("num_kv_shared_layers is {} of {} layers", shared, layers));
    }
  }
  return layers - shared;
}

void add_outer_parts(Config& config, Model& model, std::int64_t layers, const Extras& extras) {
  const std::int64_t h = model.hidden_size;
  model.lookup_rows = config.count_or({"vocab_size_per_layer_input"}, most_vocabulary, 262'144);
  model.lookup_width = layers * extras.per_layer;
  if (model.lookup_width > most_mlp_width) {
    config.fail(fmt::format("{} layers of {} per-layer elements are out of range", layers,
                            extras.per_layer));
  }
  model.final_norm_parameters += extras.per_layer;
  const std::int64_t others = (extras.streams - 1) * h;
  model.extra_maps = {{.name = "per-layer inputs", .inputs = h, .outputs = model.lookup_width},
                      {.name = "altup projections", .inputs = h, .outputs = others},
                      {.name = "altup unembedding projections", .inputs = h, .outputs = others}};
}

}  // namespace

Model read_gemma3n(Config& config) {
  config.refuse_true({"mlp_bias"});
  Model model = read_gated_base(config, {.tied_by_default = true});
  const std::int64_t layers = read_layer_count(config);
  const Extras extras = read_extras(config);
  add_outer_parts(config, model, layers, extras);
  const LayerGroup like = read_layer(config, model, extras);
  const std::vector<std::int64_t> widths = read_widths(config, layers);
  const WindowOf windows = read_windows(config, layers);
  const std::int64_t first_shared = first_shared_layer(config, layers, windows);
  for (std::int64_t i = 0; i < layers; ++i) {
    LayerGroup layer = like;
    auto& attention = std::get<Attention>(layer.mixer);
    attention.window = windows(i);
    attention.reuses_cache = i >= first_shared;
    layer.feed_forward = Mlp{.width = widths[static_cast<std::size_t>(i)]};
    add_layer(model, std::move(layer));
  }
  return model;
}

}  // namespace roofline::huggingface
