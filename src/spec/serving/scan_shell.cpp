// A shell's rules: quotes anywhere, a '#' at the start of a word, here-documents are no script.
#include <algorithm>
#include <string>
#include <utility>

#include "spec/serving/text_scan.hpp"

namespace roofline {
namespace {

constexpr std::string_view word_ends = " \t\r\n;&|()<>";

class ShellScanner {
 public:
  explicit ShellScanner(std::string_view text) : text_(text) {}

  TextScan scan() {
    result_.continued.push_back(false);
    while (at_ < text_.size()) step();
    return std::move(result_);
  }

 private:
  void step() {
    const char c = text_[at_];
    switch (c) {
      case '\\':
        return backslash();
      case '\'':
      case '"':
        return quoted(c);
      case '\n':
        return end_line();
      case '#':
        if (at_ == 0 || word_ends.find(text_[at_ - 1]) != word_ends.npos) return comment();
        break;
      case '<':
        if (text_.substr(at_, 2) == "<<") return here_document();
        break;
      default:
        break;
    }
    ++at_;
  }

  void backslash() {
    std::size_t next = at_ + 1;
    if (text_.substr(next, 2) == "\r\n") ++next;
    if (next < text_.size() && text_[next] == '\n') start_line(next + 1, true);
    at_ = std::min(next + 1, text_.size());
  }

  void start_line(std::size_t begin, bool continued) {
    line_start_ = begin;
    result_.continued.push_back(continued);
  }

  void quoted(char quote) {
    ++at_;
    for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      if (text_[at_] == '\n') start_line(at_ + 1, true);
    }
    at_ = std::min(at_ + 1, text_.size());
  }

  void comment() {
    const std::size_t begin = at_;
    at_ = std::min(text_.find('\n', at_), text_.size());
    const std::size_t end = at_ > begin && text_[at_ - 1] == '\r' ? at_ - 1 : at_;
    const std::string_view before = text_.substr(line_start_, begin - line_start_);
    result_.comments.push_back(
        {.begin = begin, .end = end, .alone = before.find_first_not_of(" \t") == before.npos});
  }

  /// "<<END", "<<-'END'"; "<<<" is none.
  void here_document() {
    at_ += 2;
    if (at_ < text_.size() && text_[at_] == '<') {
      ++at_;
      return;
    }
    if (at_ < text_.size() && text_[at_] == '-') ++at_;
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    // 1<<3 shifts.
    if (at_ >= text_.size() || (text_[at_] >= '0' && text_[at_] <= '9')) return;
    const std::size_t end = std::min(text_.find_first_of(word_ends, at_), text_.size());
    here_end_ = text_.substr(at_, end - at_);
    std::erase_if(here_end_, [](char c) { return c == '\'' || c == '"' || c == '\\'; });
    at_ = end;
  }

  void end_line() {
    ++at_;
    start_line(at_, false);
    while (!here_end_.empty() && at_ < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      std::string_view line = text_.substr(at_, end - at_);
      while (line.ends_with('\r')) line.remove_suffix(1);
      line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
      at_ = std::min(end + 1, text_.size());
      if (end < text_.size()) start_line(at_, false);
      if (line == here_end_) here_end_.clear();
    }
    here_end_.clear();
  }

  std::string_view text_;
  TextScan result_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  std::string here_end_;  // the word that ends the here-document which starts on the next line
};

}  // namespace

TextScan scan_shell(std::string_view text) {
  return ShellScanner(text).scan();
}

}  // namespace roofline
