#include "report/text_width.hpp"

#include <array>

#include "report/markup.hpp"

namespace roofline::report {
namespace {

constexpr std::string_view ellipsis = "\u2026";

constexpr char32_t first_in_table = 0x20;
/// Thousandths of an em from the space on: the larger advance width of the two fonts.
constexpr std::array<int, 95> ascii_widths{
    318, 401, 460, 838, 637, 951, 780, 275, 391, 391, 500, 838, 318, 361,  318, 337, 637, 637, 637,
    637, 637, 637, 637, 637, 637, 637, 337, 337, 838, 838, 838, 557, 1016, 685, 687, 723, 771, 667,
    611, 778, 752, 295, 500, 667, 558, 863, 749, 788, 667, 788, 723, 667,  611, 732, 685, 989, 686,
    667, 686, 391, 337, 391, 838, 557, 500, 613, 635, 550, 635, 616, 353,  635, 634, 278, 278, 580,
    278, 975, 634, 612, 635, 635, 412, 521, 393, 634, 592, 818, 592, 592,  525, 637, 337, 637, 838};

double em_of(char32_t code) {
  if (code < first_in_table) return 1;  // drawn as a space or as U+FFFD
  const std::size_t index = code - first_in_table;
  if (index < ascii_widths.size()) return ascii_widths[index] / 1000.0;
  return code < 0x2000 ? 1 : 1.4;
}

/// The end of the longest piece of `text` from `start` on that is at most `width` wide.
std::size_t end_of_fitting(std::string_view text, std::size_t start, double font_size,
                           double width) {
  double used = 0;
  std::size_t at = start;
  while (at < text.size()) {
    const Character character = character_at(text, at);
    used += em_of(character.code) * font_size;
    if (used > width) break;
    at += character.bytes;
  }
  return at;
}

std::size_t after_spaces(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] == ' ') ++at;
  return at;
}

/// Where the line that starts at `start` ends: behind its last whole word, within a word that is
/// too long for a line of its own.
std::size_t end_of_line(std::string_view text, std::size_t start, double font_size, double width) {
  const std::size_t fitting = end_of_fitting(text, start, font_size, width);
  if (fitting == text.size() || text[fitting] == ' ') return fitting;
  const std::size_t space = text.rfind(' ', fitting);
  if (space != std::string_view::npos && space > start) return space;
  return fitting > start ? fitting : start + character_at(text, start).bytes;
}

std::string without_end_spaces(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return std::string(text);
}

}  // namespace

double text_width(std::string_view text, double font_size) {
  double em = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    em += em_of(character.code);
    at += character.bytes;
  }
  return em * font_size;
}

std::string cut_text(std::string_view text, double font_size, double width) {
  if (text_width(text, font_size) <= width) return std::string(text);
  const double room = width - text_width(ellipsis, font_size);
  const std::size_t end = end_of_fitting(text, 0, font_size, room);
  return without_end_spaces(text.substr(0, end)) + std::string(ellipsis);
}

std::vector<std::string> wrap_text(std::string_view text, double font_size, double width,
                                   std::size_t most_lines) {
  std::vector<std::string> lines;
  std::size_t at = after_spaces(text, 0);
  while (at < text.size()) {
    if (lines.size() + 1 == most_lines) {
      lines.push_back(cut_text(text.substr(at), font_size, width));
      return lines;
    }
    const std::size_t end = end_of_line(text, at, font_size, width);
    lines.push_back(without_end_spaces(text.substr(at, end - at)));
    at = after_spaces(text, end);
  }
  if (lines.empty()) lines.emplace_back();
  return lines;
}

}  // namespace roofline::report
