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
  const FindBytes find = [&](std::size_t begin, std::size_t end) {
    return std::optional(FileBytes{start + begin, start + end});
  };
  for (const ShellCommand& shell : split_shell(script, source.file())) {
    if (shell.words.empty()) continue;
    const Command command = command_of(source, shell, {}, {.file = source.file()}, find);
    remark_lost_options(command, 0, found);
    read_command(source, command, found);
  }
  if (found.launches.size() > 1) {
    for (Launch& launch : found.launches) launch.name = name_of(launch);
  }
  return found;
}

}  // namespace roofline
