// Little-endian numbers and strings of a file's bytes, one after the other, within its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace roofline::gguf {

class ByteReader {
 public:
  ByteReader(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  [[nodiscard]] std::size_t position() const { return position_; }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - position_; }

  /// An unsigned number of `size` bytes; `what` names it in the message that there is none.
  [[nodiscard]] std::uint64_t number(std::size_t size, std::string_view what);
  [[nodiscard]] std::uint32_t u32(std::string_view what);
  [[nodiscard]] std::uint64_t u64(std::string_view what) { return number(8, what); }
  /// A length of 64 bits and so many bytes, at most `most`.
  [[nodiscard]] std::string_view text(std::string_view what, std::uint64_t most);
  void skip(std::uint64_t size, std::string_view what);

  /// Throws Error at byte `at`, by default at the next one.
  [[noreturn]] void fail(const std::string& what, std::string why = {}, std::string fix = {}) const;
  [[noreturn]] void fail_at(std::size_t at, const std::string& what, std::string why = {},
                            std::string fix = {}) const;

 private:
  std::string_view bytes_;
  const std::string& file_;
  std::size_t position_ = 0;
};

}  // namespace roofline::gguf
