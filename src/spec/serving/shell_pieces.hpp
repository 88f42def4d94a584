// One word of a script as it is read: pieces that stay whole or are split at blanks, and the words
// that come of them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "spec/serving/shell_scope.hpp"

namespace roofline {

struct ShellPiece {
  enum class Kind {
    whole,
    splits,   ///< at blanks: an expansion outside of quotes
    boundary  ///< between the elements of an array
  } kind = Kind::whole;
  std::string text{};
  std::vector<std::string> unresolved{};
  std::size_t begin = 0;  ///< of an array's element; both 0: the word's own
  std::size_t end = 0;
};
using ShellPieces = std::vector<ShellPiece>;

/// The words that the pieces of the word from `begin` to `end` make: none, one or several.
[[nodiscard]] std::vector<ShellWord> words_of(const ShellPieces& pieces, std::size_t begin,
                                              std::size_t end, ShellSource& source);
/// As an assignment takes them: one text.
[[nodiscard]] ShellVariable joined(const ShellPieces& pieces, std::size_t begin, std::size_t end,
                                   ShellSource& source);

/// Reads words, from an offset on.
class ShellWordReader {
 public:
  ShellWordReader(ShellSource& source, ShellScope& scope) : source_{source}, scope_{scope} {}

  std::size_t offset = 0;

  /// Up to a blank, a line end or an operator.
  [[nodiscard]] ShellPieces read_word();

 private:
  enum class Stop { word_end, brace };

  [[nodiscard]] bool at_stop(Stop stop) const;
  void read_unquoted(ShellPieces& pieces, Stop stop);
  void read_backslash(ShellPieces& pieces);
  void read_single_quotes(ShellPieces& pieces);
  void read_escaped_quotes(ShellPieces& pieces);  // $'...'
  void read_double_quotes(ShellPieces& pieces);
  void read_quoted(ShellPieces& pieces, char stop);
  void read_dollar(ShellPieces& pieces, bool quoted);
  void read_command(ShellPieces& pieces);  // `...`
  void read_parentheses(ShellPieces& pieces, bool quoted, bool escaped);
  void read_braces(ShellPieces& pieces, bool quoted);
  void read_operation(ShellPieces& pieces, bool quoted, std::string_view name, std::size_t start);
  void read_array(ShellPieces& pieces, bool quoted, std::string_view name, std::size_t start);
  [[nodiscard]] ShellPieces read_alternative(bool quoted);
  void add_literal(ShellPieces& pieces, std::string_view text);
  void add_variable(ShellPieces& pieces, bool quoted, std::string_view name, std::size_t start);
  void add_value(ShellPieces& pieces, bool quoted, const ShellVariable& value);
  void add_list(ShellPieces& pieces, bool quoted, const std::vector<ShellWord>& list);
  void add_raw(ShellPieces& pieces, std::size_t start, std::string_view name);

  ShellSource& source_;
  ShellScope& scope_;
  std::size_t depth_ = 0;
  bool empty_list_ = false;  // "${ARGS[@]}" of no elements is no word
};

}  // namespace roofline
