// One value of a JSON document, read by type: each getter says what is wrong, and where, in the
// file's own terms. `null` is the same as absent.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/error.hpp"
#include "roofline/quantity.hpp"

namespace roofline {

enum class JsonDialect {
  strict,
  python  ///< with Infinity, -Infinity and NaN, as Python writes them: values that are no numbers
};

class JsonNode {
 public:
  /// The root of a document. Throws Error unless `text` is JSON.
  [[nodiscard]] static JsonNode parse(std::string_view text, const std::string& file,
                                      JsonDialect dialect = JsonDialect::strict);

  /// The key in its parent, or the index.
  [[nodiscard]] const std::string& key() const { return key_; }
  [[nodiscard]] bool is_object() const;
  [[nodiscard]] bool is_array() const;
  [[nodiscard]] bool is_string() const;
  [[nodiscard]] bool is_null() const;
  [[nodiscard]] bool is_boolean() const;
  [[nodiscard]] bool is_number() const;
  /// True for the number 0.
  [[nodiscard]] bool is_zero() const;

  /// The member, or none if it is absent or null. Throws if this is no object.
  [[nodiscard]] std::optional<JsonNode> find(std::string_view key) const;
  /// The first of `keys` that is there: the ecosystem has several names for one thing.
  [[nodiscard]] std::optional<JsonNode> find_any(
      std::initializer_list<std::string_view> keys) const;
  /// The member; throws if it is absent or null.
  [[nodiscard]] JsonNode at(std::string_view key) const;
  [[nodiscard]] JsonNode at_any(std::initializer_list<std::string_view> keys) const;
  /// True for a list or an object without elements.
  [[nodiscard]] bool is_empty() const;
  /// The members of an object, by key. Throws if this is no object.
  [[nodiscard]] std::vector<JsonNode> members() const;
  /// The elements of a list. Throws if this is no list.
  [[nodiscard]] std::vector<JsonNode> elements() const;
  /// Throws, with the nearest known key, if there is a key that is not in `known`.
  void only(std::initializer_list<std::string_view> known) const;

  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool boolean() const;
  /// A whole number from `least` to `most`.
  [[nodiscard]] std::int64_t count(std::int64_t most, std::int64_t least = 1) const;
  /// A finite number above 0.
  [[nodiscard]] double positive() const;
  /// A string of the command line's grammar: "80 GiB", "3350 GB/s", "989 TFLOP/s", "700 W", "2 us".
  [[nodiscard]] Bytes bytes() const;
  [[nodiscard]] BytesPerSecond bandwidth() const;
  [[nodiscard]] FlopsPerSecond compute() const;
  [[nodiscard]] Watts power() const;
  [[nodiscard]] Seconds time() const;
  [[nodiscard]] std::vector<std::string> texts() const;

  /// Throws Error at this value.
  [[noreturn]] void fail(const std::string& what, std::string why = {}, std::string fix = {},
                         std::vector<std::string> suggestions = {}) const;

 private:
  struct Document;
  JsonNode(std::shared_ptr<const Document> document, const nlohmann::json* value,
           std::string pointer, std::string key);
  [[nodiscard]] JsonNode child(const nlohmann::json& value, const std::string& key) const;
  [[nodiscard]] std::string quantity_text(std::string_view example) const;

  std::shared_ptr<const Document> document_;
  const nlohmann::json* value_;
  std::string pointer_;
  std::string key_;
};

}  // namespace roofline
