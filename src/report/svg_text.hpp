// Numbers and texts as SVG has them.
#pragma once

#include <string>
#include <string_view>

namespace roofline::report {

/// Pixels with at most two decimals, never "-0".
[[nodiscard]] std::string coordinate(double pixels);

/// What a text element is, but for its content.
struct SvgText {
  double x = 0;
  double y = 0;               ///< of the baseline
  std::string_view style{};   ///< class; may be empty
  std::string_view anchor{};  ///< text-anchor: "middle", "end"; empty: start
  double angle = 0;           ///< clockwise, around x, y
  std::string data{};         ///< further attributes, with a space before each
};

/// A whole element and a line feed; `content` is escaped here.
[[nodiscard]] std::string text_element(const SvgText& text, std::string_view content);

}  // namespace roofline::report
