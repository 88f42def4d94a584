#include "spec/safetensors/safetensors_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "base/printable.hpp"
#include "roofline/error.hpp"
#include "spec/safetensors/json_stream.hpp"

namespace roofline::safetensors {
namespace {

// Limits that no real file comes near. The format itself allows a header of 100 MB; the largest
// models have less than 100,000 tensors in all their files together, 130 bytes of header each.
constexpr std::uint64_t longest_header = 16'777'216;
constexpr std::size_t most_tensors = 200'000;
constexpr std::size_t longest_name = 1'000;
constexpr std::uint64_t largest_file = 100'000'000'000'000;
constexpr std::uint64_t most_elements = 1'000'000'000'000'000;
constexpr int most_dimensions = 32;
constexpr std::uint64_t length_bytes = 8;

struct TypeRow {
  std::string_view name;
  int bits;
};

/// In the order of ElementType.
constexpr std::array<TypeRow, element_type_count> type_rows{{
    {"F64", 64},    {"F32", 32},        {"F16", 16},        {"BF16", 16},   {"F8_E4M3", 8},
    {"F8_E5M2", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"F8_E8M0", 8}, {"F6_E2M3", 6},
    {"F6_E3M2", 6}, {"F4", 4},          {"I64", 64},        {"I32", 32},    {"I16", 16},
    {"I8", 8},      {"U64", 64},        {"U32", 32},        {"U16", 16},    {"U8", 8},
    {"BOOL", 8},    {"C64", 64},
}};

const TypeRow& row_of(ElementType type) {
  return type_rows[static_cast<std::size_t>(type)];
}

[[noreturn]] void refuse(const std::string& file, const std::string& what, std::string why = {},
                         std::string fix = {}) {
  throw Error(
      Diagnostic{.what = what, .where = file, .why = std::move(why), .fix = std::move(fix)});
}

/// Follows the header's JSON: an object of tensors, each an object of three fields.
class HeaderReader {
 public:
  explicit HeaderReader(const std::string& file) : file_(file) {}

  void visit(const JsonEvent& event) {
    switch (inside_) {
      case Inside::nothing:
        inside_ = Inside::file;  // the first byte is an opening brace
        return;
      case Inside::file:
        return in_file(event);
      case Inside::metadata:
        return in_metadata(event);
      case Inside::tensor:
        return in_tensor(event);
      case Inside::shape:
        return in_shape(event);
      case Inside::offsets:
        return in_offsets(event);
    }
  }

  [[nodiscard]] std::vector<Tensor> take() { return std::move(tensors_); }

 private:
  enum class Inside { nothing, file, metadata, tensor, shape, offsets };
  enum class Field { none, type, shape, offsets };
  using Kind = JsonEvent::Kind;

  [[noreturn]] void fail(const std::string& what, std::string why = {}) const {
    const std::string place =
        in_metadata_ ? "__metadata__" : fmt::format("tensor {}", shown(tensor_.name));
    refuse(file_, fmt::format("{}: {}", place, what), std::move(why));
  }

  void in_file(const JsonEvent& event) {
    if (event.kind == Kind::key) {
      in_metadata_ = event.text == "__metadata__";
      if (!in_metadata_) start_tensor(event.text);
    } else if (event.kind == Kind::object_start) {
      inside_ = in_metadata_ ? Inside::metadata : Inside::tensor;
    } else if (event.kind != Kind::object_end) {
      fail("is no object");
    }
  }

  void in_metadata(const JsonEvent& event) {
    if (event.kind == Kind::object_end) {
      inside_ = Inside::file;
    } else if (event.kind != Kind::key && event.kind != Kind::text) {
      fail("holds something other than texts");
    }
  }

  void start_tensor(std::string_view name) {
    tensor_ = {};
    tensor_.name = name;
    if (name.size() > longest_name) {
      fail(fmt::format("its name is longer than {} bytes", longest_name));
    }
    if (std::any_of(name.begin(), name.end(), is_control_character)) {
      fail("its name has a control character");
    }
    if (tensors_.size() == most_tensors) {
      refuse(file_, fmt::format("more than {} tensors", most_tensors));
    }
    field_ = Field::none;
    type_.reset();
    has_shape_ = false;
    offsets_ = 0;
    has_offsets_ = false;
  }

  void in_tensor(const JsonEvent& event) {
    if (event.kind == Kind::object_end) return end_tensor();
    if (event.kind == Kind::key) return start_field(event.text);
    if (field_ == Field::type && event.kind == Kind::text) return read_type(event.text);
    if (field_ == Field::shape && event.kind == Kind::array_start) {
      inside_ = Inside::shape;
      has_shape_ = true;
      tensor_.elements = 1;
    } else if (field_ == Field::offsets && event.kind == Kind::array_start) {
      inside_ = Inside::offsets;
      has_offsets_ = true;
    } else {
      fail(field_ == Field::type ? "its dtype is no text" : "its shape or offsets are no list");
    }
  }

  void start_field(std::string_view key) {
    if (key != "dtype" && key != "shape" && key != "data_offsets") {
      fail(fmt::format("unknown key {}", shown(key)), "known: dtype, shape, data_offsets");
    }
    field_ = key == "dtype" ? Field::type : key == "shape" ? Field::shape : Field::offsets;
    if ((field_ == Field::type && type_) || (field_ == Field::shape && has_shape_) ||
        (field_ == Field::offsets && has_offsets_)) {
      fail(fmt::format("'{}' stands twice", key));
    }
  }

  void read_type(std::string_view name) {
    const auto* const found = std::find_if(type_rows.begin(), type_rows.end(),
                                           [&](const TypeRow& row) { return row.name == name; });
    if (found == type_rows.end()) {
      fail(fmt::format("unknown dtype {}", shown(name)), "its size in bytes is not known");
    }
    type_ = static_cast<ElementType>(found - type_rows.begin());
  }

  void in_shape(const JsonEvent& event) {
    if (event.kind == Kind::array_end) {
      inside_ = Inside::tensor;
      return;
    }
    if (event.kind != Kind::whole_number) fail("a dimension is no whole number from 0 on");
    if (++tensor_.dimensions > most_dimensions) {
      fail(fmt::format("more than {} dimensions", most_dimensions));
    }
    const auto elements = static_cast<std::uint64_t>(tensor_.elements);
    if (event.whole > most_elements || (elements > 0 && event.whole > most_elements / elements)) {
      fail(fmt::format("more than {} elements", most_elements));
    }
    tensor_.elements = static_cast<std::int64_t>(elements * event.whole);
  }

  void in_offsets(const JsonEvent& event) {
    if (event.kind == Kind::array_end) {
      if (offsets_ != 2) fail("data_offsets is no pair");
      inside_ = Inside::tensor;
      return;
    }
    if (event.kind != Kind::whole_number) fail("an offset is no whole number from 0 on");
    if (event.whole > largest_file) fail(fmt::format("offset {} is out of range", event.whole));
    const auto offset = static_cast<std::int64_t>(event.whole);
    if (++offsets_ > 2) fail("data_offsets is no pair");
    (offsets_ == 1 ? tensor_.begin : tensor_.end) = offset;
  }

  void end_tensor() {
    if (!type_) fail("needs 'dtype'");
    if (!has_shape_) fail("needs 'shape'");
    if (!has_offsets_) fail("needs 'data_offsets'");
    if (tensor_.begin > tensor_.end) {
      fail(fmt::format("ends at byte {} before it begins at byte {}", tensor_.end, tensor_.begin));
    }
    tensor_.type = *type_;
    const std::int64_t bytes = (tensor_.elements * bits_of(*type_) + 7) / 8;
    if (bytes != tensor_.bytes()) {
      fail(
          fmt::format("its offsets hold {} bytes, its shape and dtype {}", tensor_.bytes(), bytes));
    }
    tensors_.push_back(std::move(tensor_));
    inside_ = Inside::file;
  }

  const std::string& file_;
  std::vector<Tensor> tensors_;
  Inside inside_ = Inside::nothing;
  bool in_metadata_ = false;
  Tensor tensor_;
  Field field_ = Field::none;
  std::optional<ElementType> type_;
  bool has_shape_ = false;
  bool has_offsets_ = false;
  int offsets_ = 0;
};

void refuse_duplicates(const std::vector<Tensor>& tensors, const std::string& file) {
  std::vector<std::pair<std::size_t, std::size_t>> hashes;
  hashes.reserve(tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    hashes.emplace_back(std::hash<std::string>{}(tensors[i].name), i);
  }
  std::sort(hashes.begin(), hashes.end());
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    for (std::size_t j = i + 1; j < hashes.size() && hashes[j].first == hashes[i].first; ++j) {
      const std::string& name = tensors[hashes[i].second].name;
      if (name == tensors[hashes[j].second].name) {
        refuse(file, fmt::format("tensor {} stands twice", shown(name)));
      }
    }
  }
}

/// The tensors lie one behind the other, without holes, and fill the file.
void check_layout(const std::vector<Tensor>& tensors, std::int64_t data_bytes,
                  const std::string& file) {
  std::vector<std::size_t> order(tensors.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(tensors[a].begin, tensors[a].end) <
           std::pair(tensors[b].begin, tensors[b].end);
  });
  std::int64_t end = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Tensor& tensor = tensors[order[i]];
    if (tensor.begin < end) {
      refuse(file,
             fmt::format("tensor {}: begins at byte {}, inside of tensor {}, which ends at {}",
                         shown(tensor.name), tensor.begin, shown(tensors[order[i - 1]].name), end));
    }
    if (tensor.begin > end) {
      refuse(file, fmt::format("tensor {}: begins at byte {}, the one before it ends at {}",
                               shown(tensor.name), tensor.begin, end));
    }
    end = tensor.end;
  }
  if (end != data_bytes) {
    refuse(file, fmt::format("holds {} bytes of tensors, its header describes {}", data_bytes, end),
           end > data_bytes ? "the file is truncated" : "something follows the tensors",
           "download it again");
  }
}

std::uint64_t header_length(std::string_view start, std::uint64_t file_bytes,
                            const std::string& file) {
  if (is_lfs_pointer(start)) {
    refuse(file, "is a pointer of Git's large file storage, not the file itself", {},
           "git lfs pull");
  }
  if (file_bytes < length_bytes || start.size() < length_bytes) {
    refuse(file, fmt::format("{} bytes are no safetensors file", file_bytes),
           "the first 8 are the length of its header");
  }
  if (file_bytes > largest_file) refuse(file, fmt::format("{} bytes are too many", file_bytes));
  std::uint64_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) {
    length = length << 8U | static_cast<unsigned char>(start[i]);
  }
  if (length > file_bytes - length_bytes) {
    refuse(file,
           fmt::format("byte 0: a header of {} bytes in a file of {} bytes", length, file_bytes),
           "the file is truncated, or no safetensors file");
  }
  if (length > longest_header) {
    refuse(file, fmt::format("byte 0: a header of {} bytes", length),
           fmt::format("read are headers of up to {} bytes", longest_header));
  }
  return length;
}

}  // namespace

std::string_view to_string(ElementType type) {
  return row_of(type).name;
}

int bits_of(ElementType type) {
  return row_of(type).bits;
}

bool is_floating_point(ElementType type) {
  return to_string(type).starts_with('F') || type == ElementType::bf16;
}

bool is_lfs_pointer(std::string_view bytes) {
  return bytes.starts_with("version https://git-lfs");
}

std::vector<Tensor> read_safetensors_header(std::string_view start, std::uint64_t file_bytes,
                                            const std::string& file) {
  const std::uint64_t length = header_length(start, file_bytes, file);
  const std::string_view header = start.substr(length_bytes, length);
  ensure(header.size() == length, "a safetensors header was not handed over whole");
  if (!header.starts_with('{')) {
    refuse(file, "byte 8: the header does not start with '{'", "it is no safetensors file");
  }
  HeaderReader reader(file);
  constexpr int deepest = 3;  // the file, a tensor, its shape
  read_json_stream(header, {.file = file, .first_byte = length_bytes}, deepest,
                   [&](const JsonEvent& event) { reader.visit(event); });
  std::vector<Tensor> tensors = reader.take();
  refuse_duplicates(tensors, file);
  check_layout(tensors, static_cast<std::int64_t>(file_bytes - length_bytes - length), file);
  return tensors;
}

std::vector<Tensor> read_safetensors_header(std::string_view bytes, const std::string& file) {
  return read_safetensors_header(bytes, bytes.size(), file);
}

}  // namespace roofline::safetensors
