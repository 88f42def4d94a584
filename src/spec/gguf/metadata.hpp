// The metadata of one architecture ("llama.block_count"), read by type and within limits, with a
// record of what was read, so that what was not can be told.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "spec/gguf/gguf_file.hpp"

namespace roofline::gguf {

constexpr std::int64_t most_blocks = 1'000;
constexpr std::int64_t most_width = 100'000'000;
constexpr std::int64_t most_context = 1'000'000'000;

class Metadata {
 public:
  /// Throws Error unless general.architecture is there.
  explicit Metadata(const GgufFile& file);

  [[nodiscard]] const std::string& architecture() const { return architecture_; }
  [[nodiscard]] const std::string& file_name() const { return file_.name; }

  /// The value of "ARCHITECTURE.key", nullptr where it is absent.
  [[nodiscard]] const GgufValue* find(std::string_view key);
  /// A whole number within least .. most; none where absent. Throws for an array.
  [[nodiscard]] std::optional<std::int64_t> optional_count(std::string_view key, std::int64_t most,
                                                           std::int64_t least = 1);
  /// The same; throws where absent.
  [[nodiscard]] std::int64_t count(std::string_view key, std::int64_t most, std::int64_t least = 1);
  /// The same of one of `blocks` blocks: the key's array has a number for each, or one is for all.
  [[nodiscard]] std::optional<std::int64_t> optional_count_of(std::string_view key,
                                                              std::int64_t block,
                                                              std::int64_t blocks);
  [[nodiscard]] bool flag_or(std::string_view key, bool fallback);

  /// A string or whole number of "general.key" or "split.key"; none where absent or not kept.
  [[nodiscard]] std::optional<std::string> general_text(std::string_view key) const;
  [[nodiscard]] std::optional<std::int64_t> general_number(std::string_view key) const;

  /// Keys of the architecture that nothing asked for and that may change the answer.
  [[nodiscard]] std::vector<std::string> unread() const;

  /// "gemma2.attention.sliding_window is absent: 4096, the architecture's default"; once.
  void note_default(std::string_view key, const std::string& value);
  [[nodiscard]] const std::vector<std::string>& defaults() const { return defaults_; }

  /// "llama.block_count"
  [[nodiscard]] std::string full(std::string_view key) const;
  [[noreturn]] void fail(const std::string& what, std::string why = {}, std::string fix = {}) const;

 private:
  [[nodiscard]] std::int64_t whole(std::string_view key, const GgufValue& value, std::int64_t most,
                                   std::int64_t least) const;
  [[noreturn]] void fail_range(std::string_view key, std::int64_t value, std::int64_t most,
                               std::int64_t least) const;

  const GgufFile& file_;
  std::string architecture_;
  std::set<std::string, std::less<>> read_;
  std::vector<std::string> defaults_;
};

}  // namespace roofline::gguf
