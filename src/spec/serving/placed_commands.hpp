// Commands of a file, wherever they stand in it, and the engines that they start: in the open, or
// in a script behind `sh -c`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/serving/command_line.hpp"
#include "spec/serving/readers.hpp"
#include "spec/serving/shell_words.hpp"
#include "spec/serving/source_text.hpp"

namespace roofline {

/// A word of a command, and the bytes of the file that spell it.
struct CommandWord {
  PlacedWord word;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::optional<PlacedText> text{};  ///< of a word that a YAML value is; else spelled as in a shell
};

/// An environment variable with its place.
struct EnvironmentEntry {
  std::string name;
  std::string value;
  std::vector<std::string> unresolved{};
  Place place;
};

struct Command {
  std::vector<CommandWord> words;
  std::vector<EnvironmentEntry> environment;
};

/// The word that a YAML scalar is.
[[nodiscard]] CommandWord word_of(const SourceText& source, const ConfigNode& scalar);

/// The words of a list of scalars; of a scalar, itself. Null nodes give none.
[[nodiscard]] std::vector<CommandWord> words_of(const SourceText& source, const ConfigNode* node);

/// Bytes of the file, up to `end`.
struct FileBytes {
  std::size_t begin = 0;
  std::size_t end = 0;
};
/// Where the bytes of a script stand in the file; none: nowhere.
using FindBytes = std::function<std::optional<FileBytes>(std::size_t begin, std::size_t end)>;

/// A shell's command with the places of its words, `place` where one has none, and with
/// `environment` in front of its own.
[[nodiscard]] Command command_of(const SourceText& source, const ShellCommand& shell,
                                 const std::vector<EnvironmentEntry>& environment,
                                 const Place& place, const FindBytes& find);

/// The commands of a script that stands in the file. Each has `environment` in front of its own.
/// Throws Error at `place` where the script is no shell text, and for so many commands that their
/// environments take more than 64 MiB.
[[nodiscard]] std::vector<Command> commands_of(const SourceText& source, const PlacedText& script,
                                               const std::vector<EnvironmentEntry>& environment,
                                               const Place& place);

/// Remarks a line of options that the engine's command before it does not go over into. Launches
/// from `first_launch` on are of the same script.
void remark_lost_options(const Command& command, std::size_t first_launch, ReadLaunches& found);

/// Adds what the command starts: a launch, or the name of an engine that cannot be judged.
void read_command(const SourceText& source, const Command& command, ReadLaunches& found);

/// Adds a launch of an image that starts the engine by itself.
void add_launch(Engine engine, const std::vector<CommandWord>& arguments, const Command& command,
                ReadLaunches& found);

/// "Ollama" ... of the first word of a command, or of an image: engines that are not judged.
[[nodiscard]] std::optional<std::string_view> unsupported_program(std::string_view word);
[[nodiscard]] std::optional<std::string_view> unsupported_image(std::string_view image);

}  // namespace roofline
