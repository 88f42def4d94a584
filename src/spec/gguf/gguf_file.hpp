// A GGUF file's header: metadata and what each tensor is, not what it holds. Nothing in the file
// is trusted: every length, count, offset and type is checked before it is used.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "spec/gguf/tensor_types.hpp"

namespace roofline::gguf {

/// A value of the metadata. Long strings, long arrays and arrays of strings or fractions are not
/// kept (monostate), but counted.
struct GgufValue {
  std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<std::int64_t>>
      value;
  bool is_array = false;
  std::uint64_t count = 1;  ///< elements of an array, bytes of a string

  friend bool operator==(const GgufValue&, const GgufValue&) = default;
};

struct GgufTensor {
  std::string name;
  const TensorType* type = nullptr;              ///< of the table, never null
  std::array<std::int64_t, 4> dims{1, 1, 1, 1};  ///< the first is contiguous: a matrix's input
  std::size_t rank = 0;
  std::int64_t elements = 1;
  std::uint64_t bytes = 0;
  std::uint64_t offset = 0;  ///< behind the start of the data
};

struct GgufFile {
  std::string name;  ///< for messages
  std::uint32_t version = 0;
  std::map<std::string, GgufValue, std::less<>> metadata;
  std::vector<GgufTensor> tensors;
};

/// Reads the header of `bytes`, a whole file; `file` names it in messages. The tensors' data is
/// not looked at, but must be there. Throws Error.
[[nodiscard]] GgufFile read_gguf_file(std::string_view bytes, const std::string& file);

/// Text of a file, fit to be printed: at most 80 bytes of ASCII, the rest as "?" or "...".
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace roofline::gguf
