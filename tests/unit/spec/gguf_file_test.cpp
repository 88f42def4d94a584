#include "spec/gguf/gguf_file.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>
#include <tuple>

#include "base/mapped_file.hpp"
#include "roofline/error.hpp"
#include "spec/gguf_builder.hpp"

using namespace roofline;
using namespace roofline::gguf;
using gguf_test::Builder;
using gguf_test::Writer;

namespace {

constexpr std::uint64_t huge = 1ULL << 60;

Writer start(std::uint64_t tensors, std::uint64_t entries) {
  Writer writer;
  writer.raw("GGUF").u32(3).u64(tensors).u64(entries);
  return writer;
}

Diagnostic refusal(const std::string& bytes) {
  try {
    static_cast<void>(read_gguf_file(bytes, "m.gguf"));
  } catch (const Error& error) {
    return error.diagnostics().front();
  }
  return {.what = "it was read"};
}

/// A file of one tensor, with room for its info as `info` writes it behind the name.
std::string one_tensor(Writer info, std::size_t data = 4096) {
  Writer writer = start(1, 0);
  std::string bytes = writer.string("t").raw(info.text()).text();
  bytes.resize(bytes.size() + data);
  return bytes;
}

}  // namespace

TEST_CASE("the header of a GGUF file is read", "[spec]") {
  const std::string bytes = Builder()
                                .text("general.architecture", "llama")
                                .number("llama.block_count", 2)
                                .flag("llama.flag", true)
                                .numbers("llama.list", {3, 4})
                                .flags("llama.flags", {true, false})
                                .texts("tokenizer.ggml.tokens", 5, "word")
                                .tensor("a", gguf_test::q4_k, {256, 2})
                                .tensor("b", gguf_test::f32, {7})
                                .tensor("c", gguf_test::bf16, {2, 3, 5})
                                .file();
  const GgufFile file = read_gguf_file(bytes, "m.gguf");
  CHECK(file.version == 3);
  CHECK(file.metadata.at("general.architecture").value ==
        decltype(GgufValue::value)(std::string("llama")));
  CHECK(std::get<std::int64_t>(file.metadata.at("llama.block_count").value) == 2);
  CHECK(std::get<bool>(file.metadata.at("llama.flag").value));
  CHECK(std::get<std::vector<std::int64_t>>(file.metadata.at("llama.list").value) ==
        std::vector<std::int64_t>{3, 4});
  CHECK(std::get<std::vector<std::int64_t>>(file.metadata.at("llama.flags").value) ==
        std::vector<std::int64_t>{1, 0});
  const GgufValue& tokens = file.metadata.at("tokenizer.ggml.tokens");
  CHECK(std::holds_alternative<std::monostate>(tokens.value));
  CHECK(tokens.count == 5);
  REQUIRE(file.tensors.size() == 3);
  CHECK(file.tensors[0].type->name == "Q4_K");
  CHECK(file.tensors[0].bytes == 288);
  CHECK(file.tensors[1].elements == 7);
  CHECK(file.tensors[1].offset == 288);
  CHECK(file.tensors[2].dims == std::array<std::int64_t, 4>{2, 3, 5, 1});
  CHECK(file.tensors[2].bytes == 60);
  CHECK(file.tensors[2].offset == 320);  // 288 + 28, aligned to 32
}

TEST_CASE("every kind of number in GGUF metadata is read", "[spec]") {
  const auto read = [](std::uint32_t type, std::uint64_t bits, int size) {
    const std::string bytes = start(0, 1).string("k").u32(type).number(bits, size).text();
    return read_gguf_file(bytes, "m.gguf").metadata.at("k").value;
  };
  using Value = decltype(GgufValue::value);
  CHECK(read(0, 200, 1) == Value(std::int64_t{200}));
  CHECK(read(1, 200, 1) == Value(std::int64_t{-56}));
  CHECK(read(2, 65535, 2) == Value(std::int64_t{65535}));
  CHECK(read(3, 65535, 2) == Value(std::int64_t{-1}));
  CHECK(read(4, 0xffffffff, 4) == Value(std::int64_t{4294967295}));
  CHECK(read(5, 0xffffffff, 4) == Value(std::int64_t{-1}));
  CHECK(read(6, 0x3fc00000, 4) == Value(1.5));
  CHECK(read(7, 1, 1) == Value(true));
  CHECK(read(10, 5, 8) == Value(std::int64_t{5}));
  CHECK(read(10, 1ULL << 63, 8) == Value());  // no count is as large
  CHECK(read(11, ~0ULL, 8) == Value(std::int64_t{-1}));
  CHECK(read(12, 0x3ff8000000000000, 8) == Value(1.5));
}

TEST_CASE("ggml types have the block sizes of the public table", "[spec]") {
  const auto [id, name, elements, bytes, bits] =
      GENERATE(table<std::uint32_t, std::string_view, int, int, double>({
          {0, "F32", 1, 4, 32},
          {1, "F16", 1, 2, 16},
          {2, "Q4_0", 32, 18, 4.5},
          {3, "Q4_1", 32, 20, 5.0},
          {6, "Q5_0", 32, 22, 5.5},
          {7, "Q5_1", 32, 24, 6.0},
          {8, "Q8_0", 32, 34, 8.5},
          {10, "Q2_K", 256, 84, 2.625},
          {11, "Q3_K", 256, 110, 3.4375},
          {12, "Q4_K", 256, 144, 4.5},
          {13, "Q5_K", 256, 176, 5.5},
          {14, "Q6_K", 256, 210, 6.5625},
          {16, "IQ2_XXS", 256, 66, 2.0625},
          {17, "IQ2_XS", 256, 74, 2.3125},
          {18, "IQ3_XXS", 256, 98, 3.0625},
          {19, "IQ1_S", 256, 50, 1.5625},
          {20, "IQ4_NL", 32, 18, 4.5},
          {21, "IQ3_S", 256, 110, 3.4375},
          {22, "IQ2_S", 256, 82, 2.5625},
          {23, "IQ4_XS", 256, 136, 4.25},
          {29, "IQ1_M", 256, 56, 1.75},
          {30, "BF16", 1, 2, 16},
          {34, "TQ1_0", 256, 54, 1.6875},
          {35, "TQ2_0", 256, 66, 2.0625},
          {39, "MXFP4", 32, 17, 4.25},
          {40, "NVFP4", 64, 36, 4.5},
      }));
  const TensorType* type = find_tensor_type(id);
  REQUIRE(type != nullptr);
  CHECK(type->name == name);
  CHECK(type->block_elements == elements);
  CHECK(type->block_bytes == bytes);
  CHECK(type->bits() == bits);
}

TEST_CASE("ggml types that are gone are unknown", "[spec]") {
  for (const std::uint32_t id : {4U, 5U, 31U, 32U, 33U, 36U, 37U, 38U, 1000U}) {
    CHECK(find_tensor_type(id) == nullptr);
  }
  CHECK(file_type_name(15) == "Q4_K_M");
  CHECK(file_type_name(38) == "MXFP4_MOE");
  CHECK(file_type_name(1024).empty());
}

TEST_CASE("what is no GGUF file says so", "[spec]") {
  CHECK(refusal("").what == "not a GGUF file");
  CHECK(refusal("GGU").what == "not a GGUF file");
  CHECK(refusal("GGML....").what == "not a GGUF file");
  CHECK(refusal("GGUF").what == "truncated: the version takes 4 bytes, 0 are left");
  CHECK(refusal(Writer().raw("GGUF").u32(1).u32(0).u32(0).text()).what == "GGUF version 1");
  CHECK(refusal(Writer().raw("GGUF").u32(4).text()).what == "GGUF version 4");
  CHECK(refusal(Writer().raw("GGUF").u32(0x03000000).text()).what == "a big-endian GGUF file");
  CHECK(refusal(Writer().raw("GGUF").u32(0).text()).where == "m.gguf: byte 4");
}

TEST_CASE("counts of a GGUF header that do not fit are refused at once", "[spec]") {
  CHECK(refusal(start(0, huge).text()).what ==
        "1152921504606846976 metadata entries do not fit into the file");
  CHECK(refusal(start(0, huge).text()).where == "m.gguf: byte 16");
  CHECK(refusal(start(huge, 0).text()).what ==
        "1152921504606846976 tensors do not fit into the file");
  CHECK(refusal(start(~0ULL, ~0ULL).text()).where == "m.gguf: byte 8");
  const std::string room(20'000'000, '\0');
  CHECK(refusal(start(0, 10'001).raw(room).text()).what ==
        "10001 metadata entries are out of range");
  CHECK(refusal(start(65'537, 0).raw(room).text()).what == "65537 tensors are out of range");
}

TEST_CASE("bad metadata is refused where it is", "[spec]") {
  const std::string room(64, '\0');
  CHECK(refusal(start(0, 1).u64(1ULL << 63).raw(room).text()).what ==
        "truncated: a key has 9223372036854775808 bytes, 64 are left");
  CHECK(refusal(start(0, 1).string(std::string(300, 'k')).raw(room).text()).what ==
        "a key has 300 bytes");
  CHECK(refusal(start(0, 1).string("k").u32(13).raw(room).text()).what ==
        "'k' has a value of unknown type 13");
  CHECK(refusal(start(0, 1).string("k").u32(13).raw(room).text()).where == "m.gguf: byte 33");
  CHECK(refusal(start(0, 1).string("k").u32(8).u64(1ULL << 63).raw(room).text()).what ==
        "truncated: a string has 9223372036854775808 bytes, 64 are left");
  CHECK(refusal(start(0, 1).string("k").u32(7).number(2, 1).raw(room).text()).what ==
        "'k' has a truth value of 2");
  CHECK(refusal(start(0, 1).string("k").u32(9).u32(9).u64(1).raw(room).text()).what ==
        "'k' is an array of arrays");
  CHECK(refusal(start(0, 1).string("k").u32(9).u32(4).u64(huge).raw(room).text()).what ==
        "an array of 1152921504606846976 elements in 'k' does not fit into the file");
  CHECK(refusal(start(0, 1).string("k").u32(9).u32(8).u64(17).raw(std::string(128, '\0')).text())
            .what == "an array of 17 elements in 'k' does not fit into the file");
  CHECK(refusal(start(0, 2).string("k").u32(4).u32(1).string("k").u32(4).u32(1).raw(room).text())
            .what == "the key 'k' is there twice");
}

TEST_CASE("arrays of strings without end are refused before they are walked", "[spec]") {
  const std::string room(40'000'000, '\0');
  CHECK(refusal(start(0, 1).string("k").u32(9).u32(8).u64(4'000'001).raw(room).text()).what ==
        "arrays of 4000001 strings are out of range");
}

TEST_CASE("long arrays of GGUF metadata are counted and not kept", "[spec]") {
  const auto read = [](std::uint64_t count) {
    const std::string bytes =
        start(0, 1).string("k").u32(9).u32(4).u64(count).raw(std::string(4 * count, '\0')).text();
    return read_gguf_file(bytes, "m.gguf").metadata.at("k");
  };
  CHECK(std::get<std::vector<std::int64_t>>(read(10'000).value).size() == 10'000);
  CHECK(std::holds_alternative<std::monostate>(read(10'001).value));
  CHECK(read(10'001).count == 10'001);
}

TEST_CASE("an alignment must be a power of two", "[spec]") {
  for (const std::uint32_t alignment : {0U, 3U, 48U, 0x80000000U}) {
    CHECK(refusal(Builder().number("general.alignment", alignment).file()).what ==
          "general.alignment is no power of two");
  }
  CHECK(refusal(Builder().text("general.alignment", "32").file()).what ==
        "general.alignment is no power of two");
  CHECK(refusal(Builder().number("general.alignment", 64).file()).what == "it was read");
}

TEST_CASE("bad tensor infos are refused by name", "[spec]") {
  constexpr std::uint64_t largest = (1ULL << 31) - 1;
  CHECK(refusal(one_tensor(Writer().u32(5))).what == "tensor 't' has 5 dimensions");
  CHECK(refusal(one_tensor(Writer().u32(1).u64(0))).what == "tensor 't' has a dimension of 0");
  CHECK(refusal(one_tensor(Writer().u32(1).u64(1ULL << 31))).what ==
        "tensor 't' has a dimension of 2147483648");
  CHECK(refusal(one_tensor(Writer().u32(3).u64(largest).u64(largest).u64(largest))).what ==
        "tensor 't' has more elements than can be counted");
  CHECK(refusal(one_tensor(Writer().u32(1).u64(32).u32(4))).what ==
        "tensor 't' has unknown type 4");
  CHECK(refusal(one_tensor(Writer().u32(1).u64(33).u32(8))).what ==
        "tensor 't' has rows of 33 elements");
  CHECK(refusal(one_tensor(Writer().u32(1).u64(33).u32(8))).why == "Q8_0 has blocks of 32");
  CHECK(refusal(one_tensor(Writer().u32(1).u64(32).u32(8).u64(31))).what ==
        "tensor 't' starts at 31");
  CHECK(refusal(one_tensor(Writer().u32(1).u64(32).u32(8).u64(0))).what == "it was read");
}

TEST_CASE("a truncated GGUF file says what is cut off", "[spec]") {
  const Builder builder =
      Builder().tensor("a", gguf_test::f32, {8}).tensor("b", gguf_test::f32, {8});
  std::string bytes = builder.file();
  CHECK(refusal(bytes).what == "it was read");
  const std::string size = std::to_string(bytes.size());
  bytes.pop_back();
  CHECK(refusal(bytes).what == "tensor 'b' ends at byte " + size);
  CHECK(refusal(bytes).why == "truncated: the file has " + std::to_string(bytes.size()) + " bytes");
  CHECK(refusal(one_tensor(Writer().u32(1).u64(32).u32(8).u64(~31ULL))).what ==
        "tensor 't' starts beyond any file");
  // Every shorter beginning is refused too.
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    CHECK(refusal(bytes.substr(0, length)).what != "it was read");
  }
}

TEST_CASE("tensors that overlap or share a name are refused", "[spec]") {
  const auto two = [](std::string_view other, std::uint64_t first, std::uint64_t second) {
    Writer writer = start(2, 0);
    writer.string("a").u32(1).u64(16).u32(0).u64(first);
    writer.string(other).u32(1).u64(16).u32(0).u64(second);
    return writer.text() + std::string(4096, '\0');
  };
  CHECK(refusal(two("b", 0, 64)).what == "it was read");
  CHECK(refusal(two("b", 64, 0)).what == "it was read");
  CHECK(refusal(two("b", 0, 32)).what == "tensor 'b' overlaps another");
  CHECK(refusal(two("b", 32, 0)).what == "tensor 'a' overlaps another");
  CHECK(refusal(two("b", 0, 0)).what == "tensor 'b' overlaps another");
  CHECK(refusal(two("a", 0, 64)).what == "the tensor 'a' is there twice");
}

TEST_CASE("names of a GGUF file are printed without control characters", "[spec]") {
  CHECK(printable("a\x1b[1m\xc3\xa9\n") == "a?[1m???");
  CHECK(printable(std::string(100, 'x')) == std::string(80, 'x') + "...");
}

TEST_CASE("a tokenizer of 150000 words is passed over", "[spec]") {
  const std::string bytes =
      Builder()
          .texts("tokenizer.ggml.tokens", 150'000, "sometoken")
          .texts("tokenizer.ggml.merges", 300'000, "some token")
          .numbers("tokenizer.ggml.token_type", std::vector<std::uint32_t>(150'000, 1))
          .number("llama.block_count", 4)
          .file();
  const GgufFile file = read_gguf_file(bytes, "m.gguf");
  CHECK(file.metadata.at("tokenizer.ggml.tokens").count == 150'000);
  CHECK(std::get<std::int64_t>(file.metadata.at("llama.block_count").value) == 4);
}

TEST_CASE("a GGUF file of 40 GB is opened by its header", "[spec]") {
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("roofline_sparse_" + std::to_string(::getpid()) + ".gguf"))
                               .string();
  Builder()
      .tensor("a", gguf_test::f16, {2'000'000'000, 10})
      .tensor("b", gguf_test::f32, {8})
      .write(path);
  {
    const MappedFile mapped(path);
    const GgufFile file = read_gguf_file(mapped.bytes(), path);
    CHECK(file.tensors.at(0).bytes == 40'000'000'000);
    CHECK(file.tensors.at(1).offset == 40'000'000'000);
  }
  std::filesystem::remove(path);
}
