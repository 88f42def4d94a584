// vLLM and SGLang read their command lines with Python's argparse: names may be cut short as long
// as they are unique, "-O3" is -O 3. TensorRT-LLM (click) and llama.cpp take whole names only.
#include "spec/serving/flag_names.hpp"

#include <algorithm>
#include <utility>

namespace roofline {

namespace {

bool uses_argparse(Engine engine) {
  return engine == Engine::vllm || engine == Engine::sglang;
}

// -1, -0.5, -.5: argparse's own idea of a negative number, and 1e-3's.
bool is_negative_number(std::string_view word) {
  std::string_view rest = word.substr(1);
  bool digits = false;
  bool point = false;
  for (const char c : rest) {
    if (c == '.' && !point) {
      point = true;
    } else if (c >= '0' && c <= '9') {
      digits = true;
    } else {
      return false;
    }
  }
  return digits;
}

struct Match {
  const EngineFlag* flag = nullptr;
  bool negative = false;

  friend bool operator==(const Match&, const Match&) = default;
};

Match exact(const EngineFlags& flags, std::string_view name) {
  if (const EngineFlag* flag = find_flag(flags, name)) return {flag, false};
  if (const EngineFlag* flag = find_negative_flag(flags, name)) return {flag, true};
  return {};
}

using Spellings = std::map<std::string, std::size_t, std::less<>>;

// Of the spellings that begin so, the one flag that they belong to. False if there are several.
bool add_beginnings(const EngineFlags& flags, const Spellings& spellings, bool negative,
                    const std::string& beginning, Match& match) {
  for (auto at = spellings.lower_bound(beginning);
       at != spellings.end() && at->first.starts_with(beginning); ++at) {
    const Match found{&flags.flags[at->second], negative};
    if (!found.flag->removed.empty() || found.flag->name.find('.') != std::string::npos) continue;
    if (match.flag != nullptr && match != found) return false;
    match = found;
  }
  return true;
}

Match abbreviated(const EngineFlags& flags, const std::string& beginning) {
  Match match;
  const bool unique = beginning.size() > 2 && beginning.starts_with("--") &&
                      uses_argparse(flags.engine) &&
                      add_beginnings(flags, flags.spellings, false, beginning, match) &&
                      add_beginnings(flags, flags.negative_spellings, true, beginning, match);
  return unique ? match : Match{};
}

Match find_match(const EngineFlags& flags, std::string_view name) {
  const Match match = exact(flags, name);
  return match.flag != nullptr ? match : abbreviated(flags, dashed(name));
}

// "-O3", "-qfp8".
std::optional<FlagWord> attached(const EngineFlags& flags, std::string_view word) {
  if (word.size() < 3 || word[1] == '-' || !uses_argparse(flags.engine)) return std::nullopt;
  const EngineFlag* flag = find_flag(flags, word.substr(0, 2));
  if (flag == nullptr || flag->takes == EngineFlag::Takes::nothing) return std::nullopt;
  return FlagWord{.flag = flag,
                  .name = flag->name,
                  .written = std::string(word.substr(0, 2)),
                  .value = std::string(word.substr(2)),
                  .value_offset = 2};
}

// Whether a flag of that name, whole, is one of its own: TensorRT-LLM's nested ones are listed.
bool is_listed(const EngineFlags& flags, std::string_view name) {
  const EngineFlag* flag = find_flag(flags, name);
  const std::string_view bare = name.substr(std::min(name.find_first_not_of('-'), name.size()));
  return flag != nullptr && flag->name == dashed(bare);
}

void name_flag(const EngineFlags& flags, FlagWord& word) {
  const std::string_view written = word.written;
  const std::size_t start = std::min(written.find_first_not_of('-'), written.size());
  const std::size_t point = written.find('.', start);
  const bool is_member = point != std::string_view::npos && !is_listed(flags, written);
  const std::string_view head = written.substr(0, is_member ? point : written.size());
  const Match match = find_match(flags, head);
  word.flag = match.flag;
  word.negative = match.negative;
  word.name = match.flag != nullptr ? match.flag->name : dashed(head.substr(start));
  if (!is_member) return;
  word.is_member = true;
  if (match.flag != nullptr && !match.flag->mapping) word.flag = find_flag(flags, written);
  word.name += dashed(written.substr(point));
  // "--x.list+ a": added to what the list has.
  if (word.name.ends_with('+')) word.name.pop_back();
}

}  // namespace

std::optional<FlagWord> flag_word(const EngineFlags& flags, std::string_view word) {
  if (word.size() < 2 || word[0] != '-' || is_negative_number(word)) return std::nullopt;
  const std::size_t equals = word.find('=');
  FlagWord result{.written = std::string(word.substr(0, equals))};
  if (equals != std::string_view::npos) {
    result.value = std::string(word.substr(equals + 1));
    result.value_offset = equals + 1;
  }
  name_flag(flags, result);
  if (result.flag != nullptr) return result;
  if (auto split = attached(flags, word)) return split;
  if (result.written.find(' ') != std::string::npos) return std::nullopt;
  return result;
}

}  // namespace roofline
