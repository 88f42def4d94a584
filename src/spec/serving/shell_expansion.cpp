// What stands for '$' and backticks: variables by the script's own values, everything that would
// have to be run as it stands.
#include <fmt/format.h>

#include <algorithm>

#include "spec/serving/shell_pieces.hpp"

namespace roofline {

namespace {

bool is_special(char c) {
  return (c >= '0' && c <= '9') || std::string_view("@*#?!-").find(c) != std::string_view::npos;
}

}  // namespace

void ShellWordReader::read_dollar(ShellPieces& pieces, bool quoted) {
  const std::string_view text = source_.text();
  const std::size_t start = offset++;
  bool escaped = false;
  if (source_.at(offset) == '$') {
    const char next = source_.at(offset + 1);
    escaped = next == '(' || next == '{' || source_.name_length(offset + 1) > 0;
    ++offset;
    if (!escaped) return add_raw(pieces, start, "$$");
  }
  const char c = source_.at(offset);
  const std::size_t name = source_.name_length(offset);
  if (c == '(') return read_parentheses(pieces, quoted, escaped);
  if (c == '{') return read_braces(pieces, quoted);
  if (name > 0) {
    offset += name;
    return add_variable(pieces, quoted, text.substr(offset - name, name), offset - name - 1);
  }
  if (c == '\'' && !quoted) {
    offset = start;
    return read_escaped_quotes(pieces);
  }
  if (c == '"' && !quoted) return;
  if (!is_special(c)) return add_literal(pieces, "$");
  ++offset;
  add_raw(pieces, start, text.substr(start, 2));
}

void ShellWordReader::read_command(ShellPieces& pieces) {
  const std::size_t start = offset;
  offset = source_.end_of_group(start + 1, '`', start);
  add_raw(pieces, start, source_.text().substr(start, offset - start));
}

// `offset` is at the parenthesis behind a '$'.
void ShellWordReader::read_parentheses(ShellPieces& pieces, bool quoted, bool escaped) {
  const std::string_view text = source_.text();
  const std::size_t start = offset - 1;
  offset = source_.end_of_group(offset + 1, ')', start);
  const ShellVariable* value = scope_.given(text.substr(start + 2, offset - start - 3));
  if (value != nullptr && !escaped) return add_value(pieces, quoted, *value);
  add_raw(pieces, start, text.substr(start, offset - start));
}

// `offset` is at the brace behind a '$'.
void ShellWordReader::read_braces(ShellPieces& pieces, bool quoted) {
  const std::string_view text = source_.text();
  const std::size_t start = offset - 1;
  const std::size_t begin = ++offset;
  offset += source_.name_length(begin);
  if (offset == begin && is_special(source_.at(begin)) && source_.at(begin + 1) != '}') {
    while (source_.at(offset) >= '0' && source_.at(offset) <= '9') ++offset;
  }
  const std::string_view name = text.substr(begin, offset - begin);
  const std::string_view rest = text.substr(offset);
  if (!name.empty() && rest.starts_with('}')) {
    ++offset;
    return add_variable(pieces, quoted, name, start);
  }
  if (!name.empty() && (rest.starts_with("[@]}") || rest.starts_with("[*]}"))) {
    offset += 4;
    return read_array(pieces, quoted, name, start);
  }
  const std::size_t operation = rest.starts_with(':') ? 1 : 0;
  constexpr std::string_view operations = "-=?+";
  if (!name.empty() && operation < rest.size() &&
      operations.find(rest[operation]) != std::string_view::npos) {
    return read_operation(pieces, quoted, name, start);
  }
  offset = source_.end_of_group(begin, '}', start);
  add_raw(pieces, start, text.substr(start, offset - start));
}

// ${VAR:-word} and its like; `offset` is behind the name.
void ShellWordReader::read_operation(ShellPieces& pieces, bool quoted, std::string_view name,
                                     std::size_t start) {
  const bool colon = source_.at(offset) == ':';
  offset += colon ? 1 : 0;
  const char operation = source_.at(offset++);
  ShellPieces alternative = read_alternative(quoted);
  if (source_.at(offset) != '}') source_.fail_open(start, "${");
  ++offset;
  const ShellValue* value = scope_.find(name);
  const bool is_set = value != nullptr && !(colon && value->scalar.value.empty() && !value->list);
  if (operation == '+' ? !is_set : is_set) {
    if (is_set) return add_variable(pieces, quoted, name, start);
    if (quoted) add_literal(pieces, "");
    return;
  }
  if (operation == '?') return add_variable(pieces, quoted, name, start);
  if (operation == '=' && is_shell_name(name)) {
    scope_.set(std::string(name), {.scalar = joined(alternative, start, offset, source_)});
  }
  pieces.insert(pieces.end(), alternative.begin(), alternative.end());
}

ShellPieces ShellWordReader::read_alternative(bool quoted) {
  if (depth_ >= most_shell_nesting) {
    source_.fail(offset, fmt::format("${{...}} nest deeper than {}", most_shell_nesting), {},
                 "give the command that starts the engine alone");
  }
  ++depth_;
  ShellPieces pieces;
  if (quoted) {
    read_quoted(pieces, '}');
    if (pieces.empty()) add_literal(pieces, "");
  } else {
    read_unquoted(pieces, Stop::brace);
  }
  --depth_;
  return pieces;
}

// ${ARGS[@]}, `offset` is behind it.
void ShellWordReader::read_array(ShellPieces& pieces, bool quoted, std::string_view name,
                                 std::size_t start) {
  const ShellValue* value = scope_.find(name);
  if (value == nullptr || !value->list) return add_variable(pieces, quoted, name, start);
  add_list(pieces, quoted, *value->list);
}

void ShellWordReader::add_variable(ShellPieces& pieces, bool quoted, std::string_view name,
                                   std::size_t start) {
  const ShellValue* value = scope_.find(name);
  if (value == nullptr) {
    return add_raw(pieces, start,
                   is_shell_name(name) ? std::string(name) : fmt::format("${}", name));
  }
  if (!value->list) return add_value(pieces, quoted, value->scalar);
  // Without an index it is the first element.
  const std::size_t first = std::min<std::size_t>(value->list->size(), 1);
  add_list(pieces, quoted,
           {value->list->begin(), value->list->begin() + static_cast<std::ptrdiff_t>(first)});
}

void ShellWordReader::add_value(ShellPieces& pieces, bool quoted, const ShellVariable& value) {
  source_.spend(sizeof(ShellPiece) + value.value.size());
  pieces.push_back({.kind = quoted ? ShellPiece::Kind::whole : ShellPiece::Kind::splits,
                    .text = value.value,
                    .unresolved = value.unresolved});
}

void ShellWordReader::add_list(ShellPieces& pieces, bool quoted,
                               const std::vector<ShellWord>& list) {
  empty_list_ |= list.empty();
  for (std::size_t i = 0; i < list.size(); ++i) {
    const ShellWord& word = list[i];
    source_.spend(2 * sizeof(ShellPiece) + word.text.size());
    if (i > 0) pieces.push_back({.kind = ShellPiece::Kind::boundary});
    pieces.push_back({.kind = quoted ? ShellPiece::Kind::whole : ShellPiece::Kind::splits,
                      .text = word.text,
                      .unresolved = word.unresolved,
                      .begin = word.begin,
                      .end = word.end});
  }
}

// As it stands from `start` up to the offset, known as `name` to those who look for its value.
void ShellWordReader::add_raw(ShellPieces& pieces, std::size_t start, std::string_view name) {
  const std::string_view text = source_.text().substr(start, offset - start);
  source_.spend(sizeof(ShellPiece) + text.size() + name.size());
  pieces.push_back({.text = std::string(text), .unresolved = {std::string(name)}});
}

}  // namespace roofline
