// Writes GGUF headers for tests: metadata and tensor infos as the format has them, and as many
// zero bytes of data as the tensors need.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gguf_test {

/// Numbers and strings in the file's own form.
class Writer {
 public:
  Writer& number(std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) text_ += static_cast<char>(value >> (8 * i) & 0xff);
    return *this;
  }
  Writer& u32(std::uint32_t value) { return number(value, 4); }
  Writer& u64(std::uint64_t value) { return number(value, 8); }
  Writer& string(std::string_view text) {
    u64(text.size());
    text_ += text;
    return *this;
  }
  Writer& raw(std::string_view text) {
    text_ += text;
    return *this;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Types of metadata values.
constexpr std::uint32_t value_u32 = 4;
constexpr std::uint32_t value_f32 = 6;
constexpr std::uint32_t value_bool = 7;
constexpr std::uint32_t value_string = 8;
constexpr std::uint32_t value_array = 9;
constexpr std::uint32_t value_u64 = 10;

// Types of tensors.
constexpr std::uint32_t f32 = 0;
constexpr std::uint32_t f16 = 1;
constexpr std::uint32_t q8_0 = 8;
constexpr std::uint32_t q4_k = 12;
constexpr std::uint32_t q5_k = 13;
constexpr std::uint32_t q6_k = 14;
constexpr std::uint32_t i32 = 26;
constexpr std::uint32_t bf16 = 30;
constexpr std::uint32_t mxfp4 = 39;

struct Block {
  std::uint64_t elements;
  std::uint64_t bytes;
};

inline Block block_of(std::uint32_t type) {
  switch (type) {
    case f32:
    case i32:
      return {1, 4};
    case q8_0:
      return {32, 34};
    case q4_k:
      return {256, 144};
    case q5_k:
      return {256, 176};
    case q6_k:
      return {256, 210};
    case mxfp4:
      return {32, 17};
    default:
      return {1, 2};
  }
}

class Builder {
 public:
  Builder& number(std::string_view key, std::uint32_t value) {
    entries_.string(key).u32(value_u32).u32(value);
    return counted();
  }
  Builder& flag(std::string_view key, bool value) {
    entries_.string(key).u32(value_bool).number(value ? 1 : 0, 1);
    return counted();
  }
  Builder& text(std::string_view key, std::string_view value) {
    entries_.string(key).u32(value_string).string(value);
    return counted();
  }
  Builder& numbers(std::string_view key, const std::vector<std::uint32_t>& values) {
    entries_.string(key).u32(value_array).u32(value_u32).u64(values.size());
    for (const std::uint32_t value : values) entries_.u32(value);
    return counted();
  }
  Builder& flags(std::string_view key, const std::vector<bool>& values) {
    entries_.string(key).u32(value_array).u32(value_bool).u64(values.size());
    for (const bool value : values) entries_.number(value ? 1 : 0, 1);
    return counted();
  }
  Builder& texts(std::string_view key, std::uint64_t count, std::string_view value) {
    entries_.string(key).u32(value_array).u32(value_string).u64(count);
    for (std::uint64_t i = 0; i < count; ++i) entries_.string(value);
    return counted();
  }
  Builder& tensor(std::string_view name, std::uint32_t type,
                  const std::vector<std::uint64_t>& dims) {
    infos_.string(name).u32(static_cast<std::uint32_t>(dims.size()));
    std::uint64_t elements = 1;
    for (const std::uint64_t dim : dims) {
      infos_.u64(dim);
      elements *= dim;
    }
    infos_.u32(type).u64(data_);
    const Block block = block_of(type);
    last_ = data_ + elements / block.elements * block.bytes;
    bytes_ += elements / block.elements * block.bytes;
    elements_ += elements;
    data_ = (last_ + 31) / 32 * 32;
    ++tensors_;
    return *this;
  }

  /// Magic number, version, counts, metadata, tensor infos.
  [[nodiscard]] std::string header() const {
    Writer writer;
    writer.raw("GGUF").u32(3).u64(tensors_).u64(keys_);
    return writer.raw(entries_.text()).raw(infos_.text()).text();
  }
  /// Of the whole file.
  [[nodiscard]] std::uint64_t file_size() const { return (header().size() + 31) / 32 * 32 + last_; }
  [[nodiscard]] std::string file() const {
    std::string text = header();
    text.resize(file_size());
    return text;
  }
  /// Writes a sparse file: its data takes no space.
  void write(const std::filesystem::path& path) const {
    const std::string text = header();
    std::FILE* file = std::fopen(path.c_str(), "wb");
    std::fwrite(text.data(), 1, text.size(), file);
    std::fclose(file);
    std::filesystem::resize_file(path, file_size());
  }

  [[nodiscard]] std::uint64_t elements() const { return elements_; }  ///< of all tensors
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }        ///< of all tensors

 private:
  Builder& counted() {
    ++keys_;
    return *this;
  }

  Writer entries_;
  Writer infos_;
  std::uint64_t keys_ = 0;
  std::uint64_t tensors_ = 0;
  std::uint64_t data_ = 0;
  std::uint64_t last_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t elements_ = 0;
};

}  // namespace gguf_test
