#include "spec/gguf/gguf_model.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "spec/gguf_models.hpp"

using namespace roofline;
using namespace roofline::gguf;
using namespace gguf_test;

namespace {

/// A path that goes away with the test.
class Path {
 public:
  explicit Path(const std::string& name)
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("roofline_gguf_{}{}", ::getpid(), name)) {}
  ~Path() { std::filesystem::remove(path_); }
  Path(const Path&) = delete;
  Path& operator=(const Path&) = delete;
  [[nodiscard]] std::string text() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

/// Llama 3 8B as llama.cpp's "_M" mixes of K-quants store it: `type`, and Q6_K for the head and for
/// attn_v and ffn_down of some blocks.
Builder llama_3_8b(std::uint32_t type, std::uint32_t file_type) {
  constexpr int blocks = 32;
  Builder builder;
  builder.text("general.architecture", "llama")
      .text("general.name", "Meta Llama 3 8B")
      .number("general.file_type", file_type)
      .number("llama.block_count", blocks)
      .number("llama.context_length", 8192)
      .number("llama.embedding_length", 4096)
      .number("llama.feed_forward_length", 14336)
      .number("llama.attention.head_count", 32)
      .number("llama.attention.head_count_kv", 8)
      .number("llama.rope.dimension_count", 128);
  builder.tensor("token_embd.weight", type, {4096, 128256})
      .tensor("output_norm.weight", f32, {4096})
      .tensor("output.weight", q6_k, {4096, 128256});
  for (int i = 0; i < blocks; ++i) {
    const bool more = i < blocks / 8 || i >= 7 * blocks / 8 || (i - blocks / 8) % 3 == 2;
    const std::uint32_t finer = more ? q6_k : type;
    builder.tensor(blk(i, "attn_norm.weight"), f32, {4096})
        .tensor(blk(i, "attn_q.weight"), type, {4096, 4096})
        .tensor(blk(i, "attn_k.weight"), type, {4096, 1024})
        .tensor(blk(i, "attn_v.weight"), finer, {4096, 1024})
        .tensor(blk(i, "attn_output.weight"), type, {4096, 4096})
        .tensor(blk(i, "ffn_norm.weight"), f32, {4096})
        .tensor(blk(i, "ffn_gate.weight"), type, {4096, 14336})
        .tensor(blk(i, "ffn_up.weight"), type, {4096, 14336})
        .tensor(blk(i, "ffn_down.weight"), finer, {14336, 4096});
  }
  return builder;
}

}  // namespace

TEST_CASE("Llama 3 8B in Q4_K_M and Q5_K_M has the published size", "[spec]") {
  // llama.cpp prints 4.58 GiB and 4.89 bits a weight, 5.33 GiB and 5.70.
  const auto [type, file_type, name, bytes, bits] =
      GENERATE(table<std::uint32_t, std::uint32_t, std::string, double, double>({
          {q4_k, 15, "Q4_K_M", 4912898048.0, 4.894},
          {q5_k, 17, "Q5_K_M", 5725151232.0, 5.704},
      }));
  const Path path("llama.gguf");
  llama_3_8b(type, file_type).write(path.text());
  const Model model = load_gguf(path.text());
  check_sums(model, 8030261248, static_cast<std::uint64_t>(bytes));
  CHECK(model.name == "Meta Llama 3 8B");
  CHECK(model.family == "llama");
  CHECK(model.stored->name == name);
  CHECK(8 * bytes / 8030261248 == Approx(bits).margin(5e-4));
  CHECK(model.vocabulary == 128256);
  CHECK(model.max_context == 8192);
  CHECK_FALSE(model.tied_embeddings);
  CHECK(model.final_norm_parameters == 4096);
  CHECK(model.layers == std::vector<LayerGroup>{
                            {.count = 32,
                             .mixer = Attention{.query_heads = 32, .kv_heads = 8, .head_dim = 128},
                             .feed_forward = Mlp{.width = 14336},
                             .norm_parameters = 8192,
                             .extra_maps = {}}});
  CHECK(model.tensors->files == 1);
  CHECK(model.tensors->tensors == 3 + 32 * 9);
  CHECK(model.tensors->bytes == Bytes(bytes));
  CHECK(model.published_format == plain_format(MatrixType::fp16));
  CHECK(model.warnings.empty());
}

TEST_CASE("a mix of GGUF types has the mean bits of each part", "[spec]") {
  const Model model = [] {
    const Path path("mix.gguf");
    llama_3_8b(q4_k, 15).write(path.text());
    return load_gguf(path.text());
  }();
  const auto& parts = model.stored->parts;
  CHECK(parts[Part::embedding]->name == "Q4_K");
  CHECK(parts[Part::embedding]->bits == 4.5);
  CHECK(parts[Part::lm_head]->name == "Q6_K");
  CHECK(parts[Part::lm_head]->bits == 6.5625);
  CHECK(parts[Part::mlp]->name == "Q4_K/Q6_K");
  // 16 of 32 blocks have ffn_down in Q6_K: a third of the MLP's elements.
  CHECK(parts[Part::mlp]->bits == Approx((5 * 4.5 + 6.5625) / 6));
  CHECK(parts[Part::mlp]->block_inputs == 256);
  CHECK(parts[Part::mlp]->block_outputs == 1);
  CHECK(parts[Part::vectors]->block_inputs == 1);
  CHECK(parts[Part::vectors]->name == "F32");
  CHECK(parts[Part::vectors]->bits == 32);
  CHECK(parts[Part::mlp]->element == MatrixType::int8);
  CHECK(parts[Part::mlp]->rounds_activations);
  CHECK_FALSE(parts[Part::vectors]->rounds_activations);
  CHECK_FALSE(parts[Part::experts].has_value());
}

TEST_CASE("a GGUF file without a file type is named after most of its bytes", "[spec]") {
  CHECK(read_all(llama_like("llama", 1)).stored->name == "F16");
  Builder unknown = llama_like("llama", 1);
  unknown.number("general.file_type", 1024);
  CHECK(read_all(unknown).stored->name == "F16");
}

TEST_CASE("a GGUF model without a name has its file's", "[spec]") {
  const std::string bytes = llama_like("llama", 1).file();
  CHECK(read_gguf(bytes, "dir/small-q4.gguf").name == "small-q4");
  CHECK(read_gguf(bytes, "small").name == "small");
}

TEST_CASE("without output.weight the embeddings of a GGUF model are tied", "[spec]") {
  Builder builder = start("llama", 1);
  heads(builder, "llama");
  add_outside(builder, true);
  add_attention(builder, 0);
  add_mlp(builder, 0);
  const Model model = read_all(builder);
  CHECK(model.tied_embeddings);
  CHECK(count_parameters(model).parts[Part::lm_head] == 0);
  CHECK(count_parameters(model).total() == 64 * 96 + 64 + attention_parameters + mlp_parameters);
}

TEST_CASE("activations of a GGUF model are bf16 where its tensors are", "[spec]") {
  Builder builder = start("llama", 1);
  heads(builder, "llama");
  builder.tensor("token_embd.weight", bf16, {64, 96});
  add_attention(builder, 0);
  const Model model = read_all(builder);
  CHECK(model.published_format.name == "bf16");
  CHECK(model.defaults.back() ==
        "activations are taken as bf16: a GGUF file does not say their format");
}

TEST_CASE("prediction blocks and towers of a GGUF file are left out by name", "[spec]") {
  Builder builder = start("glm4moe", 2);
  heads(builder, "glm4moe");
  builder.number("glm4moe.nextn_predict_layers", 1);
  add_outside(builder);
  add_attention(builder, 0);
  add_mlp(builder, 0);
  const std::uint64_t elements = builder.elements();
  const std::uint64_t bytes = builder.bytes();
  add_attention(builder, 1);
  add_mlp(builder, 1);
  builder.tensor(blk(1, "nextn.eh_proj.weight"), f16, {128, 64});
  builder.tensor("v.blk.0.attn_q.weight", f16, {100, 10}).tensor("mm.0.weight", f16, {10, 50});
  const Model model = read_gguf(builder.file(), "m.gguf");
  check_sums(model, elements, bytes);
  CHECK(layer_count(model) == 1);
  CHECK(model.tensors->bytes == Bytes(static_cast<double>(builder.bytes())));
  REQUIRE(model.warnings.size() == 2);
  // 24,576 + 64 of attention, 24,576 + 64 of the MLP and 8,192 of the projection.
  CHECK(model.warnings[0] ==
        "multi-token prediction is left out: 1 of 2 blocks, 53,376 parameters, 107.0 kB");
  CHECK(model.warnings[1] == "vision and audio towers are left out: 1,500 parameters, 3.000 kB");
}

TEST_CASE("unknown architectures and keys of a GGUF file are warnings by name", "[spec]") {
  Builder builder = llama_like("newcomer", 1);
  builder.number("newcomer.attention.surprise", 1).number("newcomer.rope.dimension_count", 16);
  const Model model = read_all(builder);
  REQUIRE(model.warnings.size() == 2);
  CHECK_THAT(model.warnings[0], Catch::StartsWith("the architecture 'newcomer' is not known"));
  CHECK(model.warnings[1] == "keys that are not understood: newcomer.attention.surprise");
}

TEST_CASE("GGUF files that hold no decoder are refused with the reason", "[spec]") {
  const auto [arch, why] = GENERATE(table<std::string, std::string>({
      {"clip", "it holds a vision or audio projector"},
      {"bert", "it is an encoder"},
      {"rwkv7", "RWKV's time mixing is not supported"},
      {"lfm2", "short convolutions are not supported"},
      {"deepseek32", "its sparse attention chooses tokens by an indexer"},
  }));
  const Diagnostic diagnostic = refusal(llama_like(arch, 1));
  CHECK(diagnostic.what == "the architecture '" + arch + "' is not supported");
  CHECK_THAT(diagnostic.why, Catch::StartsWith(why));
  CHECK(diagnostic.where == "m.gguf");
  CHECK(refusal(llama_like("llama", 1).text("general.type", "adapter")).what ==
        "the file holds no model but a 'adapter'");
  CHECK(refusal(llama_like("llama", 1).flag("llama.attention.causal", false)).what ==
        "attention that is not causal is not supported");
}

TEST_CASE("what a GGUF file lacks is named", "[spec]") {
  CHECK(refusal(Builder()).what == "general.architecture is missing");
  CHECK(refusal(Builder().text("general.architecture", "a b")).what ==
        "general.architecture 'a b' is no name");
  CHECK(refusal(Builder().text("general.architecture", "llama")).what ==
        "llama.embedding_length is missing");
  Builder builder = start("llama", 1);
  CHECK(refusal(builder).what == "token_embd.weight is missing");
  add_outside(builder);
  CHECK(refusal(builder).what == "blk.0: has neither a mixer nor a feed-forward");
  add_attention(builder, 0);
  CHECK(refusal(builder).what == "llama.attention.head_count is missing");
  heads(builder, "llama");
  CHECK(refusal(builder).what == "it was read");
}

TEST_CASE("GGUF tensors of unknown use are refused by name unless they are vectors", "[spec]") {
  CHECK(refusal(llama_like("llama", 1).tensor(blk(0, "novel.weight"), f16, {64, 64})).what ==
        "blk.0: novel.weight is a tensor of unknown use");
  CHECK(refusal(llama_like("llama", 1).tensor("novel.weight", f16, {64, 64})).what ==
        "novel.weight is a tensor of unknown use");
  const Model model = read_all(llama_like("llama", 1).tensor(blk(0, "novel.weight"), f16, {64}));
  CHECK(model.layers[0].norm_parameters == 3 * 64);
}

TEST_CASE("GGUF tensors that contradict each other or the metadata are refused", "[spec]") {
  const auto with = [](const char* name, std::uint32_t type,
                       const std::vector<std::uint64_t>& dims) {
    Builder builder = start("llama", 1);
    heads(builder, "llama");
    add_outside(builder);
    for (const auto& [tensor, shape] :
         std::vector<std::pair<std::string, std::vector<std::uint64_t>>>{
             {"attn_q.weight", {64, 128}},
             {"attn_k.weight", {64, 32}},
             {"attn_v.weight", {64, 32}},
             {"attn_output.weight", {128, 64}},
             {"ffn_gate.weight", {64, 128}},
             {"ffn_up.weight", {64, 128}},
             {"ffn_down.weight", {128, 64}}}) {
      const bool other = tensor == name;
      builder.tensor("blk.0." + tensor, other ? type : f16, other ? dims : shape);
    }
    return refusal(builder).what;
  };
  CHECK(with("none", f16, {}) == "it was read");
  CHECK(with("attn_q.weight", f16, {32, 128}) == "blk.0: attn_q.weight has 32 inputs");
  CHECK(with("attn_q.weight", f16, {64, 64}) == "blk.0: attn_q.weight has 64 outputs");
  CHECK(with("attn_k.weight", f16, {64, 48}) == "blk.0: keys of 48 elements and values of 32");
  CHECK(with("attn_output.weight", f16, {100, 64}) ==
        "blk.0: attn_output.weight has 100 elements for 8 heads");
  CHECK(with("attn_output.weight", f16, {128, 65}) ==
        "blk.0: its tensors contradict each other: 20608 elements of mixer");
  CHECK(with("ffn_up.weight", f16, {60, 128}) == "blk.0: ffn_up.weight has 60 inputs, not 64");
  CHECK(with("ffn_gate.weight", f16, {64, 100}) ==
        "blk.0: its tensors contradict each other: 22784 elements of mlp");
  CHECK(with("ffn_up.weight", i32, {64, 128}) == "blk.0: ffn_up.weight is a matrix of I32");
  CHECK(refusal(llama_like("llama", 1).number("llama.attention.key_length", 32)).what ==
        "blk.0: has heads of 16 elements, 32 by llama.attention.key_length");
  CHECK(refusal(llama_like("llama", 1).number("llama.attention.key_length", 16)).what ==
        "it was read");
  CHECK(refusal(llama_like("llama", 1).tensor(blk(1, "attn_norm.weight"), f32, {64})).what ==
        "tensor 'blk.1.attn_norm.weight' is of block 1");
  CHECK(
      refusal(llama_like("llama", 2).tensor(blk(0, "attn_kv_a_mqa.weight"), f16, {64, 40})).what ==
      "blk.0: attn_kv_a_norm.weight is missing");
}

TEST_CASE("absurd metadata of a GGUF file is out of range", "[spec]") {
  CHECK(refusal(Builder()
                    .text("general.architecture", "llama")
                    .number("llama.embedding_length", 64)
                    .number("llama.block_count", 1'000'000))
            .what == "llama.block_count is 1000000");
  CHECK(
      refusal(Builder().text("general.architecture", "llama").text("llama.embedding_length", "64"))
          .what == "llama.embedding_length is no whole number");
  CHECK(refusal(start("llama", 3).number("llama.nextn_predict_layers", 3)).what ==
        "3 of 3 blocks are for multi-token prediction");
}

TEST_CASE("a split GGUF model is read from all its files", "[spec]") {
  const auto part = [](int index, int count, int tensors) {
    Builder builder;
    builder.number("split.no", static_cast<std::uint32_t>(index))
        .number("split.count", static_cast<std::uint32_t>(count))
        .number("split.tensors.count", static_cast<std::uint32_t>(tensors));
    if (index != 0) return builder;
    builder.text("general.architecture", "llama")
        .number("llama.block_count", 1)
        .number("llama.embedding_length", 64);
    return heads(builder, "llama");
  };
  const Path first("-00001-of-00002.gguf");
  const Path second("-00002-of-00002.gguf");
  Builder one = part(0, 2, 12);
  add_outside(one);
  Builder two = part(1, 2, 12);
  add_attention(two, 0);
  add_mlp(two, 0);
  one.write(first.text());
  two.write(second.text());
  for (const Path* path : {&first, &second}) {
    const Model model = load_gguf(path->text());
    check_sums(model, one.elements() + two.elements(), one.bytes() + two.bytes());
    CHECK(model.tensors->files == 2);
    CHECK(model.name == fmt::format("roofline_gguf_{}", ::getpid()));
    CHECK(count_parameters(model).total() ==
          outside_parameters + attention_parameters + mlp_parameters);
  }
  const auto load_error = [&] {
    try {
      static_cast<void>(load_gguf(first.text()));
    } catch (const Error& error) {
      return error.diagnostics().front().what;
    }
    return std::string("it was read");
  };
  part(1, 3, 12).write(second.text());
  CHECK(load_error() == "is one of 3 parts, not of 2");
  part(0, 2, 12).write(second.text());
  CHECK(load_error() == "is not part 2, though it is named so");
  part(1, 2, 12).write(second.text());
  CHECK(load_error() == "the parts have 3 tensors, 12 by split.tensors.count");
  part(1, 2, 4).tensor("token_embd.weight", f16, {64, 96}).write(second.text());
  CHECK(load_error() == "the tensor 'token_embd.weight' is in two parts");
  std::filesystem::remove(second.text());
  CHECK(load_error() == "part 2 of 2 is missing: '" + second.text() + "'");
  CHECK(refusal(one).what == "is one of 2 parts, not of 1");
}
