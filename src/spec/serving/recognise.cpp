// Keys tell the forms of YAML and JSON apart; what starts an engine is a shell's.
#include "spec/serving/recognise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/closest.hpp"
#include "base/printable.hpp"
#include "spec/serving/command_line.hpp"
#include "spec/serving/config_text.hpp"
#include "spec/serving/readers.hpp"

namespace roofline {
namespace {

bool has(const ConfigNode& node, std::string_view key) {
  return node.find(key) != nullptr;
}

bool is_kubernetes(const ConfigNode& root) {
  const bool object = has(root, "kind") && (has(root, "spec") || has(root, "metadata"));
  return has(root, "apiVersion") || object || root.find_path({"spec", "containers"}) != nullptr ||
         root.find_path({"spec", "template", "spec", "containers"}) != nullptr;
}

bool is_compose(const ConfigNode& root) {
  const ConfigNode* services = root.find("services");
  if (services == nullptr || !services->is_mapping()) return false;
  constexpr std::array<std::string_view, 5> keys{"build", "command", "extends", "image",
                                                 "entrypoint"};
  return std::any_of(services->members.begin(), services->members.end(), [&](const auto& service) {
    return std::any_of(keys.begin(), keys.end(),
                       [&](std::string_view key) { return has(service.value, key); });
  });
}

bool is_project(const ConfigNode& root) {
  const ConfigNode* deployments = root.find("deployments");
  return (deployments != nullptr && deployments->is_list()) || has(root, "require") ||
         has(root, "fail-on");
}

/// A project file by its name may say a GPU alone.
bool is_named_as_project(const std::string& file) {
  const std::string name = file.substr(file.rfind('/') + 1);
  return name == "roofline.yaml" || name == "roofline.yml" || name == "roofline.json";
}

bool is_build(const ConfigNode& root) {
  return has(root, "pretrained_config") || has(root, "build_config");
}

/// Keys that any server's config may have.
bool is_common(std::string_view key) {
  constexpr std::array<std::string_view, 12> common{"api-key", "config", "device",    "dtype",
                                                    "env",     "host",   "log-level", "model",
                                                    "name",    "port",   "revision",  "seed"};
  const std::string name = normalized_name(key);
  return std::find(common.begin(), common.end(), name) != common.end();
}

struct KeyCounts {
  std::size_t known = 0;
  std::size_t telling = 0;  ///< known and not common
};

KeyCounts known_keys(const ConfigNode& root, Engine engine) {
  const EngineFlags& flags = engine_flags(engine);
  KeyCounts counts;
  for (const ConfigNode::Member& member : root.members) {
    if (find_flag(flags, member.key) == nullptr) continue;
    ++counts.known;
    if (!is_common(member.key)) ++counts.telling;
  }
  return counts;
}

/// The engine with the most keys of its own; half of all keys at least.
std::optional<ConfigType> engine_config(const ConfigNode& root) {
  struct Candidate {
    Engine engine;
    ConfigType type;
  };
  // Of equals the first: keys that all have are most often vLLM's.
  constexpr std::array<Candidate, 3> candidates{{
      {Engine::vllm, ConfigType::vllm},
      {Engine::sglang, ConfigType::sglang},
      {Engine::tensorrt_llm, ConfigType::tensorrt_llm},
  }};
  std::optional<ConfigType> best;
  std::size_t most = 0;
  for (const Candidate& candidate : candidates) {
    const KeyCounts counts = known_keys(root, candidate.engine);
    const bool enough = counts.telling > 0 && 2 * counts.known >= root.members.size();
    if (!enough || counts.known <= most) continue;
    most = counts.known;
    best = candidate.type;
  }
  return best;
}

std::optional<ConfigType> type_of(const ConfigNode& root) {
  if (!root.is_mapping()) return std::nullopt;
  if (is_kubernetes(root)) return ConfigType::kubernetes;
  if (has(root, "servingEngineSpec")) return ConfigType::helm;
  if (is_compose(root)) return ConfigType::compose;
  if (is_project(root)) return ConfigType::roofline;
  if (is_build(root)) return ConfigType::tensorrt_llm_build;
  return engine_config(root);
}

bool is_model_config(const ConfigDocuments& documents) {
  return std::any_of(documents.roots.begin(), documents.roots.end(), [](const ConfigNode& root) {
    return has(root, "model_type") || has(root, "architectures");
  });
}

std::string keys_text(const ConfigDocuments& documents) {
  constexpr std::size_t most = 6;
  std::vector<std::string> keys;
  for (const ConfigNode& root : documents.roots) {
    for (const ConfigNode::Member& member : root.members) {
      if (keys.size() < most) keys.push_back(printable(member.key, 40));
    }
  }
  if (keys.empty()) return "it has no keys and no command that starts an engine";
  return fmt::format("its keys ({}) are none of", fmt::join(keys, ", "));
}

NoServingConfig unrecognised(const ConfigDocuments& documents, const std::string& file) {
  if (is_model_config(documents)) {
    return NoServingConfig(
        Diagnostic{.what = fmt::format("'{}' is a model's config, no serving config", file),
                   .where = file,
                   .why = "it says what is served, not how",
                   .fix = fmt::format("roofline analyze --model {}", file)});
  }
  std::string why = keys_text(documents);
  if (why.find("none of") == std::string::npos) why += "; looked for";
  why +=
      " vLLM's, SGLang's or TensorRT-LLM's options, apiVersion and kind, services, "
      "servingEngineSpec, pretrained_config, deployments";
  return NoServingConfig(Diagnostic{
      .what = fmt::format("cannot tell what kind of serving config '{}' is", file),
      .where = file,
      .why = std::move(why),
      .fix = fmt::format("--type TYPE, one of {}", fmt::join(config_type_names(), ", "))});
}

/// A command with a colon in it is a mapping to YAML, with a key of several words.
bool has_keys_of_a_config(const ConfigNode& root) {
  return root.is_mapping() &&
         std::all_of(root.members.begin(), root.members.end(),
                     [](const auto& member) { return member.key.find(' ') == std::string::npos; });
}

/// By the letter: what is asked where the text cannot be split into words.
bool names_command(std::string_view text) {
  constexpr std::array<std::string_view, 5> starts{
      "vllm serve", "vllm.entrypoints", "sglang.launch_server", "trtllm-serve", "llama-server"};
  return std::any_of(starts.begin(), starts.end(), [&](std::string_view start) {
    return text.find(start) != std::string_view::npos;
  });
}

bool has_shebang(std::string_view text) {
  return without_byte_order_mark(text).substr(0, 2) == "#!";
}

}  // namespace

std::optional<ConfigType> type_of_documents(const ConfigDocuments& documents) {
  for (const ConfigNode& root : documents.roots) {
    if (const std::optional<ConfigType> type = type_of(root)) return type;
  }
  return std::nullopt;
}

bool is_shell_config(const SourceText& source) {
  try {
    const ReadLaunches found = read_shell(source);
    return !found.launches.empty() || !found.unsupported.empty();
  } catch (const Error&) {
    return false;
  }
}

ConfigType recognise_config(std::string_view text, const std::string& file) {
  check_config_text(text, file);
  if (has_shebang(text)) return ConfigType::shell;
  if (is_named_as_project(file)) return ConfigType::roofline;
  std::optional<Error> broken;
  ConfigDocuments documents;
  try {
    documents = read_config_text(text, file);
  } catch (const Error& error) {
    broken = error;
  }
  if (const std::optional<ConfigType> type = type_of_documents(documents)) return *type;
  const bool has_keys =
      std::any_of(documents.roots.begin(), documents.roots.end(), has_keys_of_a_config);
  if (!has_keys && is_shell_config(SourceText(text, file))) return ConfigType::shell;
  // A script that cannot be split starts an engine all the same: its reader says what is wrong.
  if (!has_keys && !broken && names_command(text)) return ConfigType::shell;
  if (broken) throw *broken;
  throw unrecognised(documents, file);
}

}  // namespace roofline
