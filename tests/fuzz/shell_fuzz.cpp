// Any bytes as a shell script: words that lie in it and settings with values, or an Error.
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "roofline/error.hpp"
#include "spec/serving/command_line.hpp"

using namespace roofline;

namespace {

void read_command(const ShellCommand& command, std::size_t size) {
  std::vector<PlacedWord> words;
  for (const ShellWord& word : command.words) {
    ensure(word.begin < word.end && word.end <= size, "a word lies in the script");
    words.push_back({.text = word.text, .unresolved = word.unresolved, .place = {}});
  }
  const std::optional<EngineStart> start = find_engine(words);
  if (!start) return;
  ensure(start->first <= words.size(), "arguments are among the words");
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(start->first));
  Launch launch;
  for (const auto& [name, variable] : command.environment) {
    read_environment(start->engine, name, {.text = variable.value, .place = {}}, launch);
  }
  read_arguments(start->engine, words, launch);
  for (const EngineSetting& setting : launch.settings) {
    ensure(!setting.values.empty(), "a setting has a value");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ShellVariables given{{"TP", {.value = "4"}}, {"ARGS", {.value = "--a 'b c'"}}};
  for (const ShellVariables& variables : std::array{ShellVariables{}, given}) {
    try {
      for (const ShellCommand& command : split_shell(text, "f", variables)) {
        read_command(command, size);
      }
    } catch (const Error&) {
    }
  }
  return 0;
}
