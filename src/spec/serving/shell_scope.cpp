// Each block remembers what the variables were that are set inside it, and decides when it closes
// what becomes of them.
#include "spec/serving/shell_scope.hpp"

#include <fmt/format.h>

#include <utility>

namespace roofline {

namespace {

// Of a node in the maps, beside the text.
constexpr std::size_t entry_bytes = 128;

std::size_t bytes_of(const ShellVariable& variable) {
  std::size_t bytes = entry_bytes + variable.value.size();
  for (const std::string& name : variable.unresolved) bytes += sizeof(std::string) + name.size();
  return bytes;
}

std::size_t bytes_of(const ShellValue& value) {
  std::size_t bytes = bytes_of(value.scalar);
  if (value.list) {
    for (const ShellWord& word : *value.list) bytes += sizeof(word) + word.text.size();
  }
  return bytes;
}

// Wherever it was set.
bool same_value(const ShellValue& a, const ShellValue& b) {
  return a.scalar.value == b.scalar.value && a.list == b.list && a.exported == b.exported;
}

}  // namespace

ShellScope::ShellScope(ShellSource& source, const ShellVariables& given)
    : source_{source}, given_{given} {
  for (const auto& [name, variable] : given) {
    put(name, ShellValue{.scalar = variable, .exported = true});
  }
}

const ShellValue* ShellScope::find(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

const ShellVariable* ShellScope::given(std::string_view name) const {
  const auto found = given_.find(name);
  return found == given_.end() ? nullptr : &found->second;
}

void ShellScope::set(const std::string& name, ShellValue value) {
  value.exported |= exported_.contains(name);
  keep(name);
  put(name, std::move(value));
}

void ShellScope::unset(const std::string& name) {
  keep(name);
  put(name, std::nullopt);
}

void ShellScope::blur(const std::string& name) {
  set(name, {.scalar = {.value = "$" + name, .unresolved = {name}}});
}

void ShellScope::mark_exported(const std::string& name) {
  const ShellValue* value = find(name);
  if (value == nullptr || value->exported) return;
  ShellValue exported = *value;
  exported.exported = true;
  set(name, std::move(exported));
}

ShellVariables ShellScope::exported() const {
  ShellVariables variables;
  for (const std::string& name : exported_) {
    const ShellVariable& variable = values_.find(name)->second.scalar;
    if (variable.end == 0) continue;  // given, not set by the script
    source_.spend(bytes_of(variable));
    variables.emplace(name, variable);
  }
  return variables;
}

void ShellScope::open(ShellBlock block, std::size_t offset) {
  if (frames_.size() >= most_shell_nesting) {
    source_.fail(offset, fmt::format("blocks nest deeper than {}", most_shell_nesting), {},
                 "give the command that starts the engine alone");
  }
  frames_.push_back({.block = block, .saved = {}});
}

void ShellScope::next_branch() {
  if (frames_.empty()) return;
  for (auto& [name, saved] : frames_.back().saved) {
    source_.spend(entry_bytes);
    saved.differed |= !is_as_before(name, saved);
    put(name, saved.before);
  }
}

void ShellScope::close(ShellBlock block) {
  if (!inside(block)) return;
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  leave(std::move(frame));
}

bool ShellScope::inside(ShellBlock block) const {
  return !frames_.empty() && frames_.back().block == block;
}

void ShellScope::keep(const std::string& name) {
  if (frames_.empty()) return;
  const ShellValue* before = find(name);
  source_.spend(before == nullptr ? entry_bytes : bytes_of(*before));
  frames_.back().saved.try_emplace(
      name, Saved{.before = before == nullptr ? std::nullopt : std::optional(*before)});
}

void ShellScope::put(const std::string& name, std::optional<ShellValue> value) {
  if (!value) {
    values_.erase(name);
    exported_.erase(name);
    return;
  }
  source_.spend(name.size() + bytes_of(*value));
  if (value->exported) {
    exported_.insert(name);
  } else {
    exported_.erase(name);
  }
  values_.insert_or_assign(name, *std::move(value));
}

bool ShellScope::is_as_before(const std::string& name, const Saved& saved) const {
  const ShellValue* now = find(name);
  return now == nullptr ? !saved.before : saved.before && same_value(*saved.before, *now);
}

void ShellScope::leave(Frame&& frame) {
  for (auto& [name, saved] : frame.saved) {
    source_.spend(entry_bytes);
    const bool differs = saved.differed || !is_as_before(name, saved);
    if (frame.block == ShellBlock::subshell) {
      put(name, std::move(saved.before));
      continue;
    }
    if (!frames_.empty()) frames_.back().saved.try_emplace(name, std::move(saved));
    if (frame.block != ShellBlock::group && differs) blur(name);
  }
}

}  // namespace roofline
