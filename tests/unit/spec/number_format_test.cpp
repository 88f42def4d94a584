// Number formats: bits of every entry, which type holds which, coverage, and refused entries.
#include "roofline/number_format.hpp"

#include <catch2/catch.hpp>
#include <filesystem>

#include "roofline/catalog.hpp"
#include "roofline/error.hpp"

using namespace roofline;
using Catch::Matchers::Contains;

namespace {

Diagnostic refusal(const std::string& text) {
  try {
    (void)read_number_format(text, "f.json");
  } catch (const Error& error) {
    return error.diagnostics().at(0);
  }
  return {};
}

}  // namespace

TEST_CASE("Every file of the formats loads by its name and its aliases", "[spec]") {
  const Catalog catalog;
  int files = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(ROOFLINE_SOURCE_DIR "/data/formats")) {
    const std::string name = file.path().stem().string();
    CAPTURE(name);
    ++files;
    const NumberFormat format = catalog.format(name);
    CHECK(format.name == name);
    CHECK(format.bits > 0);
    CHECK_FALSE(format.source.empty());
    for (const std::string& alias : format.aliases) CHECK(catalog.format(alias) == format);
  }
  CHECK(files > 30);
}

// Elements plus what they share, a block or a group.
TEST_CASE("Bits include scales and zero points", "[spec]") {
  const auto [name, bits] = GENERATE(table<std::string, double>({
      {"fp32", 32},
      {"tf32", 32},  // stored as fp32
      {"bf16", 16},
      {"fp16", 16},
      {"fp8", 8},
      {"fp8-e5m2", 8},
      {"fp8-block128", 8 + 32.0 / (128 * 128)},
      {"mxfp8", 8 + 8.0 / 32},
      {"mxfp6", 6 + 8.0 / 32},
      {"mxfp4", 4 + 8.0 / 32},
      {"nvfp4", 4 + 8.0 / 16},
      {"fp4", 4},
      {"int8", 8},
      {"int4", 4},
      {"awq", 4 + 16.0 / 128 + 4.0 / 128},
      {"gptq", 4 + 16.0 / 128 + 4.0 / 128},
      {"gptq-int8", 8 + 16.0 / 128 + 8.0 / 128},
      {"w4a16", 4 + 16.0 / 128},
      {"mlx-int4", 4 + 32.0 / 64},
      {"mlx-int8", 8 + 32.0 / 64},
      {"nf4", 4 + 32.0 / 64},
      {"nf4-double", 4 + 8.0 / 64 + 32.0 / (64 * 256)},
  }));
  CAPTURE(name);
  const NumberFormat format = Catalog().format(name);
  CHECK(format.bits == bits);
  CHECK(format.element_size().value() == bits / 8);
  CHECK_FALSE(format.rounds_activations);
}

// A group lies along the inputs. One scale a tensor or an output is never in the way.
TEST_CASE("Formats know the blocks that devices cannot split", "[spec]") {
  const auto [name, outputs, inputs] = GENERATE(table<std::string, std::int64_t, std::int64_t>({
      {"fp32", 1, 1},       {"bf16", 1, 1},      {"fp8", 1, 1},         {"int8", 1, 1},
      {"w8a8", 1, 1},       {"int4", 1, 1},      {"fp4", 1, 1},         {"fp8-block128", 128, 128},
      {"awq", 1, 128},      {"gptq", 1, 128},    {"gptq-int8", 1, 128}, {"w4a16", 1, 128},
      {"w4a8", 1, 128},     {"mlx-int4", 1, 64}, {"mlx-int8", 1, 64},   {"mxfp8", 1, 32},
      {"mxfp6", 1, 32},     {"mxfp4", 1, 32},    {"nvfp4", 1, 16},      {"nf4", 1, 1},
      {"nf4-double", 1, 1}, {"q4-0", 1, 32},     {"q8-0", 1, 32},       {"iq4-nl", 1, 32},
      {"q4-k", 1, 256},     {"q6-k", 1, 256},    {"iq4-xs", 1, 256},    {"tq1-0", 1, 256},
  }));
  CAPTURE(name);
  CHECK(Catalog().format(name).block_outputs == outputs);
  CHECK(Catalog().format(name).block_inputs == inputs);
}

TEST_CASE("Formats of checkpoints whose activations are rounded say so", "[spec]") {
  const auto [name, bits, element] = GENERATE(table<std::string, double, MatrixType>(
      {{"w8a8", 8, MatrixType::int8}, {"w4a8", 4 + 16.0 / 128, MatrixType::fp8}}));
  CAPTURE(name);
  const NumberFormat format = Catalog().format(name);
  CHECK(format.bits == bits);
  CHECK(format.element == element);
  CHECK(format.rounds_activations);
  CHECK(format.coverage == Coverage::layers);
}

TEST_CASE("Parts have names", "[spec]") {
  std::vector<std::string> names;
  for (const Part part : all_parts) names.emplace_back(to_string(part));
  CHECK(names == std::vector<std::string>{"embedding", "lm_head", "mixer", "mlp", "shared experts",
                                          "experts", "router", "vectors"});
}

TEST_CASE("A value for each part", "[spec]") {
  PerPart<int> values(7);
  CHECK(values[Part::router] == 7);
  values[Part::experts] = 3;
  CHECK(values[Part::experts] == 3);
  CHECK(values[Part::vectors] == 7);
  CHECK_FALSE(values == PerPart<int>(7));
  CHECK(PerPart<int>()[Part::embedding] == 0);
}

// ggml's block layouts: so many elements in so many bytes.
TEST_CASE("GGUF block types take a block's bytes and round activations to int8", "[spec]") {
  const auto [name, elements, bytes] = GENERATE(table<std::string, int, int>({
      {"q4-0", 32, 18},     {"q4-1", 32, 20},    {"q5-0", 32, 22},     {"q5-1", 32, 24},
      {"q8-0", 32, 34},     {"q2-k", 256, 84},   {"q3-k", 256, 110},   {"q4-k", 256, 144},
      {"q5-k", 256, 176},   {"q6-k", 256, 210},  {"iq1-s", 256, 50},   {"iq1-m", 256, 56},
      {"iq2-xxs", 256, 66}, {"iq2-xs", 256, 74}, {"iq2-s", 256, 82},   {"iq3-xxs", 256, 98},
      {"iq3-s", 256, 110},  {"iq4-nl", 32, 18},  {"iq4-xs", 256, 136}, {"tq1-0", 256, 54},
      {"tq2-0", 256, 66},
  }));
  CAPTURE(name);
  const NumberFormat format = Catalog().format(name);
  CHECK(format.bits == 8.0 * bytes / elements);
  CHECK(format.element == MatrixType::int8);
  CHECK(format.rounds_activations);
  CHECK(format.coverage == Coverage::matrices);
}

TEST_CASE("Formats name the type that enters a product and what they cover", "[spec]") {
  const auto [name, element, coverage] = GENERATE(table<std::string, MatrixType, Coverage>({
      {"fp32", MatrixType::fp32, Coverage::everything},
      {"tf32", MatrixType::tf32, Coverage::everything},
      {"bf16", MatrixType::bf16, Coverage::everything},
      {"fp16", MatrixType::fp16, Coverage::everything},
      {"fp8", MatrixType::fp8, Coverage::layers},
      {"fp8-e5m2", MatrixType::fp8, Coverage::layers},
      {"mxfp6", MatrixType::fp6, Coverage::layers},
      {"mxfp4", MatrixType::fp4, Coverage::layers},
      {"nvfp4", MatrixType::fp4, Coverage::layers},
      {"int8", MatrixType::int8, Coverage::layers},
      {"awq", MatrixType::int4, Coverage::layers},
      {"gptq-int8", MatrixType::int8, Coverage::layers},
      {"nf4", MatrixType::bf16, Coverage::layers},  // a table of floats
  }));
  CAPTURE(name);
  CHECK(Catalog().format(name).element == element);
  CHECK(Catalog().format(name).coverage == coverage);
}

// By significant bits and exponents. Significant bits, the implied one included: fp64 53, fp32 24,
// tf32 and fp16 11, bf16 8, fp8 4 (e4m3) or 3 (e5m2), fp6 4 (e2m3) or 3 (e3m2), fp4 2. fp16 has 5
// bits of exponent, fp32, tf32 and bf16 have 8: so neither of fp16 and bf16 holds the other. What
// fp8 and fp6 hold is what e4m3 and e2m3 do; what holds them must hold both of their forms.
// int8 is up to 127 (7 bits) and -128 (1 bit), int4 up to 7 (3 bits) and -8: e4m3 has both, e2m3
// ends at 7.5 and e2m1 at 6. Integers hold no fraction.
TEST_CASE("Which type holds every value of which", "[spec]") {
  using enum MatrixType;
  const auto [type, holders] = GENERATE(table<MatrixType, std::vector<MatrixType>>({
      {fp64, {fp64}},
      {fp32, {fp64, fp32}},
      {tf32, {fp64, fp32, tf32}},
      {bf16, {fp64, fp32, tf32, bf16}},
      {fp16, {fp64, fp32, tf32, fp16}},
      {fp8, {fp64, fp32, tf32, bf16, fp16, fp8}},
      {fp6, {fp64, fp32, tf32, bf16, fp16, fp8, fp6}},
      {fp4, {fp64, fp32, tf32, bf16, fp16, fp8, fp6, fp4}},
      {int8, {fp64, fp32, tf32, bf16, fp16, int8}},
      {int4, {fp64, fp32, tf32, bf16, fp16, fp8, int8, int4}},
  }));
  for (const MatrixType wider : all_matrix_types) {
    const bool expected = std::find(holders.begin(), holders.end(), wider) != holders.end();
    CAPTURE(to_string(type), to_string(wider));
    CHECK(holds(wider, type) == expected);
  }
}

// llama.cpp keeps its cache in f32, f16, bf16 and the types of 32 elements; formats with groups
// along a weight's input, and tables, are for weights alone.
TEST_CASE("Formats know whether activations and the cache can be in them", "[spec]") {
  const auto [name, activations, kv] = GENERATE(table<std::string, bool, bool>({
      {"bf16", true, true},    {"fp16", true, true},   {"fp8", true, true},
      {"int8", true, true},    {"awq", false, false},  {"gptq", false, false},
      {"w4a16", false, false}, {"nf4", false, false},  {"fp8-block128", false, false},
      {"q4-0", false, true},   {"q4-1", false, true},  {"q5-0", false, true},
      {"q5-1", false, true},   {"q8-0", false, true},  {"iq4-nl", false, true},
      {"q4-k", false, false},  {"q6-k", false, false}, {"iq4-xs", false, false},
      {"tq2-0", false, false},
  }));
  CAPTURE(name);
  CHECK(Catalog().format(name).for_activations == activations);
  CHECK(Catalog().format(name).for_kv == kv);
}

TEST_CASE("Every matrix type has a name of its own", "[spec]") {
  std::vector<std::string> names;
  for (const MatrixType type : all_matrix_types) names.emplace_back(to_string(type));
  CHECK(names == std::vector<std::string>{"fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "fp6",
                                          "fp4", "int8", "int4"});
}

TEST_CASE("Every coverage has words", "[spec]") {
  CHECK(to_string(Coverage::layers) == "layers");
  CHECK(to_string(Coverage::matrices) == "matrices");
  CHECK(to_string(Coverage::everything) == "everything");
}

TEST_CASE("Plain formats are bare elements that cover everything", "[spec]") {
  const auto [type, bits] = GENERATE(table<MatrixType, double>({
      {MatrixType::fp32, 32},
      {MatrixType::tf32, 32},
      {MatrixType::bf16, 16},
      {MatrixType::fp16, 16},
  }));
  const NumberFormat format = plain_format(type);
  CHECK(format.name == to_string(type));
  CHECK(format.bits == bits);
  CHECK(format.element == type);
  CHECK(format.coverage == Coverage::everything);
  CHECK_FALSE(format.rounds_activations);
}

TEST_CASE("A type without a plain format is our mistake", "[spec]") {
  const MatrixType type = GENERATE(MatrixType::fp64, MatrixType::fp8, MatrixType::fp4,
                                   MatrixType::int8, MatrixType::int4);
  CHECK_THROWS_AS(plain_format(type), InternalError);
}

TEST_CASE("An entry is read with all its keys", "[spec]") {
  const NumberFormat format = read_number_format(R"({
    "name": "w8a8", "aliases": ["smooth"], "bits": 8.25, "element": "int8",
    "rounds_activations": true, "activations": false, "kv": false, "covers": "matrices",
    "block": [2, 3], "description": "d", "source": "s"})",
                                                 "f.json");
  CHECK(format == NumberFormat{.name = "w8a8",
                               .aliases = {"smooth"},
                               .bits = 8.25,
                               .element = MatrixType::int8,
                               .rounds_activations = true,
                               .for_activations = false,
                               .for_kv = false,
                               .coverage = Coverage::matrices,
                               .block_inputs = 3,
                               .block_outputs = 2,
                               .description = "d",
                               .source = "s"});
}

TEST_CASE("Entries are refused with the reason", "[spec]") {
  const auto [text, what] = GENERATE(table<std::string, std::string>({
      {R"({"bits": 8, "element": "fp8", "covers": "layers"})", "needs 'name'"},
      {R"({"name": "x", "element": "fp8", "covers": "layers"})", "needs 'bits'"},
      {R"({"name": "x", "bits": 8, "covers": "layers"})", "needs 'element'"},
      {R"({"name": "x", "bits": 8, "element": "fp8"})", "needs 'covers'"},
      {R"({"name": "x", "bits": 0, "element": "fp8", "covers": "layers"})",
       "'bits': 0 must be more than 0"},
      {R"({"name": "x", "bits": -4, "element": "fp8", "covers": "layers"})",
       "'bits': -4 must be more than 0"},
      {R"({"name": "x", "bits": 64.5, "element": "fp8", "covers": "layers"})",
       "'bits': an element has at most 64 bits"},
      {R"({"name": "x", "bits": "8", "element": "fp8", "covers": "layers"})",
       "'bits': expected a number, found a string"},
      {R"({"name": "x", "bits": 8, "element": "fp9", "covers": "layers"})",
       "'element': unknown matrix type 'fp9'"},
      {R"({"name": "x", "bits": 8, "element": "FP8", "covers": "layers"})",
       "'element': unknown matrix type 'FP8'"},
      {R"({"name": "x", "bits": 8, "element": "fp8", "covers": "some"})",
       "'covers': unknown coverage 'some'"},
      {R"({"name": "x", "bits": 8, "element": "fp8", "covers": "layers", "bitz": 1})",
       "'bitz': unknown key"},
      {R"({"name": "x", "bits": 8, "element": "fp8", "covers": "layers", "aliases": "y"})",
       "'aliases': expected a list, found a string"},
      {R"({"name": "x", "bits": 8, "element": "fp8", "covers": "layers", "block": 128})",
       "'block': expected a list"},
      {R"({"name": "x", "bits": 8, "element": "fp8", "covers": "layers", "block": [128]})",
       "'block': is not a number of outputs and one of inputs"},
      {R"({"name": "x", "bits": 8, "element": "fp8", "covers": "layers", "block": [1, 0]})",
       "'1': 0 is out of range"},
      {"[]", "expected an object, found a list"},
      {"", "the file is empty"},
  }));
  CAPTURE(text);
  CHECK_THAT(refusal(text).what, Contains(what));
  CHECK_THAT(refusal(text).where, Catch::Matchers::StartsWith("f.json:1:"));
}

TEST_CASE("An element of 64 bits is the widest", "[spec]") {
  CHECK(read_number_format(
            R"({"name": "x", "bits": 64, "element": "fp64", "covers": "everything"})", "f.json")
            .bits == 64);
}
