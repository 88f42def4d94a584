// The built-in flags of the engines' server commands: read from data/engines, found by any of
// their spellings.
#include <algorithm>
#include <utility>

#include "spec/embedded.hpp"
#include "spec/json_node.hpp"
#include "spec/serving/command_line.hpp"

namespace roofline {
namespace {

std::vector<std::string> texts_of(const JsonNode& node, std::string_view key) {
  const auto list = node.find(key);
  return list ? list->texts() : std::vector<std::string>{};
}

bool flag_of(const JsonNode& node, std::string_view key) {
  const auto value = node.find(key);
  return value && value->boolean();
}

EngineFlag::Takes read_takes(const JsonNode& node) {
  const std::string text = node.text();
  if (text == "nothing") return EngineFlag::Takes::nothing;
  if (text == "optional") return EngineFlag::Takes::optional_value;
  if (text == "value") return EngineFlag::Takes::value;
  if (text == "values") return EngineFlag::Takes::values;
  node.fail("'" + text + "' is nothing that a flag takes", {},
            "nothing, optional, value or values");
}

EngineFlag read_flag(const JsonNode& node) {
  node.only({"name", "aliases", "takes", "negative", "negatives", "mapping", "removed"});
  EngineFlag flag;
  flag.name = node.at("name").text();
  flag.aliases = texts_of(node, "aliases");
  flag.takes = read_takes(node.at("takes"));
  if (flag_of(node, "negative")) flag.negative = "no-" + flag.name;
  flag.negatives = texts_of(node, "negatives");
  flag.mapping = flag_of(node, "mapping");
  if (const auto removed = node.find("removed")) flag.removed = removed->text();
  return flag;
}

void index(EngineFlags& engine) {
  for (std::size_t i = 0; i < engine.flags.size(); ++i) {
    const EngineFlag& flag = engine.flags[i];
    engine.spellings.emplace("--" + flag.name, i);
    for (const std::string& alias : flag.aliases) engine.spellings.emplace(dashed(alias), i);
    if (!flag.negative.empty()) engine.negative_spellings.emplace("--" + flag.negative, i);
    for (const std::string& negative : flag.negatives) {
      engine.negative_spellings.emplace(dashed(negative), i);
    }
  }
}

EngineFlags read_engine(Engine engine) {
  const auto files = embedded_files();
  const auto found = std::find_if(files.begin(), files.end(), [&](const EmbeddedFile& file) {
    return file.kind == "engines" && file.name == to_string(engine);
  });
  ensure(found != files.end(), "the flags of every engine are built in");
  const JsonNode root = JsonNode::parse(found->text, std::string(found->name));
  EngineFlags result;
  result.engine = engine;
  result.version = root.at("version").text();
  for (const JsonNode& flag : root.at("flags").elements()) result.flags.push_back(read_flag(flag));
  index(result);
  return result;
}

using Spellings = std::map<std::string, std::size_t, std::less<>>;

const EngineFlag* find_spelling(const EngineFlags& engine, const Spellings& spellings,
                                std::string_view name) {
  // No flag's is as long: a name may be a whole file.
  constexpr std::size_t longest_spelling = 256;
  if (name.size() > longest_spelling) return nullptr;
  const std::string wanted = dashed(name);
  const bool has_dashes = wanted.starts_with('-');
  for (const std::string_view dashes : {"--", "-"}) {
    const auto found = spellings.find(has_dashes ? wanted : std::string(dashes) + wanted);
    if (found != spellings.end()) return &engine.flags[found->second];
    if (has_dashes) break;
  }
  return nullptr;
}

}  // namespace

std::string dashed(std::string_view name) {
  std::string result(name);
  std::replace(result.begin(), result.end(), '_', '-');
  return result;
}

const EngineFlags& engine_flags(Engine engine) {
  switch (engine) {
    case Engine::llama_cpp: {
      static const EngineFlags flags = read_engine(Engine::llama_cpp);
      return flags;
    }
    case Engine::sglang: {
      static const EngineFlags flags = read_engine(Engine::sglang);
      return flags;
    }
    case Engine::tensorrt_llm: {
      static const EngineFlags flags = read_engine(Engine::tensorrt_llm);
      return flags;
    }
    case Engine::vllm:
      break;
  }
  static const EngineFlags flags = read_engine(Engine::vllm);
  return flags;
}

const EngineFlag* find_flag(const EngineFlags& flags, std::string_view name) {
  if (const EngineFlag* flag = find_spelling(flags, flags.spellings, name)) return flag;
  // An unlisted member of the innermost mapping around it.
  for (std::size_t point = name.rfind('.'); point != std::string_view::npos && point > 0;
       point = name.rfind('.', point - 1)) {
    const EngineFlag* flag = find_spelling(flags, flags.spellings, name.substr(0, point));
    if (flag != nullptr) return flag->mapping ? flag : nullptr;
  }
  return nullptr;
}

const EngineFlag* find_negative_flag(const EngineFlags& flags, std::string_view name) {
  return find_spelling(flags, flags.negative_spellings, name);
}

}  // namespace roofline
