// TensorRT-LLM's nested options, and the config.json that a built engine carries.
#include <fmt/format.h>

#include <utility>

#include "spec/serving/command_line.hpp"
#include "spec/serving/readers.hpp"
#include "spec/serving/scalar_settings.hpp"

namespace roofline {
namespace {

using Member = ConfigNode::Member;

/// Names are those of the flags where there are flags; members of mappings stay as they are.
void name_as_flags(Launch& launch) {
  const EngineFlags& flags = engine_flags(Engine::tensorrt_llm);
  for (EngineSetting& setting : launch.settings) {
    const EngineFlag* flag = find_flag(flags, setting.name);
    setting.known = flag != nullptr;
    const bool is_member = setting.name.find('.') != std::string::npos;
    if (flag != nullptr && !is_member) setting.name = flag->name;
  }
}

Launch empty_launch(const Place& place) {
  Launch launch;
  launch.engine = Engine::tensorrt_llm;
  launch.place = place;
  return launch;
}

}  // namespace

ReadLaunches read_tensorrt_llm(const SourceText& source, const ConfigDocuments& documents) {
  const ConfigNode& root = only_mapping("TensorRT-LLM", source.file(), documents,
                                        "kv_cache_config: {free_gpu_memory_fraction: 0.9}");
  Launch launch = empty_launch(root.place);
  for (const Member& member : root.members) {
    add_nested(dashed(member.key), member.key, member.value, true, launch);
  }
  name_as_flags(launch);
  return {.launches = {std::move(launch)}, .commands = 1, .unsupported = {}};
}

ReadLaunches read_tensorrt_llm_build(const SourceText& source, const ConfigDocuments& documents) {
  const ConfigNode& root =
      only_mapping("TensorRT-LLM", source.file(), documents, "trtllm-build --output_dir engine");
  Launch launch = empty_launch(root.place);
  launch.version = scalar_text(root.find("version"));
  for (const std::string_view part : {"pretrained_config", "build_config"}) {
    const ConfigNode* node = root.find(part);
    if (node == nullptr) continue;
    if (!node->is_mapping()) {
      throw Error(Diagnostic{.what = fmt::format("{} has keys and values", part),
                             .where = to_string(node->place),
                             .fix = "the config.json that trtllm-build wrote"});
    }
    // The engine wrote the file itself: it knows every key.
    add_nested(dashed(part), std::string(part), *node, true, launch);
  }
  if (launch.settings.empty()) {
    throw Error(Diagnostic{.what = fmt::format("'{}' says nothing of an engine", source.file()),
                           .where = source.file(),
                           .why = "it has neither pretrained_config nor build_config",
                           .fix = "the config.json that trtllm-build wrote"});
  }
  return {.launches = {std::move(launch)}, .commands = 1, .unsupported = {}};
}

}  // namespace roofline
