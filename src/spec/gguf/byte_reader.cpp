#include "spec/gguf/byte_reader.hpp"

#include <fmt/format.h>

#include <utility>

#include "roofline/error.hpp"

namespace roofline::gguf {

std::uint64_t ByteReader::number(std::size_t size, std::string_view what) {
  const std::size_t at = position_;
  skip(size, what);
  std::uint64_t value = 0;
  for (std::size_t i = size; i > 0; --i) {
    value = value << 8 | static_cast<unsigned char>(bytes_[at + i - 1]);
  }
  return value;
}

std::uint32_t ByteReader::u32(std::string_view what) {
  return static_cast<std::uint32_t>(number(4, what));
}

std::string_view ByteReader::text(std::string_view what, std::uint64_t most) {
  const std::size_t at = position_;
  const std::uint64_t length = u64(what);
  if (length > left()) {
    fail_at(at, fmt::format("truncated: {} has {} bytes, {} are left", what, length, left()));
  }
  if (length > most) {
    fail_at(at, fmt::format("{} has {} bytes", what, length), fmt::format("at most {}", most));
  }
  const std::string_view text = bytes_.substr(position_, static_cast<std::size_t>(length));
  position_ += text.size();
  return text;
}

void ByteReader::skip(std::uint64_t size, std::string_view what) {
  if (size > left()) {
    fail(fmt::format("truncated: {} takes {} bytes, {} are left", what, size, left()));
  }
  position_ += static_cast<std::size_t>(size);
}

void ByteReader::fail(const std::string& what, std::string why, std::string fix) const {
  fail_at(position_, what, std::move(why), std::move(fix));
}

void ByteReader::fail_at(std::size_t at, const std::string& what, std::string why,
                         std::string fix) const {
  throw Error(Diagnostic{.what = what,
                         .where = fmt::format("{}: byte {}", file_, at),
                         .why = std::move(why),
                         .fix = std::move(fix)});
}

}  // namespace roofline::gguf
