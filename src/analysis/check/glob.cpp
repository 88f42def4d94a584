#include <vector>

#include "roofline/check.hpp"

namespace roofline {
namespace {

/// Pieces of a glob: "**/" matches any number of directories, none too.
struct Piece {
  enum class Kind { byte, one, name, path, directories } kind = Kind::byte;
  char byte = 0;
};

std::vector<Piece> pieces_of(std::string_view glob) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < glob.size(); ++i) {
    const std::string_view rest = glob.substr(i);
    if (rest.starts_with("**/")) {
      pieces.push_back({Piece::Kind::directories});
      i += 2;
    } else if (rest.starts_with("**")) {
      pieces.push_back({Piece::Kind::path});
      i += 1;
    } else if (rest.front() == '*') {
      pieces.push_back({Piece::Kind::name});
    } else if (rest.front() == '?') {
      pieces.push_back({Piece::Kind::one});
    } else {
      pieces.push_back({Piece::Kind::byte, rest.front()});
    }
  }
  return pieces;
}

/// True if a piece can take `byte` and stay where it is.
bool can_take(const Piece& piece, char byte) {
  return piece.kind == Piece::Kind::path || piece.kind == Piece::Kind::directories ||
         (piece.kind == Piece::Kind::name && byte != '/');
}

/// Marks the pieces that can be reached from those marked without a byte. A piece for directories
/// can be left at the start of a name alone.
void skip_empty(const std::vector<Piece>& pieces, bool at_name, std::vector<bool>& reached) {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (!reached[i]) continue;
    const Piece::Kind kind = pieces[i].kind;
    const bool any = kind == Piece::Kind::name || kind == Piece::Kind::path;
    if (any || (kind == Piece::Kind::directories && at_name)) reached[i + 1] = true;
  }
}

}  // namespace

bool glob_matches(std::string_view glob, std::string_view path) {
  if (path.starts_with("./")) path.remove_prefix(2);
  if (glob.starts_with("./")) glob.remove_prefix(2);
  const std::vector<Piece> pieces = pieces_of(glob);
  std::vector<bool> reached(pieces.size() + 1, false);
  reached[0] = true;
  skip_empty(pieces, true, reached);
  for (const char byte : path) {
    std::vector<bool> next(pieces.size() + 1, false);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if (!reached[i]) continue;
      const Piece& piece = pieces[i];
      if (can_take(piece, byte)) next[i] = true;
      const bool one = piece.kind == Piece::Kind::one && byte != '/';
      if (one || (piece.kind == Piece::Kind::byte && piece.byte == byte)) next[i + 1] = true;
    }
    skip_empty(pieces, byte == '/', next);
    reached = std::move(next);
  }
  return reached.back();
}

}  // namespace roofline
