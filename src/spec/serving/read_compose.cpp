// docker compose files: services whose command or image starts an engine.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/printable.hpp"
#include "spec/serving/compose_variables.hpp"
#include "spec/serving/containers.hpp"
#include "spec/serving/readers.hpp"
#include "spec/serving/scalar_settings.hpp"

namespace roofline {
namespace {

EnvironmentEntry entry_of(const SourceText& source, std::string name, const ConfigNode& value,
                          std::size_t skipped) {
  PlacedText text = placed_text(source, value);
  text.text.erase(0, skipped);
  text.offsets.erase(text.offsets.begin(),
                     text.offsets.begin() + static_cast<std::ptrdiff_t>(skipped));
  const InterpolatedText put_in = interpolated(text);
  return {.name = std::move(name),
          .value = put_in.text.text,
          .unresolved = put_in.unresolved,
          .place = value.place};
}

/// `environment` as a mapping, or as a list of NAME=VALUE. A name alone is taken from outside.
std::vector<EnvironmentEntry> environment_of_service(const SourceText& source,
                                                     const ConfigNode* node) {
  std::vector<EnvironmentEntry> environment;
  if (node == nullptr) return environment;
  for (const ConfigNode::Member& member : node->members) {
    if (!member.value.is_scalar() || member.value.kind == NodeKind::null) continue;
    environment.push_back(entry_of(source, member.key, member.value, 0));
  }
  for (const ConfigNode& item : node->items) {
    const std::size_t equal = item.text.find('=');
    if (!item.is_scalar() || equal == std::string::npos) continue;
    environment.push_back(entry_of(source, item.text.substr(0, equal), item, equal + 1));
  }
  return environment;
}

/// Variables that compose did not put in are not the container's of the same name.
std::vector<EnvironmentEntry> without(std::vector<EnvironmentEntry> environment,
                                      const std::vector<std::string>& names) {
  const auto is_named = [&](const EnvironmentEntry& entry) {
    return std::find(names.begin(), names.end(), entry.name) != names.end();
  };
  environment.erase(std::remove_if(environment.begin(), environment.end(), is_named),
                    environment.end());
  return environment;
}

/// A command or entrypoint: a text, split as a shell does it, or a list of words.
std::vector<CommandWord> command_words(const SourceText& source, const ConfigNode* node,
                                       const std::vector<EnvironmentEntry>& environment) {
  std::vector<CommandWord> words;
  if (node == nullptr) return words;
  if (node->is_list()) {
    for (CommandWord& word : words_of(source, node)) {
      InterpolatedText text = interpolated(*word.text);
      word.word.text = text.text.text;
      word.word.unresolved = std::move(text.unresolved);
      word.text = std::move(text.text);
      words.push_back(std::move(word));
    }
    return words;
  }
  if (!node->is_scalar() || node->kind == NodeKind::null) return words;
  const InterpolatedText text = interpolated(placed_text(source, *node));
  const auto known = without(environment, text.unresolved);
  for (Command& command : commands_of(source, text.text, known, node->place)) {
    for (CommandWord& word : command.words) words.push_back(std::move(word));
  }
  return words;
}

void add_devices(const ConfigNode& devices, std::string_view written, Container& container) {
  for (const ConfigNode& device : devices.items) {
    const ConfigNode* driver = device.find("driver");
    if (driver != nullptr && scalar_text(driver) == "cdi") continue;
    if (const ConfigNode* ids = device.find("device_ids"); ids != nullptr && ids->is_list()) {
      container.surroundings.push_back(
          surrounding("gpus", "device_ids", fmt::format("{}", ids->items.size()), ids->place));
    } else if (const ConfigNode* count = device.find("count")) {
      if (scalar_text(count) == "all" || scalar_text(count) == "-1") continue;
      container.surroundings.push_back(
          surrounding("gpus", std::string(written), scalar_text(count), count->place));
    }
  }
}

void read_gpus(const ConfigNode& service, Container& container) {
  if (const ConfigNode* devices =
          service.find_path({"deploy", "resources", "reservations", "devices"})) {
    add_devices(*devices, "count", container);
  }
  if (const ConfigNode* gpus = service.find("gpus"); gpus != nullptr && gpus->is_list()) {
    add_devices(*gpus, "gpus", container);
  } else if (gpus != nullptr && gpus->is_scalar() && scalar_text(gpus) != "all") {
    container.surroundings.push_back(surrounding("gpus", "gpus", gpus->text, gpus->place));
  }
  for (EngineSetting& setting : container.surroundings) {
    PlacedText text{.text = setting.values.front(), .offsets = {}};
    text.offsets.assign(text.text.size(), 0);
    InterpolatedText put_in = interpolated(text);
    setting.values.front() = put_in.text.text;
    setting.unresolved = std::move(put_in.unresolved);
  }
}

/// A tag that only the environment knows is no version.
std::string image_of(const InterpolatedText& image) {
  const std::string& text = image.text.text;
  if (image.unresolved.empty()) return text;
  const std::size_t tag = text.rfind(':', text.find('$'));
  return text.substr(0, tag);
}

Container container_of_service(const SourceText& source, const ConfigNode::Member& member) {
  const ConfigNode& service = member.value;
  Container container;
  container.name = printable("services." + member.key, 120);
  container.place = member.place;
  if (const ConfigNode* image = service.find("image"); image != nullptr && image->is_scalar()) {
    container.image = image_of(interpolated(placed_text(source, *image)));
    container.image_place = image->place;
  }
  container.environment = environment_of_service(source, service.find("environment"));
  container.command = command_words(source, service.find("entrypoint"), container.environment);
  container.args = command_words(source, service.find("command"), container.environment);
  read_gpus(service, container);
  return container;
}

}  // namespace

ReadLaunches read_compose(const SourceText& source, const ConfigDocuments& documents) {
  ReadLaunches found;
  const ConfigNode& root = only_mapping("docker compose", source.file(), documents,
                                        "services: {llm: {image: vllm/vllm-openai}}");
  const ConfigNode* services = root.find("services");
  if (services == nullptr) return found;
  for (const ConfigNode::Member& service : services->members) {
    if (service.value.is_mapping()) {
      read_container(source, container_of_service(source, service), found);
    }
  }
  return found;
}

}  // namespace roofline
