// Text from files inside XML and HTML: it stays text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace roofline::report {

/// A character of a text in UTF-8.
struct Character {
  char32_t code = 0;      ///< U+FFFD for a byte that is no part of valid UTF-8
  std::size_t bytes = 1;  ///< that it takes in the text
};

/// The one that starts at byte `at`, which is within the text.
[[nodiscard]] Character character_at(std::string_view text, std::size_t at);

/// For an element's text and for an attribute in quotes of either kind: & < > " ' as references.
/// Characters that XML 1.0 forbids, and bytes that are not UTF-8, become U+FFFD.
[[nodiscard]] std::string escape_markup(std::string_view text);

}  // namespace roofline::report
