// The model's name is no part of KServe's commands: it stands in storageUri or spec.model.uri.
#include "spec/serving/kserve.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "spec/serving/scalar_settings.hpp"

namespace roofline {
namespace {

/// "hf://org/model:revision" -> "org/model"; what is no Hugging Face name is left out, as it says
/// a place, no model.
void add_model(const ConfigNode* uri, std::string_view written, Launch& launch) {
  constexpr std::string_view scheme = "hf://";
  const std::string text = scalar_text(uri);
  if (text.substr(0, scheme.size()) != scheme || launch.find("model") != nullptr) return;
  std::string model = text.substr(scheme.size());
  model.resize(std::min(model.size(), model.find(':')));
  launch.settings.push_back({.name = "model",
                             .written = std::string(written),
                             .values = {std::move(model)},
                             .place = uri->place});
}

void add_size(const ConfigNode* node, std::string_view name, std::string_view written,
              Launch& launch) {
  if (node == nullptr || !node->is_scalar() || node->kind == NodeKind::null) return;
  launch.settings.push_back(setting_of(std::string(name), std::string(written), *node));
}

/// Options of the huggingface runtime itself, which it does not hand on to vLLM.
bool is_runtime_option(std::string_view name) {
  constexpr std::array<std::string_view, 12> options{"backend",
                                                     "disable-lower-case",
                                                     "disable-special-tokens",
                                                     "http-port",
                                                     "model-dir",
                                                     "model-name",
                                                     "predictor-host",
                                                     "return-probabilities",
                                                     "task",
                                                     "return-token-type-ids",
                                                     "tensor-input-names",
                                                     "workers"};
  return std::find(options.begin(), options.end(), name) != options.end();
}

void name_as_vllm(Launch& launch) {
  for (EngineSetting& setting : launch.settings) {
    if (setting.name == "model-id") {
      setting.name = "model";
      setting.known = true;
    }
    if (is_runtime_option(setting.name)) setting.known = true;
  }
}

void read_model(const SourceText& source, const ConfigNode& predictor, const ConfigNode& model,
                const std::string& name, ReadLaunches& found) {
  const std::string format = scalar_text(model.find_path({"modelFormat", "name"}));
  ++found.commands;
  if (format != "huggingface" && format != "vLLM" && format != "vllm") return;
  Container container = container_of(source, {.spec = &predictor, .name = name}, model, found);
  ReadLaunches read;
  add_launch(Engine::vllm, container.args, {.words = {}, .environment = container.environment},
             read);
  Launch launch = std::move(read.launches.front());
  launch.name = name;
  launch.place = model.place;
  launch.surroundings = std::move(container.surroundings);
  name_as_vllm(launch);
  add_model(model.find("storageUri"), "storageUri", launch);
  if (const ConfigNode* worker = predictor.find("workerSpec")) {
    add_size(worker->find("pipelineParallelSize"), "pipeline-parallel-size", "pipelineParallelSize",
             launch);
    add_size(worker->find("tensorParallelSize"), "tensor-parallel-size", "tensorParallelSize",
             launch);
  }
  found.launches.push_back(std::move(launch));
}

std::int64_t count_of(const ConfigNode* node, std::int64_t otherwise) {
  const std::string text = scalar_text(node);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size() && !text.empty();
  return whole && value > 0 ? value : otherwise;
}

/// Pods of one replica: data-parallel ranks are spread over them, dataLocal to a pod.
std::int64_t pods_of(const ConfigNode* parallelism) {
  if (parallelism == nullptr) return 1;
  const std::int64_t data = count_of(parallelism->find("data"), 1);
  return std::max<std::int64_t>(1, data / count_of(parallelism->find("dataLocal"), data));
}

void add_parallelism(const ConfigNode* parallelism, Launch& launch) {
  if (parallelism == nullptr) return;
  struct Size {
    std::string_view key, flag;
  };
  constexpr std::array<Size, 3> sizes{{{"data", "data-parallel-size"},
                                       {"pipeline", "pipeline-parallel-size"},
                                       {"tensor", "tensor-parallel-size"}}};
  for (const Size& size : sizes) add_size(parallelism->find(size.key), size.flag, size.key, launch);
  const ConfigNode* expert = parallelism->find("expert");
  if (scalar_text(expert) == "true") add_size(expert, "enable-expert-parallel", "expert", launch);
}

/// The words of VLLM_ADDITIONAL_ARGS, with their places.
std::vector<CommandWord> additional_arguments(const SourceText& source, const ConfigNode& container,
                                              const std::vector<EnvironmentEntry>& environment) {
  std::vector<CommandWord> words;
  const ConfigNode* list = container.find("env");
  if (list == nullptr) return words;
  for (const ConfigNode& item : list->items) {
    const ConfigNode* value = item.find("value");
    if (scalar_text(item.find("name")) != "VLLM_ADDITIONAL_ARGS" || value == nullptr) continue;
    const PlacedText text = placed_text(source, *value);
    for (const Command& command : commands_of(source, text, environment, value->place)) {
      words.insert(words.end(), command.words.begin(), command.words.end());
    }
  }
  return words;
}

const ConfigNode& main_container(const ConfigNode* pod, const ConfigNode& none) {
  const ConfigNode* containers = pod == nullptr ? nullptr : pod->find("containers");
  if (containers == nullptr || containers->items.empty()) return none;
  for (const ConfigNode& container : containers->items) {
    if (scalar_text(container.find("name")) == "main") return container;
  }
  return containers->items.front();
}

/// A workload: the spec itself (decode, or both), or its `prefill`.
void read_workload(const SourceText& source, const ConfigNode& spec, const ConfigNode& workload,
                   const std::string& name, ReadLaunches& found) {
  const ConfigNode none;
  const ConfigNode* parallelism = workload.find("parallelism");
  const PodSpec pod{.spec = workload.find("template"), .name = name, .pods = pods_of(parallelism)};
  const ConfigNode& container = main_container(pod.spec, none);
  Container read = container_of(source, pod, container, found);
  std::vector<CommandWord> arguments = read.args;
  for (CommandWord& word : additional_arguments(source, container, read.environment)) {
    arguments.push_back(std::move(word));
  }
  Launch launch;
  launch.engine = Engine::vllm;
  launch.name = name;
  launch.place = workload.place;
  if (const auto image = engine_of_image(read.image)) launch.version = image->version;
  add_model(spec.find_path({"model", "uri"}), "uri", launch);
  add_parallelism(parallelism, launch);
  std::vector<PlacedWord> words;
  for (const CommandWord& word : arguments) words.push_back(word.word);
  read_arguments(Engine::vllm, words, launch);
  launch.surroundings = std::move(read.surroundings);
  ++found.commands;
  found.launches.push_back(std::move(launch));
}

}  // namespace

void read_inference_service(const SourceText& source, const ConfigNode& document,
                            const std::string& name, ReadLaunches& found) {
  const ConfigNode* predictor = document.find_path({"spec", "predictor"});
  if (predictor == nullptr) return;
  if (const ConfigNode* model = predictor->find("model")) {
    read_model(source, *predictor, *model, name, found);
  }
  read_pod(source, {.spec = predictor, .name = name}, found);
}

void read_llm_inference_service(const SourceText& source, const ConfigNode& document,
                                const std::string& name, ReadLaunches& found) {
  const ConfigNode* spec = document.find("spec");
  if (spec == nullptr) return;
  read_workload(source, *spec, *spec, name, found);
  if (const ConfigNode* prefill = spec->find("prefill")) {
    read_workload(source, *spec, *prefill, name + "/prefill", found);
  }
}

}  // namespace roofline
