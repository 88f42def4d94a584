#include "spec/huggingface/layer_lists.hpp"

#include <fmt/format.h>

namespace roofline::huggingface {
namespace {

std::vector<JsonNode> elements_a_layer(const JsonNode& list, std::int64_t layers) {
  std::vector<JsonNode> elements = list.elements();
  if (static_cast<std::int64_t>(elements.size()) != layers) {
    list.fail(fmt::format("has {} entries for {} layers", elements.size(), layers));
  }
  return elements;
}

}  // namespace

std::optional<std::vector<std::string>> read_layer_names(Config& config, Keys keys,
                                                         std::int64_t layers) {
  const auto list = config.find(keys);
  if (!list) return std::nullopt;
  std::vector<std::string> names;
  for (const JsonNode& element : elements_a_layer(*list, layers)) names.push_back(element.text());
  return names;
}

std::optional<std::vector<std::int64_t>> read_layer_counts(Config& config, Keys keys,
                                                           std::int64_t layers, std::int64_t most,
                                                           std::int64_t least) {
  const auto found = config.find(keys);
  if (!found) return std::nullopt;
  if (!found->is_array()) {
    return std::vector<std::int64_t>(static_cast<std::size_t>(layers), found->count(most, least));
  }
  std::vector<std::int64_t> counts;
  for (const JsonNode& element : elements_a_layer(*found, layers)) {
    counts.push_back(element.count(most, least));
  }
  return counts;
}

std::optional<std::vector<bool>> read_layer_set(Config& config, std::string_view key,
                                                std::int64_t layers) {
  const auto list = config.find(key);
  if (!list) return std::nullopt;
  std::vector<bool> members(static_cast<std::size_t>(layers), false);
  for (const JsonNode& element : list->elements()) {
    members[static_cast<std::size_t>(element.count(layers - 1, 0))] = true;
  }
  return members;
}

void fail_layer_type(Config& config, Keys keys, const std::string& name, Keys known) {
  config.at(keys).fail(fmt::format("unknown layer type '{}'", name), {},
                       fmt::format("{}", fmt::join(known, " or ")));
}

}  // namespace roofline::huggingface
