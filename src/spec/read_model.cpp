// A config.json, as it is or wrapped with metadata, to a Model.
#include <fmt/format.h>

#include <filesystem>

#include "base/closest.hpp"
#include "roofline/model.hpp"
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/quantization.hpp"
#include "spec/read_spec_parts.hpp"

namespace roofline {
namespace {

/// Keys of architectures that none of the families has: read past, they would change the answer.
void refuse_foreign_keys(const JsonNode& config, const std::string& family) {
  for (const char* key :
       {"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts", "kv_lora_rank",
        "num_kv_shared_layers", "text_config", "vision_config", "audio_config",
        "compression_config", "sparsity_config", "quantization"}) {
    if (const auto found = config.find(key)) {
      found->fail(fmt::format("is not known in family {}", family),
                  "it changes what the model is: is model_type right?");
    }
  }
}

Model read_config(const JsonNode& config) {
  const JsonNode type = config.at("model_type");
  const std::string name = type.text();
  const huggingface::Family* family = huggingface::find_family(name);
  if (family == nullptr) {
    const std::vector<std::string> known = huggingface::family_names();
    type.fail(fmt::format("unknown model family '{}'", name),
              fmt::format("families that are read: {}", fmt::join(known, ", ")), {},
              closest(name, known));
  }
  refuse_foreign_keys(config, name);
  Model model = family->read(config);
  huggingface::read_quantization(config, model);
  return model;
}

void read_metadata(const JsonNode& root, Model& model) {
  root.only({"name", "aliases", "hf_id", "published", "source", "source_kind", "notes", "config"});
  if (const auto name = root.find("name")) model.name = name->text();
  if (const auto aliases = root.find("aliases")) model.aliases = aliases->texts();
  if (const auto source = root.find("source")) model.source = source->text();
  if (const auto notes = root.find("notes")) model.notes = notes->text();
  if (const auto published = root.find("published")) {
    published->only({"parameters", "exact", "stored_elements", "source"});
    constexpr std::int64_t most_parameters = 1'000'000'000'000'000;
    PublishedCount count;
    count.parameters = published->at("parameters").count(most_parameters);
    if (const auto exact = published->find("exact")) count.exact = exact->boolean();
    if (const auto source = published->find("source")) count.source = source->text();
    model.published = count;
  }
}

/// A config.json lies in a directory named after the model; other files carry the name.
std::string name_of(const std::string& file) {
  const std::filesystem::path path(file);
  if (path.filename() != "config.json") return path.stem().string();
  const std::filesystem::path directory = path.parent_path().filename();
  const bool unnamed = directory.empty() || directory == "." || directory == "..";
  return unnamed ? "config" : directory.string();
}

}  // namespace

Model read_model(const JsonNode& root, const std::string& name) {
  const bool wrapped = root.is_object() && root.find("config") && !root.find("model_type");
  Model model = read_config(wrapped ? root.at("config") : root);
  model.name = name;
  for (char& c : model.name) {
    constexpr unsigned char first_printable = 0x20;
    constexpr unsigned char delete_code = 0x7f;
    const auto byte = static_cast<unsigned char>(c);
    if (byte < first_printable || byte == delete_code) c = '?';
  }
  if (wrapped) read_metadata(root, model);
  return model;
}

Model read_model(std::string_view text, const std::string& file) {
  return read_model(JsonNode::parse(text, file), name_of(file));
}

}  // namespace roofline
