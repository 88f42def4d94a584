// A file's text with its lines, and texts inside it (a command inside a YAML value) whose bytes
// are found again in the file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/serving_config.hpp"
#include "spec/serving/config_node.hpp"

namespace roofline {

/// The text of a file; what it views must outlive it.
class SourceText {
 public:
  SourceText(std::string_view text, std::string file);

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] const std::string& file() const { return file_; }
  /// Of the bytes from `begin` up to `end`; of those on the first line only.
  [[nodiscard]] Place place(std::size_t begin, std::size_t end) const;

 private:
  std::string_view text_;
  std::string file_;
  std::vector<std::size_t> lines_;  // where each starts
};

/// A text that the file spells in its own way, and where each byte of it stands in the file.
struct PlacedText {
  std::string text;
  std::vector<std::size_t> offsets;  ///< as many as bytes
};

/// How a text is spelled: what stands between its bytes.
enum class Spelling {
  block,          ///< YAML's | and >
  double_quoted,  ///< YAML's "..."
  plain,          ///< YAML, without quotes
  shell,          ///< a word with quotes and backslashes, variables put in
  single_quoted   ///< YAML's '...'
};

/// Looks `text` up in the file from `begin` on. From where it stands no more as spelled (a variable
/// was put in, a \x escape), the offsets stay where they are.
[[nodiscard]] PlacedText placed_text(const SourceText& source, std::string_view text,
                                     std::size_t begin, Spelling spelling);

/// The text of a YAML scalar.
[[nodiscard]] PlacedText placed_text(const SourceText& source, const ConfigNode& node);

}  // namespace roofline
