// Names of engines and config types, and the way from a file's text to its launches.
#include "roofline/serving_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "spec/serving/config_node.hpp"
#include "spec/serving/config_text.hpp"
#include "spec/serving/readers.hpp"

namespace roofline {
namespace {

constexpr std::array<std::string_view, 4> engine_names{"llama.cpp", "sglang", "tensorrt-llm",
                                                       "vllm"};
constexpr std::array<std::string_view, 9> type_names{
    "compose", "helm",         "kubernetes",         "roofline", "sglang",
    "shell",   "tensorrt-llm", "tensorrt-llm-build", "vllm"};

template <class Enum, std::size_t count>
std::optional<Enum> named(const std::array<std::string_view, count>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

const EngineSetting* last_of(const std::vector<EngineSetting>& settings, std::string_view name) {
  const auto found = std::find_if(settings.rbegin(), settings.rend(),
                                  [&](const EngineSetting& next) { return next.name == name; });
  return found == settings.rend() ? nullptr : &*found;
}

ReadLaunches read_as(ConfigType type, const SourceText& source, const ConfigDocuments& documents) {
  switch (type) {
    case ConfigType::compose:
      return read_compose(source, documents);
    case ConfigType::helm:
      return read_helm_values(source, documents);
    case ConfigType::kubernetes:
      return read_kubernetes(source, documents);
    case ConfigType::roofline:
      return read_project_deployments(source, documents);
    case ConfigType::sglang:
      return read_engine_yaml(Engine::sglang, source, documents);
    case ConfigType::shell:
      return read_shell(source);
    case ConfigType::tensorrt_llm:
      return read_tensorrt_llm(source, documents);
    case ConfigType::tensorrt_llm_build:
      return read_tensorrt_llm_build(source, documents);
    case ConfigType::vllm:
      return read_engine_yaml(Engine::vllm, source, documents);
  }
  return {};
}

std::string_view looked_at(ConfigType type) {
  switch (type) {
    case ConfigType::compose:
      return "services";
    case ConfigType::helm:
      return "models";
    case ConfigType::kubernetes:
      return "containers";
    case ConfigType::shell:
      return "commands";
    default:
      return "entries";
  }
}

[[noreturn]] void refuse_without_launch(const ReadLaunches& found, ConfigType type,
                                        const std::string& file) {
  if (!found.unsupported.empty()) {
    throw Error(
        Diagnostic{.what = fmt::format("cannot judge {}", fmt::join(found.unsupported, ", ")),
                   .where = file,
                   .why = "known engines are llama.cpp, SGLang, TensorRT-LLM and vLLM",
                   .fix = "roofline analyze --model MODEL --gpu GPU"});
  }
  std::string_view noun = looked_at(type);
  if (found.commands == 1) noun.remove_suffix(1);
  throw NoServingConfig(
      Diagnostic{.what = fmt::format("'{}' starts no engine", file),
                 .where = file,
                 .why = fmt::format("{} {}, none starts llama.cpp, SGLang, TensorRT-LLM or vLLM",
                                    found.commands, noun),
                 .fix = "a file with a command such as: vllm serve MODEL --max-model-len 8192"});
}

/// A launch with the greatest place up to the remark's; the first if all are behind it.
void add_remarks(const std::vector<ConfigRemark>& remarks, std::vector<Launch>& launches) {
  for (const ConfigRemark& remark : remarks) {
    Launch* nearest = &launches.front();
    for (Launch& launch : launches) {
      const bool before = launch.place.line <= remark.place.line;
      if (before && launch.place.line >= nearest->place.line) nearest = &launch;
    }
    nearest->remarks.push_back(remark);
  }
}

/// No two launches of a file have one name: "chat", "chat#2".
void make_names_unique(std::vector<Launch>& launches) {
  std::set<std::string> taken;
  std::map<std::string, int> last_number;  // of a name: those up to it are taken
  for (Launch& launch : launches) {
    const std::string name = launch.name;
    int& number = last_number.try_emplace(name, 1).first->second;
    while (!taken.insert(launch.name).second) launch.name = fmt::format("{}#{}", name, ++number);
  }
}

}  // namespace

std::string to_string(const Place& place) {
  return fmt::format("{}:{}:{}", place.file, place.line, place.column);
}

std::string_view to_string(Engine engine) {
  return engine_names.at(static_cast<std::size_t>(engine));
}

std::optional<Engine> engine_named(std::string_view name) {
  return named<Engine>(engine_names, name);
}

std::string_view to_string(ConfigType type) {
  return type_names.at(static_cast<std::size_t>(type));
}

std::optional<ConfigType> config_type_named(std::string_view name) {
  return named<ConfigType>(type_names, name);
}

std::vector<std::string> config_type_names() {
  return {type_names.begin(), type_names.end()};
}

const EngineSetting* Launch::find(std::string_view wanted) const {
  return last_of(settings, wanted);
}

const EngineSetting* Launch::find_surrounding(std::string_view wanted) const {
  return last_of(surroundings, wanted);
}

ServingConfig read_serving_config(std::string_view text, const std::string& file,
                                  std::optional<ConfigType> type) {
  check_config_text(text, file);
  ServingConfig config;
  config.file = file;
  config.type = type ? *type : recognise_config(text, file);
  const SourceText source(text, file);
  ConfigDocuments documents;
  if (config.type != ConfigType::shell) documents = read_config_text(text, file);
  ReadLaunches found = read_as(config.type, source, documents);
  config.launches = std::move(found.launches);
  config.ignores = read_ignore_comments(text, file);
  // A project file may speak of other files alone.
  if (config.launches.empty() && config.type == ConfigType::roofline && found.commands == 0) {
    return config;
  }
  if (config.launches.empty()) refuse_without_launch(found, config.type, file);
  constexpr std::size_t most_launches = 1000;
  if (config.launches.size() > most_launches) {
    throw Error(Diagnostic{.what = fmt::format("'{}' starts more than 1000 engines", file),
                           .where = file,
                           .fix = "split the file"});
  }
  add_remarks(documents.remarks, config.launches);
  make_names_unique(config.launches);
  return config;
}

}  // namespace roofline
