// Comments of YAML and shell texts, and what only a look at the whole text tells: a quote that does
// not end, tabs, brackets without end. One pass, no recursion.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace roofline {

struct TextComment {
  std::size_t begin = 0;  ///< of its '#'
  std::size_t end = 0;    ///< of its line, without CR
  bool alone = false;     ///< nothing before it on its line
};

struct TextScan {
  std::vector<TextComment> comments;
  /// Of each line: it goes on with what the line before began (a quote, a block, a command).
  std::vector<bool> continued;
  std::optional<std::size_t> open_quote;  ///< YAML: of the quote that does not end
  std::optional<std::size_t> indent_tab;  ///< YAML: first tab in an indentation
  std::optional<std::size_t> other_tab;   ///< YAML: first tab between values
  std::optional<std::size_t> deep;        ///< YAML: bracket that opens the 1000th level
  /// YAML: where brackets hold more than half a million values.
  std::optional<std::size_t> long_flow;
};

[[nodiscard]] TextScan scan_yaml(std::string_view text);
[[nodiscard]] TextScan scan_shell(std::string_view text);

/// The end of a quoted text that starts at `begin`, behind its quote; npos if it does not end.
/// YAML: a backslash escapes in double quotes, two single quotes are one in single quotes.
[[nodiscard]] std::size_t quote_end(std::string_view text, std::size_t begin);

}  // namespace roofline
