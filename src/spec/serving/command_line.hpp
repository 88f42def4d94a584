// An engine's command line: which engine its words start, and what they set.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/serving_config.hpp"
#include "spec/serving/shell_words.hpp"

namespace roofline {

/// A word of a command with its place in the file.
struct PlacedWord {
  std::string text;
  std::vector<std::string> unresolved{};
  Place place;
};

/// What an engine's command line takes (data/engines/*.json).
struct EngineFlag {
  std::string name;                  ///< "max-model-len"
  std::vector<std::string> aliases;  ///< with dashes: "-tp", "--tp-size"
  enum class Takes { nothing, optional_value, value, values } takes = Takes::value;
  std::string negative;  ///< the name of the switch that turns it off: "no-enable-prefix-caching"
  std::vector<std::string> negatives{};  ///< more of those, with dashes: "-nkvo"
  bool mapping = false;                  ///< its members are not listed: NAME.anything is known
  std::string removed{};                 ///< what became of a flag that the release does not have
};
struct EngineFlags {
  Engine engine = Engine::vllm;
  std::string version;  ///< whose flags these are
  std::vector<EngineFlag> flags;
  /// Where each spelling is in `flags`, with its dashes, "_" as "-": names and aliases; negatives.
  std::map<std::string, std::size_t, std::less<>> spellings{};
  std::map<std::string, std::size_t, std::less<>> negative_spellings{};
};
/// `name` with "_" as "-".
[[nodiscard]] std::string dashed(std::string_view name);
/// The built-in flags of an engine. Read once, then kept.
[[nodiscard]] const EngineFlags& engine_flags(Engine engine);
/// The flag of that name or alias, with or without dashes, "_" as "-"; null if there is none. With
/// dashes they must be the right ones: "-tp" and "tp", not "--tp". Of a member of a mapping
/// ("speculative-config.method") that is not listed it is the mapping's flag.
[[nodiscard]] const EngineFlag* find_flag(const EngineFlags& flags, std::string_view name);
/// The flag that a spelling turns off ("--no-enable-prefix-caching", "-nkvo"), with or without
/// dashes, "_" as "-"; null if there is none.
[[nodiscard]] const EngineFlag* find_negative_flag(const EngineFlags& flags, std::string_view name);

/// An engine's start found among words: "vllm serve", "python -m
/// vllm.entrypoints.openai.api_server", "python3 -m sglang.launch_server", "sglang serve",
/// "trtllm-serve", "llama-server", behind env, exec, nohup, a path, "docker run ... IMAGE" and the
/// like. `first` is the index of the first argument; `gpus` and `version` are docker's.
struct EngineStart {
  Engine engine = Engine::vllm;
  std::size_t first = 0;
  std::string version{};
  std::optional<PlacedWord> gpus{};  ///< "all", "2", "device=0,1": as written
};
[[nodiscard]] std::optional<EngineStart> find_engine(const std::vector<PlacedWord>& words);

/// The engine and version that an image's name shows: "vllm/vllm-openai:v0.21.0".
struct EngineImage {
  Engine engine = Engine::vllm;
  std::string version{};
};
[[nodiscard]] std::optional<EngineImage> engine_of_image(std::string_view image);

/// Adds the settings that `arguments` (the words from `first` on) make. A model as positional
/// argument is the setting "model", of the engines that take one. Aliases, "_" for "-", negatives
/// ("--no-x": x is "false") and, where the engine accepts them, unique beginnings of names
/// ("--max-model") are resolved; JSON objects and dotted names are members. A flag that the engine
/// does not have has known = false and takes the words up to the next one that starts with a dash;
/// so has a word too many. A word too many that is an unresolved variable is the setting of its
/// own text ("$EXTRA_ARGS"). Every setting has a value. Throws Error for a flag whose value is
/// missing.
void read_arguments(Engine engine, const std::vector<PlacedWord>& arguments, Launch& launch);

/// Adds what the engine reads from an environment variable: for llama.cpp the flag that LLAMA_ARG_*
/// stands for; variables of vLLM, SGLang and TensorRT-LLM (VLLM_*, SGLANG_*, TRTLLM_*, TLLM_*)
/// under their own names, among the surroundings; nothing for any other. To be called before
/// read_arguments: the command line has the last word.
void read_environment(Engine engine, std::string_view variable, const PlacedWord& value,
                      Launch& launch);

/// The setting's members where `value` is a JSON object ('{"method": "eagle"}'): "name.method" ...
/// Otherwise, and where it is no valid JSON or nests deeper than 100, the setting itself.
[[nodiscard]] std::vector<EngineSetting> flattened(const EngineSetting& setting);

}  // namespace roofline
