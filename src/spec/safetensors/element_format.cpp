#include "spec/safetensors/element_format.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace roofline::safetensors {

std::optional<MatrixType> matrix_type_of(ElementType type) {
  switch (type) {
    case ElementType::f64:
      return MatrixType::fp64;
    case ElementType::f32:
      return MatrixType::fp32;
    case ElementType::f16:
      return MatrixType::fp16;
    case ElementType::bf16:
      return MatrixType::bf16;
    case ElementType::f8_e4m3:
    case ElementType::f8_e5m2:
    case ElementType::f8_e4m3fnuz:
    case ElementType::f8_e5m2fnuz:
    case ElementType::f8_e8m0:
      return MatrixType::fp8;
    case ElementType::f6_e2m3:
    case ElementType::f6_e3m2:
      return MatrixType::fp6;
    case ElementType::f4:
      return MatrixType::fp4;
    case ElementType::i8:
      return MatrixType::int8;
    case ElementType::i64:
    case ElementType::i32:
    case ElementType::i16:
    case ElementType::u64:
    case ElementType::u32:
    case ElementType::u16:
    case ElementType::u8:
    case ElementType::boolean:
    case ElementType::c64:
      return std::nullopt;
  }
  return std::nullopt;
}

NumberFormat format_of(const std::array<std::int64_t, element_type_count>& counts) {
  std::vector<std::size_t> present;
  double bits = 0;
  double weights = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    present.push_back(i);
    weights += static_cast<double>(counts[i]);
    bits += static_cast<double>(counts[i]) * bits_of(static_cast<ElementType>(i));
  }
  std::stable_sort(present.begin(), present.end(),
                   [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
  NumberFormat format;
  format.source = "the tensors' own types";
  if (present.empty()) return format;
  format.name.clear();
  for (const std::size_t i : present) {
    const auto type = matrix_type_of(static_cast<ElementType>(i));
    const std::string name(type ? to_string(*type) : to_string(static_cast<ElementType>(i)));
    if (format.name.find(name) != std::string::npos) continue;
    format.name += (format.name.empty() ? "" : " and ") + name;
  }
  format.element =
      matrix_type_of(static_cast<ElementType>(present.front())).value_or(MatrixType::fp32);
  format.bits = bits / weights;
  return format;
}

NumberFormat packed_format(std::int64_t bytes, std::int64_t parameters) {
  // 4 bits with a 16-bit scale and zero point for each 32 weights take 5.
  constexpr double most_of_four_bits = 5;
  NumberFormat format;
  format.bits = 8 * static_cast<double>(bytes) / static_cast<double>(parameters);
  format.element = format.bits <= most_of_four_bits ? MatrixType::int4 : MatrixType::int8;
  format.name = "packed " + std::string(to_string(format.element));
  format.for_activations = false;
  format.for_kv = false;
  format.coverage = Coverage::layers;
  format.source = "the tensors' sizes";
  return format;
}

}  // namespace roofline::safetensors
