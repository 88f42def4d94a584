#include "analysis/check/named_configs.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/portable_path.hpp"

namespace roofline {
namespace {

bool is_options(const ServingConfig& config) {
  const bool options = config.type == ConfigType::vllm || config.type == ConfigType::sglang ||
                       config.type == ConfigType::tensorrt_llm;
  return options && config.launches.size() == 1;
}

std::string_view last_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// The config at `path`, from here or from the directory of `file`; else the only one of that
/// name, which a container has somewhere else.
ServingConfig* find_config(const std::string& path, const std::string& file,
                           std::vector<ServingConfig>& configs) {
  const std::string directory = file.substr(0, file.rfind('/') + 1);
  const std::string here = portable_path(path);
  const std::string beside = portable_path(directory + path);
  ServingConfig* of_name = nullptr;
  std::size_t named = 0;
  for (ServingConfig& config : configs) {
    if (!is_options(config) || config.file == file) continue;
    const std::string own = portable_path(config.file);
    if (own == here || own == beside) return &config;
    if (last_name(own) != last_name(here)) continue;
    of_name = &config;
    ++named;
  }
  return named == 1 ? of_name : nullptr;
}

/// TensorRT-LLM's options beat its command line; the others' command lines beat the file.
void join(const Launch& options, Launch& launch) {
  const bool file_wins = launch.engine == Engine::tensorrt_llm;
  launch.settings.insert(file_wins ? launch.settings.end() : launch.settings.begin(),
                         options.settings.begin(), options.settings.end());
  launch.remarks.insert(launch.remarks.end(), options.remarks.begin(), options.remarks.end());
}

}  // namespace

void join_named_configs(std::vector<ServingConfig>& configs) {
  std::vector<const ServingConfig*> joined;
  for (ServingConfig& config : configs) {
    if (is_options(config)) continue;
    for (Launch& launch : config.launches) {
      for (const char* flag : {"config", "extra-llm-api-options"}) {
        const EngineSetting* setting = launch.find(flag);
        if (setting == nullptr || setting->values.empty()) continue;
        const EngineSetting named = *setting;
        const ServingConfig* options = find_config(named.values.back(), config.file, configs);
        if (options == nullptr) {
          launch.missing_configs.push_back(named);
        } else {
          join(options->launches.front(), launch);
          joined.push_back(options);
        }
      }
    }
  }
  for (ServingConfig& config : configs) {
    if (std::find(joined.begin(), joined.end(), &config) != joined.end()) config.launches.clear();
  }
}

}  // namespace roofline
