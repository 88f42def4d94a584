// Words of a chart on a terminal: how many columns they take, and where lines break.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace roofline::report {

inline constexpr std::size_t chart_width = 100;

/// Columns that a terminal needs for the character at most: 2 for East Asian ones and pictures.
[[nodiscard]] std::size_t columns_of(char32_t code);

/// Columns of a text in UTF-8.
[[nodiscard]] std::size_t columns_of(std::string_view text);

/// `text` from a file as a terminal may show it: '?' for control characters, for those that turn
/// the direction of writing, and for bytes that are not UTF-8.
[[nodiscard]] std::string terminal_text(std::string_view text);

/// `text` in at most `most` columns (3 or more): what is longer ends in "...".
[[nodiscard]] std::string cut_to(std::string_view text, std::size_t most);

/// A name on the picture: as a terminal may show it, and short.
[[nodiscard]] std::string label_text(std::string_view label);

/// `text` behind `start` in lines of at most `chart_width` columns, broken between words where
/// that is possible; further lines begin below the text.
void append_words(std::string& out, const std::string& start, std::string_view text);

}  // namespace roofline::report
