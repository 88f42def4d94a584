// The header of a safetensors file: which tensors it holds, and where. The tensors themselves are
// never read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace roofline::safetensors {

/// What an element is stored as.
enum class ElementType {
  f64,
  f32,
  f16,
  bf16,
  f8_e4m3,
  f8_e5m2,
  f8_e4m3fnuz,
  f8_e5m2fnuz,
  f8_e8m0,
  f6_e2m3,
  f6_e3m2,
  f4,
  i64,
  i32,
  i16,
  i8,
  u64,
  u32,
  u16,
  u8,
  boolean,
  c64
};
inline constexpr std::size_t element_type_count = 22;

/// "BF16", as the file spells it.
[[nodiscard]] std::string_view to_string(ElementType type);
[[nodiscard]] int bits_of(ElementType type);
[[nodiscard]] bool is_floating_point(ElementType type);

struct Tensor {
  std::string name;
  ElementType type = ElementType::f32;
  int dimensions = 0;         ///< 0: one element
  std::int64_t elements = 0;  ///< the product of the dimensions
  std::int64_t begin = 0;     ///< byte after the header
  std::int64_t end = 0;       ///< byte behind the last

  [[nodiscard]] std::int64_t bytes() const { return end - begin; }
  friend bool operator==(const Tensor&, const Tensor&) = default;
};

/// True for a file that stands for one in a Git large file store and holds no tensors.
[[nodiscard]] bool is_lfs_pointer(std::string_view bytes);

/// The tensors of a file of `file_bytes` bytes that starts with `start`, which holds the header;
/// in the header's order. Every size and offset is checked against the file's size. Throws Error.
[[nodiscard]] std::vector<Tensor> read_safetensors_header(std::string_view start,
                                                          std::uint64_t file_bytes,
                                                          const std::string& file);
/// The same of a whole file.
[[nodiscard]] std::vector<Tensor> read_safetensors_header(std::string_view bytes,
                                                          const std::string& file);

}  // namespace roofline::safetensors
