// Lists of modules in a quantization_config: which parts they leave wide, partly or whole, what is
// refused.
#include <catch2/catch.hpp>
#include <chrono>

#include "roofline/error.hpp"
#include "roofline/model.hpp"
#include "spec/huggingface/quantization.hpp"

using namespace roofline;
using Catch::Matchers::Contains;

namespace {

constexpr const char* int4 = R"("bits": 4, "group_size": 32)";  // 4 + 20 / 32 = 4.625 bits

/// A Llama of 4 layers: q, o, gate, up and down 64 x 64, k and v 32 x 64.
Model llama(const std::string& members) {
  return read_model(R"({"model_type": "llama", "hidden_size": 64, "vocab_size": 128,
"num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2,
"max_position_embeddings": 512, "intermediate_size": 64, "torch_dtype": "bfloat16",
"tie_word_embeddings": false, )" +
                        members + "}",
                    "m.json");
}

/// A DeepSeek of 4 layers, the first dense, 4 experts of width 32 and a shared one.
Model deepseek(const std::string& quantization) {
  return read_model(R"({"model_type": "deepseek_v3", "hidden_size": 64, "vocab_size": 128,
"num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 4, "q_lora_rank": 32,
"kv_lora_rank": 32, "qk_nope_head_dim": 16, "qk_rope_head_dim": 16, "v_head_dim": 16,
"max_position_embeddings": 512, "intermediate_size": 64, "moe_intermediate_size": 32,
"n_routed_experts": 4, "n_shared_experts": 1, "num_experts_per_tok": 2, "first_k_dense_replace": 1,
"moe_layer_freq": 1, "scoring_func": "sigmoid", "topk_method": "noaux_tc", "n_group": 1,
"topk_group": 1, "torch_dtype": "bfloat16", "tie_word_embeddings": false,
"quantization_config": )" +
                        quantization + "}",
                    "m.json");
}

std::string awq(const std::string& list) {
  return std::string(R"("quantization_config": {"quant_method": "awq", )") + int4 +
         R"(, "modules_to_not_convert": )" + list + "}";
}

std::string fp8(const std::string& list) {
  return R"({"quant_method": "fp8", "modules_to_not_convert": )" + list + "}";
}

double bits_of(const Model& model, Part part) {
  const auto format = model.stored ? model.stored->parts[part] : std::nullopt;
  return format ? format->bits : model.published_format.bits;
}

template <class Read>
Diagnostic refusal_of(const Read& read) {
  try {
    (void)read();
  } catch (const Error& error) {
    return error.diagnostics().at(0);
  }
  return {};
}

}  // namespace

// Mixer: q and o 4096 weights each, k and v 2048 each, of 12288. MLP: 3 x 4096.
TEST_CASE("A list of modules leaves parts wide, whole or by their share", "[spec]") {
  const auto [list, mixer, mlp] = GENERATE(table<std::string, double, double>({
      {"[]", 4.625, 4.625},
      {"null", 4.625, 4.625},
      {R"(["lm_head", "model.embed_tokens", "model.norm", "vision_tower", "gate"])", 4.625, 4.625},
      {R"(["self_attn"])", 16, 4.625},
      {R"(["model.layers.*.self_attn"])", 16, 4.625},
      {R"(["re:.*self_attn.*"])", 16, 4.625},
      {R"(["*self_attn*"])", 16, 4.625},
      {R"(["re:model.layers.[0-9]+.self_attn"])", 16, 4.625},
      {R"(["model.layers.0.self_attn", "model.layers.1.self_attn.", "model.layers.2.self_attn",
           "model.layers.3.self_attn"])",
       16, 4.625},
      {R"(["model.layers"])", 16, 16},
      {R"(["model.layers.0"])", 4.625 + (16 - 4.625) / 4, 4.625 + (16 - 4.625) / 4},
      {R"(["language_model.model.layers.0.self_attn"])", 4.625 + (16 - 4.625) / 4, 4.625},
      {R"(["model.layers.0.self_attn*", "model.layers.0.self_attn.q_proj"])",
       4.625 + (16 - 4.625) / 4, 4.625},
      {R"(["k_proj"])", 4.625 + (16 - 4.625) / 6, 4.625},
      {R"(["self_attn.q_proj"])", 4.625 + (16 - 4.625) / 3, 4.625},
      {R"(["re:.*\\.(q|k|v)_proj$"])", 4.625 + (16 - 4.625) * 2 / 3, 4.625},
      {R"(["down_proj"])", 4.625, 4.625 + (16 - 4.625) / 3},
      {R"(["model.layers.0.mlp.down_proj", "model.layers.3.mlp.down_proj.weight"])", 4.625,
       4.625 + (16 - 4.625) / 6},
      {R"(["re:.*layers\\.(0|3)\\.mlp\\.down_proj"])", 4.625, 4.625 + (16 - 4.625) / 6},
      {R"(["re:.*layers\\.3\\.mlp\\.down_proj"])", 4.625, 4.625 + (16 - 4.625) / 12},
      {R"(["mlp.gate_up_proj"])", 4.625, 4.625 + (16 - 4.625) * 2 / 3},
      {R"(["re:.*mlp.gate"])", 4.625, 4.625 + (16 - 4.625) / 3},
      {R"(["re:.*mlp.gate$", "*.mlp.gate"])", 4.625, 4.625},
      {R"(["model.layers.4", "model.layers.4.self_attn", "re:model.layers.7.*"])", 4.625, 4.625},
  }));
  CAPTURE(list);
  const Model model = llama(awq(list));
  CHECK(bits_of(model, Part::mixer) == Approx(mixer).epsilon(1e-12));
  CHECK(bits_of(model, Part::mlp) == Approx(mlp).epsilon(1e-12));
  CHECK(model.warnings.empty());
}

TEST_CASE("A part in two formats is named by both", "[spec]") {
  const Model model = llama(awq(R"(["k_proj"])"));
  CHECK(model.stored->parts[Part::mixer]->name == "awq-int4-g32/bf16");
  CHECK(model.stored->name == "awq-int4-g32");
  const Model most_wide = llama(awq(R"(["q_proj", "o_proj"])"));
  CHECK(most_wide.stored->parts[Part::mixer]->name == "bf16/awq-int4-g32");
  CHECK(most_wide.stored->parts[Part::mixer]->element == MatrixType::bf16);
}

TEST_CASE("Products of a part in two formats are timed as one, which is said", "[spec]") {
  const Model model = llama("\"quantization_config\": " + fp8(R"(["k_proj"])"));
  CHECK(model.stored->parts[Part::mixer]->element == MatrixType::fp8);
  REQUIRE(model.warnings.size() == 1);
  CHECK(model.warnings[0] ==
        "mixer matrices are stored in several formats (fp8, bf16): their products are timed as "
        "fp8");
}

TEST_CASE("Names that nothing is known of are warned of", "[spec]") {
  const Model model = llama(awq(R"(["lm_head", "model.layers.0.frobnicator", "x.y"])"));
  REQUIRE(model.warnings.size() == 1);
  CHECK(model.warnings[0] ==
        "'model.layers.0.frobnicator' of modules_to_not_convert names no matrix that is counted "
        "and 1 more: taken to change nothing");
}

TEST_CASE("Patterns that are not read are refused with what helps", "[spec]") {
  const Diagnostic diagnostic =
      refusal_of([] { return llama(awq(R"(["lm_head", "re:^(?!.*mlp).*"])")); });
  CHECK_THAT(diagnostic.what, Contains("the pattern '^(?!.*mlp).*' is not read: groups that"));
  CHECK_THAT(diagnostic.fix, Contains("*.safetensors"));
  CHECK_THAT(diagnostic.where, Catch::Matchers::StartsWith("m.json:4:"));
}

// Mixer of a layer: 32 x 64 + 128 x 32 + 48 x 64 + 128 x 32 + 64 x 64 = 17408 weights.
TEST_CASE("Lists name parts of layers that differ", "[spec]") {
  const auto [list, mixer, mlp, shared, experts] =
      GENERATE(table<std::string, double, double, double, double>({
          {"[]", 8, 8, 8, 8},
          {R"(["re:.*self_attn.*", "re:.*shared_experts.*",
               "re:.*mlp\\.(gate|up|gate_up|down)_proj.*", "lm_head"])",
           16, 16, 16, 8},
          {R"(["model.layers.0.mlp.gate_proj", "model.layers.0.mlp.up_proj",
               "model.layers.0.mlp.down_proj", "model.layers.1.mlp.gate"])",
           8, 16, 8, 8},
          {R"(["mlp"])", 8, 16, 16, 16},
          {R"(["re:.*mlp.experts.*"])", 8, 8, 8, 16},
          {R"(["model.layers.1.mlp.experts"])", 8, 8, 8, 8 + 8.0 / 3},
          {R"(["model.layers.2.mlp.shared_experts"])", 8, 8, 8 + 8.0 / 3, 8},
          {R"(["model.layers.1.mlp.experts.0.up_proj", "model.layers.1.mlp.experts.1.up_proj",
               "model.layers.1.mlp.experts.2.up_proj", "model.layers.1.mlp.experts.3.up_proj"])",
           8, 8, 8, 8 + 8.0 / 9},
          {R"(["self_attn.kv_b_proj"])", 8 + 8 * 4096.0 / 17408, 8, 8, 8},
          {R"(["model.layers.4", "model.mtp.layers.0", "model.layers.4.eh_proj"])", 8, 8, 8, 8},
      }));
  CAPTURE(list);
  const Model model = deepseek(fp8(list));
  CHECK(bits_of(model, Part::mixer) == Approx(mixer).epsilon(1e-12));
  CHECK(bits_of(model, Part::mlp) == Approx(mlp).epsilon(1e-12));
  CHECK(bits_of(model, Part::shared_experts) == Approx(shared).epsilon(1e-12));
  CHECK(bits_of(model, Part::experts) == Approx(experts).epsilon(1e-12));
  CHECK(bits_of(model, Part::router) == 16);
}

TEST_CASE("What a list leaves open is refused", "[spec]") {
  const auto [list, what] = GENERATE(table<std::string, std::string>({
      {R"(["model.layers.0.mlp"])", "may or may not be in layer 0"},
      {R"(["model.layers.2*"])", "may or may not be in layer 2"},
      {R"(["model.layers.1.mlp.experts.0.up_proj"])", "is named for some experts of layer 1"},
      {R"(["mlp.experts.3"])", "names one expert of all layers"},
      {R"(["re:.*experts.1.up_proj"])", "names some experts only"},
      {R"(["model.layers.0.mlp.up_proj", "model.layers.1.mlp.up_proj"])", "more than 1 layers"},
  }));
  CAPTURE(list);
  const std::string quantization = fp8(list);
  const Diagnostic diagnostic = refusal_of([&] { return deepseek(quantization); });
  CHECK_THAT(diagnostic.what, Contains(what));
  CHECK_THAT(diagnostic.fix, Contains("*.safetensors"));
}

TEST_CASE("GPTQ's modules and rules choose what is quantised", "[spec]") {
  const auto [members, mixer, mlp] = GENERATE(table<std::string, double, double>({
      {R"("modules_in_block_to_quantize": [["self_attn.q_proj", "self_attn.k_proj"],
          ["mlp.down_proj"]])",
       4.625 + (16 - 4.625) / 2, 4.625 + (16 - 4.625) * 2 / 3},
      {R"("modules_in_block_to_quantize": ["self_attn"])", 4.625, 16},
      {R"("dynamic": {"-:.*self_attn": {}})", 16, 4.625},
      {R"("dynamic": {"+:.*down": {"bits": 8}})", 4.625, 4.625 + (8.75 - 4.625) / 3},
      {R"("dynamic": {".*\\.1\\..*mlp": {"bits": 8, "group_size": 64}})", 4.625,
       4.625 + (8.375 - 4.625) / 4},
  }));
  CAPTURE(members);
  const Model model = llama(std::string(R"("quantization_config": {"quant_method": "gptq", )") +
                            int4 + ", " + members + "}");
  CHECK(bits_of(model, Part::mixer) == Approx(mixer).epsilon(1e-12));
  CHECK(bits_of(model, Part::mlp) == Approx(mlp).epsilon(1e-12));
  const Diagnostic clash = refusal_of([] {
    return llama(std::string(R"("quantization_config": {"quant_method": "gptq", )") + int4 +
                 R"(, "dynamic": {"-:.*mlp": {}, "+:.*down": {"bits": 8}}})");
  });
  CHECK_THAT(clash.what, Contains("is named by rules that differ"));
}

TEST_CASE("AutoRound's extra_config overrides by module", "[spec]") {
  const Model model =
      llama(std::string(R"("quantization_config": {"quant_method": "auto-round", )") + int4 +
            R"(, "block_name_to_quantize": "model.layers", "extra_config": {
          "model.layers.0.mlp.up_proj": {"bits": 16, "data_type": "fp"},
          ".*self_attn.*": {"bits": 8}}})");
  CHECK(bits_of(model, Part::mixer) == 8.75);
  CHECK(bits_of(model, Part::mlp) == Approx(4.625 + (16 - 4.625) / 12).epsilon(1e-12));
}

TEST_CASE("compressed-tensors may have a group of its own for some modules", "[spec]") {
  const std::string groups = R"("quantization_config": {"quant_method": "compressed-tensors",
    "format": "mixed-precision", "config_groups": {
      "group_0": {"targets": ["re:.*self_attn.*"], "weights": {"num_bits": 8, "type": "float",
         "strategy": "tensor"}, "input_activations": {"num_bits": 8, "type": "float"}},
      "group_1": {"targets": [")";
  const std::string nvfp4 =
      R"("], "weights": {"num_bits": 4, "type": "float",
         "strategy": "tensor_group", "group_size": 16},
         "input_activations": {"num_bits": 4, "type": "float"}}}, "ignore": ["lm_head"]})";
  const std::string target = GENERATE("Linear", "re:.*mlp.*");
  const Model model = llama(groups + target + nvfp4);
  CHECK(bits_of(model, Part::mixer) == 8);
  CHECK(bits_of(model, Part::mlp) == 4.5);
  CHECK(model.stored->name == "fp8-a-fp8 + nvfp4-a-fp4");
  CHECK_FALSE(model.stored->parts[Part::lm_head]);
  const std::string unknown = GENERATE("Llama4TextMoe", "Embedding");
  CHECK_THAT(refusal_of([&] { return llama(groups + unknown + nvfp4); }).what,
             Contains("unknown target '" + unknown + "'"));
  CHECK_THAT(refusal_of([&] { return llama(groups + "re:.*q_proj" + nvfp4); }).what,
             Contains("is named by rules that differ"));
}

TEST_CASE("modelopt is read from config.json and from the file beside it", "[spec]") {
  const auto [algorithm, name, bits, element, rounds] =
      GENERATE(table<std::string, std::string, double, MatrixType, bool>({
          {R"("FP8")", "fp8", 8, MatrixType::fp8, true},
          {R"("NVFP4", "group_size": 16)", "nvfp4", 4.5, MatrixType::fp4, true},
          {R"("W4A16_NVFP4")", "nvfp4-a16", 4.5, MatrixType::fp4, false},
          {R"("MXFP8")", "mxfp8", 8.25, MatrixType::fp8, true},
          // A 16-bit factor for each of 64 inputs of 64 outputs more: 16 / 64 bits.
          {R"("W4A16_AWQ", "group_size": 32)", "int4-awq-a16", 4.5 + 0.25, MatrixType::int4, false},
          {R"("W4A8_AWQ", "group_size": 32)", "int4-awq-a-fp8", 4.75, MatrixType::fp8, true},
          // One block of 128 x 128 covers a matrix of 64 x 64.
          {R"("fp8_pb_wo")", "fp8-block", 8 + 32 / 4096.0, MatrixType::fp8, true},
          {R"("FP8_PER_CHANNEL_PER_TOKEN")", "fp8-channel", 8.5, MatrixType::fp8, true},
      }));
  CAPTURE(algorithm);
  const std::string algorithms =
      "\"quant_algo\": " + algorithm + R"(, "kv_cache_quant_algo": "FP8")";
  Model beside = llama(R"("use_cache": true)");
  huggingface::read_quantization_file(
      JsonNode::parse(R"({"producer": {"name": "modelopt"}, "quantization": {)" + algorithms +
                          R"(, "exclude_modules": ["lm_head", "model.layers.*.self_attn*"]}})",
                      "hf_quant_config.json"),
      beside);
  REQUIRE(beside.stored);
  CHECK(beside.stored->origin == "hf_quant_config.json");
  CHECK_FALSE(beside.stored->parts[Part::mixer]);
  CHECK_FALSE(beside.stored->parts[Part::lm_head]);
  const NumberFormat& format = beside.stored->parts[Part::mlp].value();
  CHECK(format.name == name);
  CHECK(format.bits == Approx(bits).epsilon(1e-12));
  CHECK(format.element == element);
  CHECK(format.rounds_activations == rounds);
  CHECK(beside.kv_format->name == "fp8");
  const Model inside = llama(R"("quantization_config": {"quant_method": "modelopt", )" +
                             algorithms + R"(, "ignore": ["lm_head", "*.self_attn.*"]})");
  CHECK(inside.stored->parts == beside.stored->parts);
}

TEST_CASE("The file beside config.json is the later word on quantisation", "[spec]") {
  Model model = llama(awq("[]"));
  huggingface::read_quantization_file(
      JsonNode::parse(R"({"quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "NVFP4"}})",
                      "hf_quant_config.json"),
      model);
  CHECK(model.stored->name == "fp8");
  CHECK(model.kv_format->bits == 4.5);
  REQUIRE(model.warnings.size() == 1);
  CHECK(model.warnings.front() ==
        "hf_quant_config.json says fp8, config.json says awq-int4-g32: the first is taken");
}

TEST_CASE("Two files that say the same of quantisation agree", "[spec]") {
  Model model =
      llama(R"("quantization_config": {"quant_method": "modelopt", "quant_algo": "FP8"})");
  const Model before = model;
  huggingface::read_quantization_file(
      JsonNode::parse(R"({"quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8"}})",
                      "hf_quant_config.json"),
      model);
  CHECK(model.stored == before.stored);
  CHECK(model.warnings.empty());
  REQUIRE(model.kv_format);
  CHECK(model.kv_format->bits == 8);
}

TEST_CASE("A file beside config.json that is refused changes nothing", "[spec]") {
  Model model = llama(awq("[]"));
  const Model before = model;
  const auto read = [&] {
    huggingface::read_quantization_file(
        JsonNode::parse(R"({"quantization": {"quant_algo": "FP9", "kv_cache_quant_algo": "FP8"}})",
                        "f"),
        model);
  };
  CHECK_THROWS_AS(read(), Error);
  CHECK(model == before);
}

TEST_CASE("Experts that a rule names one by one are all of them or refused", "[spec]") {
  const auto targets = [](int named) {
    std::string names;
    for (int layer = 1; layer < 4; ++layer) {
      for (int expert = 0; expert < named; ++expert) {
        for (const char* matrix : {"gate_proj", "up_proj", "down_proj"}) {
          names += std::string(names.empty() ? "" : ", ") + "\"model.layers." +
                   std::string(1, static_cast<char>('0' + layer)) + ".mlp.experts." +
                   std::string(1, static_cast<char>('0' + expert)) + "." + matrix + "\"";
        }
      }
    }
    return R"({"quant_method": "compressed-tensors", "format": "float-quantized", "config_groups":
               {"group_0": {"targets": [)" +
           names + R"(], "weights": {"num_bits": 8, "type": "float", "strategy": "tensor"}}}})";
  };
  const Model model = deepseek(targets(4));
  CHECK(bits_of(model, Part::experts) == 8);
  CHECK(bits_of(model, Part::shared_experts) == 16);
  CHECK(bits_of(model, Part::mixer) == 16);
  CHECK_THROWS_AS(deepseek(targets(3)), Error);
}

TEST_CASE("A cache scheme may be a word", "[spec]") {
  const auto with_scheme = [](const std::string& scheme) {
    return llama(R"("quantization_config": {"quant_method": "fp8", "kv_cache_scheme": )" + scheme +
                 "}");
  };
  CHECK(with_scheme("\"static\"").kv_format->bits == 8);
  CHECK_THROWS_AS(with_scheme("\"sometimes\""), Error);
}

TEST_CASE("modelopt may list an algorithm for each module", "[spec]") {
  std::string layers;
  for (const char* layer : {"0", "1", "2", "3"}) {
    layers += std::string(layers.empty() ? "" : ", ") + "\"model.layers." + layer +
              R"(.self_attn.o_proj": {"quant_algo": "FP8"}, "model.layers.)" + layer +
              R"(.mlp.down_proj": {"quant_algo": "NVFP4", "group_size": 16})";
  }
  const Model model =
      llama(R"("quantization_config": {"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION",
               "quantized_layers": {"lm_head": {"quant_algo": "NVFP4"}, )" +
            layers + "}}");
  CHECK(bits_of(model, Part::mixer) == Approx(16 - 8.0 / 3).epsilon(1e-12));
  CHECK(bits_of(model, Part::mlp) == Approx(16 - 11.5 / 3).epsilon(1e-12));
  CHECK(bits_of(model, Part::lm_head) == 4.5);
  const Diagnostic unknown = refusal_of([] {
    return llama(R"("quantization_config": {"quant_method": "modelopt", "quant_algo": "NVFP5"})");
  });
  CHECK(unknown.what == "'quant_algo': unknown algorithm 'NVFP5'");
  CHECK(unknown.suggestions.at(0) == "NVFP4");
}

// Affine: a 16-bit scale and a 16-bit bias for a group.
TEST_CASE("MLX quantises tables and lm_head too, and modules by name", "[spec]") {
  const Model model = llama(R"("quantization": {"group_size": 64, "bits": 4,
    "model.layers.0.mlp.down_proj": {"group_size": 64, "bits": 8},
    "model.layers.1.self_attn.k_proj": false, "lm_head": true})");
  REQUIRE(model.stored);
  CHECK(model.stored->origin == "quantization");
  CHECK(bits_of(model, Part::embedding) == 4.5);
  CHECK(bits_of(model, Part::lm_head) == 4.5);
  CHECK(bits_of(model, Part::mixer) == Approx(4.5 + (16 - 4.5) / 24).epsilon(1e-12));
  CHECK(bits_of(model, Part::mlp) == Approx(4.5 + 4.0 / 12).epsilon(1e-12));
  const auto [mode, bits] =
      GENERATE(table<std::string, double>({{"mxfp4", 4.25}, {"nvfp4", 4.5}, {"mxfp8", 8.25}}));
  const std::string group = mode == "nvfp4" ? "16" : "32";
  const std::string width = mode == "mxfp8" ? "8" : "4";
  const std::string members =
      R"({"group_size": )" + group + ", \"bits\": " + width + R"(, "mode": ")" + mode + "\"}";
  CHECK(bits_of(llama("\"quantization\": " + members), Part::mlp) == bits);
  CHECK(bits_of(llama("\"quantization_config\": " + members), Part::mlp) == bits);
  CHECK_THAT(refusal_of([] { return llama(R"("quantization": {"type": "x"})"); }).what,
             Contains("'quantization': is not known"));
}

TEST_CASE("Long lists are read quickly, and endless patterns are refused", "[spec]") {
  const auto start = std::chrono::steady_clock::now();
  std::string names;
  std::string patterns;
  for (int i = 0; i < 100'000; ++i) {
    names += (i == 0 ? "\"" : ", \"") + std::string("model.layers.") + std::to_string(i % 5) +
             ".self_attn.k_proj." + std::to_string(i) + "\"";
    patterns += (i == 0 ? "\"" : ", \"") + std::string("re:.*a.*b.*c.*") + std::to_string(i) + "\"";
  }
  CHECK(llama(awq("[" + names + "]")).warnings.size() == 1);
  CHECK_THAT(refusal_of([&] { return llama(awq("[" + patterns + "]")); }).what,
             Contains("too many or too long"));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}
