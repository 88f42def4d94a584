#include "spec/gguf/block.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>

#include "roofline/error.hpp"

namespace roofline::gguf {
namespace {

/// Biases and norms are vectors whatever their shape (one row a head, or an expert).
bool is_vector(std::string_view name, const BlockTensor& tensor) {
  return tensor.outputs() == 1 || tensor.inputs() == 1 || name.ends_with(".bias") ||
         name.ends_with("norm.weight");
}

/// J of "ffn_up.J.weight" for the kind "ffn_up"; none if the name is another.
std::optional<std::size_t> expert_index(std::string_view name, std::string_view kind) {
  constexpr std::string_view suffix = ".weight";
  if (!name.starts_with(kind) || !name.ends_with(suffix)) return std::nullopt;
  if (name.size() < kind.size() + 2 + suffix.size() || name[kind.size()] != '.') {
    return std::nullopt;
  }
  name = name.substr(kind.size() + 1, name.size() - kind.size() - 1 - suffix.size());
  std::size_t index = 0;
  const auto result = std::from_chars(name.data(), name.data() + name.size(), index);
  if (result.ec != std::errc() || result.ptr != name.data() + name.size()) return std::nullopt;
  if (name.size() > 1 && name.front() == '0') return std::nullopt;
  return index;
}

}  // namespace

void Block::add(std::string_view name, const GgufTensor& tensor) {
  tensors_[std::string(name)] = {
      .tensor = {.pieces = {&tensor}, .dims = tensor.dims, .elements = tensor.elements}};
}

void Block::merge_experts() {
  for (const std::string_view kind : {"ffn_gate", "ffn_up", "ffn_down"}) merge_experts_of(kind);
}

void Block::merge_experts_of(std::string_view kind) {
  BlockTensor merged;
  std::size_t highest = 0;
  std::vector<std::string> names;
  for (const auto& [name, entry] : tensors_) {
    const auto index = expert_index(name, kind);
    if (!index) continue;
    const GgufTensor& piece = *entry.tensor.pieces.front();
    if (!merged.pieces.empty() && merged.pieces.front()->dims != piece.dims) {
      fail(fmt::format("{} differs in shape from another expert's", name));
    }
    merged.pieces.push_back(&piece);
    highest = std::max(highest, *index);
    names.push_back(name);
  }
  if (names.empty()) return;
  if (highest != names.size() - 1) {
    fail(fmt::format("{} has {} experts, numbered up to {}", kind, names.size(), highest));
  }
  const GgufTensor& first = *merged.pieces.front();
  if (first.rank != 2) fail(fmt::format("{} is no matrix", names.front()));
  merged.dims = {first.dims[0], first.dims[1], static_cast<std::int64_t>(names.size()), 1};
  for (const GgufTensor* piece : merged.pieces) merged.elements += piece->elements;
  for (const std::string& name : names) tensors_.erase(name);
  const auto place = tensors_.try_emplace(fmt::format("{}_exps.weight", kind));
  if (!place.second) fail(fmt::format("{} has experts apart and together", kind));
  place.first->second.tensor = std::move(merged);
}

const BlockTensor* Block::find(std::string_view name) const {
  const auto entry = tensors_.find(name);
  return entry == tensors_.end() ? nullptr : &entry->second.tensor;
}

std::vector<std::string> Block::left() const {
  std::vector<std::string> names;
  for (const auto& entry : tensors_) {
    if (!entry.second.taken) names.push_back(entry.first);
  }
  return names;
}

const BlockTensor& Block::take(std::string_view name, Part part) {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) fail(fmt::format("{} is missing", name));
  Entry& entry = found->second;
  ensure(!entry.taken, "a tensor is taken once");
  entry.taken = true;
  for (const GgufTensor* piece : entry.tensor.pieces) {
    if (part != Part::vectors && !piece->type->weights) {
      fail(fmt::format("{} is a matrix of {}", name, piece->type->name),
           "no engine multiplies with it");
    }
    Size& size = sizes_[part][piece->type->id];
    size.elements += piece->elements;
    size.bytes += piece->bytes;
  }
  return entry.tensor;
}

const BlockTensor* Block::take_if(std::string_view name, Part part) {
  return has(name) ? &take(name, part) : nullptr;
}

void Block::drop(std::string_view name) {
  const auto found = tensors_.find(name);
  if (found == tensors_.end() || found->second.taken) return;
  found->second.taken = true;
  for (const GgufTensor* piece : found->second.tensor.pieces) {
    dropped_.elements += piece->elements;
    dropped_.bytes += piece->bytes;
  }
}

void Block::take_vectors() {
  for (const std::string& name : left()) {
    if (!is_vector(name, *find(name))) {
      fail(fmt::format("{} is a tensor of unknown use", printable(name)),
           "what a step does with it would be left out");
    }
    take(name, Part::vectors);
  }
}

std::int64_t Block::elements(Part part) const {
  std::int64_t sum = 0;
  for (const auto& size : sizes_[part]) sum += size.second.elements;
  return sum;
}

void Block::fail(const std::string& what, std::string why, std::string fix) const {
  throw Error(Diagnostic{.what = label_.empty() ? what : label_ + ": " + what,
                         .where = *file_,
                         .why = std::move(why),
                         .fix = std::move(fix)});
}

}  // namespace roofline::gguf
