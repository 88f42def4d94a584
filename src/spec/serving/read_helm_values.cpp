// Values of vLLM's production-stack chart. Its template makes a command line of them, in an order
// and with quirks of its own; the same words are made here, each with its value's place.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/closest.hpp"
#include "base/printable.hpp"
#include "spec/serving/containers.hpp"
#include "spec/serving/pods.hpp"
#include "spec/serving/readers.hpp"
#include "spec/serving/scalar_settings.hpp"

namespace roofline {
namespace {

/// Keys of vllmConfig that the template writes as an option and a value.
struct Rendered {
  std::string_view key, option;
};
constexpr std::array<Rendered, 6> rendered{{{"maxModelLen", "--max-model-len"},
                                            {"dtype", "--dtype"},
                                            {"tensorParallelSize", "--tensor-parallel-size"},
                                            {"maxNumSeqs", "--max-num-seqs"},
                                            {"gpuMemoryUtilization", "--gpu_memory_utilization"},
                                            {"maxLoras", "--max_loras"}}};
constexpr std::array<std::string_view, 7> other_keys{"convert",
                                                     "enableChunkedPrefill",
                                                     "enablePrefixCaching",
                                                     "extraArgs",
                                                     "runner",
                                                     "prometheusMultiprocDir",
                                                     "v0"};

class Model {
 public:
  Model(const SourceText& source, const ConfigNode& spec) : source_(&source), spec_(&spec) {
    launch_.engine = Engine::vllm;
    launch_.name = scalar_text(spec.find("name"));
    launch_.place = spec.place;
  }

  [[nodiscard]] Launch read() {
    read_image();
    if (const ConfigNode* model = spec_->find("modelURL")) add("model", "--model=", *model);
    if (const ConfigNode* config = spec_->find("vllmConfig")) read_config(*config);
    read_surroundings();
    return std::move(launch_);
  }

 private:
  void read_image() {
    const std::string tag = scalar_text(spec_->find("tag"));
    const std::string image = scalar_text(spec_->find("repository")) + ":" + tag;
    if (const auto known = engine_of_image(image)) launch_.version = known->version;
  }

  void read_config(const ConfigNode& config) {
    add_switch(config, "enableChunkedPrefill", "chunked-prefill", config.place, false);
    // Without the key the template turns it off.
    add_switch(config, "enablePrefixCaching", "prefix-caching", config.place, true);
    for (const Rendered& next : rendered) {
      const ConfigNode* value = config.find(next.key);
      if (value != nullptr) add(next.key, fmt::format("{}=", next.option), *value);
    }
    for (const std::string_view key : {"runner", "convert"}) {
      if (const ConfigNode* value = config.find(key)) add(key, fmt::format("--{}=", key), *value);
    }
    std::vector<PlacedWord> words;
    for (const CommandWord& word : words_of(*source_, config.find("extraArgs"))) {
      words.push_back(word.word);
    }
    read_arguments(Engine::vllm, words, launch_);
    remark_unrendered(config);
  }

  void add(std::string_view written, const std::string& option, const ConfigNode& value) {
    if (value.is_scalar()) add_words(written, {option + value.text, {}, value.place});
  }

  void add_switch(const ConfigNode& config, std::string_view key, std::string_view name,
                  const Place& otherwise, bool off_without) {
    const ConfigNode* value = config.find(key);
    if (value == nullptr && !off_without) return;
    const bool on = scalar_text(value) == "true";
    add_words(key, {fmt::format("--{}enable-{}", on ? "" : "no-", name),
                    {},
                    value == nullptr ? otherwise : value->place});
  }

  void add_words(std::string_view written, PlacedWord word) {
    const std::size_t before = launch_.settings.size();
    read_arguments(Engine::vllm, {std::move(word)}, launch_);
    for (std::size_t i = before; i < launch_.settings.size(); ++i) {
      launch_.settings[i].written = std::string(written);
    }
  }

  void remark_unrendered(const ConfigNode& config) {
    std::vector<std::string> known(other_keys.begin(), other_keys.end());
    for (const Rendered& next : rendered) known.emplace_back(next.key);
    for (const ConfigNode::Member& member : config.members) {
      if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
      const std::vector<std::string> near = closest(member.key, known, 1);
      launch_.remarks.push_back(
          {.rule = "ignored-key",
           .place = member.place,
           .what = fmt::format("vllmConfig.{} is silently ignored", printable(member.key, 60)),
           .why = "the chart's template does not use it",
           .fix = near.empty() ? "the vLLM option in vllmConfig.extraArgs" : near.front()});
    }
  }

  void read_surroundings() {
    std::vector<EngineSetting>& all = launch_.surroundings;
    if (const ConfigNode* gpus = spec_->find("requestGPU"); gpus != nullptr && gpus->is_scalar()) {
      all.push_back(surrounding("gpus", "requestGPU", gpus->text, gpus->place));
      const ConfigNode* type = spec_->find("requestGPUType");
      if (scalar_text(type).find("/mig-") != std::string::npos) {
        all.push_back(surrounding("gpu", "requestGPUType", type->text, type->place));
      }
    }
    add_gpu_type(*spec_, all);
    add_gpu_of_terms(spec_->find("nodeSelectorTerms"), all);
  }

  const SourceText* source_;
  const ConfigNode* spec_;
  Launch launch_;
};

}  // namespace

ReadLaunches read_helm_values(const SourceText& source, const ConfigDocuments& documents) {
  ReadLaunches found;
  const ConfigNode& root =
      only_mapping("a chart", source.file(), documents, "servingEngineSpec: {modelSpec: [...]}");
  const ConfigNode* models = root.find_path({"servingEngineSpec", "modelSpec"});
  if (models == nullptr || !models->is_list()) return found;
  for (const ConfigNode& spec : models->items) {
    if (!spec.is_mapping()) continue;
    ++found.commands;
    found.launches.push_back(Model(source, spec).read());
  }
  return found;
}

}  // namespace roofline
