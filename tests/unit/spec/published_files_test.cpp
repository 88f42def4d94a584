// Files of real models, rebuilt from their shapes: the sums over them are published, so what the
// counter makes of them can be checked to the last digit.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>

#include "published_files.hpp"

using namespace roofline;
using namespace roofline::safetensors;

TEST_CASE("The file of gpt2 has its causal masks beside its parameters", "[spec]") {
  TensorList list(ElementType::f32);
  list.add("wte.weight", {50257, 768});
  list.add("wpe.weight", {1024, 768});
  for (int i = 0; i < 12; ++i) {
    const std::string h = fmt::format("h.{}.", i);
    list.add(h + "ln_1.weight", {768});
    list.add(h + "ln_1.bias", {768});
    list.add(h + "attn.bias", {1, 1, 1024, 1024});
    list.add(h + "attn.c_attn.weight", {768, 2304});
    list.add(h + "attn.c_attn.bias", {2304});
    list.add(h + "attn.c_proj.weight", {768, 768});
    list.add(h + "attn.c_proj.bias", {768});
    list.add(h + "ln_2.weight", {768});
    list.add(h + "ln_2.bias", {768});
    list.add(h + "mlp.c_fc.weight", {768, 3072});
    list.add(h + "mlp.c_fc.bias", {3072});
    list.add(h + "mlp.c_proj.weight", {3072, 768});
    list.add(h + "mlp.c_proj.bias", {768});
  }
  list.add("ln_f.weight", {768});
  list.add("ln_f.bias", {768});
  REQUIRE(list.elements() == 137'022'720);

  Model model;
  model.hidden_size = 768;
  model.vocabulary = 50257;
  model.learned_positions = 1024;
  model.tied_embeddings = true;
  model.final_norm_parameters = 2 * 768;
  model.published_format = plain_format(MatrixType::bf16);
  model.format_assumed = true;
  model.layers = {{.count = 12,
                   .mixer = Attention{.query_heads = 12,
                                      .kv_heads = 12,
                                      .head_dim = 64,
                                      .window = {},
                                      .chunk = {},
                                      .qkv_bias = true,
                                      .output_bias = true},
                   .feed_forward = Mlp{.width = 3072, .gated = false, .bias = true},
                   .norm_parameters = 4 * 768,
                   .extra_maps = {}}};
  model = counted(model, list);
  CHECK(model.tensors->decoder_elements == 124'439'808);
  CHECK(model.tensors->decoder_bytes == Bytes(4.0 * 124'439'808));
  CHECK(model.tensors->computed_bytes == Bytes(2.0 * 124'439'808));
  CHECK(model.published_format == plain_format(MatrixType::fp32));
  CHECK_FALSE(model.format_assumed);
  CHECK(model.defaults ==
        std::vector<std::string>{"torch_dtype is absent: fp32, as the tensors are"});
  CHECK(model.stored->name == "fp32");
  CHECK(model.stored->parts == PerPart<std::optional<NumberFormat>>{});
  CHECK(model.warnings ==
        std::vector<std::string>{"buffers (causal masks, rotary tables): 12 tensors, 12,582,912 "
                                 "elements, 50.33 MB, left out"});
}

TEST_CASE("The file of Qwen3 8B FP8 has an fp32 scale for each block", "[spec]") {
  TensorList list(ElementType::bf16);
  list.add("model.embed_tokens.weight", {151936, 4096});
  list.add("lm_head.weight", {151936, 4096});
  list.add("model.norm.weight", {4096});
  for (int i = 0; i < 36; ++i) {
    const std::string layer = fmt::format("model.layers.{}.", i);
    add_dense_layer(list, layer, 4096, 4096, 1024, 12288,
                    [&](const std::string& module, std::int64_t rows, std::int64_t columns) {
                      list.add_fp8_blocks(module, rows, columns);
                    });
    list.add(layer + "self_attn.q_norm.weight", {128});
    list.add(layer + "self_attn.k_norm.weight", {128});
  }
  REQUIRE(list.elements() == 8'191'159'296);

  Model model;
  model.hidden_size = 4096;
  model.vocabulary = 151936;
  model.final_norm_parameters = 4096;
  model.published_format = plain_format(MatrixType::bf16);
  model.layers = {dense_layers(36, heads(32, 8, 128), 12288, 2 * 4096 + 2 * 128)};
  model.stored = stored_layers(format("fp8-block", MatrixType::fp8, 8));
  model = counted(model, list);
  CHECK(model.tensors->decoder_elements == 8'190'735'360);
  CHECK(model.stored->name == "fp8-block");
  CHECK(model.stored->origin == "safetensors headers");
  CHECK(bits(model, Part::mixer) == 8 + 32.0 / 16384);
  CHECK(bits(model, Part::mlp) == 8 + 32.0 / 16384);
  CHECK(model.stored->parts[Part::mlp]->name == "fp8-block");
  CHECK_FALSE(model.stored->parts[Part::embedding].has_value());
  CHECK_FALSE(model.stored->parts[Part::vectors].has_value());
  CHECK(model.warnings.empty());
  CHECK(model.defaults.empty());
}

TEST_CASE("The file of Qwen2.5 7B AWQ takes 5570747392 bytes", "[spec]") {
  TensorList list(ElementType::f16);
  list.add("model.embed_tokens.weight", {152064, 3584});
  list.add("lm_head.weight", {152064, 3584});
  list.add("model.norm.weight", {3584});
  for (int i = 0; i < 28; ++i) {
    const std::string layer = fmt::format("model.layers.{}.", i);
    add_dense_layer(list, layer, 3584, 3584, 512, 18944,
                    [&](const std::string& module, std::int64_t rows, std::int64_t columns) {
                      list.add_awq(module, rows, columns);
                    });
    list.add(layer + "self_attn.q_proj.bias", {3584});
    list.add(layer + "self_attn.k_proj.bias", {512});
    list.add(layer + "self_attn.v_proj.bias", {512});
  }
  REQUIRE(list.bytes() == 5'570'747'392);

  Model model;
  model.hidden_size = 3584;
  model.vocabulary = 152064;
  model.final_norm_parameters = 3584;
  model.published_format = plain_format(MatrixType::bf16);
  Attention attention = heads(28, 4, 128);
  attention.qkv_bias = true;
  model.layers = {dense_layers(28, attention, 18944, 2 * 3584)};
  model.stored = stored_layers(format("awq-int4-g128", MatrixType::int4, 4));
  REQUIRE(count_parameters(model).total() == 7'615'616'512);
  model = counted(model, list);
  CHECK(model.tensors->decoder_bytes == Bytes(5'570'747'392.0));
  CHECK_FALSE(model.tensors->decoder_elements.has_value());
  CHECK(bits(model, Part::mixer) == 4.15625);
  CHECK(bits(model, Part::mlp) == 4.15625);
  CHECK(model.published_format == plain_format(MatrixType::fp16));
  CHECK(model.defaults ==
        std::vector<std::string>{"torch_dtype says bf16, the tensors are fp16: fp16"});
  CHECK(model.warnings.empty());
}

TEST_CASE("The files of Gemma 3 27B hold a vision tower", "[spec]") {
  TensorList list(ElementType::bf16);
  list.add("language_model.model.embed_tokens.weight", {262208, 5376});
  list.add("language_model.model.norm.weight", {5376});
  for (int i = 0; i < 62; ++i) {
    const std::string layer = fmt::format("language_model.model.layers.{}.", i);
    add_dense_layer(list, layer, 5376, 4096, 2048, 21504,
                    [&](const std::string& module, std::int64_t rows, std::int64_t columns) {
                      list.add(module + ".weight", {rows, columns});
                    });
    list.add(layer + "pre_feedforward_layernorm.weight", {5376});
    list.add(layer + "post_feedforward_layernorm.weight", {5376});
    list.add(layer + "self_attn.q_norm.weight", {128});
    list.add(layer + "self_attn.k_norm.weight", {128});
  }
  const std::string tower = "vision_tower.vision_model.";
  list.add(tower + "embeddings.patch_embedding.weight", {1152, 3, 14, 14});
  list.add(tower + "embeddings.patch_embedding.bias", {1152});
  list.add(tower + "embeddings.position_embedding.weight", {4096, 1152});
  for (int i = 0; i < 27; ++i) {
    const std::string layer = fmt::format("{}encoder.layers.{}.", tower, i);
    for (const char* name : {"q_proj", "k_proj", "v_proj", "out_proj"}) {
      list.add(layer + "self_attn." + name + ".weight", {1152, 1152});
      list.add(layer + "self_attn." + name + ".bias", {1152});
    }
    list.add(layer + "mlp.fc1.weight", {4304, 1152});
    list.add(layer + "mlp.fc1.bias", {4304});
    list.add(layer + "mlp.fc2.weight", {1152, 4304});
    list.add(layer + "mlp.fc2.bias", {1152});
    for (const char* name : {"layer_norm1", "layer_norm2"}) {
      list.add(layer + name + ".weight", {1152});
      list.add(layer + name + ".bias", {1152});
    }
  }
  list.add(tower + "post_layernorm.weight", {1152});
  list.add(tower + "post_layernorm.bias", {1152});
  list.add("multi_modal_projector.mm_input_projection_weight", {1152, 5376});
  list.add("multi_modal_projector.mm_soft_emb_norm.weight", {1152});
  REQUIRE(list.elements() == 27'432'406'640);

  Model model;
  model.hidden_size = 5376;
  model.vocabulary = 262208;
  model.tied_embeddings = true;
  model.final_norm_parameters = 5376;
  model.published_format = plain_format(MatrixType::bf16);
  model.layers = {dense_layers(62, heads(32, 16, 128), 21504, 4 * 5376 + 2 * 128)};
  model = counted(model, list);
  CHECK(model.tensors->decoder_elements == 27'009'346'304);
  CHECK(model.tensors->decoder_bytes == Bytes(2.0 * 27'009'346'304));
  CHECK(model.warnings ==
        std::vector<std::string>{"vision tower and projector: 439 tensors, 423,060,336 parameters, "
                                 "846.1 MB, left out"});
}
