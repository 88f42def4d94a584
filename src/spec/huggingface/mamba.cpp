// Mamba and Mamba 2: a state-space mixer and one norm on each layer, no MLP. Falcon-Mamba's norms
// inside the mixer have no weights.
#include <fmt/format.h>

#include "spec/huggingface/families.hpp"
#include "spec/huggingface/family_checks.hpp"
#include "spec/huggingface/gated_decoder.hpp"
#include "spec/huggingface/state_layers.hpp"

namespace roofline::huggingface {
namespace {

/// How a time step is computed and initialised: no matrix changes.
void read_past_steps(Config& config) {
  read_past(config, {"time_step_floor", "time_step_init_scheme", "time_step_limit", "time_step_max",
                     "time_step_min", "time_step_scale", "chunk_size", "residual_in_fp32",
                     "rescale_prenorm_residual", "fused_add_norm", "rms_norm", "mixer_rms_eps",
                     "use_mambapy", "use_falcon_mambapy", "use_associative_scan",
                     "pad_vocab_size_multiple", "norm_before_gate", "d_inner", "conv_dim"});
}

/// intermediate_size, else expand x hidden_size.
std::int64_t read_inner(Config& config, const Model& model) {
  (void)config.find("expand");
  if (const auto given = config.optional_count({"intermediate_size"}, most_mlp_width)) {
    return *given;
  }
  return model.hidden_size * config.count_or({"expand"}, most_width, 2);
}

Mamba1 read_mixer(Config& config, const Model& model) {
  Mamba1 mixer;
  mixer.inner = read_inner(config, model);
  mixer.state = config.count_or({"state_size"}, most_width, 16);
  mixer.convolution = config.count_or({"conv_kernel"}, most_width, 4);
  mixer.step_rank =
      read_auto_count(config, {"time_step_rank"}, most_width, automatic_step_rank(model));
  if (config.flag_or("use_bias", false)) mixer.vectors = projection_biases(model, mixer);
  return mixer;
}

Mamba2 read_mixer_2(Config& config, const Model& model) {
  Mamba2 mixer;
  mixer.heads = config.count("num_heads", most_width);
  mixer.head_dim = config.count("head_dim", most_width);
  const std::int64_t inner = read_inner(config, model);
  if (mixer.heads * mixer.head_dim != inner) {
    config.fail(fmt::format("{} heads of {} are not the mixer's {} channels", mixer.heads,
                            mixer.head_dim, inner));
  }
  mixer.state = config.count("state_size", most_width);
  mixer.groups = config.count("n_groups", most_width);
  mixer.convolution = config.count_or({"conv_kernel"}, most_width, 4);
  if (config.flag_or("use_bias", false)) mixer.vectors = projection_biases(model, mixer);
  return mixer;
}

Model read_state_base(Config& config, bool tied_by_default) {
  refuse_false(config, {"use_conv_bias"});
  read_past_steps(config);
  return read_gated_base(config, {.tied_by_default = tied_by_default});
}

void add_state_layers(Config& config, Model& model, const Mixer& mixer) {
  LayerGroup layer;
  layer.count = read_layer_count(config);
  layer.mixer = mixer;
  layer.norm_parameters = model.hidden_size;
  model.layers.push_back(std::move(layer));
}

}  // namespace

Model read_mamba(Config& config) {
  Model model = read_state_base(config, true);
  add_state_layers(config, model, read_mixer(config, model));
  return model;
}

Model read_mamba2(Config& config) {
  Model model = read_state_base(config, false);
  add_state_layers(config, model, read_mixer_2(config, model));
  return model;
}

}  // namespace roofline::huggingface
