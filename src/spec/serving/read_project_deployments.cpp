// The deployments of this project's own file: settings under this program's own names, or the
// command of an engine.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/closest.hpp"
#include "base/printable.hpp"
#include "spec/serving/containers.hpp"
#include "spec/serving/own_settings.hpp"
#include "spec/serving/placed_commands.hpp"
#include "spec/serving/readers.hpp"
#include "spec/serving/scalar_settings.hpp"

namespace roofline {
namespace {

using Member = ConfigNode::Member;

template <class List>
bool contains(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

Error wrong(const Place& place, std::string what, std::string fix) {
  return Error(
      Diagnostic{.what = std::move(what), .where = to_string(place), .fix = std::move(fix)});
}

Engine engine_of(const ConfigNode& deployment) {
  const ConfigNode* node = deployment.find("engine");
  if (node == nullptr) return Engine::vllm;
  const std::string name = scalar_text(node);
  if (const std::optional<Engine> engine = engine_named(name)) return *engine;
  const std::vector<std::string> names{"llama.cpp", "sglang", "tensorrt-llm", "vllm"};
  throw Error(Diagnostic{.what = fmt::format("unknown engine '{}'", printable(name, 60)),
                         .where = to_string(node->place),
                         .fix = "engine: vllm, sglang, tensorrt-llm or llama.cpp",
                         .suggestions = closest(name, names)});
}

EngineSetting valued_setting(std::string name, const Member& member) {
  EngineSetting setting = setting_of(std::move(name), member.key, member.value);
  if (!setting.values.empty() && member.value.kind != NodeKind::null) return setting;
  const std::string key = printable(member.key, 60);
  throw wrong(member.value.place, fmt::format("{} needs a value", key),
              fmt::format("{}: VALUE", key));
}

void read_requirements(const ConfigNode& require, Launch& launch) {
  if (!require.is_mapping()) {
    throw wrong(require.place, "require needs keys and values", "require: {max-ttft: 500ms}");
  }
  for (const Member& member : require.members) {
    launch.surroundings.push_back(valued_setting("require." + dashed(member.key), member));
  }
}

void read_surrounding(const Member& member, Launch& launch) {
  const std::string key = dashed(member.key);
  if (key == "require") {
    read_requirements(member.value, launch);
  } else if (contains(own_surrounding_names, key)) {
    launch.surroundings.push_back(valued_setting(key, member));
  }
}

Launch launch_of_settings(const ConfigNode& deployment) {
  Launch launch;
  launch.engine = engine_of(deployment);
  launch.place = deployment.place;
  launch.surroundings.push_back(surrounding("own-names", "deployments", "true", deployment.place));
  for (const Member& member : deployment.members) {
    const std::string key = dashed(member.key);
    if (contains(own_other_names, key) || contains(own_surrounding_names, key)) continue;
    EngineSetting setting = valued_setting(key, member);
    setting.known = contains(own_setting_names, key);
    launch.settings.push_back(std::move(setting));
  }
  return launch;
}

/// `command: "vllm serve ..."`, a list of words, or `args` of the engine that is named.
Launch launch_of_command(const SourceText& source, const ConfigNode& deployment) {
  ReadLaunches found;
  const ConfigNode* command = deployment.find("command");
  const ConfigNode* args = deployment.find("args");
  if (command == nullptr) {
    std::vector<CommandWord> words = words_of(source, args);
    if (args->is_scalar()) {
      words.clear();
      for (Command& next : commands_of(source, placed_text(source, *args), {}, args->place)) {
        for (CommandWord& word : next.words) words.push_back(std::move(word));
      }
    }
    add_launch(engine_of(deployment), words, {}, found);
  } else if (command->is_scalar()) {
    for (const Command& next :
         commands_of(source, placed_text(source, *command), {}, command->place)) {
      read_command(source, next, found);
    }
  } else {
    Command next{.words = words_of(source, command), .environment = {}};
    for (CommandWord& word : words_of(source, args)) next.words.push_back(std::move(word));
    read_command(source, next, found);
  }
  if (found.launches.size() != 1) {
    throw wrong(command == nullptr ? args->place : command->place,
                found.launches.empty() ? "the command starts no engine that is known here"
                                       : "the command starts several engines",
                "command: vllm serve MODEL");
  }
  found.launches.front().place = deployment.place;
  return std::move(found.launches.front());
}

/// A command says it all: settings beside it would be read by nobody.
void refuse_settings_beside_command(const ConfigNode& deployment) {
  for (const Member& member : deployment.members) {
    const std::string key = dashed(member.key);
    if (contains(own_other_names, key) || contains(own_surrounding_names, key)) continue;
    throw wrong(member.place, fmt::format("'{}' beside a command", printable(member.key, 60)),
                "the engine's option in the command");
  }
}

Launch launch_of(const SourceText& source, const ConfigNode& deployment) {
  if (!deployment.is_mapping()) {
    throw wrong(deployment.place, "a deployment has keys and values",
                "- {name: chat, model: qwen3-8b, gpu: H100}");
  }
  const bool has_command =
      deployment.find("command") != nullptr || deployment.find("args") != nullptr;
  if (has_command) refuse_settings_beside_command(deployment);
  Launch launch =
      has_command ? launch_of_command(source, deployment) : launch_of_settings(deployment);
  launch.name = printable(scalar_text(deployment.find("name")), 120);
  const std::string version = scalar_text(deployment.find("engine-version"));
  if (!version.empty()) launch.version = version;
  for (const Member& member : deployment.members) read_surrounding(member, launch);
  return launch;
}

}  // namespace

ReadLaunches read_project_deployments(const SourceText& source, const ConfigDocuments& documents) {
  ReadLaunches found;
  const ConfigNode& root = only_mapping("this project", source.file(), documents,
                                        "deployments: [{model: qwen3-8b, gpu: H100}]");
  const ConfigNode* deployments = root.find("deployments");
  if (deployments == nullptr) return found;
  if (!deployments->is_list() || deployments->items.empty()) {
    throw wrong(deployments->place, "deployments needs a list",
                "deployments: [{model: qwen3-8b, gpu: H100}]");
  }
  ErrorCollector errors;
  for (const ConfigNode& deployment : deployments->items) {
    ++found.commands;
    errors.collect([&] { found.launches.push_back(launch_of(source, deployment)); });
  }
  errors.throw_if_any();
  return found;
}

}  // namespace roofline
