// Serving configs: what a file says about how an engine is started, whatever form it has. A file
// is read into launches: one for each engine that it starts, with the engine's own flag names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/error.hpp"

namespace roofline {

/// Where something stands in a file; lines and columns count from 1, columns in bytes.
struct Place {
  std::string file;
  std::int64_t line = 1;
  std::int64_t column = 1;
  std::int64_t end_column = 1;  ///< one past its last byte on that line

  friend bool operator==(const Place&, const Place&) = default;
};

/// "FILE:LINE:COL".
[[nodiscard]] std::string to_string(const Place& place);

enum class Engine { llama_cpp, sglang, tensorrt_llm, vllm };
/// "llama.cpp", "sglang", "tensorrt-llm", "vllm".
[[nodiscard]] std::string_view to_string(Engine engine);
[[nodiscard]] std::optional<Engine> engine_named(std::string_view name);

/// The forms that a serving config has.
enum class ConfigType {
  compose,             ///< docker compose
  helm,                ///< values of a chart with servingEngineSpec
  kubernetes,          ///< manifests: Deployment, StatefulSet, Pod, Job, KServe ...
  roofline,            ///< this project's own
  sglang,              ///< --config of SGLang
  shell,               ///< command lines
  tensorrt_llm,        ///< extra_llm_api_options
  tensorrt_llm_build,  ///< config.json of an engine that was built
  vllm                 ///< --config of vLLM
};
/// "compose", "helm", "kubernetes", "roofline", "sglang", "shell", "tensorrt-llm",
/// "tensorrt-llm-build", "vllm".
[[nodiscard]] std::string_view to_string(ConfigType type);
[[nodiscard]] std::optional<ConfigType> config_type_named(std::string_view name);
[[nodiscard]] std::vector<std::string> config_type_names();

/// One setting of an engine, as a file gives it.
struct EngineSetting {
  /// The engine's long flag without its dashes, "_" as "-": "max-model-len". Members of a mapping
  /// (JSON text on a command line too) are joined by points: "speculative-config.method".
  std::string name;
  std::string written;              ///< as the file spells it: "max_model_len", "-tp"
  std::vector<std::string> values;  ///< one, or those of a list; a switch has "true" or "false"
  bool known = true;                ///< the engine has such a flag
  /// Environment variables in the values that nothing in the file resolves.
  std::vector<std::string> unresolved{};
  Place place;  ///< of the value, else of the name

  friend bool operator==(const EngineSetting&, const EngineSetting&) = default;
};

/// Something about the file itself that a rule reports.
struct ConfigRemark {
  std::string rule;  ///< "duplicate-key", "ignored-key", "yaml-surprise"
  Place place;
  std::string what{};
  std::string why{};
  std::string fix{};

  friend bool operator==(const ConfigRemark&, const ConfigRemark&) = default;
};

/// One engine that a file starts.
struct Launch {
  Engine engine = Engine::vllm;
  std::string name;     ///< "chat", "Deployment/chat", "services.llm"; empty where it is the only
  std::string version;  ///< of the engine, "0.21.0": of an image's tag; empty where nothing says it
  /// In the order in which the engine reads them: of one name the last counts.
  std::vector<EngineSetting> settings;
  std::vector<ConfigRemark> remarks;
  /// What surrounds the engine, as settings of the names "gpu" (a product's name: "Tesla-T4"),
  /// "gpus" (devices asked for, of one replica) and, in this project's own files, what else
  /// they say beside the engine's settings ("price", "require.max-ttft", "input-len" ...).
  std::vector<EngineSetting> surroundings;
  /// Options of the engine in a file that is not there to be read: "--config vllm.yaml".
  std::vector<EngineSetting> missing_configs{};
  Place place;  ///< of the command, for what has no place of its own

  /// The last of that name; null if there is none. `name` without dashes at its start.
  [[nodiscard]] const EngineSetting* find(std::string_view name) const;
  [[nodiscard]] const EngineSetting* find_surrounding(std::string_view name) const;
};

/// `# roofline: ignore[kv-too-small, unknown-key] the reason`: findings of those rules on its line,
/// or, of a comment alone on its line, on the next line that is not one. `ignore-file[...]`: of the
/// whole file. Without a reason it is a finding of "ignore-without-reason".
struct IgnoreComment {
  std::vector<std::string> rules;
  std::string reason;
  std::int64_t line = 1;  ///< of findings that it is about
  /// Through which it holds: those that continue `line` (a command, a block); 0: that line alone.
  std::int64_t last_line = 0;
  bool whole_file = false;
  Place place;  ///< of the comment

  friend bool operator==(const IgnoreComment&, const IgnoreComment&) = default;
};

struct ServingConfig {
  std::string file;
  ConfigType type = ConfigType::vllm;
  std::vector<Launch> launches;
  std::vector<IgnoreComment> ignores;
};

/// A file that starts no engine: what a search through a directory passes by.
class NoServingConfig : public Error {
 public:
  using Error::Error;
};

/// Reads a config of `type`, or of the type that its content shows. Nothing is executed and no
/// other file is read. Throws Error, with FILE:LINE:COL, for what is no config, is a template that
/// was not rendered, or cannot be read in bounded time and memory; NoServingConfig where it is good
/// text that starts no engine.
[[nodiscard]] ServingConfig read_serving_config(std::string_view text, const std::string& file,
                                                std::optional<ConfigType> type = {});

/// The type that the content shows. Throws NoServingConfig if it shows none.
[[nodiscard]] ConfigType recognise_config(std::string_view text, const std::string& file);

}  // namespace roofline
