// How wide a text is at most, before any font is at hand: so that boxes around labels hold what a
// browser draws in them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace roofline::report {

/// Of one line in pixels: for each character the wider one of DejaVu Sans and Liberation Sans
/// (which is as wide as Arial), 1 em beyond ASCII, 1.4 em from U+2000 on.
[[nodiscard]] double text_width(std::string_view text, double font_size);

/// The two fonts' bold is at most this much wider.
inline constexpr double bold_factor = 1.27;

/// A box that holds a line of text reaches so far above and below its baseline, in em.
inline constexpr double text_ascent = 0.93;
inline constexpr double text_descent = 0.24;

/// `text`, or its longest beginning that with an ellipsis behind it is at most `width` wide.
[[nodiscard]] std::string cut_text(std::string_view text, double font_size, double width);

/// Lines of words, each at most `width` wide: longer words are split. Beyond `most_lines` the last
/// line ends in an ellipsis. At least one line.
[[nodiscard]] std::vector<std::string> wrap_text(std::string_view text, double font_size,
                                                 double width, std::size_t most_lines);

}  // namespace roofline::report
