// A pattern becomes a small program; the states that it can be in are followed side by side.
#include "spec/huggingface/quantization/name_pattern.hpp"

#include <fmt/format.h>

namespace roofline::huggingface {

/// Parses by recursive descent: alternatives of sequences of repeated atoms.
class PatternCompiler {
 public:
  using Step = NamePattern::Step;
  using Instruction = NamePattern::Instruction;

  explicit PatternCompiler(std::string_view text) : text_(text) {}

  bool wildcards() {
    while (problem_.empty() && at_ < text_.size()) wildcard();
    emit({.step = Step::accept});
    return problem_.empty();
  }

  bool expression() {
    alternatives(0);
    if (problem_.empty() && at_ < text_.size()) problem_ = "it has a ) without a (";
    emit({.step = Step::accept});
    return problem_.empty();
  }

  [[nodiscard]] std::vector<Instruction> program() { return std::move(program_); }
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  static constexpr std::size_t most_characters = 2000;
  static constexpr std::size_t most_instructions = 8000;
  static constexpr int most_nesting = 50;

  [[nodiscard]] bool more() const { return problem_.empty() && at_ < text_.size(); }
  [[nodiscard]] bool looks_at(std::string_view next) const {
    return text_.substr(at_, next.size()) == next;
  }
  [[nodiscard]] std::uint16_t here() const { return static_cast<std::uint16_t>(program_.size()); }

  void emit(const Instruction& instruction) {
    if (text_.size() > most_characters || program_.size() >= most_instructions) {
      problem_ = "it is too long";
      return;
    }
    program_.push_back(instruction);
  }

  /// Puts an instruction before those from `place` on; they keep leading to each other.
  void insert(std::uint16_t place, const Instruction& instruction) {
    emit(instruction);
    if (!problem_.empty()) return;
    program_.pop_back();
    for (std::size_t index = place; index < program_.size(); ++index) {
      Instruction& moved = program_[index];
      if (moved.step != Step::fork && moved.step != Step::jump) continue;
      if (moved.first >= place) ++moved.first;
      if (moved.second >= place) ++moved.second;
    }
    program_.insert(program_.begin() + place, instruction);
  }

  static std::bitset<256> only(char character) {
    std::bitset<256> set;
    set.set(static_cast<unsigned char>(character));
    return set;
  }

  static std::bitset<256> any() { return ~std::bitset<256>{}; }

  void one_of(const std::bitset<256>& characters) {
    emit({.step = Step::one_of, .characters = characters});
  }

  void wildcard() {
    const char character = text_[at_];
    if (character == '[' && text_.find(']', at_ + 2) != std::string_view::npos) {
      one_of(character_class('!'));
      return;
    }
    ++at_;
    if (character == '*') {
      const std::uint16_t begin = here();
      one_of(any());
      repeat(begin, '*');
    } else {
      one_of(character == '?' ? any() : only(character));
    }
  }

  void alternatives(int nesting) {
    if (nesting > most_nesting) problem_ = "it is nested too deeply";
    const std::uint16_t begin = here();
    sequence(nesting);
    if (!more() || text_[at_] != '|') return;
    ++at_;
    insert(begin, {.step = Step::fork, .first = static_cast<std::uint16_t>(begin + 1)});
    const std::uint16_t leave = here();
    emit({.step = Step::jump});
    if (!problem_.empty()) return;
    program_[begin].second = here();
    alternatives(nesting + 1);
    if (problem_.empty()) program_[leave].first = here();
  }

  void sequence(int nesting) {
    while (more() && text_[at_] != '|' && text_[at_] != ')') {
      const std::uint16_t begin = here();
      atom(nesting);
      if (!more()) return;
      const char quantifier = text_[at_];
      if (quantifier != '*' && quantifier != '+' && quantifier != '?') continue;
      ++at_;
      if (more() && text_[at_] == '?') ++at_;  // as few as possible: the same names match
      repeat(begin, quantifier);
    }
  }

  /// Repeats what was emitted from `begin` on.
  void repeat(std::uint16_t begin, char quantifier) {
    if (quantifier == '+') {
      emit({.step = Step::fork, .first = begin, .second = static_cast<std::uint16_t>(here() + 1)});
      return;
    }
    insert(begin, {.step = Step::fork, .first = static_cast<std::uint16_t>(begin + 1)});
    if (quantifier == '*') emit({.step = Step::jump, .first = begin});
    if (problem_.empty()) program_[begin].second = here();
  }

  void atom(int nesting) {
    const char character = text_[at_];
    if (character == '(') return group(nesting);
    if (character == '[') return one_of(character_class('^'));
    if (character == '\\') return escape();
    if (character == '{' || character == '*' || character == '+' || character == '?') {
      problem_ = fmt::format("{} is not read there", character);
      return;
    }
    ++at_;
    if (character == '^') return emit({.step = Step::at_start});
    if (character == '$') return emit({.step = Step::at_end});
    one_of(character == '.' ? any() : only(character));
  }

  void group(int nesting) {
    ++at_;
    if (looks_at("?:")) at_ += 2;
    if (looks_at("?")) {
      problem_ = "groups that begin with (? are not read";
      return;
    }
    alternatives(nesting + 1);
    if (!problem_.empty()) return;
    if (looks_at(")")) {
      ++at_;
    } else {
      problem_ = "it has a ( without a )";
    }
  }

  static std::bitset<256> named_class(char letter) {
    std::bitset<256> set;
    for (char c = '0'; c <= '9'; ++c) set |= only(c);
    if (letter == 'd') return set;
    for (char c = 'a'; c <= 'z'; ++c) set |= only(c);
    for (char c = 'A'; c <= 'Z'; ++c) set |= only(c);
    return set | only('_');
  }

  static bool is_letter_or_digit(char character) {
    return character != '_' && named_class('w').test(static_cast<unsigned char>(character));
  }

  void escape() {
    ++at_;
    const char character = at_ < text_.size() ? text_[at_] : '\0';
    ++at_;
    if (character == 'd' || character == 'w') return one_of(named_class(character));
    if (character == '\0' || is_letter_or_digit(character)) {
      problem_ = fmt::format("\\{} is not read", character == '\0' ? ' ' : character);
      return;
    }
    one_of(only(character));
  }

  /// At '['; reads up to and with ']'.
  std::bitset<256> character_class(char negation) {
    std::bitset<256> set;
    ++at_;
    const bool negated = more() && text_[at_] == negation;
    if (negated) ++at_;
    for (bool first = true; more() && (first || text_[at_] != ']'); first = false) {
      if (text_[at_] == '\\') {
        ++at_;
        if (looks_at("d") || looks_at("w")) {
          set |= named_class(text_[at_++]);
          continue;
        }
      }
      if (at_ < text_.size()) range(set);
    }
    if (!more()) {
      problem_ = "it has a [ without a ]";
    } else {
      ++at_;
    }
    return negated ? ~set : set;
  }

  void range(std::bitset<256>& set) {
    const auto low = static_cast<unsigned char>(text_[at_++]);
    if (!looks_at("-") || at_ + 1 >= text_.size() || text_[at_ + 1] == ']') {
      set.set(low);
      return;
    }
    const auto high = static_cast<unsigned char>(text_[at_ + 1]);
    at_ += 2;
    for (unsigned c = low; c <= high; ++c) set.set(c);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Instruction> program_;
  std::string problem_;
};

std::optional<NamePattern> NamePattern::wildcards(std::string_view text, std::string& problem) {
  PatternCompiler compiler(text);
  const bool good = compiler.wildcards();
  problem = compiler.problem();
  if (!good) return std::nullopt;
  NamePattern pattern;
  pattern.program_ = compiler.program();
  pattern.whole_ = true;
  return pattern;
}

std::optional<NamePattern> NamePattern::expression(std::string_view text, std::string& problem) {
  PatternCompiler compiler(text);
  const bool good = compiler.expression();
  problem = compiler.problem();
  if (!good) return std::nullopt;
  NamePattern pattern;
  pattern.program_ = compiler.program();
  return pattern;
}

/// Adds the instruction `from`, or those that it leads to without reading a character.
void NamePattern::follow(std::uint16_t from, bool begun, bool at_end, std::vector<bool>& seen,
                         std::vector<std::uint16_t>& states) const {
  std::vector<std::uint16_t> open{from};
  while (!open.empty()) {
    const std::uint16_t state = open.back();
    open.pop_back();
    if (seen[state]) continue;
    seen[state] = true;
    const Instruction& instruction = program_[state];
    const auto after = static_cast<std::uint16_t>(state + 1);
    if (instruction.step == Step::fork) {
      open.push_back(instruction.second);
      open.push_back(instruction.first);
    } else if (instruction.step == Step::jump) {
      open.push_back(instruction.first);
    } else if (instruction.step == Step::at_start) {
      if (!begun) open.push_back(after);
    } else if (instruction.step == Step::at_end && at_end) {
      open.push_back(after);
    } else {
      states.push_back(state);
    }
  }
}

bool NamePattern::accepts(const std::vector<std::uint16_t>& states) const {
  for (const std::uint16_t state : states) {
    if (program_[state].step == Step::accept) return true;
  }
  return false;
}

NamePattern::Progress NamePattern::start() const {
  Progress progress;
  std::vector<bool> seen(program_.size());
  follow(0, false, false, seen, progress.states);
  progress.matched = !whole_ && accepts(progress.states);
  return progress;
}

NamePattern::Progress NamePattern::next(const Progress& before, char character) const {
  Progress progress;
  progress.begun = true;
  progress.matched = before.matched || (whole_ && character == '.' && accepts(before.states));
  if (progress.matched) return progress;
  std::vector<bool> seen(program_.size());
  for (const std::uint16_t state : before.states) {
    const Instruction& instruction = program_[state];
    if (instruction.step != Step::one_of) continue;
    if (!instruction.characters.test(static_cast<unsigned char>(character))) continue;
    follow(static_cast<std::uint16_t>(state + 1), true, false, seen, progress.states);
  }
  progress.matched = !whole_ && accepts(progress.states);
  return progress;
}

bool NamePattern::ends(const Progress& progress) const {
  if (progress.matched) return true;
  std::vector<bool> seen(program_.size());
  std::vector<std::uint16_t> states;
  for (const std::uint16_t state : progress.states) {
    follow(state, progress.begun, true, seen, states);
  }
  return accepts(states);
}

bool NamePattern::matches(std::string_view name) const {
  Progress progress = start();
  for (const char character : name) progress = next(progress, character);
  return ends(progress);
}

}  // namespace roofline::huggingface
