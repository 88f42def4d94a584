#include "report/text_chart_words.hpp"

#include <algorithm>
#include <array>

#include "base/printable.hpp"
#include "report/markup.hpp"

namespace roofline::report {
namespace {

struct CodeRange {
  char32_t first;
  char32_t last;
};

bool is_in(const auto& ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(), [code](const CodeRange& range) {
    return code >= range.first && code <= range.last;
  });
}

/// Hangul, Chinese, Japanese, Yi, full-width forms, pictures: terminals show them two columns wide.
constexpr std::array wide{
    CodeRange{0x1100, 0x115f},   CodeRange{0x231a, 0x23ff},  CodeRange{0x25fd, 0x27bf},
    CodeRange{0x2b1b, 0x2b55},   CodeRange{0x2e80, 0xa4cf},  CodeRange{0xa960, 0xa97f},
    CodeRange{0xac00, 0xd7a3},   CodeRange{0xf900, 0xfaff},  CodeRange{0xfe10, 0xfe6f},
    CodeRange{0xff00, 0xff60},   CodeRange{0xffe0, 0xffe6},  CodeRange{0x16fe0, 0x1b2ff},
    CodeRange{0x1f000, 0x1faff}, CodeRange{0x20000, 0x3fffd}};

/// The second set of control characters; zero-width ones; line ends and directions of writing.
constexpr std::array unseen{CodeRange{0x80, 0x9f},     CodeRange{0x200b, 0x200f},
                            CodeRange{0x2028, 0x202e}, CodeRange{0x2060, 0x206f},
                            CodeRange{0xfeff, 0xfeff}, CodeRange{0xfffd, 0xfffd}};

void trim_right(std::string& line) {
  line.erase(line.find_last_not_of(' ') + 1);
}

/// Bytes of `text` that fit into `most` columns.
std::size_t bytes_within(std::string_view text, std::size_t most) {
  std::size_t columns = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const Character next = character_at(text, at);
    columns += columns_of(next.code);
    if (columns > most) break;
    at += next.bytes;
  }
  return at;
}

/// A paragraph that grows word by word.
class Paragraph {
 public:
  Paragraph(std::string& out, const std::string& start)
      : out_(out), line_(start), indent_(columns_of(start)) {}

  void add(std::string_view word) {
    if (used_ && columns_of(line_) + 1 + columns_of(word) > chart_width) break_line();
    if (used_) line_ += ' ';
    // A word that no line has room for is broken wherever it has to be.
    while (columns_of(line_) + columns_of(word) > chart_width) {
      const std::size_t bytes = bytes_within(word, chart_width - columns_of(line_));
      line_ += word.substr(0, bytes);
      word.remove_prefix(bytes);
      break_line();
    }
    line_ += word;
    used_ = true;
  }

  void break_line() {
    trim_right(line_);
    out_ += line_ + '\n';
    line_ = std::string(indent_, ' ');
    used_ = false;
  }

 private:
  std::string& out_;
  std::string line_;
  std::size_t indent_;
  bool used_ = false;  ///< the line has a word
};

}  // namespace

std::size_t columns_of(char32_t code) {
  return is_in(wide, code) ? 2 : 1;
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Character next = character_at(text, at);
    columns += columns_of(next.code);
    at += next.bytes;
  }
  return columns;
}

std::string terminal_text(std::string_view text) {
  const std::string controlled = printable(text);
  std::string result;
  for (std::size_t at = 0; at < controlled.size();) {
    const Character next = character_at(controlled, at);
    if (is_in(unseen, next.code)) {
      result += '?';
    } else {
      result.append(controlled, at, next.bytes);
    }
    at += next.bytes;
  }
  return result;
}

std::string cut_to(std::string_view text, std::size_t most) {
  constexpr std::string_view dots = "...";
  if (columns_of(text) <= most) return std::string(text);
  return std::string(text.substr(0, bytes_within(text, most - dots.size()))) + std::string(dots);
}

std::string label_text(std::string_view label) {
  constexpr std::size_t longest_label = 36;
  return cut_to(terminal_text(label), longest_label);
}

void append_words(std::string& out, const std::string& start, std::string_view text) {
  Paragraph paragraph(out, start);
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    if (space > 0) paragraph.add(text.substr(0, space));
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  paragraph.break_line();
}

}  // namespace roofline::report
