// Files of real models with experts, rebuilt from their shapes and checked against published sums.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "published_files.hpp"

using namespace roofline;
using namespace roofline::safetensors;

TEST_CASE("The file of gpt-oss 20B packs its experts alone", "[spec]") {
  TensorList list(ElementType::bf16);
  list.add("model.embed_tokens.weight", {201088, 2880});
  list.add("lm_head.weight", {201088, 2880});
  list.add("model.norm.weight", {2880});
  for (int i = 0; i < 24; ++i) {
    const std::string layer = fmt::format("model.layers.{}.", i);
    for (const auto& [name, rows] : {std::pair("q_proj", 4096), {"k_proj", 512}, {"v_proj", 512}}) {
      list.add(layer + "self_attn." + name + ".weight", {rows, 2880});
      list.add(layer + "self_attn." + name + ".bias", {rows});
    }
    list.add(layer + "self_attn.o_proj.weight", {2880, 4096});
    list.add(layer + "self_attn.o_proj.bias", {2880});
    list.add(layer + "self_attn.sinks", {64});
    list.add(layer + "mlp.router.weight", {32, 2880});
    list.add(layer + "mlp.router.bias", {32});
    list.add(layer + "mlp.experts.gate_up_proj_blocks", ElementType::u8, {32, 5760, 90, 16});
    list.add(layer + "mlp.experts.gate_up_proj_scales", ElementType::u8, {32, 5760, 90});
    list.add(layer + "mlp.experts.gate_up_proj_bias", {32, 5760});
    list.add(layer + "mlp.experts.down_proj_blocks", ElementType::u8, {32, 2880, 90, 16});
    list.add(layer + "mlp.experts.down_proj_scales", ElementType::u8, {32, 2880, 90});
    list.add(layer + "mlp.experts.down_proj_bias", {32, 2880});
    list.add(layer + "input_layernorm.weight", {2880});
    list.add(layer + "post_attention_layernorm.weight", {2880});
  }
  REQUIRE(list.bytes() == 13'761'264'768);

  Model model;
  model.hidden_size = 2880;
  model.vocabulary = 201088;
  model.final_norm_parameters = 2880;
  model.published_format = plain_format(MatrixType::bf16);
  Attention attention = heads(64, 8, 64);
  attention.qkv_bias = true;
  attention.output_bias = true;
  model.layers = {
      {.count = 24,
       .mixer = attention,
       .feed_forward =
           Experts{.count = 32, .per_token = 4, .width = 2880, .bias = true, .router_bias = true},
       .norm_parameters = 2 * 2880 + 64,
       .extra_maps = {}}};
  model.stored = StoredWeights{.name = "mxfp4", .origin = "quantization_config", .parts = {}};
  model.stored->parts[Part::experts] = format("mxfp4", MatrixType::fp4, 4);
  REQUIRE(count_parameters(model).total() == 20'914'757'184);
  model = counted(model, list);
  CHECK(model.tensors->decoder_bytes == Bytes(13'761'264'768.0));
  CHECK(bits(model, Part::experts) == 4.25);
  CHECK(model.stored->parts[Part::experts]->element == MatrixType::fp4);
  for (const Part part :
       {Part::embedding, Part::lm_head, Part::mixer, Part::router, Part::vectors}) {
    CHECK_FALSE(model.stored->parts[part].has_value());
  }
  CHECK(model.warnings.empty());
}

namespace {

void add_qwen3_next_experts(TensorList& list, const std::string& layer) {
  for (int expert = 0; expert < 512; ++expert) {
    const std::string module = fmt::format("{}mlp.experts.{}.", layer, expert);
    list.add(module + "gate_proj.weight", {512, 2048});
    list.add(module + "up_proj.weight", {512, 2048});
    list.add(module + "down_proj.weight", {2048, 512});
  }
  list.add(layer + "mlp.gate.weight", {512, 2048});
  list.add(layer + "mlp.shared_expert.gate_proj.weight", {512, 2048});
  list.add(layer + "mlp.shared_expert.up_proj.weight", {512, 2048});
  list.add(layer + "mlp.shared_expert.down_proj.weight", {2048, 512});
  list.add(layer + "mlp.shared_expert_gate.weight", {1, 2048});
  list.add(layer + "input_layernorm.weight", {2048});
  list.add(layer + "post_attention_layernorm.weight", {2048});
}

void add_qwen3_next_attention(TensorList& list, const std::string& layer) {
  list.add(layer + "self_attn.q_proj.weight", {2 * 4096, 2048});
  list.add(layer + "self_attn.k_proj.weight", {512, 2048});
  list.add(layer + "self_attn.v_proj.weight", {512, 2048});
  list.add(layer + "self_attn.o_proj.weight", {2048, 4096});
  list.add(layer + "self_attn.q_norm.weight", {256});
  list.add(layer + "self_attn.k_norm.weight", {256});
}

void add_qwen3_next_delta(TensorList& list, const std::string& layer) {
  list.add(layer + "linear_attn.in_proj_qkvz.weight", {2 * 2048 + 2 * 4096, 2048});
  list.add(layer + "linear_attn.in_proj_ba.weight", {2 * 32, 2048});
  list.add(layer + "linear_attn.conv1d.weight", {2 * 2048 + 4096, 1, 4});
  list.add(layer + "linear_attn.A_log", {32});
  list.add(layer + "linear_attn.dt_bias", {32});
  list.add(layer + "linear_attn.norm.weight", {128});
  list.add(layer + "linear_attn.out_proj.weight", {2048, 4096});
}

}  // namespace

TEST_CASE("The files of Qwen3-Next 80B hold a prediction layer", "[spec]") {
  TensorList list(ElementType::bf16);
  list.add("model.embed_tokens.weight", {151936, 2048});
  list.add("lm_head.weight", {151936, 2048});
  list.add("model.norm.weight", {2048});
  for (int i = 0; i < 48; ++i) {
    const std::string layer = fmt::format("model.layers.{}.", i);
    add_qwen3_next_experts(list, layer);
    i % 4 == 3 ? add_qwen3_next_attention(list, layer) : add_qwen3_next_delta(list, layer);
  }
  add_qwen3_next_experts(list, "mtp.layers.0.");
  add_qwen3_next_attention(list, "mtp.layers.0.");
  list.add("mtp.fc.weight", {2048, 4096});
  list.add("mtp.norm.weight", {2048});
  list.add("mtp.pre_fc_norm_embedding.weight", {2048});
  list.add("mtp.pre_fc_norm_hidden.weight", {2048});
  REQUIRE(list.elements() == 81'324'862'720);

  const Experts experts{
      .count = 512, .per_token = 10, .width = 512, .shared_width = 512, .shared_gate = true};
  Attention attention = heads(16, 2, 256);
  attention.output_gate = true;
  const GatedDelta delta{
      .key_heads = 16, .key_dim = 128, .value_heads = 32, .value_dim = 128, .convolution = 4};
  Model model;
  model.hidden_size = 2048;
  model.vocabulary = 151936;
  model.final_norm_parameters = 2048;
  model.published_format = plain_format(MatrixType::bf16);
  model.layers = {{.count = 36,
                   .mixer = delta,
                   .feed_forward = experts,
                   .norm_parameters = 2 * 2048,
                   .extra_maps = {}},
                  {.count = 12,
                   .mixer = attention,
                   .feed_forward = experts,
                   .norm_parameters = 2 * 2048 + 2 * 256,
                   .extra_maps = {}}};
  model = counted(model, list);
  CHECK(model.tensors->decoder_elements == 79'674'391'296);
  CHECK(model.tensors->decoder_bytes == Bytes(2.0 * 79'674'391'296));
  CHECK(model.stored->parts == PerPart<std::optional<NumberFormat>>{});
  REQUIRE(model.warnings.size() == 1);
  CHECK(warns_of(model, "prediction layers (MTP): "));
  CHECK(warns_of(model, " 1,650,471,424 parameters, "));
}

namespace {

void add_deepseek_v3_layer(TensorList& list, int number) {
  const std::string layer = fmt::format("model.layers.{}.", number);
  list.add_fp8_blocks(layer + "self_attn.q_a_proj", 1536, 7168);
  list.add(layer + "self_attn.q_a_layernorm.weight", {1536});
  list.add_fp8_blocks(layer + "self_attn.q_b_proj", 128 * 192, 1536);
  list.add_fp8_blocks(layer + "self_attn.kv_a_proj_with_mqa", 576, 7168);
  list.add(layer + "self_attn.kv_a_layernorm.weight", {512});
  list.add_fp8_blocks(layer + "self_attn.kv_b_proj", 128 * 256, 512);
  list.add_fp8_blocks(layer + "self_attn.o_proj", 7168, 128 * 128);
  list.add(layer + "input_layernorm.weight", {7168});
  list.add(layer + "post_attention_layernorm.weight", {7168});
  const auto add_mlp = [&](const std::string& module, std::int64_t width) {
    list.add_fp8_blocks(module + ".gate_proj", width, 7168);
    list.add_fp8_blocks(module + ".up_proj", width, 7168);
    list.add_fp8_blocks(module + ".down_proj", 7168, width);
  };
  if (number < 3) return add_mlp(layer + "mlp", 18432);
  for (int expert = 0; expert < 256; ++expert) {
    add_mlp(fmt::format("{}mlp.experts.{}", layer, expert), 2048);
  }
  add_mlp(layer + "mlp.shared_experts", 2048);
  list.add(layer + "mlp.gate.weight", {256, 7168});
  list.add(layer + "mlp.gate.e_score_correction_bias", ElementType::f32, {256});
}

Model deepseek_v3() {
  const LatentAttention latent{.heads = 128,
                               .query_rank = 1536,
                               .kv_rank = 512,
                               .rope_dim = 64,
                               .nope_dim = 128,
                               .value_dim = 128};
  Model model;
  model.hidden_size = 7168;
  model.vocabulary = 129280;
  model.final_norm_parameters = 7168;
  model.published_format = plain_format(MatrixType::bf16);
  model.layers = {{.count = 3,
                   .mixer = latent,
                   .feed_forward = Mlp{.width = 18432},
                   .norm_parameters = 2 * 7168,
                   .extra_maps = {}},
                  {.count = 58,
                   .mixer = latent,
                   .feed_forward = Experts{.count = 256,
                                           .per_token = 8,
                                           .width = 2048,
                                           .shared_width = 2048,
                                           .router_bias = true},
                   .norm_parameters = 2 * 7168,
                   .extra_maps = {}}};
  model.stored = stored_layers(format("fp8-block", MatrixType::fp8, 8));
  return model;
}

}  // namespace

TEST_CASE("The files of DeepSeek-V3 hold scales and a prediction layer with its own tables",
          "[spec]") {
  TensorList list(ElementType::bf16);
  list.add("model.embed_tokens.weight", {129280, 7168});
  list.add("lm_head.weight", {129280, 7168});
  list.add("model.norm.weight", {7168});
  for (int i = 0; i <= 61; ++i) add_deepseek_v3_layer(list, i);
  const std::string last = "model.layers.61.";
  list.add(last + "embed_tokens.weight", {129280, 7168});
  list.add(last + "enorm.weight", {7168});
  list.add(last + "hnorm.weight", {7168});
  list.add(last + "eh_proj.weight", {7168, 2 * 7168});
  list.add(last + "shared_head.norm.weight", {7168});
  list.add(last + "shared_head.head.weight", {129280, 7168});
  REQUIRE(list.elements() == 684'531'386'000);

  Model config = deepseek_v3();
  config.prediction_layers = 1;
  const Model model = counted(config, list);
  CHECK(model.tensors->decoder_elements == 671'026'419'200);
  // Sides of 2048 and 7168 are whole blocks; of kv_a's 576 rows the last block is half full.
  CHECK(bits(model, Part::experts) == 8 + 32.0 / 16384);
  CHECK(bits(model, Part::shared_experts) == 8 + 32.0 / 16384);
  CHECK(bits(model, Part::mixer) > 8 + 32.0 / 16384);
  CHECK(bits(model, Part::mixer) == Approx(8 + 32.0 / 16384).epsilon(1e-5));
  // 58 x 256 corrections of 4 bytes among vectors of 2 bytes.
  const double vectors = 61 * (1536.0 + 512 + 2 * 7168) + 58 * 256 + 7168;
  CHECK(bits(model, Part::vectors) == Approx(16 + 16 * 58 * 256 / vectors));
  CHECK(model.stored->parts[Part::vectors]->name == "bf16 and fp32");
  REQUIRE(model.warnings.size() == 1);
  CHECK(warns_of(model, "prediction layers (MTP): "));
  CHECK(warns_of(model, " 13,463,426,304 parameters, "));
}
