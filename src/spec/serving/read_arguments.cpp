// The words behind an engine's start as settings: each flag takes the values that the engine's own
// parser would give it.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/printable.hpp"
#include "spec/serving/command_line.hpp"
#include "spec/serving/flag_names.hpp"
#include "spec/serving/shell_source.hpp"

namespace roofline {

namespace {

// Of a value inside its word; the whole word where quotes make the two differ in length.
Place place_behind(const PlacedWord& word, std::size_t offset) {
  Place place = word.place;
  const auto length = static_cast<std::int64_t>(word.text.size());
  if (place.end_column - place.column == length) {
    place.column += static_cast<std::int64_t>(offset);
  }
  return place;
}

class ArgumentReader {
 public:
  ArgumentReader(Engine engine, const std::vector<PlacedWord>& words, Launch& launch)
      : flags_{engine_flags(engine)}, words_{words}, launch_{launch} {}

  void read();

 private:
  void read_flag(const FlagWord& flag);
  void read_positional(const PlacedWord& word);
  void take_values(const FlagWord& flag, EngineSetting& setting);
  void take_word(EngineSetting& setting);
  void take_words(EngineSetting& setting);
  [[nodiscard]] bool next_is_value() const;
  [[nodiscard]] bool takes_blindly() const;
  [[noreturn]] void fail_without_value(const PlacedWord& word, const FlagWord& flag) const;
  void add(const EngineSetting& setting);

  const EngineFlags& flags_;
  const std::vector<PlacedWord>& words_;
  Launch& launch_;
  std::size_t at_ = 0;
  bool only_positionals_ = false;  // behind "--"
  bool has_model_ = false;
};

void ArgumentReader::read() {
  while (at_ < words_.size()) {
    const PlacedWord& word = words_[at_];
    if (!only_positionals_ && word.text == "--") {
      only_positionals_ = true;
      ++at_;
      continue;
    }
    const auto flag = only_positionals_ ? std::nullopt : flag_word(flags_, word.text);
    if (flag) {
      read_flag(*flag);
    } else {
      read_positional(word);
      ++at_;
    }
  }
}

void ArgumentReader::read_flag(const FlagWord& flag) {
  const PlacedWord& word = words_[at_++];
  EngineSetting setting{.name = flag.name,
                        .written = flag.written,
                        .values = {},
                        .known = flag.flag != nullptr,
                        .place = word.place};
  if (flag.value) {
    setting.values = {*flag.value};
    setting.unresolved = word.unresolved;
    setting.place = place_behind(word, flag.value_offset);
  } else if (flag.negative) {
    setting.values = {"false"};
  } else {
    take_values(flag, setting);
    if (setting.values.empty() && flag.flag != nullptr &&
        (flag.is_member || flag.flag->takes == EngineFlag::Takes::value)) {
      fail_without_value(word, flag);
    }
  }
  if (setting.values.empty()) setting.values = {"true"};
  has_model_ |= setting.name == "model" && setting.known;
  add(setting);
}

void ArgumentReader::take_values(const FlagWord& flag, EngineSetting& setting) {
  if (flag.flag == nullptr) return take_words(setting);
  const auto takes = flag.is_member ? EngineFlag::Takes::value : flag.flag->takes;
  switch (takes) {
    case EngineFlag::Takes::nothing:
      return;
    case EngineFlag::Takes::optional_value:
      if (next_is_value()) take_word(setting);
      return;
    case EngineFlag::Takes::value:
      if (next_is_value() || (takes_blindly() && at_ < words_.size())) take_word(setting);
      return;
    case EngineFlag::Takes::values:
      return take_words(setting);
  }
}

// Whatever it starts with.
bool ArgumentReader::takes_blindly() const {
  return flags_.engine == Engine::llama_cpp || flags_.engine == Engine::tensorrt_llm;
}

bool ArgumentReader::next_is_value() const {
  return at_ < words_.size() && words_[at_].text != "--" && !flag_word(flags_, words_[at_].text);
}

void ArgumentReader::take_word(EngineSetting& setting) {
  const PlacedWord& word = words_[at_++];
  if (setting.values.empty()) setting.place = word.place;
  setting.values.push_back(word.text);
  add_unresolved(setting.unresolved, word.unresolved);
}

void ArgumentReader::take_words(EngineSetting& setting) {
  while (next_is_value()) take_word(setting);
}

void ArgumentReader::read_positional(const PlacedWord& word) {
  const bool takes_model = flags_.engine == Engine::vllm || flags_.engine == Engine::tensorrt_llm;
  const bool is_model = takes_model && !has_model_;
  // More words may come of a variable: they are no mistake of the file's.
  const bool is_variable = !word.unresolved.empty() && word.text.starts_with('$');
  has_model_ |= is_model;
  add({.name = is_model ? "model" : word.text,
       .written = word.text,
       .values = {word.text},
       .known = is_model || is_variable,
       .unresolved = word.unresolved,
       .place = word.place});
}

void ArgumentReader::fail_without_value(const PlacedWord& word, const FlagWord& flag) const {
  const std::string written = printable(flag.written, 80);
  throw Error(Diagnostic{.what = fmt::format("{} has no value", written),
                         .where = to_string(word.place),
                         .why = at_ < words_.size() ? fmt::format("'{}' behind it is the next flag",
                                                                  printable(words_[at_].text, 80))
                                                    : "nothing is behind it",
                         .fix = fmt::format("{} VALUE, or leave it out", written)});
}

void ArgumentReader::add(const EngineSetting& setting) {
  for (EngineSetting& part : flattened(setting)) launch_.settings.push_back(std::move(part));
}

}  // namespace

void read_arguments(Engine engine, const std::vector<PlacedWord>& arguments, Launch& launch) {
  ArgumentReader(engine, arguments, launch).read();
}

}  // namespace roofline
