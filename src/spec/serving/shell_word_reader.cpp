// Quotes and backslashes of a POSIX shell, and $'...' of bash.
#include <algorithm>

#include "spec/serving/shell_pieces.hpp"

namespace roofline {

namespace {

constexpr std::string_view unquoted_specials = "\\'\"$`";
constexpr std::string_view quoted_specials = "\\\"$`";

bool ends_word(char c) {
  return std::string_view(" \t\n;&|<>()").find(c) != std::string_view::npos;
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

// At most `most` digits of `base` from `at` on as one byte; `at` ends up behind them.
char byte_of(std::string_view text, std::size_t& at, int base, int most) {
  int value = 0;
  for (int i = 0; i < most && at < text.size() && digit_of(text[at]) < base; ++i) {
    value = value * base + digit_of(text[at++]);
  }
  return static_cast<char>(value & 0xff);
}

// One escape of $'...'; `at` is behind its backslash.
std::string escape_of(std::string_view text, std::size_t& at) {
  constexpr std::string_view letters = "abefnrtv\\'\"?";
  constexpr std::string_view bytes = "\a\b\x1b\f\n\r\t\v\\'\"?";
  const char c = text[at];
  const std::size_t found = letters.find(c);
  if (found != std::string_view::npos) {
    ++at;
    return {bytes[found]};
  }
  if (c == 'x' && at + 1 < text.size() && digit_of(text[at + 1]) < 16) {
    ++at;
    return {byte_of(text, at, 16, 2)};
  }
  if (c >= '0' && c <= '7') return {byte_of(text, at, 8, 3)};
  ++at;
  return {'\\', c};
}

}  // namespace

ShellPieces ShellWordReader::read_word() {
  ShellPieces pieces;
  empty_list_ = false;
  const char c = source_.at(offset);
  if ((c == '<' || c == '>') && source_.at(offset + 1) == '(') {
    const std::size_t start = offset;
    offset = source_.end_of_group(start + 2, ')', start);
    add_raw(pieces, start, source_.text().substr(start, offset - start));
  }
  read_unquoted(pieces, Stop::word_end);
  return pieces;
}

bool ShellWordReader::at_stop(Stop stop) const {
  const char c = source_.at(offset);
  if (stop == Stop::brace) return c == '}';
  return ends_word(c) || (c == '\r' && source_.at(offset + 1) == '\n');
}

void ShellWordReader::read_unquoted(ShellPieces& pieces, Stop stop) {
  const std::string_view text = source_.text();
  while (offset < text.size() && !at_stop(stop)) {
    switch (text[offset]) {
      case '\\':
        read_backslash(pieces);
        break;
      case '\'':
        read_single_quotes(pieces);
        break;
      case '"':
        read_double_quotes(pieces);
        break;
      case '$':
        read_dollar(pieces, false);
        break;
      case '`':
        read_command(pieces);
        break;
      default: {
        const std::size_t start = offset;
        while (offset < text.size() && !at_stop(stop) &&
               unquoted_specials.find(text[offset]) == std::string_view::npos) {
          ++offset;
        }
        const std::string_view run = text.substr(start, offset - start);
        if (stop == Stop::brace) {
          add_value(pieces, false, {.value = std::string(run)});
        } else {
          add_literal(pieces, run);
        }
      }
    }
  }
}

void ShellWordReader::read_backslash(ShellPieces& pieces) {
  const std::size_t hidden = source_.continuation_length(offset);
  if (hidden > 0) {
    offset += hidden;
    return;
  }
  add_literal(pieces, source_.text().substr(offset + 1, 1));
  offset += 2;
}

void ShellWordReader::read_single_quotes(ShellPieces& pieces) {
  const std::size_t start = offset + 1;
  const std::size_t end = source_.text().find('\'', start);
  if (end == std::string_view::npos) source_.fail_open(offset, "'");
  std::string_view rest = source_.text().substr(start, end - start);
  // Kubernetes puts its variables in before a shell sees the quotes.
  std::size_t at = 0;
  std::size_t close = 0;
  while ((at = rest.find("$(", at)) != std::string_view::npos) {
    // Looked for once: a text may be full of "$(".
    if (close <= at) close = rest.find(')', at);
    if (close == std::string_view::npos) break;
    const ShellVariable* value = scope_.given(rest.substr(at + 2, close - at - 2));
    if (value == nullptr) {
      at += 2;
      continue;
    }
    add_literal(pieces, rest.substr(0, at));
    add_value(pieces, true, *value);
    rest.remove_prefix(close + 1);
    at = close = 0;
  }
  add_literal(pieces, rest);
  offset = end + 1;
}

void ShellWordReader::read_escaped_quotes(ShellPieces& pieces) {
  const std::string_view text = source_.text();
  const std::size_t start = offset;
  std::string read;
  for (offset += 2; source_.at(offset) != '\'';) {
    if (offset + 1 >= text.size()) source_.fail_open(start, "$'");
    if (text[offset] == '\\') {
      read += escape_of(text, ++offset);
    } else {
      read += text[offset++];
    }
  }
  add_literal(pieces, read);
  ++offset;
}

void ShellWordReader::read_double_quotes(ShellPieces& pieces) {
  const std::size_t start = offset++;
  const std::size_t before = pieces.size();
  const bool outer_list = empty_list_;
  empty_list_ = false;
  read_quoted(pieces, '"');
  if (source_.at(offset) != '"') source_.fail_open(start, "\"");
  ++offset;
  if (pieces.size() == before && !empty_list_) pieces.push_back({});
  empty_list_ = outer_list;
}

void ShellWordReader::read_quoted(ShellPieces& pieces, char stop) {
  const std::string_view text = source_.text();
  while (offset < text.size() && text[offset] != stop) {
    const char c = text[offset];
    if (c == '\\') {
      const char next = source_.at(offset + 1);
      const bool crlf = next == '\r' && source_.at(offset + 2) == '\n';
      if (next == '\n' || crlf) {
        offset += crlf ? 3 : 2;
        continue;
      }
      const bool escapes =
          next != '\0' && (next == stop || quoted_specials.find(next) != std::string_view::npos);
      add_literal(pieces, text.substr(offset + (escapes ? 1 : 0), escapes ? 1 : 2));
      offset += 2;
    } else if (c == '$') {
      read_dollar(pieces, true);
    } else if (c == '`') {
      read_command(pieces);
    } else if (c == '"') {
      ++offset;  // a pair inside ${VAR:-...} that stands in quotes itself
    } else {
      const std::size_t start = offset;
      while (offset < text.size() && text[offset] != stop &&
             quoted_specials.find(text[offset]) == std::string_view::npos) {
        ++offset;
      }
      add_literal(pieces, text.substr(start, offset - start));
    }
  }
}

void ShellWordReader::add_literal(ShellPieces& pieces, std::string_view text) {
  source_.spend(text.size());
  if (!pieces.empty() && pieces.back().kind == ShellPiece::Kind::whole && pieces.back().end == 0) {
    pieces.back().text += text;
    return;
  }
  source_.spend(sizeof(ShellPiece));
  pieces.push_back({.kind = ShellPiece::Kind::whole, .text = std::string(text)});
}

}  // namespace roofline
