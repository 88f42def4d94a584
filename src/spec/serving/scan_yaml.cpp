// YAML's own rules for where a token starts: only there quotes, brackets and block indicators mean
// something; a '#' starts a comment after a blank.
#include "spec/serving/text_scan.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "spec/serving/config_text.hpp"

namespace roofline {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
bool is_break(char c) {
  return c == '\n' || c == '\r';
}

class YamlScanner {
 public:
  explicit YamlScanner(std::string_view text) : text_(text) {}

  TextScan scan() {
    at_ = line_start_ = text_.size() - without_byte_order_mark(text_).size();
    result_.continued.push_back(false);
    start_line();
    while (at_ < text_.size()) step();
    return std::move(result_);
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 1) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\n';
  }
  [[nodiscard]] bool blank_follows() const { return is_blank(peek()) || is_break(peek()); }
  [[nodiscard]] std::int64_t column() const { return static_cast<std::int64_t>(at_ - line_start_); }

  void step() {
    const char c = text_[at_];
    if (c == '\n') return end_line();
    if (is_blank(c) || c == '\r') {
      if (c == '\t' && !result_.other_tab) result_.other_tab = at_;
      ++at_;
      return;
    }
    if (c == '#' && (at_ == line_start_ || is_blank(text_[at_ - 1]))) return comment();
    if (flow_ > 0) count_flow(c);
    if (token_start_) return token(c);
    plain(c);
  }

  /// A parser holds all tokens of a line that starts with a bracket, which may be a key.
  void count_flow(char c) {
    constexpr std::string_view indicators = ",:[]{}\"'&*!?";
    constexpr std::size_t most = 1'000'000;
    if (indicators.find(c) == indicators.npos) return;
    if (++flow_tokens_ == most) result_.long_flow = at_;
  }

  void comment() {
    const std::size_t begin = at_;
    at_ = std::min(text_.find('\n', at_), text_.size());
    std::size_t end = at_;
    if (end > begin && text_[end - 1] == '\r') --end;
    const std::string_view before = text_.substr(line_start_, begin - line_start_);
    result_.comments.push_back(
        {.begin = begin, .end = end, .alone = before.find_first_not_of(" \t") == before.npos});
    plain_ = false;
    token_start_ = true;
  }

  void end_line() {
    ++at_;
    line_start_ = at_;
    result_.continued.push_back(false);
    start_line();
  }

  /// What the indentation says.
  void start_line() {
    std::size_t first = at_;
    while (first < text_.size() && is_blank(text_[first])) ++first;
    const bool empty = first >= text_.size() || is_break(text_[first]) || text_[first] == '#';
    if (flow_ > 0 || empty) return;
    const std::string_view indent = text_.substr(line_start_, first - line_start_);
    const std::size_t tab = indent.find('\t');
    if (tab != indent.npos && !result_.indent_tab) result_.indent_tab = line_start_ + tab;
    const bool goes_on = plain_ && static_cast<std::int64_t>(indent.size()) > parent_column_;
    result_.continued.back() = goes_on;
    if (goes_on) return;
    plain_ = false;
    token_start_ = true;
    after_quote_ = false;
    key_column_ = static_cast<std::int64_t>(indent.size());
    at_ = first;
    if (indent.empty() && is_marker(first)) {
      parent_column_ = -1;
      at_ = first + 3;
    }
  }

  [[nodiscard]] bool is_marker(std::size_t at) const {
    const std::string_view three = text_.substr(at, 3);
    if (three != "---" && three != "...") return false;
    return at + 3 >= text_.size() || is_blank(text_[at + 3]) || is_break(text_[at + 3]);
  }

  void token(char c) {
    const bool block = flow_ == 0;
    if (c == '"' || c == '\'') return quoted();
    if (block && (c == '|' || c == '>')) return block_scalar();
    if (c == '[' || c == '{') return open();
    if (c == ']' || c == '}') return close();
    if (c == ',' && !block) {
      ++at_;
      return;
    }
    if (c == '&' || c == '!' || c == '*') return property(c);
    if ((c == '-' || c == '?' || c == ':') && blank_follows()) {
      if (block) parent_column_ = column();
      ++at_;
      while (at_ < text_.size() && text_[at_] == ' ') ++at_;
      if (block) key_column_ = column();
      return;
    }
    token_start_ = false;
    plain_ = block;
    after_quote_ = false;
  }

  void property(char c) {
    const std::string_view stops = flow_ > 0 ? " \t\r\n,]}" : " \t\r\n";
    at_ = std::min(text_.find_first_of(stops, at_), text_.size());
    token_start_ = c != '*';
  }

  void open() {
    constexpr int deepest = 1000;
    if (++flow_ == deepest && !result_.deep) result_.deep = at_;
    ++at_;
    token_start_ = true;
    plain_ = false;
  }

  void close() {
    if (flow_ > 0) --flow_;
    ++at_;
    token_start_ = false;
    plain_ = false;
    after_quote_ = true;
  }

  /// Inside or behind a scalar.
  void plain(char c) {
    const bool flow = flow_ > 0;
    constexpr std::string_view indicators = ",[]{}";
    const bool flow_end = flow && indicators.find(peek()) != indicators.npos;
    if (c == ':' && (blank_follows() || flow_end || (flow && after_quote_))) {
      if (!flow) parent_column_ = key_column_;
      token_start_ = true;
      plain_ = false;
    } else if (flow && c == ',') {
      token_start_ = true;
    } else if (flow && (c == '[' || c == '{')) {
      return open();
    } else if (flow && (c == ']' || c == '}')) {
      return close();
    }
    after_quote_ = false;
    ++at_;
  }

  void quoted() {
    const std::size_t end = quote_end(text_, at_);
    if (end == std::string_view::npos) {
      result_.open_quote = at_;
      at_ = text_.size();
      return;
    }
    pass_lines(end);
    token_start_ = false;
    plain_ = false;
    after_quote_ = true;
  }

  /// Goes on to `end`; the lines on the way are continued ones.
  void pass_lines(std::size_t end) {
    // No further than to `end`: a file may be one line.
    const std::string_view passed = text_.substr(0, end);
    for (std::size_t i = passed.find('\n', at_); i < end; i = passed.find('\n', i + 1)) {
      result_.continued.push_back(true);
      line_start_ = i + 1;
    }
    at_ = end;
  }

  /// All lines that are empty or indented deeper than what holds the block.
  void block_scalar() {
    const std::size_t line_end = text_.find('\n', at_);
    const std::size_t head_end = std::min(line_end, text_.size());
    const std::size_t hash = text_.substr(at_, head_end - at_).find(" #");
    token_start_ = false;
    if (hash != std::string_view::npos) {
      at_ += hash + 1;
      comment();
    }
    at_ = head_end;
    while (at_ < text_.size() && block_goes_on(at_ + 1)) {
      result_.continued.push_back(true);
      line_start_ = at_ + 1;
      at_ = std::min(text_.find('\n', line_start_), text_.size());
    }
  }

  [[nodiscard]] bool block_goes_on(std::size_t line) const {
    const std::size_t first = text_.find_first_not_of(' ', line);
    if (first == std::string_view::npos || is_break(text_[first])) return line < text_.size();
    if (first == line && is_marker(line)) return false;
    return static_cast<std::int64_t>(first - line) > parent_column_;
  }

  std::string_view text_;
  TextScan result_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  std::int64_t key_column_ = 0;      // where a key on this line stands
  std::int64_t parent_column_ = -1;  // of the key or dash that holds what comes
  std::size_t flow_tokens_ = 0;
  int flow_ = 0;  // open brackets
  bool token_start_ = true;
  bool plain_ = false;        // in a scalar without quotes, outside brackets
  bool after_quote_ = false;  // right behind a quoted key: its ':' needs no blank
};

}  // namespace

std::size_t quote_end(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\' && quote == '"') {
      ++i;
    } else if (text[i] == quote) {
      const bool doubled = quote == '\'' && i + 1 < text.size() && text[i + 1] == quote;
      if (!doubled) return i + 1;
      ++i;
    }
  }
  return std::string_view::npos;
}

TextScan scan_yaml(std::string_view text) {
  return YamlScanner(text).scan();
}

}  // namespace roofline
