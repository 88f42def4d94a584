// A mapping's members become words and are read as a command line is, so that aliases, negative
// switches and dotted names mean the same in both.
#include "spec/serving/scalar_settings.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/printable.hpp"

namespace roofline {
namespace {

std::vector<std::string> texts_of(const ConfigNode& list) {
  std::vector<std::string> texts;
  for (const ConfigNode& item : list.items) {
    if (item.is_scalar()) texts.push_back(python_text(item));
  }
  return texts;
}

std::vector<PlacedWord> words_of_member(const ConfigNode::Member& member) {
  const ConfigNode& value = member.value;
  const std::string option = "--" + member.key;
  std::vector<PlacedWord> words;
  if (value.kind == NodeKind::boolean && value.text == "true") {
    words.push_back({.text = option, .place = value.place});
  } else if (value.is_list()) {
    words.push_back({.text = option, .place = member.place});
    for (const ConfigNode& item : value.items) {
      if (item.is_scalar()) words.push_back({.text = python_text(item), .place = item.place});
    }
  } else {
    // One word, so that a value that starts with a dash is one.
    words.push_back({.text = fmt::format("{}={}", option, python_text(value)),
                     .place = value.kind == NodeKind::null ? member.place : value.place});
  }
  return words;
}

}  // namespace

std::string scalar_text(const ConfigNode* node) {
  const bool has_text = node != nullptr && node->is_scalar() && node->kind != NodeKind::null;
  return has_text ? node->text : std::string();
}

const ConfigNode& only_mapping(std::string_view form, const std::string& file,
                               const ConfigDocuments& documents, std::string_view example) {
  Diagnostic wrong{
      .what = fmt::format("'{}' is empty", file), .where = file, .fix = std::string(example)};
  if (documents.roots.empty()) throw Error(std::move(wrong));
  if (documents.roots.size() > 1) {
    wrong.what = fmt::format("several documents in a config of {}", form);
    wrong.where = to_string(documents.roots[1].place);
    wrong.why = "it is read as one document, and a file with more is refused";
    wrong.fix = "one file for each document";
    throw Error(std::move(wrong));
  }
  if (documents.roots.front().is_mapping()) return documents.roots.front();
  wrong.what = fmt::format("a config of {} has keys and values", form);
  wrong.where = to_string(documents.roots.front().place);
  throw Error(std::move(wrong));
}

std::string python_text(const ConfigNode& scalar) {
  return scalar.kind == NodeKind::null ? "None" : scalar.text;
}

EngineSetting setting_of(std::string name, std::string written, const ConfigNode& value) {
  return {.name = std::move(name),
          .written = std::move(written),
          .values = value.is_scalar() ? std::vector{python_text(value)} : texts_of(value),
          .place = value.place};
}

void add_words(Engine engine, const ConfigNode::Member& member,
               const std::vector<PlacedWord>& words, Launch& launch) {
  const std::size_t before = launch.settings.size();
  read_arguments(engine, words, launch);
  for (std::size_t i = before; i < launch.settings.size(); ++i) {
    launch.settings[i].written = member.key;
  }
}

void add_nested(const std::string& name, const std::string& written, const ConfigNode& value,
                bool known, Launch& launch) {
  if (!value.is_mapping()) {
    launch.settings.push_back(setting_of(name, written, value));
    launch.settings.back().known = known;
    if (launch.settings.back().values.empty()) launch.settings.back().values = {"[]"};
    return;
  }
  // Every member repeats it.
  constexpr std::size_t longest_path = 256;
  if (written.size() > longest_path) {
    throw Error(Diagnostic{.what = fmt::format("'{}' is no engine's key", printable(written, 60)),
                           .where = to_string(value.place),
                           .why = "it has more than 256 bytes",
                           .fix = "leave it out"});
  }
  for (const ConfigNode::Member& member : value.members) {
    add_nested(name + "." + dashed(member.key), written + "." + member.key, member.value, known,
               launch);
  }
}

void add_member(Engine engine, const ConfigNode::Member& member, Launch& launch) {
  if (!member.value.is_mapping()) {
    return add_words(engine, member, words_of_member(member), launch);
  }
  const EngineFlag* flag = find_flag(engine_flags(engine), member.key);
  const std::string name = flag == nullptr ? dashed(member.key) : flag->name;
  if (member.value.members.empty()) {
    launch.settings.push_back({.name = name,
                               .written = member.key,
                               .values = {"{}"},
                               .known = flag != nullptr,
                               .place = member.value.place});
    return;
  }
  add_nested(name, member.key, member.value, flag != nullptr, launch);
}

}  // namespace roofline
