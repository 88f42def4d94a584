// Shell scripts and single command lines: every command that starts an engine is a launch.
#include "base/printable.hpp"
#include "spec/serving/config_text.hpp"
#include "spec/serving/placed_commands.hpp"
#include "spec/serving/readers.hpp"

namespace roofline {
namespace {

/// Launches of one file are told apart by what they serve.
std::string name_of(const Launch& launch) {
  for (const std::string_view name : {"served-model-name", "alias", "model", "model-path"}) {
    const EngineSetting* setting = launch.find(name);
    if (setting == nullptr || setting->values.empty()) continue;
    const std::string_view value = setting->values.front();
    return printable(value.substr(value.rfind('/') + 1), 80);
  }
  return std::string(to_string(launch.engine));
}

}  // namespace

ReadLaunches read_shell(const SourceText& source) {
  ReadLaunches found;
  const std::string_view script = without_byte_order_mark(source.text());
  const std::size_t start = source.text().size() - script.size();
  for (const ShellCommand& shell : split_shell(script, source.file())) {
    Command command;
    for (const ShellWord& word : shell.words) {
      command.words.push_back(
          {.word = {.text = word.text,
                    .unresolved = word.unresolved,
                    .place = source.place(start + word.begin, start + word.end)},
           .begin = start + word.begin,
           .end = start + word.end});
    }
    if (command.words.empty()) continue;
    const Place& first = command.words.front().word.place;
    for (const auto& [name, variable] : shell.environment) {
      command.environment.push_back({.name = name,
                                     .value = variable.value,
                                     .unresolved = variable.unresolved,
                                     .place = first});
    }
    remark_lost_options(command, 0, found);
    read_command(source, command, found);
  }
  if (found.launches.size() > 1) {
    for (Launch& launch : found.launches) launch.name = name_of(launch);
  }
  return found;
}

}  // namespace roofline
