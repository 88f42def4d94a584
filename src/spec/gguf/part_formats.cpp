#include "spec/gguf/part_formats.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "roofline/error.hpp"

namespace roofline::gguf {
namespace {

Size sum(const TypeSizes& sizes) {
  Size total;
  for (const auto& size : sizes) {
    total.elements += size.second.elements;
    total.bytes += size.second.bytes;
  }
  return total;
}

/// The types' numbers, the one with most bytes first.
std::vector<std::uint32_t> by_bytes(const TypeSizes& sizes) {
  std::vector<std::uint32_t> types;
  for (const auto& size : sizes) types.push_back(size.first);
  std::stable_sort(types.begin(), types.end(), [&](std::uint32_t a, std::uint32_t b) {
    return sizes.at(a).bytes > sizes.at(b).bytes;
  });
  return types;
}

const TensorType& type_of(std::uint32_t id) {
  const TensorType* type = find_tensor_type(id);
  ensure(type != nullptr, "a tensor's type is in the table");
  return *type;
}

/// The type with most bytes decides what a product is made of.
NumberFormat format_of(const TypeSizes& sizes) {
  const std::vector<std::uint32_t> types = by_bytes(sizes);
  const TensorType& main = type_of(types.front());
  const Size total = sum(sizes);
  NumberFormat format;
  for (const std::uint32_t type : types) {
    format.name += (format.name.empty() ? "" : "/") + std::string(type_of(type).name);
    format.block_inputs = std::max(format.block_inputs, type_of(type).block_elements);
  }
  format.bits = 8.0 * static_cast<double>(total.bytes) / static_cast<double>(total.elements);
  format.element = main.element;
  format.rounds_activations = main.block_quantized;
  format.for_activations = false;
  format.for_kv = false;
  format.coverage = Coverage::matrices;
  format.description = "GGUF";
  format.source = "the file's tensor infos";
  return format;
}

/// The type with most bytes in all parts.
std::string_view main_type(const PerPart<TypeSizes>& sizes) {
  TypeSizes all;
  for (const Part part : all_parts) {
    for (const auto& [type, size] : sizes[part]) all[type].bytes += size.bytes;
  }
  return all.empty() ? std::string_view{} : type_of(by_bytes(all).front()).name;
}

}  // namespace

Size total_size(const PerPart<TypeSizes>& sizes) {
  Size total;
  for (const Part part : all_parts) {
    const Size size = sum(sizes[part]);
    total.elements += size.elements;
    total.bytes += size.bytes;
  }
  return total;
}

StoredWeights stored_weights(const PerPart<TypeSizes>& sizes,
                             std::optional<std::int64_t> file_type) {
  StoredWeights stored;
  stored.origin = "GGUF tensors";
  stored.name = file_type ? file_type_name(*file_type) : std::string_view{};
  if (stored.name.empty()) stored.name = main_type(sizes);
  for (const Part part : all_parts) {
    if (!sizes[part].empty()) stored.parts[part] = format_of(sizes[part]);
  }
  return stored;
}

}  // namespace roofline::gguf
