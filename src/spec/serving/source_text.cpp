// Bytes of a text inside a file: found by walking both side by side. Blanks may be folded, quotes
// doubled and escapes taken off, all else stands in the file byte by byte.
#include "spec/serving/source_text.hpp"

#include <algorithm>
#include <utility>

namespace roofline {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Where the next byte of the text may stand.
class Walker {
 public:
  Walker(std::string_view raw, std::size_t at, Spelling spelling)
      : raw_(raw), at_(at), spelling_(spelling) {}

  /// Steps to `wanted`, which is no blank; false if something else stands there.
  bool step_to(char wanted) {
    while (at_ < raw_.size() && skip(wanted)) {
    }
    if (at_ >= raw_.size() || raw_[at_] != wanted) return false;
    found_ = at_++;
    if (spelling_ == Spelling::single_quoted && wanted == '\'' && peek(0) == '\'') ++at_;
    return true;
  }

  [[nodiscard]] std::size_t found() const { return found_; }
  [[nodiscard]] std::size_t at() const { return std::min(at_, raw_.size()); }

 private:
  [[nodiscard]] char peek(std::size_t ahead) const {
    return at_ + ahead < raw_.size() ? raw_[at_ + ahead] : '\0';
  }

  /// Passes over one thing that is not part of the text; false if there is none.
  bool skip(char wanted) {
    const char c = raw_[at_];
    if (is_blank(c)) return pass(1);
    if (spelling_ == Spelling::double_quoted && c == '\\') return skip_escape(wanted);
    if (spelling_ != Spelling::shell || c == wanted) return false;
    return (c == '\\' || c == '"' || c == '\'') && pass(1);
  }

  bool skip_escape(char wanted) {
    const char escaped = peek(1);
    if (escaped == wanted && (wanted == '"' || wanted == '\\' || wanted == '/')) {
      ++at_;
      return false;
    }
    constexpr std::string_view blanks = "ntr \n\r";
    return blanks.find(escaped) != std::string_view::npos && pass(2);
  }

  bool pass(std::size_t bytes) {
    at_ += bytes;
    return true;
  }

  std::string_view raw_;
  std::size_t at_;
  std::size_t found_ = 0;
  Spelling spelling_;
};

bool is_quote(char c) {
  return c == '"' || c == '\'';
}

/// A block's text starts on the line after its indicator.
std::size_t after_line(std::string_view text, std::size_t offset) {
  const std::size_t end = text.find('\n', offset);
  return end == std::string_view::npos ? text.size() : end + 1;
}

}  // namespace

SourceText::SourceText(std::string_view text, std::string file)
    : text_(text), file_(std::move(file)), lines_{0} {
  for (std::size_t i = text_.find('\n'); i != std::string_view::npos; i = text_.find('\n', i + 1)) {
    lines_.push_back(i + 1);
  }
}

Place SourceText::place(std::size_t begin, std::size_t end) const {
  begin = std::min(begin, text_.size());
  const auto next = std::upper_bound(lines_.begin(), lines_.end(), begin);
  const std::size_t start = *std::prev(next);
  const std::size_t line_end = next == lines_.end() ? text_.size() : *next - 1;
  const std::size_t last = std::clamp(end, begin, line_end);
  return {.file = file_,
          .line = static_cast<std::int64_t>(next - lines_.begin()),
          .column = static_cast<std::int64_t>(begin - start) + 1,
          .end_column = static_cast<std::int64_t>(last - start) + 1};
}

PlacedText placed_text(const SourceText& source, std::string_view text, std::size_t begin,
                       Spelling spelling) {
  PlacedText placed{.text = std::string(text), .offsets = {}};
  placed.offsets.reserve(text.size());
  Walker walker(source.text(), begin, spelling);
  bool same = true;
  std::size_t last = begin;
  for (const char c : text) {
    if (same && is_blank(c)) last = walker.at();
    if (same && !is_blank(c)) {
      same = walker.step_to(c);
      if (same) last = walker.found();
    }
    placed.offsets.push_back(last);
  }
  return placed;
}

PlacedText placed_text(const SourceText& source, const ConfigNode& node) {
  const char first = node.offset < source.text().size() ? source.text()[node.offset] : '\0';
  if (node.quoted && is_quote(first)) {
    const Spelling spelling = first == '"' ? Spelling::double_quoted : Spelling::single_quoted;
    return placed_text(source, node.text, node.offset + 1, spelling);
  }
  if (node.quoted && (first == '|' || first == '>')) {
    return placed_text(source, node.text, after_line(source.text(), node.offset), Spelling::block);
  }
  return placed_text(source, node.text, node.offset, Spelling::plain);
}

}  // namespace roofline
