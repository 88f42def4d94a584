#include "report/text_canvas.hpp"

#include <array>

#include "report/markup.hpp"
#include "report/text_chart_words.hpp"

namespace roofline::report {
namespace {

/// U+2800 and on: a bit for each dot that is set.
std::string braille(std::uint8_t dots) {
  std::string text = "\xe2\xa0\x80";
  text[1] = static_cast<char>(0xa0 | dots >> 6);
  text[2] = static_cast<char>(0x80 | (dots & 0x3f));
  return text;
}

/// By row and column within the cell: six dots came first, the lowest row was added later.
constexpr std::array<std::array<std::uint8_t, dot_columns>, dot_rows> dot_bits{
    {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};

}  // namespace

TextCanvas::TextCanvas(std::size_t columns, std::size_t rows)
    : columns_(columns), rows_(rows), cells_(columns * rows) {}

Ink TextCanvas::ink(Cell cell) const {
  return at(cell).ink;
}

bool TextCanvas::put(Cell cell, char symbol, Ink ink) {
  Shown& shown = at(cell);
  if (shown.ink >= ink) return false;
  shown = {std::string(1, symbol), 0, ink};
  return true;
}

void TextCanvas::put_dot(Cell dot, Ink ink) {
  Shown& shown = at({dot.column / dot_columns, dot.row / dot_rows});
  if (shown.ink > Ink::line) return;
  shown.dots |= dot_bits[dot.row % dot_rows][dot.column % dot_columns];
  if (ink > shown.ink) shown.ink = ink;
}

bool TextCanvas::has_room(Cell start, std::size_t columns, Ink most) const {
  if (start.row >= rows_ || start.column + columns > columns_) return false;
  for (std::size_t i = 0; i < columns; ++i) {
    if (ink({start.column + i, start.row}) > most) return false;
  }
  return true;
}

void TextCanvas::put_text(Cell start, std::string_view text) {
  for (std::size_t byte = 0; byte < text.size();) {
    const Character next = character_at(text, byte);
    at(start) = {std::string(text.substr(byte, next.bytes)), 0, Ink::text};
    ++start.column;
    if (columns_of(next.code) == 2) {
      at(start) = {{}, 0, Ink::text};
      ++start.column;
    }
    byte += next.bytes;
  }
}

bool TextCanvas::put_where_room(const std::vector<Cell>& starts, std::string_view text) {
  const std::size_t columns = columns_of(text);
  for (const Cell start : starts) {
    const std::size_t before = start.column > 0 ? 1 : 0;
    const std::size_t after = start.column + columns < columns_ ? 1 : 0;
    if (!has_room({start.column - before, start.row}, before + columns + after)) continue;
    put_text(start, text);
    return true;
  }
  return false;
}

std::string TextCanvas::line(std::size_t row) const {
  std::string line;
  for (std::size_t column = 0; column < columns_; ++column) {
    const Shown& shown = at({column, row});
    if (shown.ink == Ink::none) {
      line += ' ';
    } else {
      line += shown.dots != 0 ? braille(shown.dots) : shown.text;
    }
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace roofline::report
