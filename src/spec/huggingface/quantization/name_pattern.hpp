// The patterns that lists of modules use: shell wildcards, and the part of regular expressions that
// real files have. Matched in one pass over the name, whatever the pattern.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roofline::huggingface {

class NamePattern {
 public:
  /// `*`, `?` and `[...]`, as a shell has them; names a module and all that is inside it.
  /// None, with the reason in `problem`, where it is too long.
  [[nodiscard]] static std::optional<NamePattern> wildcards(std::string_view text,
                                                            std::string& problem);
  /// Characters, `.`, `[...]`, `\d`, `\w`, `(a|b)`, `*`, `+`, `?`, `^`, `$`; must match from the
  /// name's first character, not up to its last, as Python's re.match. None, with the reason in
  /// `problem`, where it uses anything else.
  [[nodiscard]] static std::optional<NamePattern> expression(std::string_view text,
                                                             std::string& problem);

  /// Where the pattern can be after some characters of a name.
  struct Progress {
    std::vector<std::uint16_t> states;
    bool begun = false;    ///< at least one character was read
    bool matched = false;  ///< whatever follows
  };
  [[nodiscard]] Progress start() const;
  /// One more character.
  [[nodiscard]] Progress next(const Progress& before, char character) const;
  /// True if a name that ends here matches.
  [[nodiscard]] bool ends(const Progress& progress) const;

  [[nodiscard]] bool matches(std::string_view name) const;

 private:
  enum class Step : std::uint8_t { one_of, fork, jump, at_start, at_end, accept };
  struct Instruction {
    Step step = Step::accept;
    std::bitset<256> characters{};
    std::uint16_t first = 0;
    std::uint16_t second = 0;
  };
  friend class PatternCompiler;

  void follow(std::uint16_t from, bool begun, bool at_end, std::vector<bool>& seen,
              std::vector<std::uint16_t>& states) const;
  [[nodiscard]] bool accepts(const std::vector<std::uint16_t>& states) const;

  std::vector<Instruction> program_;
  bool whole_ = false;  ///< must match up to the end, or to a dot
};

}  // namespace roofline::huggingface
