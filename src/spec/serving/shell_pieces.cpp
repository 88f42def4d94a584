// Pieces of a word put together: what was quoted stays, what came out of a variable is split.
#include "spec/serving/shell_pieces.hpp"

#include <optional>
#include <utility>

namespace roofline {

namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}

// Bytes of a command that is unresolved: blanks inside it do not split.
std::size_t opaque_length(std::string_view rest, const std::vector<std::string>& unresolved) {
  if (rest[0] != '$' && rest[0] != '`') return 0;
  for (const std::string& name : unresolved) {
    if (name.size() > 1 && (name[0] == '$' || name[0] == '`') && rest.starts_with(name)) {
      return name.size();
    }
  }
  return 0;
}

// Of the names, those that `field` shows.
std::vector<std::string> shown_in(std::string_view field, const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    if (field.find(name) != std::string_view::npos) add_unresolved(shown, name);
  }
  return shown;
}

class WordMaker {
 public:
  WordMaker(std::size_t begin, std::size_t end, ShellSource& source)
      : begin_{begin}, end_{end}, source_{source} {}

  void add(const ShellPiece& piece) {
    switch (piece.kind) {
      case ShellPiece::Kind::whole:
        append(piece, piece.text);
        break;
      case ShellPiece::Kind::splits:
        split(piece);
        break;
      case ShellPiece::Kind::boundary:
        finish();
        break;
    }
  }

  std::vector<ShellWord> take() {
    finish();
    return std::move(words_);
  }

 private:
  void append(const ShellPiece& piece, std::string_view text) {
    if (!word_) {
      const bool own = piece.end > 0;
      word_ =
          ShellWord{.text = {}, .begin = own ? piece.begin : begin_, .end = own ? piece.end : end_};
    }
    source_.spend(text.size());
    word_->text += text;
    if (piece.kind == ShellPiece::Kind::whole) add_unresolved(word_->unresolved, piece.unresolved);
  }

  void split(const ShellPiece& piece) {
    const std::string_view text = piece.text;
    for (std::size_t at = 0; at < text.size();) {
      if (is_blank(text[at])) {
        finish();
        ++at;
        continue;
      }
      const std::size_t start = at;
      while (at < text.size() && !is_blank(text[at])) {
        const std::size_t opaque = opaque_length(text.substr(at), piece.unresolved);
        at += opaque > 0 ? opaque : 1;
      }
      const std::string_view field = text.substr(start, at - start);
      append(piece, field);
      if (!piece.unresolved.empty()) {
        add_unresolved(word_->unresolved, shown_in(field, piece.unresolved));
      }
    }
  }

  void finish() {
    if (!word_) return;
    source_.spend(sizeof(ShellWord));
    words_.push_back(*std::move(word_));
    word_.reset();
  }

  std::size_t begin_;
  std::size_t end_;
  ShellSource& source_;
  std::optional<ShellWord> word_;
  std::vector<ShellWord> words_;
};

}  // namespace

std::vector<ShellWord> words_of(const ShellPieces& pieces, std::size_t begin, std::size_t end,
                                ShellSource& source) {
  WordMaker maker(begin, end, source);
  for (const ShellPiece& piece : pieces) maker.add(piece);
  return maker.take();
}

ShellVariable joined(const ShellPieces& pieces, std::size_t begin, std::size_t end,
                     ShellSource& source) {
  ShellVariable variable{.value = {}, .begin = begin, .end = end};
  for (const ShellPiece& piece : pieces) {
    source.spend(piece.text.size() + 1);
    variable.value += piece.kind == ShellPiece::Kind::boundary ? " " : piece.text;
    add_unresolved(variable.unresolved, piece.unresolved);
  }
  return variable;
}

}  // namespace roofline
