// Words to launches. A script behind `sh -c` is split in its turn, with the places that its words
// have in the file.
#include "spec/serving/placed_commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/printable.hpp"
#include "spec/serving/command_wrappers.hpp"

namespace roofline {
namespace {

constexpr int deepest_script = 4;  // sh -c 'bash -c "..."'

bool is_option(std::string_view word) {
  return word.size() > 1 && word.front() == '-';
}

/// The index of the script of `sh -c SCRIPT`; none if there is no such thing.
std::optional<std::size_t> script_index(const std::vector<CommandWord>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!is_shell_program(words[i].word.text)) continue;
    for (std::size_t k = i + 1; k + 1 < words.size() && is_option(words[k].word.text); ++k) {
      const std::string& option = words[k].word.text;
      const bool is_long = option.substr(0, 2) == "--";
      if (!is_long && option.find('c') != std::string::npos) return k + 1;
      if (option == "-o") ++k;
    }
  }
  return std::nullopt;
}

std::vector<PlacedWord> placed_words(const std::vector<CommandWord>& words, std::size_t first = 0) {
  std::vector<PlacedWord> placed;
  for (std::size_t i = first; i < words.size(); ++i) placed.push_back(words[i].word);
  return placed;
}

/// `docker run -e NAME=VALUE`, `env NAME=VALUE`.
void add_assignments(const std::vector<CommandWord>& words, std::size_t end, Command& command) {
  for (std::size_t i = 0; i < end; ++i) {
    std::string_view text = words[i].word.text;
    if (text.substr(0, 6) == "--env=") text.remove_prefix(6);
    const std::size_t equal = text.find('=');
    if (equal == std::string_view::npos || text.front() == '-') continue;
    command.environment.push_back({.name = std::string(text.substr(0, equal)),
                                   .value = std::string(text.substr(equal + 1)),
                                   .unresolved = words[i].word.unresolved,
                                   .place = words[i].word.place});
  }
}

std::optional<std::string_view> unsupported_command(const std::vector<PlacedWord>& words) {
  if (const std::optional<ContainerRun> run = find_container_run(words)) {
    return unsupported_image(words[run->image].text);
  }
  const std::size_t first = skip_wrappers(words, 0);
  if (first >= words.size()) return std::nullopt;
  return unsupported_program(program_name(words[first].text));
}

void add_gpus(const std::optional<PlacedWord>& gpus, Launch& launch) {
  if (!gpus || launch.find_surrounding("gpus") != nullptr) return;
  std::string count = gpus->text;
  if (count == "all") return;  // as many as the machine has
  if (const std::size_t list = count.find("device="); list != std::string::npos) {
    count = fmt::format("{}", 1 + std::count(count.begin(), count.end(), ','));
  }
  launch.surroundings.push_back({.name = "gpus",
                                 .written = "--gpus",
                                 .values = {count},
                                 .unresolved = gpus->unresolved,
                                 .place = gpus->place});
}

void read_words(const SourceText& source, const Command& command, int depth, ReadLaunches& found);

void read_script(const SourceText& source, const Command& command, std::size_t index, int depth,
                 ReadLaunches& found) {
  const CommandWord& word = command.words[index];
  const PlacedText text =
      word.text ? *word.text : placed_text(source, word.word.text, word.begin, Spelling::shell);
  const std::size_t before = found.launches.size();
  for (const Command& inner : commands_of(source, text, command.environment, word.word.place)) {
    remark_lost_options(inner, before, found);
    read_words(source, inner, depth + 1, found);
  }
  // `docker run --gpus 2 IMAGE sh -c ...` says something of what runs inside.
  const std::optional<EngineStart> outer = find_engine(placed_words(command.words));
  for (std::size_t i = before; outer && i < found.launches.size(); ++i) {
    Launch& launch = found.launches[i];
    if (launch.version.empty() && launch.engine == outer->engine) launch.version = outer->version;
    add_gpus(outer->gpus, launch);
  }
}

void read_words(const SourceText& source, const Command& command, int depth, ReadLaunches& found) {
  if (command.words.empty()) return;
  if (const auto script = script_index(command.words); script && depth < deepest_script) {
    return read_script(source, command, *script, depth, found);
  }
  const std::vector<PlacedWord> words = placed_words(command.words);
  if (const std::optional<EngineStart> start = find_engine(words)) {
    Command with_assignments = command;
    add_assignments(command.words, start->first, with_assignments);
    const std::size_t first = std::min(start->first, command.words.size());
    const std::vector<CommandWord> arguments(
        command.words.begin() + static_cast<std::ptrdiff_t>(first), command.words.end());
    add_launch(start->engine, arguments, with_assignments, found);
    found.launches.back().version = start->version;
    add_gpus(start->gpus, found.launches.back());
  } else if (const auto name = unsupported_command(words)) {
    found.unsupported.push_back(
        fmt::format("{} at {}", *name, to_string(command.words.front().word.place)));
  }
}

ShellVariables variables_of(const std::vector<EnvironmentEntry>& environment) {
  ShellVariables variables;
  for (const EnvironmentEntry& entry : environment) {
    variables[entry.name] = {.value = entry.value, .unresolved = entry.unresolved};
  }
  return variables;
}

/// Each of `commands` has the whole environment.
void check_environments(std::size_t commands, const std::vector<EnvironmentEntry>& environment,
                        const Place& place) {
  constexpr std::size_t most_bytes = std::size_t{64} << 20;
  std::size_t bytes = 0;
  for (const EnvironmentEntry& entry : environment) {
    bytes += sizeof(entry) + entry.name.size() + entry.value.size() + entry.place.file.size();
  }
  if (bytes == 0 || commands <= most_bytes / bytes) return;
  throw Error(Diagnostic{.what = "the environments of the script's commands take more than 64 MiB",
                         .where = to_string(place),
                         .fix = "give the command that starts the engine alone"});
}

}  // namespace

CommandWord word_of(const SourceText& source, const ConfigNode& scalar) {
  CommandWord word{.word = {.text = scalar.text, .place = scalar.place},
                   .begin = scalar.offset,
                   .end = scalar.offset,
                   .text = placed_text(source, scalar)};
  if (!word.text->offsets.empty()) {
    word.begin = word.text->offsets.front();
    word.end = word.text->offsets.back() + 1;
  }
  return word;
}

std::vector<CommandWord> words_of(const SourceText& source, const ConfigNode* node) {
  std::vector<CommandWord> words;
  if (node == nullptr || node->kind == NodeKind::null) return words;
  if (node->is_scalar()) words.push_back(word_of(source, *node));
  for (const ConfigNode& item : node->items) {
    if (item.is_scalar()) words.push_back(word_of(source, item));
  }
  return words;
}

Command command_of(const SourceText& source, const ShellCommand& shell,
                   const std::vector<EnvironmentEntry>& environment, const Place& place,
                   const FindBytes& find) {
  Command command{.words = {}, .environment = environment};
  for (const ShellWord& word : shell.words) {
    CommandWord placed{.word = {.text = word.text, .unresolved = word.unresolved, .place = place}};
    if (const std::optional<FileBytes> bytes = find(word.begin, word.end)) {
      placed.begin = bytes->begin;
      placed.end = bytes->end;
      placed.word.place = source.place(bytes->begin, bytes->end);
    }
    command.words.push_back(std::move(placed));
  }
  const Place& first = command.words.empty() ? place : command.words.front().word.place;
  for (const auto& [name, variable] : shell.environment) {
    command.environment.push_back(
        {.name = name, .value = variable.value, .unresolved = variable.unresolved, .place = first});
  }
  return command;
}

std::vector<Command> commands_of(const SourceText& source, const PlacedText& script,
                                 const std::vector<EnvironmentEntry>& environment,
                                 const Place& place) {
  const PlaceOfOffset place_of = [&](std::size_t offset) {
    if (offset >= script.offsets.size()) return place;
    return source.place(script.offsets[offset], script.offsets[offset] + 1);
  };
  const std::vector<ShellCommand> split =
      split_shell(script.text, source.file(), variables_of(environment), place_of);
  check_environments(split.size(), environment, place);
  const FindBytes find = [&](std::size_t begin, std::size_t end) -> std::optional<FileBytes> {
    if (begin >= end || end > script.offsets.size()) return std::nullopt;
    return FileBytes{script.offsets[begin], script.offsets[end - 1] + 1};
  };
  std::vector<Command> commands;
  for (const ShellCommand& shell : split) {
    commands.push_back(command_of(source, shell, environment, place, find));
  }
  return commands;
}

void add_launch(Engine engine, const std::vector<CommandWord>& arguments, const Command& command,
                ReadLaunches& found) {
  Launch launch;
  launch.engine = engine;
  if (!command.words.empty()) launch.place = command.words.front().word.place;
  for (const EnvironmentEntry& entry : command.environment) {
    const PlacedWord value{
        .text = entry.value, .unresolved = entry.unresolved, .place = entry.place};
    read_environment(engine, entry.name, value, launch);
  }
  read_arguments(engine, placed_words(arguments), launch);
  found.launches.push_back(std::move(launch));
}

void remark_lost_options(const Command& command, std::size_t first_launch, ReadLaunches& found) {
  if (command.words.empty() || found.launches.size() <= first_launch) return;
  const PlacedWord& first = command.words.front().word;
  if (first.text.substr(0, 2) != "--") return;
  found.launches.back().remarks.push_back(
      {.rule = "yaml-surprise",
       .place = first.place,
       .what = fmt::format("'{}' starts a command of its own", printable(first.text, 60)),
       .why = "the line before ends the engine's command; in a folded block too, where a line is "
              "indented more than the first",
       .fix = "end the line before with a backslash"});
}

void read_command(const SourceText& source, const Command& command, ReadLaunches& found) {
  ++found.commands;
  read_words(source, command, 0, found);
}

}  // namespace roofline
