// Numbers and block sizes as in ggml's public headers (ggml.h, ggml-common.h) and llama.h.
#include "spec/gguf/tensor_types.hpp"

#include <algorithm>
#include <array>

namespace roofline::gguf {
namespace {

constexpr TensorType plain(std::uint32_t id, std::string_view name, std::int64_t bytes,
                           MatrixType element) {
  return {.id = id, .name = name, .block_bytes = bytes, .element = element};
}

/// A type that tables are in, not weights.
constexpr TensorType table(std::uint32_t id, std::string_view name, std::int64_t bytes) {
  return {.id = id, .name = name, .block_bytes = bytes, .weights = false};
}

constexpr TensorType block(std::uint32_t id, std::string_view name, std::int64_t elements,
                           std::int64_t bytes) {
  return {.id = id,
          .name = name,
          .block_elements = elements,
          .block_bytes = bytes,
          .block_quantized = true};
}

constexpr std::array tensor_types{
    plain(0, "F32", 4, MatrixType::fp32),
    plain(1, "F16", 2, MatrixType::fp16),
    block(2, "Q4_0", 32, 18),
    block(3, "Q4_1", 32, 20),
    block(6, "Q5_0", 32, 22),
    block(7, "Q5_1", 32, 24),
    block(8, "Q8_0", 32, 34),
    block(9, "Q8_1", 32, 36),
    block(10, "Q2_K", 256, 84),
    block(11, "Q3_K", 256, 110),
    block(12, "Q4_K", 256, 144),
    block(13, "Q5_K", 256, 176),
    block(14, "Q6_K", 256, 210),
    block(15, "Q8_K", 256, 292),
    block(16, "IQ2_XXS", 256, 66),
    block(17, "IQ2_XS", 256, 74),
    block(18, "IQ3_XXS", 256, 98),
    block(19, "IQ1_S", 256, 50),
    block(20, "IQ4_NL", 32, 18),
    block(21, "IQ3_S", 256, 110),
    block(22, "IQ2_S", 256, 82),
    block(23, "IQ4_XS", 256, 136),
    table(24, "I8", 1),
    table(25, "I16", 2),
    table(26, "I32", 4),
    table(27, "I64", 8),
    table(28, "F64", 8),
    block(29, "IQ1_M", 256, 56),
    plain(30, "BF16", 2, MatrixType::bf16),
    block(34, "TQ1_0", 256, 54),
    block(35, "TQ2_0", 256, 66),
    block(39, "MXFP4", 32, 17),
    block(40, "NVFP4", 64, 36),
    block(41, "Q1_0", 128, 18),
};

struct FileType {
  std::int64_t id;
  std::string_view name;
};

constexpr std::array file_types{
    FileType{0, "F32"},     FileType{1, "F16"},      FileType{2, "Q4_0"},
    FileType{3, "Q4_1"},    FileType{7, "Q8_0"},     FileType{8, "Q5_0"},
    FileType{9, "Q5_1"},    FileType{10, "Q2_K"},    FileType{11, "Q3_K_S"},
    FileType{12, "Q3_K_M"}, FileType{13, "Q3_K_L"},  FileType{14, "Q4_K_S"},
    FileType{15, "Q4_K_M"}, FileType{16, "Q5_K_S"},  FileType{17, "Q5_K_M"},
    FileType{18, "Q6_K"},   FileType{19, "IQ2_XXS"}, FileType{20, "IQ2_XS"},
    FileType{21, "Q2_K_S"}, FileType{22, "IQ3_XS"},  FileType{23, "IQ3_XXS"},
    FileType{24, "IQ1_S"},  FileType{25, "IQ4_NL"},  FileType{26, "IQ3_S"},
    FileType{27, "IQ3_M"},  FileType{28, "IQ2_S"},   FileType{29, "IQ2_M"},
    FileType{30, "IQ4_XS"}, FileType{31, "IQ1_M"},   FileType{32, "BF16"},
    FileType{36, "TQ1_0"},  FileType{37, "TQ2_0"},   FileType{38, "MXFP4_MOE"},
    FileType{39, "NVFP4"},  FileType{40, "Q1_0"},
};

}  // namespace

const TensorType* find_tensor_type(std::uint32_t id) {
  const auto* found = std::find_if(tensor_types.begin(), tensor_types.end(),
                                   [&](const TensorType& type) { return type.id == id; });
  return found == tensor_types.end() ? nullptr : found;
}

std::string_view file_type_name(std::int64_t file_type) {
  const auto* found = std::find_if(file_types.begin(), file_types.end(),
                                   [&](const FileType& type) { return type.id == file_type; });
  return found == file_types.end() ? std::string_view{} : found->name;
}

}  // namespace roofline::gguf
