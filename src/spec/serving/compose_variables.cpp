// One walk over the text. Every variable counts as not set: that is what defaults are for.
#include "spec/serving/compose_variables.hpp"

#include <utility>

namespace roofline {
namespace {

constexpr int deepest_default = 20;  // ${A:-${B:-${C}}}

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_name(char c) {
  return is_name_start(c) || (c >= '0' && c <= '9');
}

class Interpolation {
 public:
  explicit Interpolation(const PlacedText& text) : text_(text.text), offsets_(&text.offsets) {}

  InterpolatedText run() {
    read(0, text_.size(), 0);
    return std::move(result_);
  }

 private:
  void keep(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      result_.text.text += text_[i];
      result_.text.offsets.push_back((*offsets_)[i]);
    }
  }

  [[nodiscard]] std::size_t name_end(std::size_t begin) const {
    std::size_t end = begin;
    while (end < text_.size() && is_name(text_[end])) ++end;
    return end;
  }

  void read(std::size_t begin, std::size_t end, int depth) {
    for (std::size_t i = begin; i < end;) {
      const char next = i + 1 < end ? text_[i + 1] : '\0';
      if (text_[i] == '$' && next == '$') {
        keep(i, i + 1);
        i += 2;
      } else if (text_[i] == '$' && next == '{') {
        i = read_braces(i, end, depth);
      } else if (text_[i] == '$' && is_name_start(next)) {
        const std::size_t after = name_end(i + 1);
        unresolved(i + 1, after, i, after);
        i = after;
      } else {
        keep(i, i + 1);
        ++i;
      }
    }
  }

  void unresolved(std::size_t name, std::size_t end, std::size_t from, std::size_t to) {
    result_.unresolved.emplace_back(text_.substr(name, end - name));
    keep(from, to);
  }

  /// The closing brace of the one at `open`; the end where there is none.
  [[nodiscard]] std::size_t closing(std::size_t open, std::size_t end) const {
    int depth = 0;
    for (std::size_t i = open; i < end; ++i) {
      if (text_[i] == '{') ++depth;
      if (text_[i] == '}' && --depth == 0) return i;
    }
    return end;
  }

  /// From the $ of "${"; returns what comes after it.
  std::size_t read_braces(std::size_t begin, std::size_t end, int depth) {
    const std::size_t close = closing(begin + 1, end);
    const std::size_t after_name = name_end(begin + 2);
    if (close == end) {
      keep(begin, end);
      return end;
    }
    std::size_t word = after_name;
    if (word < close && text_[word] == ':') ++word;
    const char sign = word < close ? text_[word] : '\0';
    if (sign == '-' && depth < deepest_default) {
      read(word + 1, close, depth + 1);
    } else if (sign != '+') {  // ${VAR:+word} of a variable that is not set is nothing
      unresolved(begin + 2, after_name, begin, close + 1);
    }
    return close + 1;
  }

  std::string_view text_;
  const std::vector<std::size_t>* offsets_;
  InterpolatedText result_{};
};

}  // namespace

InterpolatedText interpolated(const PlacedText& text) {
  return Interpolation(text).run();
}

}  // namespace roofline
