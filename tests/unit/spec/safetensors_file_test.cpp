#include "spec/safetensors/safetensors_file.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <tuple>

#include "roofline/error.hpp"

using namespace roofline;
using namespace roofline::safetensors;

namespace {

std::string length_of(std::uint64_t length) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(length >> (8 * i) & 0xffU);
  return bytes;
}

std::string file_of(const std::string& header, std::size_t data_bytes) {
  return length_of(header.size()) + header + std::string(data_bytes, '\0');
}

std::string tensor(const std::string& name, const std::string& type, const std::string& shape,
                   std::int64_t begin, std::int64_t end) {
  return fmt::format(R"("{}":{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", name, type,
                     shape, begin, end);
}

Diagnostic refused(const std::string& bytes) {
  try {
    (void)read_safetensors_header(bytes, "m.safetensors");
  } catch (const Error& error) {
    CHECK(error.diagnostics().front().where == "m.safetensors");
    return error.diagnostics().front();
  }
  FAIL("was read");
  return {};
}

std::string why_refused(const std::string& header, std::size_t data_bytes) {
  const Diagnostic diagnostic = refused(file_of(header, data_bytes));
  return diagnostic.what + (diagnostic.why.empty() ? "" : "; " + diagnostic.why);
}

}  // namespace

TEST_CASE("A safetensors header lists tensors with types and sizes", "[spec]") {
  // Written in another order than they lie in, with metadata and padding.
  const std::string header = R"({"__metadata__":{"format":"pt"},)" +
                             tensor("b", "F32", "", 12, 16) + "," +
                             tensor("a", "BF16", "2,3", 0, 12) + "}   ";
  const auto tensors = read_safetensors_header(file_of(header, 16), "m");
  REQUIRE(tensors.size() == 2);
  CHECK(tensors[0] == Tensor{.name = "b",
                             .type = ElementType::f32,
                             .dimensions = 0,
                             .elements = 1,
                             .begin = 12,
                             .end = 16});
  CHECK(tensors[1] == Tensor{.name = "a",
                             .type = ElementType::bf16,
                             .dimensions = 2,
                             .elements = 6,
                             .begin = 0,
                             .end = 12});
  CHECK(tensors[1].bytes() == 12);
}

TEST_CASE("A safetensors header may list no tensors and empty ones", "[spec]") {
  CHECK(read_safetensors_header(file_of("{}", 0), "m").empty());
  const std::string header =
      "{" + tensor("a", "F16", "0,5", 0, 0) + "," + tensor("b", "F16", "1", 0, 2) + "}";
  CHECK(read_safetensors_header(file_of(header, 2), "m").front().elements == 0);
}

TEST_CASE("Every dtype has its size", "[spec]") {
  const auto [name, bytes_of_eight, floating] = GENERATE(table<std::string, std::int64_t, bool>({
      {"F64", 64, true},        {"F32", 32, true},        {"F16", 16, true},
      {"BF16", 16, true},       {"F8_E4M3", 8, true},     {"F8_E5M2", 8, true},
      {"F8_E4M3FNUZ", 8, true}, {"F8_E5M2FNUZ", 8, true}, {"F8_E8M0", 8, true},
      {"F6_E2M3", 6, true},     {"F6_E3M2", 6, true},     {"F4", 4, true},
      {"I64", 64, false},       {"I32", 32, false},       {"I16", 16, false},
      {"I8", 8, false},         {"U64", 64, false},       {"U32", 32, false},
      {"U16", 16, false},       {"U8", 8, false},         {"BOOL", 8, false},
      {"C64", 64, false},
  }));
  const std::string header = "{" + tensor("a", name, "2,4", 0, bytes_of_eight) + "}";
  const auto tensors =
      read_safetensors_header(file_of(header, static_cast<std::size_t>(bytes_of_eight)), "m");
  REQUIRE(tensors.size() == 1);
  CHECK(to_string(tensors[0].type) == name);
  CHECK(bits_of(tensors[0].type) == bytes_of_eight);
  CHECK(is_floating_point(tensors[0].type) == floating);
}

TEST_CASE("Elements of less than a byte fill whole bytes", "[spec]") {
  // 3 x 4 bits and 3 x 6 bits: 2 and 3 bytes.
  const std::string header =
      "{" + tensor("a", "F4", "3", 0, 2) + "," + tensor("b", "F6_E2M3", "3", 2, 5) + "}";
  CHECK(read_safetensors_header(file_of(header, 5), "m").size() == 2);
}

TEST_CASE("The size of a file may be known without its tensors", "[spec]") {
  const std::string header = "{" + tensor("a", "U8", "1000000000000", 0, 1'000'000'000'000) + "}";
  const std::string start = length_of(header.size()) + header;
  const auto tensors = read_safetensors_header(start, start.size() + 1'000'000'000'000, "m");
  CHECK(tensors.at(0).elements == 1'000'000'000'000);
}

TEST_CASE("A file that is no safetensors file is refused", "[spec]") {
  CHECK(refused("abc").what == "3 bytes are no safetensors file");
  CHECK(refused(length_of(9'223'372'036'854'775'808U) + "{}").what ==
        "byte 0: a header of 9223372036854775808 bytes in a file of 10 bytes");
  CHECK(refused(length_of(3) + "{}").what == "byte 0: a header of 3 bytes in a file of 10 bytes");
  CHECK(refused(length_of(2) + "[]").what == "byte 8: the header does not start with '{'");
  CHECK(refused(length_of(0)).what == "byte 8: the header does not start with '{'");
  const Diagnostic pointer = refused("version https://git-lfs.github.com/spec/v1\noid sha256:0\n");
  CHECK(pointer.what == "is a pointer of Git's large file storage, not the file itself");
  CHECK(pointer.fix == "git lfs pull");
  const Diagnostic large = refused(length_of(20'000'000) + std::string(20'000'000, ' '));
  CHECK(large.what == "byte 0: a header of 20000000 bytes");
  CHECK(large.why == "read are headers of up to 16777216 bytes");
}

TEST_CASE("A truncated file is refused with both sizes", "[spec]") {
  const std::string header = "{" + tensor("a", "BF16", "2,3", 0, 12) + "}";
  const Diagnostic shorter = refused(file_of(header, 11));
  CHECK(shorter.what == "holds 11 bytes of tensors, its header describes 12");
  CHECK(shorter.why == "the file is truncated");
  const Diagnostic longer = refused(file_of(header, 13));
  CHECK(longer.what == "holds 13 bytes of tensors, its header describes 12");
  CHECK(longer.why == "something follows the tensors");
}

TEST_CASE("What is wrong with a tensor is said by its name", "[spec]") {
  const auto [fields, reason] = GENERATE(table<std::string, std::string>({
      {R"("dtype":"Q4","shape":[],"data_offsets":[0,4])",
       "unknown dtype 'Q4'; its size in bytes is not known"},
      {R"("dtype":7,"shape":[],"data_offsets":[0,4])", "its dtype is no text"},
      {R"("dtype":"F32","shape":{},"data_offsets":[0,4])", "its shape or offsets are no list"},
      {R"("dtype":"F32","shape":[-1],"data_offsets":[0,4])",
       "a dimension is no whole number from 0 on"},
      {R"("dtype":"F32","shape":[1.5],"data_offsets":[0,4])",
       "a dimension is no whole number from 0 on"},
      {R"("dtype":"F32","shape":["1"],"data_offsets":[0,4])",
       "a dimension is no whole number from 0 on"},
      {R"("dtype":"F32","shape":[99999999999999999999],"data_offsets":[0,4])",
       "a dimension is no whole number from 0 on"},
      {R"("dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,4])",
       "more than 1000000000000000 elements"},
      {R"("dtype":"F32","shape":[0,18446744073709551615],"data_offsets":[0,0])",
       "more than 1000000000000000 elements"},
      {R"("dtype":"F32","shape":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],)"
       R"("data_offsets":[0,4])",
       "more than 32 dimensions"},
      {R"("dtype":"F32","shape":[2],"data_offsets":[0,4])",
       "its offsets hold 4 bytes, its shape and dtype 8"},
      {R"("dtype":"F32","shape":[],"data_offsets":[4,0])",
       "ends at byte 0 before it begins at byte 4"},
      {R"("dtype":"F32","shape":[],"data_offsets":[0])", "data_offsets is no pair"},
      {R"("dtype":"F32","shape":[],"data_offsets":[0,4,8])", "data_offsets is no pair"},
      {R"("dtype":"F32","shape":[],"data_offsets":[-4,0])",
       "an offset is no whole number from 0 on"},
      {R"("dtype":"F32","shape":[],"data_offsets":[0,18446744073709551615])",
       "offset 18446744073709551615 is out of range"},
      {R"("shape":[],"data_offsets":[0,4])", "needs 'dtype'"},
      {R"("dtype":"F32","data_offsets":[0,4])", "needs 'shape'"},
      {R"("dtype":"F32","shape":[])", "needs 'data_offsets'"},
      {R"("dtype":"F32","dtype":"F32","shape":[],"data_offsets":[0,4])", "'dtype' stands twice"},
      {R"("dtype":"F32","shape":[],"shape":[],"data_offsets":[0,4])", "'shape' stands twice"},
      {R"("dtype":"F32","shape":[],"data_offsets":[0,4],"data_offsets":[0,4])",
       "'data_offsets' stands twice"},
      {R"("dtype":"F32","shape":[],"data_offsets":[0,4],"strides":[1])",
       "unknown key 'strides'; known: dtype, shape, data_offsets"},
  }));
  CHECK(why_refused("{\"x\":{" + fields + "}}", 4) == "tensor 'x': " + reason);
}

TEST_CASE("Tensors lie one behind the other", "[spec]") {
  const std::string overlap =
      "{" + tensor("a", "U8", "4", 0, 4) + "," + tensor("b", "U8", "4", 3, 7) + "}";
  CHECK(why_refused(overlap, 7) ==
        "tensor 'b': begins at byte 3, inside of tensor 'a', which ends at 4");
  const std::string hole =
      "{" + tensor("a", "U8", "4", 0, 4) + "," + tensor("b", "U8", "4", 5, 9) + "}";
  CHECK(why_refused(hole, 9) == "tensor 'b': begins at byte 5, the one before it ends at 4");
  const std::string late = "{" + tensor("a", "U8", "4", 1, 5) + "}";
  CHECK(why_refused(late, 5) == "tensor 'a': begins at byte 1, the one before it ends at 0");
}

TEST_CASE("A tensor stands once", "[spec]") {
  const std::string header = "{" + tensor("a", "U8", "4", 0, 4) + "," +
                             tensor("b", "U8", "1", 4, 5) + "," + tensor("a", "U8", "4", 5, 9) +
                             "}";
  CHECK(why_refused(header, 9) == "tensor 'a' stands twice");
}

TEST_CASE("A header that is no JSON of tensors is refused with its place", "[spec]") {
  CHECK(why_refused(R"({"a":1})", 0) == "tensor 'a': is no object");
  CHECK(why_refused(R"({"a":[]})", 0) == "tensor 'a': is no object");
  CHECK(why_refused(R"({"__metadata__":{"a":1}})", 0) ==
        "__metadata__: holds something other than texts");
  CHECK(why_refused(R"({"__metadata__":7})", 0) == "__metadata__: is no object");
  CHECK(why_refused(std::string("{\"a\0\":1}", 8), 0) == "byte 11: a NUL byte; it is no JSON text");
  CHECK(refused(file_of(R"({"a" 1})", 0)).what == "byte 13: not valid JSON");
  CHECK(refused(file_of("{} {", 0)).what == "byte 11: not valid JSON");
  CHECK(refused(file_of(R"({"a":)", 0)).what.ends_with("not valid JSON"));
}

TEST_CASE("Names of tensors stay printable", "[spec]") {
  CHECK(why_refused("{\"a\\u001b[31m\":{}}", 0) ==
        "tensor 'a?[31m': its name has a control character");
  const std::string longest(1001, 'x');
  CHECK(why_refused("{\"" + longest + "\":{}}", 0) ==
        "tensor '" + std::string(100, 'x') + "...': its name is longer than 1000 bytes");
}

TEST_CASE("Deep nesting and many tensors are refused", "[spec]") {
  const std::string nested = R"({"a":{"shape":)" + std::string(10'000, '[');
  CHECK(refused(file_of(nested, 0)).what == "byte 23: nested more than 3 levels");
  std::string header = "{";
  for (int i = 0; i <= 200'000; ++i) {
    header += (i == 0 ? "" : ",") + tensor(fmt::format("{}", i), "U8", "0", 0, 0);
  }
  CHECK(why_refused(header + "}", 0) == "more than 200000 tensors");
}
