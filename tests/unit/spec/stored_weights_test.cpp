#include "spec/safetensors/stored_weights.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "roofline/error.hpp"
#include "tensor_list.hpp"

using namespace roofline;
using namespace roofline::safetensors;

namespace {

/// One layer of hidden size 8: 2 heads of 4, an MLP of 16, 10 rows of vocabulary.
/// Embedding and lm_head 80 each, mixer 4 x 64, MLP 3 x 128, vectors 8 + 8 + 8: 824 in all.
Model small_model() {
  Model model;
  model.hidden_size = 8;
  model.vocabulary = 10;
  model.final_norm_parameters = 8;
  model.published_format = plain_format(MatrixType::bf16);
  model.layers = {
      {.count = 1,
       .mixer =
           Attention{.query_heads = 2, .kv_heads = 2, .head_dim = 4, .window = {}, .chunk = {}},
       .feed_forward = Mlp{.width = 16},
       .norm_parameters = 16,
       .extra_maps = {}}};
  return model;
}

/// What a list of the small model differs in.
struct Difference {
  ElementType matrices = ElementType::bf16;
  bool embedding = true;
  bool lm_head = true;
  bool mlp = true;
  std::string mlp_module = "mlp";
};

TensorList small_list(const Difference& difference = {}) {
  TensorList list(ElementType::bf16);
  const ElementType type = difference.matrices;
  if (difference.embedding) list.add("model.embed_tokens.weight", {10, 8});
  if (difference.lm_head) list.add("lm_head.weight", {10, 8});
  list.add("model.norm.weight", {8});
  for (const char* name : {"q_proj", "k_proj", "v_proj", "o_proj"}) {
    list.add(std::string("model.layers.0.self_attn.") + name + ".weight", type, {8, 8});
  }
  for (const char* name : {"gate_proj", "up_proj", "down_proj"}) {
    if (!difference.mlp) continue;
    list.add("model.layers.0." + difference.mlp_module + "." + name + ".weight", type, {16, 8});
  }
  list.add("model.layers.0.input_layernorm.weight", {8});
  list.add("model.layers.0.post_attention_layernorm.weight", {8});
  return list;
}

Model counted(Model model, const TensorList& list) {
  TensorCounter counter(model);
  counter.add_file(list.tensors());
  counter.store(model, "directory");
  return model;
}

using Texts = std::vector<std::string>;

StoredWeights quantised(const std::string& name, MatrixType element) {
  NumberFormat format;
  format.name = name;
  format.element = element;
  format.bits = 4;
  format.rounds_activations = true;
  StoredWeights stored{.name = name, .origin = "quantization_config", .parts = {}};
  stored.parts[Part::mixer] = format;
  stored.parts[Part::mlp] = format;
  return stored;
}

}  // namespace

TEST_CASE("Tensors that are as the config says change nothing", "[spec]") {
  const Model model = counted(small_model(), small_list());
  CHECK(model.tensors->files == 1);
  CHECK(model.tensors->tensors == 12);
  CHECK(model.tensors->bytes == Bytes(1648));
  CHECK(model.tensors->decoder_bytes == Bytes(1648));
  CHECK(model.tensors->decoder_elements == 824);
  CHECK(model.tensors->computed_bytes == Bytes(1648));
  CHECK(model.stored->name == "bf16");
  CHECK(model.stored->origin == "safetensors headers");
  CHECK(model.stored->parts == PerPart<std::optional<NumberFormat>>{});
  CHECK(model.warnings.empty());
  CHECK(model.defaults.empty());
}

TEST_CASE("Tensors of several files add up", "[spec]") {
  Model model = small_model();
  TensorCounter counter(model);
  const TensorList list = small_list();
  for (const Tensor& tensor : list.tensors()) counter.add_file({tensor});
  CHECK(counter.tensors() == 12);
  counter.store(model, "directory");
  CHECK(model.tensors->files == 12);
  CHECK(model.tensors->bytes == Bytes(1648));
}

TEST_CASE("The tensors' type wins over torch_dtype", "[spec]") {
  Model model = small_model();
  model.published_format = plain_format(MatrixType::fp32);
  model = counted(model, small_list());
  CHECK(model.published_format == plain_format(MatrixType::bf16));
  CHECK(model.tensors->computed_bytes == Bytes(4.0 * 824));
  CHECK(model.defaults == Texts{"torch_dtype says fp32, the tensors are bf16: bf16"});
}

TEST_CASE("A part of another type has that format", "[spec]") {
  Model model = small_model();
  model.layers[0].feed_forward = Experts{.count = 4, .per_token = 1, .width = 16};
  TensorList list = small_list({.mlp_module = "mlp.experts.0"});
  for (const char* expert : {"1", "2", "3"}) {
    for (const char* name : {"gate_proj", "up_proj", "down_proj"}) {
      list.add(std::string("model.layers.0.mlp.experts.") + expert + "." + name + ".weight",
               {16, 8});
    }
  }
  list.add("model.layers.0.mlp.gate.weight", ElementType::f32, {4, 8});
  model = counted(model, list);
  REQUIRE(model.stored->parts[Part::router].has_value());
  CHECK(model.stored->parts[Part::router]->name == "fp32");
  CHECK(model.stored->parts[Part::router]->element == MatrixType::fp32);
  CHECK(model.stored->parts[Part::router]->bits == 32);
  CHECK_FALSE(model.stored->parts[Part::experts].has_value());
  CHECK(model.warnings.empty());
}

TEST_CASE("Elements of 8 bits need no quantization_config", "[spec]") {
  const Model model = counted(small_model(), small_list({.matrices = ElementType::f8_e4m3}));
  REQUIRE(model.stored->parts[Part::mlp].has_value());
  CHECK(model.stored->name == "fp8 and bf16");
  CHECK(model.stored->parts[Part::mlp]->name == "fp8");
  CHECK(model.stored->parts[Part::mlp]->bits == 8);
  CHECK(model.stored->parts[Part::mlp]->element == MatrixType::fp8);
  CHECK(model.published_format == plain_format(MatrixType::bf16));
  CHECK(model.warnings.empty());
}

TEST_CASE("A part that is quantised in half has mean bits", "[spec]") {
  Model model = small_model();
  model.stored = quantised("int8", MatrixType::int8);
  TensorList list = small_list({.mlp = false});
  list.add("model.layers.0.mlp.gate_proj.weight", ElementType::i8, {16, 8});
  list.add("model.layers.0.mlp.gate_proj.weight_scale", ElementType::f32, {16, 1});
  list.add("model.layers.0.mlp.up_proj.weight", {16, 8});
  list.add("model.layers.0.mlp.down_proj.weight", {8, 16});
  model = counted(model, list);
  // 128 weights of 8 bits, 16 scales of 32, 256 weights of 16, for 384 weights.
  REQUIRE(model.stored->parts[Part::mlp].has_value());
  CHECK(model.stored->parts[Part::mlp]->bits == Approx((128 * 8 + 16 * 32 + 256 * 16) / 384.0));
  CHECK(model.stored->parts[Part::mlp]->element == MatrixType::int8);
  CHECK(model.stored->parts[Part::mlp]->rounds_activations);
  // The tensors of this part are not quantised, whatever the config says.
  CHECK_FALSE(model.stored->parts[Part::mixer].has_value());
  CHECK(model.stored->name == "int8");
  CHECK(model.tensors->decoder_elements == 824);
}

TEST_CASE("A file that is not quantised yet is quantised when it is loaded", "[spec]") {
  Model model = small_model();
  model.stored = quantised("nf4", MatrixType::bf16);
  model = counted(model, small_list());
  CHECK(model.stored == quantised("nf4", MatrixType::bf16));
  CHECK(model.warnings ==
        Texts{"the tensors are bf16 although quantization_config says nf4: taken as quantised "
              "when they are loaded"});
}

TEST_CASE("Packed weights that nothing describes keep their exact size", "[spec]") {
  TensorList list = small_list({.mlp = false});
  list.add("model.layers.0.mlp.gate_proj.qweight", ElementType::i32, {1, 16});
  list.add("model.layers.0.mlp.up_proj.qweight", ElementType::i32, {1, 16});
  list.add("model.layers.0.mlp.down_proj.qweight", ElementType::i32, {2, 8});
  const Model model = counted(small_model(), list);
  REQUIRE(model.stored->parts[Part::mlp].has_value());
  CHECK(model.stored->parts[Part::mlp]->bits == 4);
  CHECK(model.stored->parts[Part::mlp]->element == MatrixType::int4);
  CHECK_FALSE(model.tensors->decoder_elements.has_value());
  REQUIRE(model.warnings.size() == 2);
  CHECK(model.warnings[0].starts_with("the files hold packed weights that no quantization_config"));
  // 824 - 384 of 2 bytes and 384 of half a byte, against 824 of 2 bytes.
  CHECK(model.warnings[1] ==
        "the tensors take 1.072 kB, computed from config.json are 1.648 kB: does it belong to "
        "them?");
}

TEST_CASE("Files without an lm_head are of a tied model", "[spec]") {
  const Model model = counted(small_model(), small_list({.lm_head = false}));
  CHECK(model.tied_embeddings);
  CHECK(model.tensors->decoder_elements == 744);
  CHECK(model.warnings ==
        Texts{"the files hold no lm_head: it is taken as tied to the embedding, against "
              "config.json"});
}

TEST_CASE("The lm_head of a tied model counts once", "[spec]") {
  Model model = small_model();
  model.tied_embeddings = true;
  const Model both = counted(model, small_list());
  CHECK(both.tensors->bytes == Bytes(1648));
  CHECK(both.tensors->decoder_elements == 744);
  CHECK(both.warnings ==
        Texts{"an lm_head beside the embedding that it is tied to: 1 tensor, 80 parameters, "
              "160.0 B, left out"});
  const Model head_alone = counted(model, small_list({.embedding = false}));
  CHECK(head_alone.tensors->decoder_elements == 744);
  CHECK(head_alone.tensors->decoder_bytes == Bytes(1488));
  CHECK(head_alone.warnings.empty());
}

TEST_CASE("A part that has no tensors is refused", "[spec]") {
  try {
    (void)counted(small_model(), small_list({.mlp = false}));
    FAIL("was counted");
  } catch (const Error& error) {
    CHECK(error.diagnostics()[0].what == "the safetensors files hold no tensors of the mlp");
    CHECK(error.diagnostics()[0].where == "directory");
    CHECK(error.diagnostics()[0].why == "config.json describes 384 parameters of it");
  }
}

TEST_CASE("A part that the config does not describe is named", "[spec]") {
  TensorList list = small_list();
  list.add("model.layers.0.mlp.gate.weight", {4, 8});
  const Model model = counted(small_model(), list);
  CHECK(model.tensors->decoder_elements == 824);
  CHECK(model.warnings ==
        Texts{"router that config.json does not describe: 1 tensor, 32 parameters, 64.00 B, left "
              "out"});
}

TEST_CASE("An MLP that every token passes is what the config says it is", "[spec]") {
  const Model dense = counted(small_model(), small_list({.mlp_module = "shared_mlp"}));
  CHECK(dense.tensors->decoder_elements == 824);
  CHECK(dense.warnings.empty());
  Model model = small_model();
  model.layers[0].feed_forward =
      Experts{.count = 2, .per_token = 1, .width = 1, .shared_width = 16};
  TensorList list = small_list({.mlp_module = "residual_mlp"});
  list.add("model.layers.0.mlp.experts.gate_up_proj", {2, 2, 8});
  list.add("model.layers.0.mlp.experts.down_proj", {2, 8, 1});
  list.add("model.layers.0.mlp.gate.weight", {2, 8});
  model = counted(model, list);
  CHECK(model.tensors->decoder_elements == 824 + 48 + 16);
  CHECK(model.warnings.empty());
}

TEST_CASE("Tensors of unknown names are named", "[spec]") {
  TensorList list = small_list();
  for (const char* name : {"a", "b", "c", "d"}) {
    list.add(std::string("model.layers.0.") + name + ".weight", {8, 8});
  }
  const Model model = counted(small_model(), list);
  CHECK(model.tensors->bytes == Bytes(1648 + 512));
  CHECK(model.tensors->decoder_bytes == Bytes(1648));
  CHECK(model.warnings ==
        Texts{"of no known part: 4 tensors, 256 parameters, 512.0 B, left out: "
              "'model.layers.0.a.weight', 'model.layers.0.b.weight', 'model.layers.0.c.weight', "
              "..."});
}

TEST_CASE("Other counts than the config's are said", "[spec]") {
  Model model = small_model();
  model.vocabulary = 11;
  model = counted(model, small_list());
  CHECK(model.warnings ==
        Texts{"the tensors hold 824 parameters, config.json describes 840: does it belong to "
              "them?"});
  // The bytes are those of the tensors all the same.
  REQUIRE(model.stored->parts[Part::embedding].has_value());
  CHECK(model.stored->parts[Part::embedding]->bits == Approx(16 * 80 / 88.0));
}

TEST_CASE("A score correction that a family does not count is no contradiction", "[spec]") {
  Model model = small_model();
  model.layers[0].feed_forward = Experts{.count = 1, .per_token = 1, .width = 16};
  TensorList list = small_list({.mlp_module = "mlp.experts.0"});
  list.add("model.layers.0.mlp.gate.weight", {1, 8});
  list.add("model.layers.0.mlp.gate.e_score_correction_bias", ElementType::f32, {1});
  CHECK(counted(model, list).warnings.empty());
}
