// A shell script as its readers share it: the text, where messages point, and what it may cost.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "spec/serving/shell_words.hpp"

namespace roofline {

/// Blocks, and words inside ${...}, that may lie in each other.
inline constexpr std::size_t most_shell_nesting = 100;

/// Adds `name` where it is not yet listed; of very many the first are kept.
void add_unresolved(std::vector<std::string>& list, std::string_view name);
void add_unresolved(std::vector<std::string>& list, const std::vector<std::string>& names);

[[nodiscard]] bool is_shell_name(std::string_view text);

class ShellSource {
 public:
  ShellSource(std::string_view text, const std::string& file, const PlaceOfOffset& place_of)
      : text_{text}, file_{file}, place_of_{place_of} {}

  [[nodiscard]] std::string_view text() const { return text_; }
  /// '\0' past the end.
  [[nodiscard]] char at(std::size_t offset) const {
    return offset < text_.size() ? text_[offset] : '\0';
  }
  /// Bytes of a name (letters, digits, '_') at `offset`.
  [[nodiscard]] std::size_t name_length(std::size_t offset) const;
  /// Bytes of a backslash and the line end that it hides; 0 if there is none. Throws Error for
  /// blanks between the two.
  [[nodiscard]] std::size_t continuation_length(std::size_t offset) const;
  /// The offset after the `close` that belongs to what opens just before `offset`: quotes, $(...)
  /// and ${...} inside are passed over. `start` is for the message if there is none.
  [[nodiscard]] std::size_t end_of_group(std::size_t offset, char close, std::size_t start) const;

  /// Counts bytes that the script makes us keep. Throws Error beyond 16 MiB.
  void spend(std::size_t bytes);
  [[noreturn]] void fail(std::size_t offset, std::string what, std::string why,
                         std::string fix) const;
  [[noreturn]] void fail_open(std::size_t offset, std::string_view opening) const;

 private:
  std::string_view text_;
  const std::string& file_;
  const PlaceOfOffset& place_of_;
  std::size_t spent_ = 0;
};

}  // namespace roofline
