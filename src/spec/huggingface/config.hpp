// The keys of one decoder in a config.json: nested or flat, with a family's defaults noted, and
// with a record of what was read, so that what was not can be told.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "spec/json_node.hpp"

namespace roofline::huggingface {

// Limits that no real model comes near; model_limits.hpp holds their products.
inline constexpr std::int64_t most_layers = 10'000;
inline constexpr std::int64_t most_width = 1'000'000;
inline constexpr std::int64_t most_mlp_width = 10'000'000;
inline constexpr std::int64_t most_experts = 100'000;
inline constexpr std::int64_t most_vocabulary = 100'000'000;
inline constexpr std::int64_t most_context = 1'000'000'000;

/// A key and its other names; the first one that is there counts.
using Keys = std::initializer_list<std::string_view>;

class Config {
 public:
  /// `decoder` has the keys of the text decoder; what it lacks is looked up in `top`, the whole
  /// file's keys, where the decoder is nested in it.
  explicit Config(JsonNode decoder, std::optional<JsonNode> top = std::nullopt);

  /// The name that readers and messages use: model_type.
  [[nodiscard]] const std::string& family() const { return family_; }
  void set_family(std::string family) { family_ = std::move(family); }

  [[nodiscard]] std::optional<JsonNode> find(std::string_view key);
  [[nodiscard]] std::optional<JsonNode> find(Keys keys);
  /// Not looked up in the whole file.
  [[nodiscard]] std::optional<JsonNode> find_own(std::string_view key);
  /// Throws if none of the keys is there.
  [[nodiscard]] JsonNode at(std::string_view key);
  [[nodiscard]] JsonNode at(Keys keys);

  /// A whole number within 1 .. most; throws if it is absent.
  [[nodiscard]] std::int64_t count(std::string_view key, std::int64_t most);
  [[nodiscard]] std::int64_t count(Keys keys, std::int64_t most);
  /// The same, none where absent.
  [[nodiscard]] std::optional<std::int64_t> optional_count(Keys keys, std::int64_t most,
                                                           std::int64_t least = 1);
  /// The same, the family's default where absent, which is noted.
  [[nodiscard]] std::int64_t count_or(Keys keys, std::int64_t most, std::int64_t fallback,
                                      std::int64_t least = 1);
  /// A truth value, the family's default where absent, which is noted unless it is false.
  [[nodiscard]] bool flag_or(std::string_view key, bool fallback);

  /// Throws for each of `keys` that is true: the family has no such parts.
  void refuse_true(Keys keys);

  /// Throws Error at the decoder's keys as a whole.
  [[noreturn]] void fail(const std::string& what, std::string why = {}, std::string fix = {});

  /// "tie_word_embeddings is absent: true, the family's default"
  void note_default(std::string_view key, const std::string& value);
  [[nodiscard]] const std::vector<std::string>& defaults() const { return defaults_; }

  /// The decoder's keys that nothing asked for, null ones left out.
  [[nodiscard]] std::vector<JsonNode> unread() const;
  /// The same of the whole file, where the decoder is nested in it.
  [[nodiscard]] std::vector<JsonNode> unread_around() const;

 private:
  [[nodiscard]] std::vector<JsonNode> unread_of(const JsonNode& object) const;

  JsonNode decoder_;
  std::optional<JsonNode> top_;
  std::string family_;
  std::set<std::string, std::less<>> read_;
  std::vector<std::string> defaults_;
};

}  // namespace roofline::huggingface
