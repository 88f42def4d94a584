// The name at the start of a word of a command line: which flag it is, as the engine's own parser
// decides it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "spec/serving/command_line.hpp"

namespace roofline {

struct FlagWord {
  const EngineFlag* flag = nullptr;    ///< null: the engine has no such flag
  std::string name{};                  ///< of the setting: "compilation-config.mode"
  std::string written{};               ///< "--max_model_len", "-tp"
  std::optional<std::string> value{};  ///< behind "=", or "3" of "-O3"
  std::size_t value_offset = 0;        ///< in the word
  bool negative = false;
  bool is_member = false;  ///< of a mapping: takes one value, whatever the flag itself takes
};

/// What the word says if it is a flag; none for a value: "-1", "-", "a b".
[[nodiscard]] std::optional<FlagWord> flag_word(const EngineFlags& flags, std::string_view word);

}  // namespace roofline
