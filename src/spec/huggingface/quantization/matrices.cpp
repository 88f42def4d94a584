#include "spec/huggingface/quantization/matrices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

#include "roofline/error.hpp"

namespace roofline::huggingface {
namespace {

using Names = std::initializer_list<std::string_view>;

constexpr int mixer_slot = 0;
constexpr int feed_forward_slot = 1;
constexpr int other_slot = 2;

/// "self_attn.q_proj" and so on: each container with each leaf.
std::vector<std::string> spell(Names containers, Names leaves) {
  std::vector<std::string> names;
  for (const std::string_view container : containers) {
    for (const std::string_view leaf : leaves) {
      names.push_back(container.empty() ? std::string(leaf)
                                        : fmt::format("{}.{}", container, leaf));
    }
  }
  return names;
}

/// The modules behind maps that a family adds; other maps are known by their own name.
std::string_view module_of(std::string_view map) {
  struct Module {
    std::string_view map;
    std::string_view name;
  };
  static constexpr std::array modules{
      Module{"altup correction", "altup.correction_coefs"},
      Module{"altup prediction", "altup.prediction_coefs"},
      Module{"altup projections", "model.altup_projections"},
      Module{"altup router", "altup.modality_router"},
      Module{"altup unembedding projections", "model.altup_unembed_projections"},
      Module{"laurel left", "laurel.linear_left"},
      Module{"laurel right", "laurel.linear_right"},
      Module{"per-layer gate", "per_layer_input_gate"},
      Module{"per-layer inputs", "model.per_layer_model_projection"},
      Module{"per-layer projection", "per_layer_projection"}};
  for (const Module& module : modules) {
    if (module.map == map) return module.name;
  }
  return map;
}

class Collector {
 public:
  explicit Collector(const Model& model) : h_(model.hidden_size), family_(model.family) {}

  void add_outside(Part part, Names names, std::int64_t outputs, std::int64_t inputs) {
    if (outputs == 0 || inputs == 0) return;
    add(part, {.slot = nowhere}, {""}, names, {.outputs = outputs, .inputs = inputs});
  }

  void add_layers(const LayerGroup& group) {
    layers_ = group.count;
    place_ = {.slot = mixer_slot, .alternative = static_cast<int>(group.mixer.index())};
    std::visit([&](const auto& mixer) { add_mixer(mixer); }, group.mixer);
    place_ = {.slot = feed_forward_slot,
              .alternative = static_cast<int>(group.feed_forward.index())};
    if (const auto* mlp = std::get_if<Mlp>(&group.feed_forward)) {
      add_dense(*mlp);
    } else if (const auto* experts = std::get_if<Experts>(&group.feed_forward)) {
      add_experts(*experts);
    }
    for (const LinearMap& map : group.extra_maps) {
      add(Part::mlp, {.slot = other_slot}, {""}, {module_of(map.name)},
          {.outputs = map.outputs, .inputs = map.inputs, .layers = layers_});
    }
  }

  [[nodiscard]] std::vector<MatrixKind> kinds() { return std::move(kinds_); }

 private:
  static constexpr int nowhere = -1;

  void add(Part part, const Place& place, Names containers, Names leaves,
           const MatrixShape& shape) {
    const std::string_view container = *containers.begin();
    const std::string first = spell({container}, {*leaves.begin()}).front();
    auto kind = std::find_if(kinds_.begin(), kinds_.end(), [&](const MatrixKind& known) {
      return known.place == place && known.names.front() == first;
    });
    if (kind == kinds_.end()) {
      kinds_.push_back(
          {.part = part, .place = place, .names = spell(containers, leaves), .shapes = {}});
      kind = kinds_.end() - 1;
    }
    kind->layers += place.slot == nowhere ? 0 : shape.layers;
    add_shape(kind->shapes, shape);
  }

  static void add_shape(std::vector<MatrixShape>& shapes, const MatrixShape& shape) {
    constexpr std::size_t compared = 64;  // more than a model has; bounds the work
    const std::size_t from = shapes.size() > compared ? shapes.size() - compared : 0;
    for (std::size_t index = from; index < shapes.size(); ++index) {
      MatrixShape& known = shapes[index];
      if (known.outputs == shape.outputs && known.inputs == shape.inputs &&
          known.copies == shape.copies) {
        known.layers += shape.layers;
        return;
      }
    }
    shapes.push_back(shape);
  }

  void one(Part part, Names containers, Names leaves, std::int64_t outputs, std::int64_t inputs,
           std::int64_t copies = 1) {
    add(part, place_, containers, leaves,
        {.outputs = outputs, .inputs = inputs, .copies = copies, .layers = layers_});
  }

  void add_mixer(const std::monostate& /*none*/) {}

  void add_mixer(const Attention& a) {
    const Names in{"self_attn",           "attn",          "attention", "self_attention",
                   "norm_attn_norm.attn", "attn.attention"};
    const std::int64_t query = a.query_heads * a.head_dim;
    const std::int64_t kv = a.kv_heads * a.head_dim;
    if (is_family("nemotron_h")) {
      one(Part::mixer, {"mixer"}, {"q_proj"}, query, h_);
      one(Part::mixer, {"mixer"}, {"k_proj"}, kv, h_);
      one(Part::mixer, {"mixer"}, {"v_proj"}, kv, h_);
      return one(Part::mixer, {"mixer"}, {"o_proj"}, h_, query);
    }
    one(Part::mixer, in, {"q_proj", "qkv_proj", "query_key_value", "c_attn", "Wqkv", "wqkv", "wq"},
        (a.output_gate ? 2 : 1) * query, h_);
    one(Part::mixer, in, {"k_proj", "qkv_proj", "query_key_value", "c_attn", "Wqkv", "wqkv", "wk"},
        kv, h_);
    one(Part::mixer, in, {"v_proj", "qkv_proj", "query_key_value", "c_attn", "Wqkv", "wqkv", "wv"},
        kv, h_);
    one(Part::mixer, in, {"o_proj", "out_proj", "dense", "c_proj", "wo"}, h_, query);
  }

  void add_mixer(const LatentAttention& a) {
    const Names in{"self_attn", "attn", "attention"};
    const std::int64_t query = a.heads * (a.nope_dim + a.rope_dim);
    if (a.query_rank) {
      one(Part::mixer, in, {"q_a_proj", "fused_a", "fused_qkv_a_proj"}, *a.query_rank, h_);
      one(Part::mixer, in, {"q_b_proj"}, query, *a.query_rank);
    } else {
      one(Part::mixer, in, {"q_proj"}, query, h_);
    }
    one(Part::mixer, in, {"kv_a_proj_with_mqa", "fused_a", "fused_qkv_a_proj"},
        a.kv_rank + a.rope_dim, h_);
    one(Part::mixer, in, {"kv_b_proj"}, a.heads * (a.nope_dim + a.value_dim), a.kv_rank);
    one(Part::mixer, in, {"o_proj"}, h_, a.heads * a.value_dim);
  }

  void add_mixer(const Mamba1& m) {
    const Names in{"mamba", "mixer"};
    one(Part::mixer, in, {"in_proj"}, 2 * m.inner, h_);
    one(Part::mixer, in, {"x_proj"}, m.step_rank + 2 * m.state, m.inner);
    one(Part::mixer, in, {"dt_proj"}, m.inner, m.step_rank);
    one(Part::mixer, in, {"out_proj"}, h_, m.inner);
  }

  void add_mixer(const Mamba2& m) {
    const Names in{"mamba", "mixer"};
    const std::int64_t inner = m.heads * m.head_dim;
    one(Part::mixer, in, {"in_proj"}, 2 * inner + 2 * m.groups * m.state + m.heads, h_);
    one(Part::mixer, in, {"out_proj"}, h_, inner);
  }

  void add_mixer(const GatedDelta& g) {
    const Names in{"linear_attn"};
    const std::int64_t values = g.value_heads * g.value_dim;
    one(Part::mixer, in, {"in_proj_qkvz", "in_proj_qkv"}, 2 * g.key_heads * g.key_dim + values, h_);
    one(Part::mixer, in, {"in_proj_qkvz", "in_proj_z"}, values, h_);
    one(Part::mixer, in, {"in_proj_ba", "in_proj_b"}, g.value_heads, h_);
    one(Part::mixer, in, {"in_proj_ba", "in_proj_a"}, g.value_heads, h_);
    one(Part::mixer, in, {"out_proj"}, h_, values);
  }

  void add_mixer(const LinearAttention& l) {
    const Names in{"self_attn"};
    const std::int64_t width = l.heads * l.head_dim;
    one(Part::mixer, in, {"qkv_proj"}, 3 * width, h_);
    one(Part::mixer, in, {"output_gate"}, width, h_);
    one(Part::mixer, in, {"out_proj"}, h_, width);
  }

  void add_mlp(Part part, Names in, std::int64_t width, bool gated, std::int64_t copies) {
    if (width == 0) return;
    if (gated) {
      one(part, in, {"gate_proj", "gate_up_proj", "w1", "input_linear", "dense_h_to_4h", "w1w3"},
          width, h_, copies);
    }
    one(part, in,
        {"up_proj", "gate_up_proj", "w3", "input_linear", "dense_h_to_4h", "fc1", "fc_in", "c_fc"},
        width, h_, copies);
    one(part, in, {"down_proj", "w2", "output_linear", "dense_4h_to_h", "fc2", "fc_out", "c_proj"},
        h_, width, copies);
  }

  void add_dense(const Mlp& m) {
    if (is_family("nemotron_h")) return add_mlp(Part::mlp, {"mixer"}, m.width, m.gated, 1);
    add_mlp(Part::mlp, {"mlp", "feed_forward", "ffn", ""}, m.width, m.gated, 1);
  }

  /// Only the families' own names: a pattern that is meant for others must not match them.
  void add_experts(const Experts& e) {
    const auto routed = [&](Names in) { add_mlp(Part::experts, in, e.width, e.gated, e.count); };
    const auto shared = [&](Names in) {
      add_mlp(Part::shared_experts, in, e.shared_width, e.gated, 1);
    };
    if (is_family("nemotron_h")) {
      routed({"mixer.experts", "mixer.switch_mlp"});
      shared({"mixer.shared_experts"});
    } else if (is_family("granitemoe")) {
      routed({"block_sparse_moe", "block_sparse_moe.switch_mlp"});
      shared({"shared_mlp"});
    } else if (is_family("dbrx")) {
      routed({"ffn.experts.mlp", "ffn.experts", "mlp.switch_mlp"});
    } else {
      routed({"mlp.experts", "block_sparse_moe.experts", "feed_forward.experts", "mlp.switch_mlp",
              "block_sparse_moe.switch_mlp"});
      if (is_family("hunyuan")) {
        shared({"mlp.shared_mlp"});
      } else {
        shared({"mlp.shared_experts", "mlp.shared_expert", "feed_forward.shared_expert"});
      }
    }
    add_router(e);
  }

  void add_router(const Experts& e) {
    add(Part::router, place_, {""},
        {"mlp.gate", "mlp.router", "block_sparse_moe.gate", "block_sparse_moe.router",
         "block_sparse_moe.router.layer", "feed_forward.router", "ffn.router.layer", "mlp.gate.wg",
         "mixer.gate"},
        {.outputs = e.count, .inputs = h_, .layers = layers_});
    if (e.shared_gate) {
      add(Part::router, place_, {""}, {"mlp.shared_expert_gate"},
          {.outputs = 1, .inputs = h_, .layers = layers_});
    }
  }

  [[nodiscard]] bool is_family(std::string_view start) const {
    return family_.substr(0, start.size()) == start;
  }

  std::int64_t h_;
  std::string_view family_;
  std::int64_t layers_ = 0;
  Place place_;
  std::vector<MatrixKind> kinds_;
};

}  // namespace

std::vector<MatrixKind> matrix_kinds(const Model& model) {
  Collector collector(model);
  const std::int64_t h = model.hidden_size;
  collector.add_outside(Part::embedding,
                        {"model.embed_tokens", "embed_tokens", "model.language_model.embed_tokens",
                         "language_model.model.embed_tokens", "transformer.wte", "wte",
                         "gpt_neox.embed_in", "model.tok_embeddings", "word_embeddings",
                         "transformer.word_embeddings", "backbone.embeddings"},
                        model.vocabulary, h);
  collector.add_outside(Part::embedding, {"transformer.wpe", "model.decoder.embed_positions"},
                        model.learned_positions, h);
  collector.add_outside(Part::embedding, {"model.embed_tokens_per_layer"}, model.lookup_rows,
                        model.lookup_width);
  if (!model.tied_embeddings) {
    collector.add_outside(Part::lm_head,
                          {"lm_head", "language_model.lm_head", "model.lm_head", "embed_out",
                           "output", "output_layer", "transformer.output_layer"},
                          model.vocabulary, h);
  }
  for (const LinearMap& map : model.extra_maps) {
    collector.add_outside(Part::mlp, {module_of(map.name)}, map.outputs, map.inputs);
  }
  for (const LayerGroup& group : model.layers) collector.add_layers(group);
  std::vector<MatrixKind> kinds = collector.kinds();
  ensure(kinds.size() <= most_kinds, "more kinds of matrices than a word has bits");
  return kinds;
}

}  // namespace roofline::huggingface
