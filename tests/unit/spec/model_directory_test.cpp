#include "spec/model_directory.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "roofline/error.hpp"

using namespace roofline;
namespace fs = std::filesystem;

namespace {

using Texts = std::vector<std::string>;

/// A directory that is gone with the test.
class Directory {
 public:
  Directory() {
    std::string name = (fs::temp_directory_path() / "roofline-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Directory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::FILE* file = std::fopen((path_ / name).c_str(), "wb");
    REQUIRE(file != nullptr);
    std::fwrite(text.data(), 1, text.size(), file);
    std::fclose(file);
  }
  [[nodiscard]] std::string path(const std::string& name = {}) const {
    return (name.empty() ? path_ : path_ / name).string();
  }

 private:
  fs::path path_;
};

/// One layer of hidden size 8, 2 heads of 4, an MLP of 16, a vocabulary of 10: 824 parameters.
const std::string config = R"({"model_type": "llama", "hidden_size": 8, "intermediate_size": 16,
  "num_attention_heads": 2, "num_key_value_heads": 2, "num_hidden_layers": 1, "vocab_size": 10,
  "tie_word_embeddings": false, "attention_bias": false, "mlp_bias": false,
  "hidden_act": "silu", "max_position_embeddings": 64, "torch_dtype": "bfloat16")";

/// Tensors of one file of bf16.
class File {
 public:
  File& add(const std::string& name, std::int64_t rows, std::int64_t columns) {
    const std::int64_t bytes = 2 * rows * columns;
    header_ += fmt::format(R"({}"{}":{{"dtype":"BF16","shape":[{},{}],"data_offsets":[{},{}]}})",
                           header_.empty() ? "" : ",", name, rows, columns, end_, end_ + bytes);
    end_ += bytes;
    return *this;
  }
  [[nodiscard]] std::string text() const {
    const std::string header = "{" + header_ + "}";
    std::string text;
    for (int i = 0; i < 8; ++i) text += static_cast<char>(header.size() >> (8 * i) & 0xffU);
    return text + header + std::string(static_cast<std::size_t>(end_), '\0');
  }

 private:
  std::string header_;
  std::int64_t end_ = 0;
};

File first_half() {
  File file;
  return file.add("model.embed_tokens.weight", 10, 8)
      .add("model.layers.0.self_attn.qkv_proj.weight", 24, 8)
      .add("model.layers.0.self_attn.o_proj.weight", 8, 8);
}

File& add_second_half(File& file) {
  return file.add("model.layers.0.mlp.gate_up_proj.weight", 32, 8)
      .add("model.layers.0.mlp.down_proj.weight", 8, 16)
      .add("model.layers.0.input_layernorm.bias", 1, 16)
      .add("model.norm.bias", 1, 8)
      .add("lm_head.weight", 10, 8);
}

File second_half() {
  File file;
  return add_second_half(file);
}

File whole() {
  File file = first_half();
  return add_second_half(file);
}

const std::string two_shards = R"({"metadata": {"total_size": 1648}, "weight_map": {
  "model.embed_tokens.weight": "model-00001-of-00002.safetensors",
  "model.layers.0.self_attn.qkv_proj.weight": "model-00001-of-00002.safetensors",
  "model.layers.0.self_attn.o_proj.weight": "model-00001-of-00002.safetensors",
  "model.layers.0.mlp.gate_up_proj.weight": "model-00002-of-00002.safetensors",
  "model.layers.0.mlp.down_proj.weight": "model-00002-of-00002.safetensors",
  "model.layers.0.input_layernorm.bias": "model-00002-of-00002.safetensors",
  "model.norm.bias": "model-00002-of-00002.safetensors",
  "lm_head.weight": "model-00002-of-00002.safetensors"}})";

Diagnostic refused(const std::string& path) {
  try {
    (void)load_model_directory(path);
  } catch (const Error& error) {
    return error.diagnostics().front();
  }
  FAIL("was read");
  return {};
}

/// What a model lacks of its files is the last of its defaults.
std::string last_default(const Model& model) {
  return model.defaults.empty() ? "" : model.defaults.back();
}

}  // namespace

TEST_CASE("A directory is named after itself and needs config.json", "[spec]") {
  const Directory directory;
  const Diagnostic nothing = refused(directory.path());
  CHECK(nothing.what == "'" + directory.path() + "' has no config.json");
  CHECK(nothing.fix == "name a directory with config.json, a config.json or a GGUF file");
  directory.write("q4.gguf", "GGUF");
  CHECK(refused(directory.path()).fix == "name the file in it: " + directory.path("q4.gguf"));

  directory.write("small-model/config.json", config + "}");
  for (const char* end : {"", "/", "/.", "//"}) {
    CHECK(load_model_directory(directory.path("small-model") + end).name == "small-model");
  }
  directory.write("models--org--Some-1B/snapshots/0a1b/config.json", config + "}");
  CHECK(load_model_directory(directory.path("models--org--Some-1B/snapshots/0a1b")).name ==
        "Some-1B");
}

TEST_CASE("A directory without weights has computed sizes", "[spec]") {
  const Directory directory;
  directory.write("config.json", config + "}");
  const Model bare = load_model_directory(directory.path());
  CHECK_FALSE(bare.tensors.has_value());
  CHECK_FALSE(bare.stored.has_value());
  CHECK(count_parameters(bare).total() == 824);
  CHECK(last_default(bare) == "no safetensors files beside config.json: stored bytes are computed");

  directory.write("model.safetensors.index.json", two_shards);
  const Model indexed = load_model_directory(directory.path());
  CHECK_FALSE(indexed.tensors.has_value());
  CHECK(indexed.warnings.empty());
  CHECK(last_default(indexed) ==
        "model.safetensors.index.json lists 1.648 kB of tensors, computed are 1.648 kB");

  directory.write("model.safetensors.index.json",
                  R"({"metadata": {"total_size": 3296}, "weight_map": {"a": "b.safetensors"}})");
  const Model other = load_model_directory(directory.path());
  CHECK(last_default(other) == "1 safetensors file is not downloaded: stored bytes are computed");
  CHECK(other.warnings ==
        Texts{"model.safetensors.index.json lists 3.296 kB of tensors, computed are 1.648 kB: "
              "towers, prediction layers, or a config.json of another model"});
}

TEST_CASE("Weights in one file are counted", "[spec]") {
  const Directory directory;
  directory.write("config.json", config + "}");
  directory.write("model.safetensors", whole().text());
  // Copies and additions that are not the model.
  directory.write("consolidated.safetensors", "no safetensors file");
  directory.write("adapter_model.safetensors", "no safetensors file");
  const Model model = load_model_directory(directory.path());
  REQUIRE(model.tensors.has_value());
  CHECK(model.tensors->files == 1);
  CHECK(model.tensors->tensors == 8);
  CHECK(model.tensors->decoder_elements == 824);
  CHECK(model.tensors->bytes == Bytes(1648));
  CHECK(model.stored->origin == "safetensors headers");
  CHECK(model.warnings.empty());
}

TEST_CASE("Weights in the files of an index are counted", "[spec]") {
  const Directory directory;
  directory.write("config.json", config + "}");
  directory.write("model.safetensors.index.json", two_shards);
  directory.write("model-00001-of-00002.safetensors", first_half().text());
  const Diagnostic half = refused(directory.path());
  CHECK(half.what == "'" + directory.path("model-00002-of-00002.safetensors") + "' is not there");
  CHECK(half.why == "1 of 2 files with the model's weights are missing");

  directory.write("model-00002-of-00002.safetensors", second_half().text());
  directory.write("model-00003-of-00003.safetensors", "of another model");
  const Model model = load_model_directory(directory.path());
  CHECK(model.tensors->files == 2);
  CHECK(model.tensors->decoder_elements == 824);
  CHECK(model.warnings.empty());

  File more = second_half();
  more.add("lm_head.bias", 1, 10);
  directory.write("model-00002-of-00002.safetensors", more.text());
  const Model contradicted = load_model_directory(directory.path());
  REQUIRE(contradicted.warnings.size() == 2);
  CHECK(contradicted.warnings[1] ==
        "model.safetensors.index.json lists 8 tensors, the files hold 9: are they of one model?");
}

TEST_CASE("Files without an index are taken by their numbers", "[spec]") {
  const Directory directory;
  directory.write("config.json", config + "}");
  directory.write("model-00001-of-00002.safetensors", first_half().text());
  CHECK(refused(directory.path()).what ==
        "'" + directory.path("model-00002-of-00002.safetensors") + "' is not there");
  directory.write("model-00002-of-00002.safetensors", second_half().text());
  CHECK(load_model_directory(directory.path()).tensors->files == 2);
}

TEST_CASE("A publisher's own file counts where there is no other", "[spec]") {
  const Directory directory;
  directory.write("config.json", config + "}");
  directory.write("consolidated.safetensors", whole().text());
  CHECK(load_model_directory(directory.path()).tensors->decoder_elements == 824);
}

TEST_CASE("Pointers of Git's large file storage are no weights", "[spec]") {
  const Directory directory;
  directory.write("config.json", config + "}");
  directory.write("model.safetensors",
                  "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1648\n");
  const Model model = load_model_directory(directory.path());
  CHECK_FALSE(model.tensors.has_value());
  CHECK(last_default(model) == "1 safetensors file is not downloaded: stored bytes are computed");
}

TEST_CASE("A broken weight file is named", "[spec]") {
  const Directory directory;
  directory.write("config.json", config + "}");
  const std::string text = whole().text();
  directory.write("model.safetensors", text.substr(0, text.size() - 1));
  const Diagnostic truncated = refused(directory.path());
  CHECK(truncated.where == directory.path("model.safetensors"));
  CHECK(truncated.what == "holds 1647 bytes of tensors, its header describes 1648");
  directory.write("model.safetensors", "");
  CHECK(refused(directory.path()).why == "it is empty");
}

TEST_CASE("A second file may say how the weights are quantised", "[spec]") {
  const Directory directory;
  directory.write("config.json", config + "}");
  directory.write("hf_quant_config.json",
                  R"({"producer": {"name": "modelopt", "version": "0.29.0"}, "quantization":
    {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8", "exclude_modules": ["lm_head"]}})");
  const Model model = load_model_directory(directory.path());
  REQUIRE(model.stored.has_value());
  REQUIRE(model.stored->parts[Part::mlp].has_value());
  CHECK(model.stored->parts[Part::mlp]->element == MatrixType::fp8);
  CHECK_FALSE(model.stored->parts[Part::lm_head].has_value());
  CHECK(model.kv_format.has_value());
}
