// Passing over shell text: line ends that a backslash hides, and groups up to where they close.
#include "spec/serving/shell_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "spec/serving/config_node.hpp"

namespace roofline {

namespace {

constexpr std::size_t most_bytes = std::size_t{16} << 20;
constexpr std::size_t most_unresolved = 64;

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_name_character(char c) {
  return is_name_start(c) || (c >= '0' && c <= '9');
}

// What opens at the first character of `rest`, outside of quotes; 0: nothing.
char closer_of(std::string_view rest, char inside) {
  const bool quoted = inside == '"';
  if (rest.starts_with("$(")) return ')';
  if (rest.starts_with("${")) return '}';
  if (rest[0] == '`') return '`';
  if (quoted) return '\0';
  if (rest[0] == '(') return ')';
  return rest[0] == '"' ? '"' : '\0';
}

}  // namespace

void add_unresolved(std::vector<std::string>& list, std::string_view name) {
  if (list.size() >= most_unresolved) return;
  if (std::find(list.begin(), list.end(), name) == list.end()) list.emplace_back(name);
}

void add_unresolved(std::vector<std::string>& list, const std::vector<std::string>& names) {
  for (const std::string& name : names) add_unresolved(list, name);
}

bool is_shell_name(std::string_view text) {
  return !text.empty() && is_name_start(text[0]) &&
         std::all_of(text.begin(), text.end(), is_name_character);
}

std::size_t ShellSource::name_length(std::size_t offset) const {
  if (!is_name_start(at(offset))) return 0;
  std::size_t end = offset;
  while (end < text_.size() && is_name_character(text_[end])) ++end;
  return end - offset;
}

std::size_t ShellSource::continuation_length(std::size_t offset) const {
  if (at(offset) != '\\') return 0;
  std::size_t end = offset + 1;
  while (at(end) == ' ' || at(end) == '\t') ++end;
  const bool blanks = end > offset + 1;
  if (end >= text_.size()) return end - offset;
  const std::size_t line_end = at(end) == '\r' ? end + 1 : end;
  if (at(line_end) != '\n') return 0;
  if (blanks) {
    fail(offset, "blanks between '\\' and the end of the line",
         "the shell then ends the command here: the next line is another command",
         "remove the blanks after the backslash");
  }
  return line_end + 1 - offset;
}

std::size_t ShellSource::end_of_group(std::size_t offset, char close, std::size_t start) const {
  std::string closers(1, close);
  while (offset < text_.size()) {
    const char c = text_[offset];
    const char inside = closers.back();
    if (c == '\\') {
      offset += 2;
      continue;
    }
    if (c == inside) {
      closers.pop_back();
      ++offset;
      if (closers.empty()) return offset;
      continue;
    }
    if (inside == '`') {
      ++offset;
    } else if (c == '\'' && inside != '"') {
      const std::size_t end = text_.find('\'', offset + 1);
      if (end == std::string_view::npos) fail_open(offset, "'");
      offset = end + 1;
    } else if (c == '#' && inside == ')' && (at(offset - 1) == ' ' || at(offset - 1) == '\n')) {
      offset = std::min(text_.find('\n', offset), text_.size());
    } else {
      const char opened = closer_of(text_.substr(offset), inside);
      if (opened != '\0') closers.push_back(opened);
      offset += c == '$' && opened != '\0' ? 2 : 1;
    }
  }
  fail_open(start, text_.substr(start, close == '`' ? 1 : 2));
}

void ShellSource::spend(std::size_t bytes) {
  spent_ += bytes;
  if (spent_ <= most_bytes) return;
  throw Error(Diagnostic{.what = "the script's words and variables take more than 16 MiB",
                         .where = file_,
                         .why = "variables that contain themselves grow without end",
                         .fix = "give the command that starts the engine alone"});
}

void ShellSource::fail(std::size_t offset, std::string what, std::string why,
                       std::string fix) const {
  const Place place = place_of_ ? place_of_(offset) : place_at(text_, file_, offset);
  throw Error(Diagnostic{.what = std::move(what),
                         .where = to_string(place),
                         .why = std::move(why),
                         .fix = std::move(fix)});
}

void ShellSource::fail_open(std::size_t offset, std::string_view opening) const {
  fail(offset, fmt::format("the {} that opens here is never closed", opening), {},
       "close it, or put a backslash in front of it if it is meant as it stands");
}

}  // namespace roofline
