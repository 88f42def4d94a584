// A config.json, flat or nested, as it is or wrapped with metadata, to a Model.
#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "base/closest.hpp"
#include "base/format.hpp"
#include "base/printable.hpp"
#include "roofline/model.hpp"
#include "spec/huggingface/config.hpp"
#include "spec/huggingface/families.hpp"
#include "spec/huggingface/quantization.hpp"
#include "spec/huggingface/unread_keys.hpp"
#include "spec/model_limits.hpp"
#include "spec/read_spec_parts.hpp"

namespace roofline {
namespace {

using huggingface::Config;
using huggingface::Family;

/// The keys of the text decoder, where they lie in an object of their own.
std::optional<JsonNode> nested_decoder(const JsonNode& root) {
  for (const char* key : {"text_config", "language_config", "llm_config"}) {
    auto found = root.find(key);
    if (found && found->is_object()) return found;
  }
  return std::nullopt;
}

/// The decoder's own model_type where it is a family, else that of the whole file.
JsonNode family_node(const JsonNode& root, const std::optional<JsonNode>& decoder) {
  if (!decoder) return root.at("model_type");
  const auto own = decoder->find("model_type");
  const bool known = own && huggingface::find_family(own->text()) != nullptr;
  if (own && (known || !root.find("model_type"))) return *own;
  return root.at("model_type");
}

/// Why a file cannot be taken for one of Llama's shape; empty if it can.
std::string unlike_llama(const JsonNode& root, const std::optional<JsonNode>& decoder) {
  Config config(decoder.value_or(root), root);
  for (const char* key : {"hidden_size", "intermediate_size", "num_attention_heads",
                          "num_hidden_layers", "rms_norm_eps", "vocab_size"}) {
    if (!config.find(key)) return fmt::format("family llama has '{}'", key);
  }
  for (const char* key : {"head_dim", "num_key_value_heads", "attention_bias", "mlp_bias"}) {
    (void)config.find(key);
  }
  const auto foreign = huggingface::structural_key(config);
  return foreign ? fmt::format("family llama has no '{}'", *foreign) : "";
}

/// The family that reads the file. Throws for an unknown one, with what it could be taken for.
const Family& family_of(const JsonNode& type, const std::string& unlike,
                        const ReadOptions& options) {
  const std::string name = type.text();
  if (const Family* family = huggingface::find_family(name)) return *family;
  const std::vector<std::string> known = huggingface::family_names();
  if (!options.assume.empty()) {
    if (options.assume != "llama") type.fail("cannot be taken for " + options.assume);
    if (unlike.empty()) return *huggingface::find_family("llama");
    type.fail(fmt::format("family '{}' cannot be taken for llama", name), unlike, {},
              closest(name, known));
  }
  if (unlike.empty()) {
    type.fail(fmt::format("unknown model family '{}'", name),
              "its keys have the shape of family llama, which it need not have in fact",
              "--assume llama computes it as such", closest(name, known));
  }
  type.fail(fmt::format("unknown model family '{}'", name),
            "'roofline help models' lists those that are read", {}, closest(name, known));
}

/// The towers that a file has beside its text decoder.
std::string towers_of(const JsonNode& root) {
  const bool vision = root.find_any({"vision_config", "visual", "vision_tower_config"}).has_value();
  const bool audio = root.find_any({"audio_config", "speech_config"}).has_value();
  if (vision && audio) return "vision and audio towers";
  if (vision) return "vision tower";
  return audio ? "audio tower" : "";
}

Model read_config(const JsonNode& root, const ReadOptions& options) {
  const std::optional<JsonNode> decoder = nested_decoder(root);
  if (!decoder && !root.find("model_type") && root.find("peaks")) {
    root.fail("this is a device's file, not a model's", {}, "--gpu takes it");
  }
  const JsonNode type = family_node(root, decoder);
  const Family& family = family_of(type, unlike_llama(root, decoder), options);
  Config config = decoder ? Config(*decoder, root) : Config(root);
  config.set_family(type.text());
  (void)config.find({"vision_config", "visual", "vision_tower_config", "audio_config",
                     "speech_config", "text_config", "language_config", "llm_config"});
  Model model = family.read(config);
  if (const auto problem = size_problem(model)) config.fail(*problem);
  const auto own_type = decoder ? decoder->find("model_type") : std::nullopt;
  if (own_type && own_type->text() != type.text()) {
    model.warnings.push_back(fmt::format("family {} is not known: computed as {}, the whole file's",
                                         own_type->text(), type.text()));
  }
  if (family.model_type != type.text()) {
    model.warnings.push_back(fmt::format("family {} is not known: computed as {}, as --assume says",
                                         type.text(), family.model_type));
  }
  try {
    huggingface::read_quantization(config, model);
  } catch (const Error& error) {
    if (!options.tensors_follow) throw;
    model.stored.reset();
    model.warnings.push_back(fmt::format("quantization_config is left to the tensors: {}",
                                         error.diagnostics().front().what));
  }
  huggingface::judge_unread_keys(config, model);
  model.defaults = config.defaults();
  return model;
}

PublishedCount read_published(const JsonNode& node) {
  node.only({"parameters", "exact", "stored_elements", "tower_parameters", "source"});
  constexpr std::int64_t most_parameters = 1'000'000'000'000'000;
  PublishedCount count;
  count.parameters = node.at("parameters").count(most_parameters);
  if (const auto exact = node.find("exact")) count.exact = exact->boolean();
  if (const auto towers = node.find("tower_parameters")) {
    count.tower_parameters = towers->count(most_parameters);
  }
  if (const auto source = node.find("source")) count.source = source->text();
  return count;
}

void read_metadata(const JsonNode& root, Model& model) {
  root.only({"name", "aliases", "hf_id", "published", "source", "source_kind", "notes", "config"});
  if (const auto name = root.find("name")) model.name = name->text();
  if (const auto aliases = root.find("aliases")) model.aliases = aliases->texts();
  if (const auto source = root.find("source")) model.source = source->text();
  if (const auto notes = root.find("notes")) model.notes = notes->text();
  if (const auto published = root.find("published")) model.published = read_published(*published);
}

/// Says that the towers are not part of the answer.
void note_towers(const JsonNode& config, Model& model) {
  const std::string towers = towers_of(config);
  const std::int64_t parameters = model.published ? model.published->tower_parameters : 0;
  if (towers.empty() && parameters == 0) return;
  model.left_out.push_back(fmt::format(
      "text decoder alone: {} left out, {}", towers.empty() ? "towers of other modalities" : towers,
      parameters > 0 ? format_count(static_cast<double>(parameters)) + " parameters"
                     : "whose parameters the config does not tell"));
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

Model read_model(const JsonNode& root, const std::string& name, const ReadOptions& options) {
  const bool wrapped = root.is_object() && root.find("config") && !root.find("model_type");
  const JsonNode config = wrapped ? root.at("config") : root;
  Model model = read_config(config, options);
  model.name = printable(name);
  if (wrapped) read_metadata(root, model);
  note_towers(config, model);
  return model;
}

std::vector<std::string> model_families() {
  return huggingface::family_names();
}

Model read_model(std::string_view text, const std::string& file, const ReadOptions& options) {
  return read_model(JsonNode::parse(text, file, JsonDialect::python), name_of(file), options);
}

}  // namespace roofline
