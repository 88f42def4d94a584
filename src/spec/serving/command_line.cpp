// Which engine a command starts: what stands in front of it is passed over, word by word.
#include "spec/serving/command_line.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "spec/serving/command_wrappers.hpp"

namespace roofline {

namespace {

using Words = std::vector<PlacedWord>;

bool is_python(std::string_view program) {
  if (!program.starts_with("python")) return false;
  const std::string_view version = program.substr(6);
  return std::all_of(version.begin(), version.end(),
                     [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
}

// A Python module, or the file that it is, that starts an engine. Some want the word "serve".
struct EngineModule {
  std::string_view module;
  Engine engine;
  bool takes_serve = false;
};
constexpr std::array<EngineModule, 6> modules{{
    {"vllm.entrypoints.openai.api_server", Engine::vllm},
    {"vllm.entrypoints.api_server", Engine::vllm},
    {"vllm.entrypoints.cli.main", Engine::vllm, true},
    {"sglang.launch_server", Engine::sglang},
    {"sglang.cli.main", Engine::sglang, true},
    {"tensorrt_llm.commands.serve", Engine::tensorrt_llm},
}};

// "/app/vllm/entrypoints/openai/api_server.py" as "app.vllm.entrypoints.openai.api_server".
std::string module_of_file(std::string_view path) {
  if (!path.ends_with(".py")) return {};
  std::string module(path.substr(0, path.size() - 3));
  std::replace(module.begin(), module.end(), '/', '.');
  return module;
}

const EngineModule* find_module(std::string_view name) {
  for (const EngineModule& known : modules) {
    const bool whole = name == known.module;
    const bool end = name.size() > known.module.size() && name.ends_with(known.module) &&
                     name[name.size() - known.module.size() - 1] == '.';
    if (whole || end) return &known;
  }
  return nullptr;
}

bool word_is(const Words& words, std::size_t at, std::string_view text) {
  return at < words.size() && words[at].text == text;
}

std::optional<EngineStart> start_of_module(const Words& words, std::size_t at,
                                           std::string_view name) {
  const EngineModule* module = find_module(name);
  if (module == nullptr) return std::nullopt;
  const bool serves = word_is(words, at + 1, "serve");
  if (module->takes_serve && !serves) return std::nullopt;
  const bool is_command = serves && (module->takes_serve || module->engine == Engine::tensorrt_llm);
  return EngineStart{.engine = module->engine, .first = at + (is_command ? 2 : 1)};
}

// The programs that are installed: `vllm serve`.
std::optional<EngineStart> start_of_program(const Words& words, std::size_t at) {
  const std::string_view program = program_name(words[at].text);
  const bool serves = word_is(words, at + 1, "serve");
  if (program == "vllm" && serves) return EngineStart{.engine = Engine::vllm, .first = at + 2};
  if (program == "sglang" && serves) return EngineStart{.engine = Engine::sglang, .first = at + 2};
  if (program == "llama-server") {
    return EngineStart{.engine = Engine::llama_cpp, .first = at + 1};
  }
  if (program != "trtllm-serve") return std::nullopt;
  for (const std::string_view other :
       {"disaggregated", "disaggregated_mpi_worker", "mm_embedding_serve"}) {
    if (word_is(words, at + 1, other)) return std::nullopt;
  }
  return EngineStart{.engine = Engine::tensorrt_llm, .first = at + (serves ? 2 : 1)};
}

// `python -u -m MODULE`, `python FILE`; `at` is python's.
std::optional<EngineStart> start_of_python(const Words& words, std::size_t at) {
  for (++at; at < words.size(); ++at) {
    const std::string& word = words[at].text;
    if (word == "-m") {
      ++at;
      return at < words.size() ? start_of_module(words, at, words[at].text) : std::nullopt;
    }
    if (word == "-X" || word == "-W") ++at;
    if (word.starts_with('-')) continue;
    if (auto start = start_of_module(words, at, module_of_file(word))) return start;
    return start_of_program(words, at);
  }
  return std::nullopt;
}

std::optional<EngineStart> start_of_command(const Words& words, std::size_t at) {
  at = skip_wrappers(words, at);
  if (at >= words.size()) return std::nullopt;
  if (is_python(program_name(words[at].text))) return start_of_python(words, at);
  return start_of_program(words, at);
}

// What the entry point of an image makes of the words behind it. llama.cpp's "full" images start
// the server for --server; SGLang's and TensorRT-LLM's run what they are given.
std::optional<EngineStart> start_of_image(const Words& words, const ContainerRun& run) {
  const std::size_t behind = run.image + 1;
  if (auto start = start_of_command(words, behind)) return start;
  const std::optional<EngineImage> image = engine_of_image(words[run.image].text);
  if (!image) return std::nullopt;
  EngineStart start{.engine = image->engine, .first = behind};
  if (behind < words.size() && is_shell_program(words[behind].text)) return start;
  if (!run.entrypoint.empty()) {
    const std::string_view program = program_name(run.entrypoint);
    if (program == "llama-server") return start;
    if ((program != "vllm" && program != "sglang") || !word_is(words, behind, "serve")) {
      return std::nullopt;
    }
    start.first = behind + 1;
    return start;
  }
  if (image->engine == Engine::vllm) return start;
  if (image->engine != Engine::llama_cpp) return std::nullopt;
  const std::string_view tag = image_tag(words[run.image].text);
  if (tag.starts_with("server")) return start;
  if (!tag.starts_with("full") ||
      !(word_is(words, behind, "--server") || word_is(words, behind, "-s"))) {
    return std::nullopt;
  }
  start.first = behind + 1;
  return start;
}

}  // namespace

std::optional<EngineStart> find_engine(const std::vector<PlacedWord>& words) {
  const std::optional<ContainerRun> run = find_container_run(words);
  if (!run) return start_of_command(words, 0);
  std::optional<EngineStart> start = start_of_image(words, *run);
  if (!start) return std::nullopt;
  start->gpus = run->gpus;
  const std::optional<EngineImage> image = engine_of_image(words[run->image].text);
  if (image && image->engine == start->engine) start->version = image->version;
  return start;
}

}  // namespace roofline
