// The commands of a shell script, word by word, as a POSIX shell would split them. Nothing is run:
// variables are those that the script itself sets, or that it is told.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/error.hpp"
#include "roofline/serving_config.hpp"

namespace roofline {

struct ShellWord {
  std::string text;                       ///< quotes and backslashes taken off, variables put in
  std::vector<std::string> unresolved{};  ///< "CTX", "$(command)": left in the text as they stand
  std::size_t begin = 0;                  ///< in the script; of a word that came out of a variable:
  std::size_t end = 0;                    ///< where the variable is used

  friend bool operator==(const ShellWord&, const ShellWord&) = default;
};

struct ShellVariable {
  std::string value;
  std::vector<std::string> unresolved{};
  std::size_t begin = 0;  ///< of the assignment in the script; both 0: not set by the script
  std::size_t end = 0;

  friend bool operator==(const ShellVariable&, const ShellVariable&) = default;
};
using ShellVariables = std::map<std::string, ShellVariable, std::less<>>;

/// A simple command: assignments before it, then its words; redirections are dropped.
struct ShellCommand {
  /// Assigned in front of it, or set by the script and exported; the given ones are the caller's.
  ShellVariables environment;
  std::vector<ShellWord> words;
};

/// The place in the file of an offset in the script.
using PlaceOfOffset = std::function<Place(std::size_t)>;

/// Splits a script into its commands: at newlines, ";", "&", "&&", "||", "|" and parentheses.
/// Comments, redirections and here-documents are dropped, and so are keywords ("if", "then", "do"
/// ...), a prompt ("$ vllm serve") and commands that only set variables; lines are joined at a
/// backslash. $VAR, ${VAR}, ${VAR:-word} and the like, arrays, Kubernetes' $(VAR) where VAR is in
/// `variables`; "$$VAR" is "$VAR" (compose and Kubernetes escape so). Variables that the script
/// sets count from there on; one that is set in a branch only (if, case, a loop, after "||") is
/// unresolved after it. Unquoted values are split at blanks. Nothing is run: $(command), $((1+1)),
/// "$1" and ${VAR%x} are unresolved.
/// `place_of` is for messages where the script is a part of a file; without it the script is all
/// of `file`. Throws Error for a quote or brace that does not end, for blanks between a backslash
/// and the end of its line, and for what takes more than 16 MiB or nests deeper than 100.
[[nodiscard]] std::vector<ShellCommand> split_shell(std::string_view script,
                                                    const std::string& file,
                                                    const ShellVariables& variables = {},
                                                    const PlaceOfOffset& place_of = {});

}  // namespace roofline
