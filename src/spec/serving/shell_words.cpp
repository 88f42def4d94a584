// A script taken apart into commands: operators, comments, here-documents, keywords, and what sets
// variables.
#include "spec/serving/shell_words.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "spec/serving/shell_pieces.hpp"

namespace roofline {

namespace {

template <std::size_t size>
bool is_one_of(std::string_view text, const std::array<std::string_view, size>& names) {
  return std::find(names.begin(), names.end(), text) != names.end();
}

constexpr std::array<std::string_view, 5> setters{"export", "declare", "typeset", "readonly",
                                                  "local"};
constexpr std::array<std::string_view, 4> openers{"if", "while", "until", "for"};
constexpr std::array<std::string_view, 2> closers{"fi", "done"};
constexpr std::array<std::string_view, 4> passed_over{"then", "do", "!", "$"};
constexpr std::array<std::string_view, 3> tests{"[", "[[", "test"};

enum class Separator { line, semicolon, case_end, and_then, or_else, pipe, open, close };

struct HereDocument {
  std::string delimiter;
  bool tabs = false;  // before the delimiter are passed over
};

class CommandReader {
 public:
  CommandReader(ShellSource& source, const ShellVariables& given)
      : source_{source}, scope_{source, given}, reader_{source, scope_} {}

  std::vector<ShellCommand> read();

 private:
  void skip_blanks();
  void skip_comment();
  void skip_here_documents();
  bool read_operator();
  bool read_redirection();
  void read_here_document();
  bool read_arithmetic();
  void read_word();
  bool read_keyword(std::string_view word);
  bool read_assignment();
  void read_array(const std::string& name, bool appends);
  ShellValue appended(const std::string& name, ShellVariable value) const;
  [[nodiscard]] bool takes_assignments() const;
  void finish(Separator separator);
  void finish_words(Separator separator);
  bool run_builtin();
  void run_setter();
  void end_list(Separator separator, bool was_empty, bool was_test);

  ShellSource& source_;
  ShellScope scope_;
  ShellWordReader reader_;
  std::vector<ShellCommand> commands_;
  std::vector<ShellWord> words_;
  std::vector<std::pair<std::string, ShellValue>> assignments_;
  std::vector<HereDocument> here_documents_;
  std::size_t arithmetic_end_ = 0;  // the next "))"
  std::size_t line_end_ = 0;
  Separator last_ = Separator::line;
};

std::vector<ShellCommand> CommandReader::read() {
  for (;;) {
    skip_blanks();
    if (reader_.offset >= source_.text().size()) break;
    if (read_redirection() || read_arithmetic() || read_operator()) continue;
    if (!read_assignment()) read_word();
  }
  finish(Separator::line);
  return std::move(commands_);
}

void CommandReader::skip_blanks() {
  std::size_t& at = reader_.offset;
  for (;;) {
    const char c = source_.at(at);
    const std::size_t hidden = source_.continuation_length(at);
    if (c == ' ' || c == '\t' || (c == '\r' && source_.at(at + 1) == '\n')) {
      ++at;
    } else if (hidden > 0) {
      at += hidden;
    } else {
      break;
    }
  }
  if (source_.at(at) == '#') skip_comment();
}

void CommandReader::skip_comment() {
  reader_.offset = std::min(source_.text().find('\n', reader_.offset), source_.text().size());
}

bool CommandReader::read_operator() {
  const std::string_view rest = source_.text().substr(reader_.offset);
  const auto take = [&](std::size_t length, Separator separator) {
    reader_.offset += length;
    finish(separator);
    return true;
  };
  if (rest[0] == '\n') {
    take(1, Separator::line);
    skip_here_documents();
    return true;
  }
  if (rest.starts_with(";;")) return take(rest.starts_with(";;&") ? 3 : 2, Separator::case_end);
  if (rest.starts_with("&&")) return take(2, Separator::and_then);
  if (rest.starts_with("||")) return take(2, Separator::or_else);
  if (rest.starts_with("|&")) return take(2, Separator::pipe);
  switch (rest[0]) {
    case ';':
    case '&':
      return take(1, Separator::semicolon);
    case '|':
      return take(1, Separator::pipe);
    case '(':
      return take(1, Separator::open);
    case ')':
      return take(1, Separator::close);
    default:
      return false;
  }
}

// Drops "2>&1", "> file", "<<< word"; a here-document is kept in mind.
bool CommandReader::read_redirection() {
  const std::string_view text = source_.text();
  std::size_t at = reader_.offset;
  while (source_.at(at) >= '0' && source_.at(at) <= '9') ++at;
  std::string_view rest = text.substr(at);
  if (at == reader_.offset && (rest.starts_with("&>"))) rest = text.substr(++at);
  if (rest.empty() || (rest[0] != '<' && rest[0] != '>')) return false;
  if (rest.size() > 1 && rest[1] == '(') return false;
  constexpr std::array<std::string_view, 9> operators{"<<<", "<<-", "<<", "<&", "<>",
                                                      ">>",  ">&",  ">|", "<"};
  const auto* const found = std::find_if(operators.begin(), operators.end(),
                                         [&](std::string_view o) { return rest.starts_with(o); });
  const std::string_view written = found == operators.end() ? ">" : *found;
  reader_.offset = at + written.size();
  if (written == "<<" || written == "<<-") {
    here_documents_.push_back({.delimiter = {}, .tabs = written == "<<-"});
    read_here_document();
    return true;
  }
  skip_blanks();
  (void)reader_.read_word();
  return true;
}

// Its delimiter, without quotes.
void CommandReader::read_here_document() {
  std::size_t& at = reader_.offset;
  while (source_.at(at) == ' ' || source_.at(at) == '\t') ++at;
  constexpr std::string_view ends = " \t\r\n;&|<>()";
  std::string& delimiter = here_documents_.back().delimiter;
  char quote = '\0';
  for (; at < source_.text().size(); ++at) {
    const char c = source_.at(at);
    if (c == '\n' || (quote == '\0' && ends.find(c) != std::string_view::npos)) break;
    if (c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c != '\\') {
      delimiter += c;
    }
  }
}

void CommandReader::skip_here_documents() {
  const std::string_view text = source_.text();
  for (const HereDocument& document : std::exchange(here_documents_, {})) {
    while (reader_.offset < text.size()) {
      const std::size_t end = std::min(text.find('\n', reader_.offset), text.size());
      std::string_view line = text.substr(reader_.offset, end - reader_.offset);
      reader_.offset = std::min(end + 1, text.size());
      if (line.ends_with('\r')) line.remove_suffix(1);
      while (document.tabs && line.starts_with('\t')) line.remove_prefix(1);
      if (line == document.delimiter) break;
    }
  }
}

// ((i = 1 << 2)): its operators are none of the shell's.
bool CommandReader::read_arithmetic() {
  const std::string_view text = source_.text();
  const bool command = words_.empty() || words_[0].text == "for";
  if (!command || !text.substr(reader_.offset).starts_with("((")) return false;
  // Looked for once: a line may be full of "((".
  if (arithmetic_end_ <= reader_.offset) arithmetic_end_ = text.find("))", reader_.offset);
  if (line_end_ <= reader_.offset) line_end_ = text.find('\n', reader_.offset);
  if (arithmetic_end_ == std::string_view::npos || arithmetic_end_ > line_end_) return false;
  reader_.offset = arithmetic_end_ + 2;
  return true;
}

bool CommandReader::takes_assignments() const {
  return words_.empty() || is_one_of(words_[0].text, setters);
}

// NAME=value, NAME+=value, NAME=(words).
bool CommandReader::read_assignment() {
  const std::size_t begin = reader_.offset;
  const std::size_t length = takes_assignments() ? source_.name_length(begin) : 0;
  const bool appends = source_.at(begin + length) == '+';
  const std::size_t equals = begin + length + (appends ? 1 : 0);
  if (length == 0 || source_.at(equals) != '=') return false;
  const std::string name(source_.text().substr(begin, length));
  reader_.offset = equals + 1;
  if (source_.at(equals + 1) == '(') {
    ++reader_.offset;
    read_array(name, appends);
    return true;
  }
  const ShellPieces pieces = reader_.read_word();
  ShellVariable value = joined(pieces, begin, reader_.offset, source_);
  source_.spend(sizeof(ShellValue));
  assignments_.emplace_back(
      name, appends ? appended(name, std::move(value)) : ShellValue{.scalar = std::move(value)});
  return true;
}

ShellValue CommandReader::appended(const std::string& name, ShellVariable value) const {
  const ShellValue* before = scope_.find(name);
  if (before == nullptr || before->list) {
    value.value.insert(0, "$" + name);
    add_unresolved(value.unresolved, name);
    return {.scalar = std::move(value)};
  }
  source_.spend(before->scalar.value.size());
  value.value.insert(0, before->scalar.value);
  add_unresolved(value.unresolved, before->scalar.unresolved);
  return {.scalar = std::move(value)};
}

// The words of NAME=(...), behind its parenthesis.
void CommandReader::read_array(const std::string& name, bool appends) {
  const std::size_t start = reader_.offset - 1;
  const ShellValue* before = scope_.find(name);
  std::vector<ShellWord> list;
  if (appends && before != nullptr && before->list) list = *before->list;
  for (;;) {
    skip_blanks();
    const char c = source_.at(reader_.offset);
    if (reader_.offset >= source_.text().size()) source_.fail_open(start, "(");
    if (c == '\n' || c == ')') {
      ++reader_.offset;
      if (c == ')') break;
      continue;
    }
    const std::size_t begin = reader_.offset;
    const ShellPieces pieces = reader_.read_word();
    if (reader_.offset == begin) source_.fail_open(start, "(");
    std::vector<ShellWord> words = words_of(pieces, begin, reader_.offset, source_);
    std::move(words.begin(), words.end(), std::back_inserter(list));
  }
  for (const ShellWord& word : list) source_.spend(sizeof(word) + word.text.size());
  assignments_.emplace_back(name, ShellValue{.scalar = {}, .list = std::move(list)});
}

void CommandReader::read_word() {
  const std::size_t begin = reader_.offset;
  const ShellPieces pieces = reader_.read_word();
  const std::string_view raw = source_.text().substr(begin, reader_.offset - begin);
  if (words_.empty() && assignments_.empty() && read_keyword(raw)) return;
  std::vector<ShellWord> words = words_of(pieces, begin, reader_.offset, source_);
  std::move(words.begin(), words.end(), std::back_inserter(words_));
}

// True where the word is one and no part of the command.
bool CommandReader::read_keyword(std::string_view word) {
  if (is_one_of(word, openers) || word == "select") scope_.open(ShellBlock::branch, reader_.offset);
  if (word == "case") scope_.open(ShellBlock::cases, reader_.offset);
  if (word == "{") scope_.open(ShellBlock::group, reader_.offset);
  const bool closes = is_one_of(word, closers) || word == "esac" || word == "}";
  if (closes) scope_.close(ShellBlock::list);
  if (is_one_of(word, closers)) scope_.close(ShellBlock::branch);
  if (word == "esac") scope_.close(ShellBlock::cases);
  if (word == "}") scope_.close(ShellBlock::group);
  if (word == "else" || word == "elif") scope_.next_branch();
  return closes || word == "{" || word == "else" || word == "elif" || word == "if" ||
         word == "while" || word == "until" || is_one_of(word, passed_over);
}

void CommandReader::finish(Separator separator) {
  const bool was_empty = words_.empty() && assignments_.empty();
  const bool was_test = !words_.empty() && is_one_of(words_[0].text, tests);
  finish_words(separator);
  words_.clear();
  assignments_.clear();
  if (separator == Separator::open) scope_.open(ShellBlock::subshell, reader_.offset);
  end_list(separator, was_empty, was_test);
}

void CommandReader::finish_words(Separator separator) {
  if (words_.empty()) {
    for (auto& [name, value] : assignments_) scope_.set(name, std::move(value));
    return;
  }
  const bool pattern = separator == Separator::close && scope_.inside(ShellBlock::cases);
  const bool defines = separator == Separator::open;  // name() { ... }
  if (pattern || defines || run_builtin()) return;
  ShellCommand command{.environment = scope_.exported(), .words = std::move(words_)};
  for (auto& [name, value] : assignments_) {
    command.environment.insert_or_assign(name, std::move(value.scalar));
  }
  source_.spend(sizeof(ShellCommand));
  commands_.push_back(std::move(command));
}

// Commands that only set variables, and the heads of loops and functions.
bool CommandReader::run_builtin() {
  const std::string& name = words_[0].text;
  if (is_one_of(name, setters)) {
    run_setter();
    return true;
  }
  if (name == "unset") {
    for (const ShellWord& word : words_) {
      if (is_shell_name(word.text)) scope_.unset(word.text);
    }
    return true;
  }
  if (name == "read") {
    for (const ShellWord& word : words_) {
      if (is_shell_name(word.text)) scope_.blur(word.text);
    }
    return true;
  }
  if ((name == "for" || name == "select") && words_.size() > 1) scope_.blur(words_[1].text);
  return name == "for" || name == "select" || name == "case" || name == "function";
}

void CommandReader::run_setter() {
  const bool exports =
      words_[0].text == "export" ||
      std::any_of(words_.begin(), words_.end(), [](const ShellWord& w) { return w.text == "-x"; });
  for (auto& [name, value] : assignments_) {
    value.exported = exports;
    scope_.set(name, std::move(value));
  }
  for (const ShellWord& word : words_) {
    if (exports) scope_.mark_exported(word.text);
  }
}

// Opens and closes the block of what runs only if something else did or did not.
void CommandReader::end_list(Separator separator, bool was_empty, bool was_test) {
  const bool dangling =
      was_empty && separator == Separator::line &&
      (last_ == Separator::and_then || last_ == Separator::or_else || last_ == Separator::pipe);
  if (dangling) return;
  last_ = separator;
  switch (separator) {
    case Separator::and_then:
    case Separator::or_else:
      if ((was_test || separator == Separator::or_else) && !scope_.inside(ShellBlock::list)) {
        scope_.open(ShellBlock::list, reader_.offset);
      }
      break;
    case Separator::line:
    case Separator::semicolon:
      scope_.close(ShellBlock::list);
      break;
    case Separator::case_end:
      scope_.close(ShellBlock::list);
      if (scope_.inside(ShellBlock::cases)) scope_.next_branch();
      break;
    case Separator::close:
      if (!scope_.inside(ShellBlock::cases)) {
        scope_.close(ShellBlock::list);
        scope_.close(ShellBlock::subshell);
      }
      break;
    case Separator::pipe:
    case Separator::open:
      break;
  }
}

}  // namespace

std::vector<ShellCommand> split_shell(std::string_view script, const std::string& file,
                                      const ShellVariables& variables,
                                      const PlaceOfOffset& place_of) {
  ShellSource source(script, file, place_of);
  return CommandReader(source, variables).read();
}

}  // namespace roofline
