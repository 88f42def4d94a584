#include "spec/gguf/metadata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "roofline/error.hpp"

namespace roofline::gguf {
namespace {

constexpr std::size_t longest_architecture = 64;

/// Beginnings of keys that change no count, byte or operation of a step, or that the tensors' own
/// shapes tell.
constexpr std::array<std::string_view, 44> harmless{"activation_sparsity_scale",
                                                    "altup.",
                                                    "attention.clamp_kqv",
                                                    "attention.group_norm",
                                                    "attention.head_count",
                                                    "attention.key_length",
                                                    "attention.kv_lora_rank",
                                                    "attention.layer_norm",
                                                    "attention.max_alibi_bias",
                                                    "attention.output_scale",
                                                    "attention.q_lora_rank",
                                                    "attention.scale",
                                                    "attention.temperature_",
                                                    "attention.value_length",
                                                    "attn_logit_softcapping",
                                                    "embedding_length_per_layer_input",
                                                    "embedding_scale",
                                                    "expert_count",
                                                    "expert_feed_forward_length",
                                                    "expert_gating_func",
                                                    "expert_group_count",
                                                    "expert_group_used_count",
                                                    "expert_shared_count",
                                                    "expert_shared_feed_forward_length",
                                                    "expert_used_count",
                                                    "expert_weights_",
                                                    "feed_forward_length",
                                                    "final_logit_softcapping",
                                                    "full_attention_interval",
                                                    "interleave_moe_layer_step",
                                                    "leading_dense_block_count",
                                                    "logit_scale",
                                                    "moe_every_n_layers",
                                                    "n_deepstack_layers",
                                                    "pooling_type",
                                                    "residual_scale",
                                                    "rope.",
                                                    "router_logit_softcapping",
                                                    "ssm.",
                                                    "swiglu_clamp_",
                                                    "tensor_data_layout",
                                                    "use_parallel_residual",
                                                    "vocab_size",
                                                    "xielu."};

bool is_harmless(std::string_view key) {
  return std::any_of(harmless.begin(), harmless.end(),
                     [&](std::string_view start) { return key.starts_with(start); });
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= longest_architecture &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '_' || c == '.';
         });
}

}  // namespace

Metadata::Metadata(const GgufFile& file) : file_(file) {
  const auto name = general_text("general.architecture");
  if (!name) fail("general.architecture is missing", "it says what the tensors are");
  if (!is_name(*name)) {
    fail(fmt::format("general.architecture '{}' is no name", printable(*name)));
  }
  architecture_ = *name;
}

std::string Metadata::full(std::string_view key) const {
  return fmt::format("{}.{}", architecture_, key);
}

const GgufValue* Metadata::find(std::string_view key) {
  read_.emplace(key);
  const auto entry = file_.metadata.find(full(key));
  return entry == file_.metadata.end() ? nullptr : &entry->second;
}

void Metadata::fail_range(std::string_view key, std::int64_t value, std::int64_t most,
                          std::int64_t least) const {
  fail(fmt::format("{} is {}", full(key), value),
       fmt::format("it must be from {} to {}", least, most));
}

std::int64_t Metadata::whole(std::string_view key, const GgufValue& value, std::int64_t most,
                             std::int64_t least) const {
  const auto* number = std::get_if<std::int64_t>(&value.value);
  if (number == nullptr) {
    fail(fmt::format("{} is no whole number", full(key)),
         value.is_array ? "it is an array" : "it has another type, or is out of range");
  }
  if (*number < least || *number > most) fail_range(key, *number, most, least);
  return *number;
}

std::optional<std::int64_t> Metadata::optional_count(std::string_view key, std::int64_t most,
                                                     std::int64_t least) {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  return whole(key, *value, most, least);
}

std::int64_t Metadata::count(std::string_view key, std::int64_t most, std::int64_t least) {
  const auto number = optional_count(key, most, least);
  if (!number) fail(fmt::format("{} is missing", full(key)));
  return *number;
}

std::optional<std::int64_t> Metadata::optional_count_of(std::string_view key, std::int64_t block,
                                                        std::int64_t blocks) {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  const auto* numbers = std::get_if<std::vector<std::int64_t>>(&value->value);
  if (numbers == nullptr) return whole(key, *value, most_width, 0);
  if (static_cast<std::int64_t>(numbers->size()) != blocks) {
    fail(fmt::format("{} has {} numbers for {} blocks", full(key), numbers->size(), blocks));
  }
  const std::int64_t number = (*numbers)[static_cast<std::size_t>(block)];
  if (number < 0 || number > most_width) fail_range(key, number, most_width, 0);
  return number;
}

bool Metadata::flag_or(std::string_view key, bool fallback) {
  const GgufValue* value = find(key);
  if (value == nullptr) return fallback;
  const auto* flag = std::get_if<bool>(&value->value);
  if (flag == nullptr) fail(fmt::format("{} is no truth value", full(key)));
  return *flag;
}

std::optional<std::string> Metadata::general_text(std::string_view key) const {
  const auto entry = file_.metadata.find(key);
  if (entry == file_.metadata.end()) return std::nullopt;
  const auto* text = std::get_if<std::string>(&entry->second.value);
  return text == nullptr ? std::nullopt : std::optional(*text);
}

std::optional<std::int64_t> Metadata::general_number(std::string_view key) const {
  const auto entry = file_.metadata.find(key);
  if (entry == file_.metadata.end()) return std::nullopt;
  const auto* number = std::get_if<std::int64_t>(&entry->second.value);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

std::vector<std::string> Metadata::unread() const {
  std::vector<std::string> keys;
  const std::string start = architecture_ + ".";
  for (const auto& entry : file_.metadata) {
    if (!entry.first.starts_with(start)) continue;
    const std::string_view key = std::string_view(entry.first).substr(start.size());
    if (!read_.contains(key) && !is_harmless(key)) keys.push_back(printable(entry.first));
  }
  return keys;
}

void Metadata::note_default(std::string_view key, const std::string& value) {
  std::string note = fmt::format("{} is absent: {}, the architecture's default", full(key), value);
  if (std::find(defaults_.begin(), defaults_.end(), note) == defaults_.end()) {
    defaults_.push_back(std::move(note));
  }
}

void Metadata::fail(const std::string& what, std::string why, std::string fix) const {
  throw Error(
      Diagnostic{.what = what, .where = file_.name, .why = std::move(why), .fix = std::move(fix)});
}

}  // namespace roofline::gguf
