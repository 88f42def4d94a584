#include "spec/safetensors/tensor_names.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <tuple>

using namespace roofline;
using namespace roofline::safetensors;

namespace {

constexpr NameContext forty_layers{.layers = 40, .tied_embeddings = false};

TensorRole role(const std::string& name, int dimensions, ElementType type = ElementType::bf16,
                const NameContext& context = forty_layers) {
  return role_of({.name = name, .type = type, .dimensions = dimensions, .elements = 1}, context);
}

TensorRole weights_of(Part part) {
  return {.place = Place::decoder, .part = part, .content = Content::weights};
}

}  // namespace

TEST_CASE("Matrices of all families are of the part that their module is", "[spec]") {
  const auto [name, part] = GENERATE(table<std::string, Part>({
      // Tables.
      {"model.embed_tokens.weight", Part::embedding},
      {"model.language_model.embed_tokens.weight", Part::embedding},
      {"language_model.model.embed_tokens.weight", Part::embedding},
      {"transformer.wte.weight", Part::embedding},
      {"wpe.weight", Part::embedding},
      {"word_embeddings.weight", Part::embedding},
      {"transformer.word_embeddings.weight", Part::embedding},
      {"transformer.embedding.word_embeddings.weight", Part::embedding},
      {"gpt_neox.embed_in.weight", Part::embedding},
      {"model.tok_embeddings.weight", Part::embedding},
      {"backbone.embeddings.weight", Part::embedding},
      {"model.decoder.embed_positions.weight", Part::embedding},
      {"model.language_model.embed_tokens_per_layer.weight", Part::embedding},
      {"lm_head.weight", Part::lm_head},
      {"language_model.lm_head.weight", Part::lm_head},
      {"embed_out.weight", Part::lm_head},
      {"output.weight", Part::lm_head},
      {"transformer.output_layer.weight", Part::lm_head},
      // Mixers.
      {"model.layers.0.self_attn.q_proj.weight", Part::mixer},
      {"model.layers.39.self_attn.kv_a_proj_with_mqa.weight", Part::mixer},
      {"model.layers.0.self_attn.output_gate.weight", Part::mixer},
      {"model.layers.0.attention.wqkv.weight", Part::mixer},
      {"transformer.h.0.attn.c_attn.weight", Part::mixer},
      {"transformer.h.0.self_attention.query_key_value.weight", Part::mixer},
      {"transformer.blocks.0.norm_attn_norm.attn.Wqkv.weight", Part::mixer},
      {"transformer.encoder.layers.0.self_attention.dense.weight", Part::mixer},
      {"gpt_neox.layers.0.attention.dense.weight", Part::mixer},
      {"model.decoder.layers.0.self_attn.out_proj.weight", Part::mixer},
      {"model.layers.0.linear_attn.in_proj_qkvz.weight", Part::mixer},
      {"model.layers.0.mamba.x_proj.weight", Part::mixer},
      {"backbone.layers.0.mixer.in_proj.weight", Part::mixer},
      {"backbone.layers.0.mixer.q_proj.weight", Part::mixer},
      // Dense MLPs, and what a few families add.
      {"model.layers.0.mlp.gate_up_proj.weight", Part::mlp},
      {"model.layers.0.mlp.gate_proj.weight", Part::mlp},
      {"transformer.h.0.mlp.c_fc.weight", Part::mlp},
      {"transformer.h.0.mlp.dense_h_to_4h.weight", Part::mlp},
      {"transformer.blocks.0.ffn.up_proj.weight", Part::mlp},
      {"model.layers.0.feed_forward.w1.weight", Part::mlp},
      {"model.decoder.layers.0.fc1.weight", Part::mlp},
      {"backbone.layers.0.mixer.up_proj.weight", Part::mlp},
      {"model.layers.0.residual_mlp.w1.weight", Part::mlp},
      {"model.layers.0.block_sparse_moe.mlp.w1.weight", Part::mlp},
      {"model.language_model.layers.0.laurel.linear_left.weight", Part::mlp},
      {"model.language_model.layers.0.altup.prediction_coefs.weight", Part::mlp},
      {"model.language_model.layers.0.per_layer_input_gate.weight", Part::mlp},
      {"model.language_model.altup_projections.0.weight", Part::mlp},
      {"model.language_model.per_layer_model_projection.weight", Part::mlp},
      {"model.decoder.project_in.weight", Part::mlp},
      // Experts.
      {"model.layers.0.mlp.experts.511.up_proj.weight", Part::experts},
      {"model.layers.0.block_sparse_moe.experts.7.w2.weight", Part::experts},
      {"model.layers.0.block_sparse_moe.input_linear.weight", Part::experts},
      {"model.layers.0.mlp.experts.gate_up_proj", Part::experts},
      {"language_model.model.layers.0.feed_forward.experts.down_proj", Part::experts},
      {"transformer.blocks.0.ffn.experts.mlp.w1", Part::experts},
      {"backbone.layers.1.mixer.experts.0.up_proj.weight", Part::experts},
      {"model.layers.0.mlp.shared_expert.gate_proj.weight", Part::shared_experts},
      {"model.layers.0.mlp.shared_experts.gate_proj.weight", Part::shared_experts},
      {"model.layers.0.mlp.shared_mlp.gate_proj.weight", Part::shared_experts},
      {"model.layers.0.shared_mlp.input_linear.weight", Part::shared_experts},
      {"backbone.layers.1.mixer.shared_experts.up_proj.weight", Part::shared_experts},
      // Routers.
      {"model.layers.0.mlp.gate.weight", Part::router},
      {"model.layers.0.mlp.gate.wg.weight", Part::router},
      {"model.layers.0.mlp.shared_expert_gate.weight", Part::router},
      {"model.layers.0.block_sparse_moe.gate.weight", Part::router},
      {"model.layers.0.block_sparse_moe.router.layer.weight", Part::router},
      {"transformer.blocks.0.ffn.router.layer.weight", Part::router},
      {"model.layers.0.feed_forward.router.weight", Part::router},
      {"backbone.layers.1.mixer.gate.weight", Part::router},
  }));
  CAPTURE(name);
  CHECK(role(name, 2) == weights_of(part));
}

TEST_CASE("Norms and biases are vectors and so are a few of more dimensions", "[spec]") {
  const auto [name, dimensions] = GENERATE(table<std::string, int>({
      {"model.norm.weight", 1},
      {"model.layers.0.input_layernorm.weight", 1},
      {"model.layers.0.post_attention_layernorm.weight", 1},
      {"model.layers.0.self_attn.q_norm.weight", 1},
      {"model.layers.0.self_attn.q_proj.bias", 1},
      {"model.layers.0.self_attn.sinks", 1},
      {"model.layers.0.mlp.router.bias", 1},
      {"model.layers.0.mlp.experts.gate_up_proj_bias", 2},
      {"model.layers.0.linear_attn.conv1d.weight", 3},
      {"model.layers.0.linear_attn.A_log", 1},
      {"backbone.layers.0.mixer.A_log", 2},
      {"backbone.layers.0.mixer.D", 1},
      {"model.layers.0.mamba.dt_bias", 1},
      {"model.layers.0.mamba.dt_proj.bias", 1},
      {"model.language_model.layers.0.altup.correct_output_scale", 1},
      {"transformer.h.0.attn.c_attn.bias", 1},
      {"gpt_neox.layers.0.attention.query_key_value.bias", 1},
      {"lm_head.bias", 1},
      {"word_embeddings_layernorm.weight", 1},
  }));
  CAPTURE(name);
  CHECK(role(name, dimensions) == weights_of(Part::vectors));
}

TEST_CASE("A router's score correction is a vector of its own kind", "[spec]") {
  const auto [name, dimensions] = GENERATE(table<std::string, int>({
      {"model.layers.9.mlp.gate.e_score_correction_bias", 1},
      {"model.layers.9.block_sparse_moe.e_score_correction_bias", 1},
      {"model.layers.9.mlp.moe_statics.e_score_correction_bias", 2},
  }));
  const TensorRole correction = role(name, dimensions, ElementType::f32);
  CHECK(correction.part == Part::vectors);
  CHECK(correction.place == Place::decoder);
  CHECK(correction.score_correction);
}

TEST_CASE("What quantisers store counts as the part of its weight", "[spec]") {
  using enum ElementType;
  const std::string q = "model.layers.0.self_attn.q_proj.";
  const std::string up = "model.layers.0.mlp.up_proj.";
  const std::string experts = "model.layers.0.mlp.experts.";
  const auto [name, dimensions, type, part, content] =
      GENERATE_COPY(table<std::string, int, ElementType, Part, Content>({
          {q + "qweight", 2, i32, Part::mixer, Content::packed},
          {q + "qzeros", 2, i32, Part::mixer, Content::scales},
          {q + "scales", 2, f16, Part::mixer, Content::scales},
          {q + "g_idx", 1, i32, Part::mixer, Content::scales},
          {up + "weight", 2, f8_e4m3, Part::mlp, Content::weights},
          {up + "weight", 2, i8, Part::mlp, Content::weights},
          {up + "weight_scale", 2, bf16, Part::mlp, Content::scales},
          {up + "weight_scale_inv", 2, f32, Part::mlp, Content::scales},
          {up + "input_scale", 0, f32, Part::mlp, Content::scales},
          {up + "weight_packed", 2, i32, Part::mlp, Content::packed},
          {up + "weight_shape", 1, i64, Part::mlp, Content::scales},
          {up + "weight_zero_point", 2, i32, Part::mlp, Content::scales},
          {up + "weight_global_scale", 1, f32, Part::mlp, Content::scales},
          {up + "weight_scale_2", 0, f32, Part::mlp, Content::scales},
          {up + "SCB", 1, f32, Part::mlp, Content::scales},
          {up + "weight", 2, u8, Part::mlp, Content::packed},
          {up + "weight.absmax", 1, u8, Part::mlp, Content::scales},
          {up + "weight.quant_map", 1, f32, Part::mlp, Content::scales},
          {up + "weight.nested_absmax", 1, f32, Part::mlp, Content::scales},
          {up + "weight.nested_quant_map", 1, f32, Part::mlp, Content::scales},
          {up + "weight.quant_state.bitsandbytes__nf4", 1, u8, Part::mlp, Content::scales},
          {experts + "gate_up_proj_blocks", 4, u8, Part::experts, Content::packed},
          {experts + "gate_up_proj_scales", 3, u8, Part::experts, Content::scales},
          {experts + "down_proj_scale_inv", 3, f32, Part::experts, Content::scales},
          {experts + "3.down_proj.qweight", 2, i32, Part::experts, Content::packed},
          {"model.layers.0.self_attn.k_scale", 0, f32, Part::mixer, Content::scales},
          {"model.layers.0.self_attn.k_proj.k_scale", 1, f32, Part::mixer, Content::scales},
          {"model.embed_tokens.weight", 2, u32, Part::embedding, Content::packed},
          {"model.embed_tokens.scales", 2, bf16, Part::embedding, Content::scales},
          {"model.embed_tokens.biases", 2, bf16, Part::embedding, Content::scales},
          {"lm_head.qweight", 2, i32, Part::lm_head, Content::packed},
      }));
  CAPTURE(name);
  CHECK(role(name, dimensions, type) ==
        TensorRole{.place = Place::decoder, .part = part, .content = content});
}

TEST_CASE("A step leaves out towers and prediction layers and buffers", "[spec]") {
  const auto [name, dimensions, place] = GENERATE(table<std::string, int, Place>({
      {"vision_tower.vision_model.encoder.layers.0.mlp.fc1.weight", 2, Place::vision_tower},
      {"vision_model.patch_embedding.linear.weight", 2, Place::vision_tower},
      {"visual.blocks.0.attn.qkv.weight", 2, Place::vision_tower},
      {"model.visual.merger.mlp.0.bias", 1, Place::vision_tower},
      {"model.vision_embed_tokens.img_processor.weight", 2, Place::vision_tower},
      {"model.embed_vision.embedding.weight", 2, Place::vision_tower},
      {"multi_modal_projector.linear_1.weight", 2, Place::vision_tower},
      {"model.mm_projector.0.weight", 2, Place::vision_tower},
      {"mlp1.1.weight", 2, Place::vision_tower},
      {"model.image_newline", 1, Place::vision_tower},
      {"audio_tower.layers.0.self_attn.q_proj.weight", 2, Place::audio_tower},
      {"model.embed_audio.embedding.weight", 2, Place::audio_tower},
      {"model.audio_tower.conformer.0.norm.weight", 1, Place::audio_tower},
      {"talker.model.layers.0.mlp.up_proj.weight", 2, Place::audio_tower},
      {"mtp.layers.0.mlp.experts.0.up_proj.weight", 2, Place::prediction_layer},
      {"mtp.fc.weight", 2, Place::prediction_layer},
      {"model.mtp_block.0.self_attn.q_proj.weight", 2, Place::prediction_layer},
      {"model.layers.40.eh_proj.weight", 2, Place::surplus_layer},
      {"model.layers.40.embed_tokens.weight", 2, Place::surplus_layer},
      {"h.0.attn.bias", 4, Place::buffer},
      {"transformer.h.0.attn.masked_bias", 0, Place::buffer},
      {"gpt_neox.layers.0.attention.bias", 4, Place::buffer},
      {"gpt_neox.layers.0.attention.rotary_emb.inv_freq", 1, Place::buffer},
      {"transformer.rotary_pos_emb.inv_freq", 1, Place::buffer},
      {"model.layers.0.self_attn.rotary_emb.inv_freq", 1, Place::buffer},
  }));
  CAPTURE(name);
  CHECK(role(name, dimensions).place == place);
}

TEST_CASE("Layers behind the model's own are prediction layers where the config has such",
          "[spec]") {
  const NameContext predicting{.layers = 40, .prediction_layers = 1};
  const auto place = [&](const char* name) {
    return role(name, 2, ElementType::bf16, predicting).place;
  };
  CHECK(place("model.layers.39.mlp.up_proj.weight") == Place::decoder);
  CHECK(place("model.layers.40.eh_proj.weight") == Place::prediction_layer);
  CHECK(place("model.layers.40.embed_tokens.weight") == Place::prediction_layer);
  CHECK(place("model.layers.41.mlp.up_proj.weight") == Place::surplus_layer);
}

TEST_CASE("The lm_head of a tied model is a repetition", "[spec]") {
  const NameContext tied{.layers = 40, .tied_embeddings = true};
  CHECK(role("lm_head.weight", 2, ElementType::bf16, tied).place == Place::repeated_lm_head);
  CHECK(role("embed_out.weight", 2, ElementType::bf16, tied).place == Place::repeated_lm_head);
  CHECK(role("lm_head.weight", 2).place == Place::decoder);
}

TEST_CASE("A matrix of another name is unknown", "[spec]") {
  const auto name = GENERATE(values<std::string>(
      {"model.layers.0.novelty.weight", "novelty.weight", "", ".", "weight", "weight.absmax",
       "model.layers.0.weight", "layers.99999999999999999999.novelty.weight", "qweight"}));
  CAPTURE(name);
  CHECK(role(name, 2).place == Place::unknown);
}
