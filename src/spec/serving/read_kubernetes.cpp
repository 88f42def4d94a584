// Kubernetes manifests, one document or many: the pods of every kind that has some.
#include <charconv>
#include <utility>

#include "base/printable.hpp"
#include "spec/serving/kserve.hpp"
#include "spec/serving/pods.hpp"
#include "spec/serving/scalar_settings.hpp"

namespace roofline {
namespace {

constexpr int deepest_list = 8;  // a List of Lists

std::string name_of(const ConfigNode& document) {
  const std::string kind = scalar_text(document.find("kind"));
  std::string name = scalar_text(document.find_path({"metadata", "name"}));
  if (name.empty()) name = scalar_text(document.find_path({"metadata", "generateName"}));
  if (kind.empty() || name.empty()) return printable(kind + name, 120);
  return printable(kind + "/" + name, 120);
}

std::int64_t group_size(const ConfigNode& document) {
  const std::string text =
      scalar_text(document.find_path({"spec", "leaderWorkerTemplate", "size"}));
  std::int64_t size = 1;
  std::from_chars(text.data(), text.data() + text.size(), size);
  return size > 0 ? size : 1;
}

/// The leader starts the engine on the GPUs of all pods of the group; workers join it.
void read_leader_worker_set(const SourceText& source, const ConfigNode& document,
                            ReadLaunches& found) {
  const std::size_t before = found.launches.size();
  for (const std::string_view part : {"leaderTemplate", "workerTemplate"}) {
    if (found.launches.size() > before) return;
    read_pod(source,
             {.spec = document.find_path({"spec", "leaderWorkerTemplate", part, "spec"}),
              .name = name_of(document),
              .pods = group_size(document)},
             found);
  }
}

/// Where the kinds have their pod specs; the first that has containers counts.
const ConfigNode* pod_spec(const ConfigNode& document) {
  for (const ConfigNode* spec :
       {document.find_path({"spec", "template", "spec"}),
        document.find_path({"spec", "jobTemplate", "spec", "template", "spec"}),
        document.find_path({"spec", "template"}), document.find("spec"),
        document.find_path({"template", "spec"})}) {
    if (spec != nullptr && spec->find("containers") != nullptr) return spec;
  }
  return nullptr;
}

void read_document(const SourceText& source, const ConfigNode& document, int depth,
                   ReadLaunches& found) {
  const std::string kind = scalar_text(document.find("kind"));
  if (const ConfigNode* items = document.find("items"); items != nullptr && items->is_list()) {
    for (const ConfigNode& item : items->items) {
      if (depth < deepest_list) read_document(source, item, depth + 1, found);
    }
  } else if (kind == "LeaderWorkerSet") {
    read_leader_worker_set(source, document, found);
  } else if (kind == "InferenceService") {
    read_inference_service(source, document, name_of(document), found);
  } else if (kind == "LLMInferenceService") {
    read_llm_inference_service(source, document, name_of(document), found);
  } else {
    read_pod(source, {.spec = pod_spec(document), .name = name_of(document)}, found);
  }
}

}  // namespace

ReadLaunches read_kubernetes(const SourceText& source, const ConfigDocuments& documents) {
  ReadLaunches found;
  for (const ConfigNode& document : documents.roots) read_document(source, document, 0, found);
  return found;
}

}  // namespace roofline
