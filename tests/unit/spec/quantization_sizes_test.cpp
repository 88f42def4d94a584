// Sizes of published quantised checkpoints, and the matrices that the sums run over.
#include <catch2/catch.hpp>
#include <filesystem>

#include "base/file.hpp"
#include "roofline/model.hpp"
#include "spec/huggingface/quantization/matrices.hpp"
#include "spec/huggingface/quantization/scheme.hpp"

using namespace roofline;

namespace {

double bits_of(const Model& model, Part part) {
  const auto format = model.stored ? model.stored->parts[part] : std::nullopt;
  return format ? format->bits : model.published_format.bits;
}

double weight_bytes(const Model& model) {
  const ParameterCount count = count_parameters(model);
  double bytes = 0;
  for (const Part part : all_parts) {
    const auto format = model.stored ? model.stored->parts[part] : std::nullopt;
    bytes += static_cast<double>(count.parts[part]) *
             (format ? format->bits : model.published_format.bits) / 8;
  }
  return bytes;
}

Model shipped(const std::string& name) {
  const std::string path = ROOFLINE_SOURCE_DIR "/data/models/" + name + ".json";
  return read_model(read_file(path), path);
}

}  // namespace

// 3 x 5 blocks of 2 x 2 cover 5 x 9; 0 is a whole side.
TEST_CASE("Blocks that are not full count whole", "[spec]") {
  huggingface::Scheme scheme{.name = "x", .element_bits = 4, .shared_bits = 16, .source = ""};
  const auto [outputs, inputs, blocks] = GENERATE(table<std::int64_t, std::int64_t, double>(
      {{2, 2, 15}, {1, 3, 15}, {0, 0, 1}, {1, 0, 5}, {5, 9, 1}, {6, 4, 3}}));
  scheme.block_outputs = outputs;
  scheme.block_inputs = inputs;
  scheme.input_bits = 2;
  CHECK(huggingface::stored_bits(scheme, 5, 9) == 4 * 45 + 16 * blocks + 2 * 9);
}

// From the published files: 16-bit weights where the file has 16 bits, 8-bit ones and fp32 scales.
TEST_CASE("Stored bytes of published checkpoints", "[spec]") {
  CHECK(weight_bytes(shipped("qwen2.5-7b-instruct-awq")) == 5'570'747'392);
  CHECK(weight_bytes(shipped("gpt-oss-20b")) == 19'110'297'600.0 * 17 / 32 + 1'804'459'584.0 * 2);
}

TEST_CASE("Scales of published block-quantised checkpoints are counted exactly", "[spec]") {
  const auto [name, scales] = GENERATE(table<std::string, double>({
      {"deepseek-v3", 40'838'232},          // 41540496 with the prediction layer's 702264
      {"minimax-m2", 13'880'064},           // 228703644928 - 228689764864
      {"qwen3-235b-a22b-fp8", 14'269'952},  // 235107904512 - 235093634560
      {"qwen3-8b-fp8", 423'936},            // 8191159296 - 8190735360
  }));
  CAPTURE(name);
  const Model model = shipped(name);
  const ParameterCount count = count_parameters(model);
  double bytes = 0;
  double elements = 0;
  for (const Part part : {Part::mixer, Part::mlp, Part::shared_experts, Part::experts}) {
    if (count.parts[part] == 0) continue;
    elements += static_cast<double>(count.parts[part]);
    bytes += static_cast<double>(count.parts[part]) * bits_of(model, part) / 8;
  }
  CHECK((bytes - elements) / 4 == Approx(scales).epsilon(1e-7));
  CHECK(model.stored->name == "fp8-block");
  CHECK_FALSE(model.stored->parts[Part::lm_head]);
  CHECK_FALSE(model.stored->parts[Part::router]);
}

// 8190735360 parameters of Qwen3-8B and 423936 scales: 8191159296 elements in the file.
TEST_CASE("The scales of Qwen3-8B-FP8", "[spec]") {
  std::string text = read_file(ROOFLINE_SOURCE_DIR "/data/models/qwen3-8b.json");
  const std::string key = "\"model_type\"";
  text.insert(text.find(key), R"("quantization_config": {"quant_method": "fp8",
    "activation_scheme": "dynamic", "weight_block_size": [128, 128]}, )");
  const Model model = read_model(text, "qwen3-8b-fp8.json");
  const ParameterCount count = count_parameters(model);
  const double matrices = static_cast<double>(count.parts[Part::mixer] + count.parts[Part::mlp]);
  const double expected = 2 * static_cast<double>(count.total()) - matrices + 4 * 423'936.0;
  CHECK(weight_bytes(model) == Approx(expected).epsilon(1e-13));
}

TEST_CASE("The matrices that are known by name are those that are counted", "[spec]") {
  for (const auto& file : std::filesystem::directory_iterator(ROOFLINE_SOURCE_DIR "/data/models")) {
    CAPTURE(file.path().string());
    const Model model = read_model(read_file(file.path().string()), file.path().string());
    PerPart<std::int64_t> elements;
    for (const huggingface::MatrixKind& kind : huggingface::matrix_kinds(model)) {
      for (const huggingface::MatrixShape& shape : kind.shapes) {
        elements[kind.part] += shape.outputs * shape.inputs * shape.copies * shape.layers;
      }
    }
    const ParameterCount count = count_parameters(model);
    for (const Part part : all_parts) {
      CAPTURE(to_string(part));
      if (part != Part::vectors) CHECK(elements[part] == count.parts[part]);
    }
  }
}
