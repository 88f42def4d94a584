#include "spec/gguf/gguf_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <set>

#include "spec/gguf/byte_reader.hpp"

namespace roofline::gguf {
namespace {

// Limits that no real file comes near; they bound time and memory for any file.
constexpr std::uint64_t most_entries = 10'000;
constexpr std::uint64_t most_tensors = 65'536;
constexpr std::uint64_t longest_key = 256;
constexpr std::uint64_t longest_tensor_name = 128;  // ggml's own limit is 64
constexpr std::uint64_t longest_kept_text = 1024;
constexpr std::uint64_t longest_kept_array = 10'000;
constexpr std::uint64_t most_kept_numbers = 500'000;     // of all arrays together
constexpr std::uint64_t most_skipped_texts = 4'000'000;  // a tokenizer has some 10^5
constexpr std::uint64_t largest_dimension = (1ULL << 31) - 1;
constexpr std::uint64_t smallest_entry = 8 + 4 + 1;     // a key, a type and a value
constexpr std::uint64_t smallest_info = 8 + 4 + 4 + 8;  // a name, a rank, a type and an offset
constexpr std::uint64_t default_alignment = 32;
constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

enum class ValueType : std::uint32_t {
  u8,
  i8,
  u16,
  i16,
  u32,
  i32,
  f32,
  boolean,
  text,
  array,
  u64,
  i64,
  f64
};
constexpr std::uint32_t value_types = 13;

std::size_t size_of(ValueType type) {
  switch (type) {
    case ValueType::u8:
    case ValueType::i8:
    case ValueType::boolean:
      return 1;
    case ValueType::u16:
    case ValueType::i16:
      return 2;
    case ValueType::u32:
    case ValueType::i32:
    case ValueType::f32:
      return 4;
    default:
      return 8;
  }
}

class HeaderReader {
 public:
  HeaderReader(std::string_view bytes, const std::string& file) : reader_(bytes, file) {
    file_.name = file;
  }

  [[nodiscard]] GgufFile read() {
    read_version();
    const std::uint64_t tensors = read_count("tensors", smallest_info, most_tensors);
    const std::uint64_t entries = read_count("metadata entries", smallest_entry, most_entries);
    for (std::uint64_t i = 0; i < entries; ++i) read_entry();
    const std::uint64_t alignment = read_alignment();
    file_.tensors.reserve(static_cast<std::size_t>(tensors));
    for (std::uint64_t i = 0; i < tensors; ++i) read_tensor(alignment);
    check_places(alignment);
    return std::move(file_);
  }

 private:
  void read_version() {
    if (reader_.left() < 4 || reader_.number(4, "the magic number") != 0x46554747) {
      reader_.fail_at(0, "not a GGUF file", "it does not start with \"GGUF\"");
    }
    file_.version = reader_.u32("the version");
    if (file_.version == 2 || file_.version == 3) return;
    if ((file_.version & 0xffff) == 0 && file_.version != 0) {
      reader_.fail_at(4, "a big-endian GGUF file", "only little-endian files are read",
                      "gguf_convert_endian.py turns it round");
    }
    reader_.fail_at(4, fmt::format("GGUF version {}", file_.version), "versions 2 and 3 are read",
                    file_.version == 1 ? "convert the model again" : "");
  }

  std::uint64_t read_count(std::string_view what, std::uint64_t smallest, std::uint64_t most) {
    const std::size_t at = reader_.position();
    const std::uint64_t count = reader_.u64(what);
    if (count > reader_.left() / smallest) {
      reader_.fail_at(at, fmt::format("{} {} do not fit into the file", count, what),
                      fmt::format("{} bytes are left", reader_.left()));
    }
    if (count > most) {
      reader_.fail_at(at, fmt::format("{} {} are out of range", count, what),
                      fmt::format("at most {}", most));
    }
    return count;
  }

  void read_entry() {
    const std::size_t at = reader_.position();
    const std::string key(reader_.text("a key", longest_key));
    if (file_.metadata.contains(key)) {
      reader_.fail_at(at, fmt::format("the key '{}' is there twice", printable(key)));
    }
    const ValueType type = read_value_type(key);
    file_.metadata[key] = type == ValueType::array ? read_array(key) : read_scalar(type, key);
  }

  ValueType read_value_type(std::string_view key) {
    const std::size_t at = reader_.position();
    const std::uint32_t type = reader_.u32("a value's type");
    if (type >= value_types) {
      reader_.fail_at(at, fmt::format("'{}' has a value of unknown type {}", printable(key), type));
    }
    return static_cast<ValueType>(type);
  }

  GgufValue read_scalar(ValueType type, std::string_view key) {
    GgufValue value;
    if (type == ValueType::text) {
      const std::string_view text = reader_.text("a string", no_limit);
      value.count = text.size();
      if (text.size() <= longest_kept_text) value.value = std::string(text);
    } else if (type == ValueType::f32) {
      value.value = static_cast<double>(std::bit_cast<float>(reader_.u32("a number")));
    } else if (type == ValueType::f64) {
      value.value = std::bit_cast<double>(reader_.u64("a number"));
    } else if (type == ValueType::boolean) {
      value.value = read_boolean(key);
    } else {
      const auto number = read_integer(type);
      if (number) value.value = *number;
    }
    return value;
  }

  bool read_boolean(std::string_view key) {
    const std::size_t at = reader_.position();
    const std::uint64_t byte = reader_.number(1, "a truth value");
    if (byte > 1) {
      reader_.fail_at(at, fmt::format("'{}' has a truth value of {}", printable(key), byte),
                      "it is 0 or 1");
    }
    return byte == 1;
  }

  /// None for an unsigned number of 2^63 or more: no count of a model is one.
  std::optional<std::int64_t> read_integer(ValueType type) {
    const std::uint64_t bits = reader_.number(size_of(type), "a number");
    switch (type) {
      case ValueType::i8:
        return static_cast<std::int8_t>(bits);
      case ValueType::i16:
        return static_cast<std::int16_t>(bits);
      case ValueType::i32:
        return static_cast<std::int32_t>(bits);
      case ValueType::u64:
        if (bits > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
        return static_cast<std::int64_t>(bits);
      default:
        return static_cast<std::int64_t>(bits);
    }
  }

  GgufValue read_array(std::string_view key) {
    const ValueType type = read_value_type(key);
    const std::size_t at = reader_.position();
    if (type == ValueType::array) {
      reader_.fail_at(at, fmt::format("'{}' is an array of arrays", printable(key)));
    }
    GgufValue array{.value = {}, .is_array = true, .count = reader_.u64("an array's length")};
    if (array.count > reader_.left() / size_of(type)) {
      reader_.fail_at(at,
                      fmt::format("an array of {} elements in '{}' does not fit into the file",
                                  array.count, printable(key)),
                      fmt::format("{} bytes are left", reader_.left()));
    }
    if (type == ValueType::text) {
      skip_texts(array.count, at);
    } else if (type == ValueType::f32 || type == ValueType::f64 || !keep(array.count)) {
      reader_.skip(array.count * size_of(type), "an array");
    } else {
      array.value = read_integers(type, array.count, key);
    }
    return array;
  }

  bool keep(std::uint64_t count) {
    if (count > longest_kept_array || kept_numbers_ + count > most_kept_numbers) return false;
    kept_numbers_ += count;
    return true;
  }

  std::vector<std::int64_t> read_integers(ValueType type, std::uint64_t count,
                                          std::string_view key) {
    std::vector<std::int64_t> numbers;
    numbers.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) {
      numbers.push_back(type == ValueType::boolean ? static_cast<std::int64_t>(read_boolean(key))
                                                   : read_integer(type).value_or(-1));
    }
    return numbers;
  }

  void skip_texts(std::uint64_t count, std::size_t at) {
    skipped_texts_ += count;
    if (skipped_texts_ > most_skipped_texts) {
      reader_.fail_at(at, fmt::format("arrays of {} strings are out of range", skipped_texts_),
                      fmt::format("at most {}", most_skipped_texts));
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      static_cast<void>(reader_.text("a string of an array", no_limit));
    }
  }

  std::uint64_t read_alignment() {
    const auto entry = file_.metadata.find("general.alignment");
    if (entry == file_.metadata.end()) return default_alignment;
    const auto* number = std::get_if<std::int64_t>(&entry->second.value);
    if (number == nullptr || *number <= 0 || *number > (1LL << 30) ||
        !std::has_single_bit(static_cast<std::uint64_t>(*number))) {
      reader_.fail("general.alignment is no power of two");
    }
    return static_cast<std::uint64_t>(*number);
  }

  void read_tensor(std::uint64_t alignment) {
    const std::size_t at = reader_.position();
    GgufTensor tensor;
    const std::string_view name = reader_.text("a tensor's name", longest_tensor_name);
    tensor.name = name;
    if (!names_.insert(name).second) {
      reader_.fail_at(at, fmt::format("the tensor '{}' is there twice", printable(tensor.name)));
    }
    read_shape(tensor, at);
    read_type(tensor, at);
    tensor.offset = reader_.u64("a tensor's offset");
    if (tensor.offset % alignment != 0) {
      fail_tensor(tensor, at, fmt::format("starts at {}", tensor.offset),
                  fmt::format("no multiple of the alignment, {}", alignment));
    }
    file_.tensors.push_back(std::move(tensor));
  }

  void read_shape(GgufTensor& tensor, std::size_t at) {
    tensor.rank = reader_.u32("a tensor's rank");
    if (tensor.rank > tensor.dims.size()) {
      fail_tensor(tensor, at, fmt::format("has {} dimensions", tensor.rank), "at most 4");
    }
    for (std::size_t i = 0; i < tensor.rank; ++i) {
      const std::uint64_t dimension = reader_.u64("a tensor's dimension");
      if (dimension == 0 || dimension > largest_dimension) {
        fail_tensor(tensor, at, fmt::format("has a dimension of {}", dimension), "out of range");
      }
      tensor.dims[i] = static_cast<std::int64_t>(dimension);
      // A type has 16 bytes an element at most: what is checked here, bytes cannot overflow.
      if (tensor.elements > (std::numeric_limits<std::int64_t>::max() / 16) / tensor.dims[i]) {
        fail_tensor(tensor, at, "has more elements than can be counted", {});
      }
      tensor.elements *= tensor.dims[i];
    }
  }

  void read_type(GgufTensor& tensor, std::size_t at) {
    const std::uint32_t id = reader_.u32("a tensor's type");
    tensor.type = find_tensor_type(id);
    if (tensor.type == nullptr) fail_tensor(tensor, at, fmt::format("has unknown type {}", id), {});
    if (tensor.dims[0] % tensor.type->block_elements != 0) {
      fail_tensor(
          tensor, at, fmt::format("has rows of {} elements", tensor.dims[0]),
          fmt::format("{} has blocks of {}", tensor.type->name, tensor.type->block_elements));
    }
    tensor.bytes = static_cast<std::uint64_t>(tensor.elements / tensor.type->block_elements *
                                              tensor.type->block_bytes);
  }

  /// Tensors lie within the file, and beside each other.
  void check_places(std::uint64_t alignment) {
    const std::uint64_t start = (reader_.position() + alignment - 1) / alignment * alignment;
    const std::uint64_t size = reader_.position() + reader_.left();
    std::vector<const GgufTensor*> places;
    places.reserve(file_.tensors.size());
    for (const GgufTensor& tensor : file_.tensors) places.push_back(&tensor);
    std::sort(places.begin(), places.end(),
              [](const GgufTensor* a, const GgufTensor* b) { return a->offset < b->offset; });
    std::uint64_t end = 0;  // of the tensor before, behind `start`
    for (const GgufTensor* tensor : places) {
      if (tensor->offset < end) fail_tensor(*tensor, reader_.position(), "overlaps another", {});
      if (start > size || tensor->offset > size - start ||
          tensor->bytes > size - start - tensor->offset) {
        fail_truncated(*tensor, start, size);
      }
      end = tensor->offset + tensor->bytes;
    }
  }

  [[noreturn]] void fail_truncated(const GgufTensor& tensor, std::uint64_t start,
                                   std::uint64_t size) {
    const bool absurd = tensor.offset > no_limit - start - tensor.bytes;
    fail_tensor(tensor, static_cast<std::size_t>(size),
                absurd ? "starts beyond any file"
                       : fmt::format("ends at byte {}", start + tensor.offset + tensor.bytes),
                fmt::format("truncated: the file has {} bytes", size), "download it again");
  }

  [[noreturn]] void fail_tensor(const GgufTensor& tensor, std::size_t at, const std::string& what,
                                std::string why, std::string fix = {}) {
    reader_.fail_at(at, fmt::format("tensor '{}' {}", printable(tensor.name), what), std::move(why),
                    std::move(fix));
  }

  ByteReader reader_;
  GgufFile file_;
  std::set<std::string_view> names_;  // of tensors, in the file itself
  std::uint64_t kept_numbers_ = 0;
  std::uint64_t skipped_texts_ = 0;
};

}  // namespace

GgufFile read_gguf_file(std::string_view bytes, const std::string& file) {
  return HeaderReader(bytes, file).read();
}

std::string printable(std::string_view text) {
  constexpr std::size_t most = 80;
  std::string result(text.substr(0, most));
  for (char& c : result) {
    if (c < ' ' || c > '~') c = '?';
  }
  if (text.size() > most) result += "...";
  return result;
}

}  // namespace roofline::gguf
