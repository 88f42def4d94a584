// A grid of character cells to draw on, with 2 x 4 dots in each cell for finer lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace roofline::report {

/// What a cell shows. A later one is drawn over an earlier one, never the other way round.
enum class Ink { none, rule, line, text, marker };

struct Cell {
  std::size_t column = 0;  ///< from the left
  std::size_t row = 0;     ///< from the top

  friend bool operator==(const Cell&, const Cell&) = default;
};

class TextCanvas {
 public:
  TextCanvas(std::size_t columns, std::size_t rows);

  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] Ink ink(Cell cell) const;

  /// Draws where nothing of the same or a later ink is; says whether it did.
  bool put(Cell cell, char symbol, Ink ink);

  /// A dot of the finer grid, 2 x columns by 4 x rows; dots of rules and lines add up.
  void put_dot(Cell dot, Ink ink);

  /// True where the cells of a text of that many columns are inside and show nothing above `most`.
  [[nodiscard]] bool has_room(Cell start, std::size_t columns, Ink most = Ink::none) const;

  /// Text in UTF-8, over rules and lines; needs room.
  void put_text(Cell start, std::string_view text);

  /// Puts text at the first of these cells that has room for it, and for a blank on both sides as
  /// far as those are inside; says whether there was one.
  bool put_where_room(const std::vector<Cell>& starts, std::string_view text);

  /// Without blanks at its end.
  [[nodiscard]] std::string line(std::size_t row) const;

 private:
  struct Shown {
    std::string text{};  ///< empty: the dots, or the right half of a wide character
    std::uint8_t dots = 0;
    Ink ink = Ink::none;
  };

  [[nodiscard]] const Shown& at(Cell cell) const {
    return cells_[cell.row * columns_ + cell.column];
  }
  Shown& at(Cell cell) { return cells_[cell.row * columns_ + cell.column]; }

  std::size_t columns_;
  std::size_t rows_;
  std::vector<Shown> cells_;
};

inline constexpr std::size_t dot_columns = 2;  ///< of a cell
inline constexpr std::size_t dot_rows = 4;

}  // namespace roofline::report
