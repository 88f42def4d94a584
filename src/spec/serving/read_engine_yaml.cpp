// The --config files of vLLM and SGLang: keys are long options without dashes. vLLM turns them into
// words of its command line, and in doing so drops some without a word; those are remarked.
#include <fmt/format.h>

#include <utility>

#include "base/printable.hpp"
#include "spec/serving/command_line.hpp"
#include "spec/serving/readers.hpp"
#include "spec/serving/scalar_settings.hpp"

namespace roofline {
namespace {

using Member = ConfigNode::Member;

ConfigRemark ignored(const Member& member, std::string why, std::string fix) {
  return {.rule = "ignored-key",
          .place = member.place,
          .what = fmt::format("'{}: {}' is silently ignored", printable(member.key, 60),
                              member.value.is_list() ? "[]" : member.value.text),
          .why = std::move(why),
          .fix = std::move(fix)};
}

/// What vLLM makes of `KEY: false`: --no-KEY if that is an option letter by letter, else nothing.
void read_vllm_false(const Member& member, Launch& launch) {
  const std::string key = dashed(member.key);
  const EngineFlag* flag = find_flag(engine_flags(Engine::vllm), key);
  if (flag == nullptr) {
    launch.remarks.push_back(ignored(member,
                                     "vLLM has no such option, and drops false without a word",
                                     fmt::format("remove '{}'", printable(member.key, 60))));
    return;
  }
  const bool has_negative = !flag->negative.empty();
  if (has_negative && flag->negative == "no-" + member.key) {
    add_words(Engine::vllm, member, {{.text = "--no-" + key, .place = member.value.place}}, launch);
  } else if (has_negative) {
    launch.remarks.push_back(ignored(
        member, fmt::format("vLLM looks for the option --no-{}, which it has not", member.key),
        fmt::format("{}: false", flag->negative.substr(3))));
  } else {
    launch.remarks.push_back(ignored(member,
                                     fmt::format("--{} has no form that turns it off", flag->name),
                                     fmt::format("remove '{}'", printable(member.key, 60))));
  }
}

void read_vllm_member(const Member& member, Launch& launch) {
  const ConfigNode& value = member.value;
  if (value.kind == NodeKind::boolean && value.text == "false") {
    read_vllm_false(member, launch);
  } else if (value.is_list() && value.items.empty()) {
    launch.remarks.push_back(ignored(member, "vLLM drops an empty list without a word",
                                     fmt::format("remove '{}'", printable(member.key, 60))));
  } else {
    add_member(Engine::vllm, member, launch);
  }
}

/// argparse knows SGLang's options with dashes alone.
void read_sglang_member(const Member& member, Launch& launch) {
  const std::size_t before = launch.settings.size();
  if (member.value.is_list() && member.value.items.empty()) return;
  add_member(Engine::sglang, member, launch);
  if (member.key.find('_') == std::string::npos) return;
  for (std::size_t i = before; i < launch.settings.size(); ++i) launch.settings[i].known = false;
}

}  // namespace

ReadLaunches read_engine_yaml(Engine engine, const SourceText& source,
                              const ConfigDocuments& documents) {
  const ConfigNode& root =
      only_mapping(to_string(engine), source.file(), documents, "max-model-len: 8192");
  Launch launch;
  launch.engine = engine;
  launch.place = root.place;
  for (const Member& member : root.members) {
    if (engine == Engine::vllm) {
      read_vllm_member(member, launch);
    } else {
      read_sglang_member(member, launch);
    }
  }
  return {.launches = {std::move(launch)}, .commands = 1, .unsupported = {}};
}

}  // namespace roofline
