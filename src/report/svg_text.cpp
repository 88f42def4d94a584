#include "report/svg_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/format.hpp"
#include "report/markup.hpp"

namespace roofline::report {

std::string coordinate(double pixels) {
  return format_exact(std::round(pixels * 100) / 100 + 0.0);  // -0 + 0 is 0
}

std::string text_element(const SvgText& text, std::string_view content) {
  const std::string x = coordinate(text.x);
  const std::string y = coordinate(text.y);
  std::string out = "<text";
  if (!text.style.empty()) out += fmt::format(" class=\"{}\"", text.style);
  out += fmt::format(" x=\"{}\" y=\"{}\"", x, y);
  if (!text.anchor.empty()) out += fmt::format(" text-anchor=\"{}\"", text.anchor);
  if (text.angle != 0) {
    out += fmt::format(" transform=\"rotate({} {} {})\"", coordinate(text.angle), x, y);
  }
  return out + fmt::format("{}>{}</text>\n", text.data, escape_markup(content));
}

}  // namespace roofline::report
