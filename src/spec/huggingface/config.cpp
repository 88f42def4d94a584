#include "spec/huggingface/config.hpp"

#include <fmt/format.h>

#include <utility>

namespace roofline::huggingface {

Config::Config(JsonNode decoder, std::optional<JsonNode> top)
    : decoder_(std::move(decoder)), top_(std::move(top)) {}

std::optional<JsonNode> Config::find(std::string_view key) {
  return find({key});
}

std::optional<JsonNode> Config::find(Keys keys) {
  std::optional<JsonNode> found;
  for (const std::string_view key : keys) {
    read_.emplace(key);
    if (!found) found = decoder_.find(key);
  }
  for (const std::string_view key : keys) {
    if (!found && top_) found = top_->find(key);
  }
  return found;
}

std::optional<JsonNode> Config::find_own(std::string_view key) {
  read_.emplace(key);
  return decoder_.find(key);
}

JsonNode Config::at(std::string_view key) {
  return at({key});
}

JsonNode Config::at(Keys keys) {
  if (auto found = find(keys)) return *found;
  return decoder_.at_any(keys);
}

std::int64_t Config::count(std::string_view key, std::int64_t most) {
  return at(key).count(most);
}

std::int64_t Config::count(Keys keys, std::int64_t most) {
  return at(keys).count(most);
}

std::optional<std::int64_t> Config::optional_count(Keys keys, std::int64_t most,
                                                   std::int64_t least) {
  const auto found = find(keys);
  if (!found) return std::nullopt;
  return found->count(most, least);
}

std::int64_t Config::count_or(Keys keys, std::int64_t most, std::int64_t fallback,
                              std::int64_t least) {
  if (const auto given = optional_count(keys, most, least)) return *given;
  note_default(*keys.begin(), fmt::format("{}", fallback));
  return fallback;
}

bool Config::flag_or(std::string_view key, bool fallback) {
  if (const auto found = find(key)) return found->boolean();
  if (fallback) note_default(key, "true");
  return fallback;
}

void Config::refuse_true(Keys keys) {
  for (const std::string_view key : keys) {
    const auto found = find(key);
    if (found && found->boolean()) found->fail("is not known in family " + family_);
  }
}

void Config::fail(const std::string& what, std::string why, std::string fix) {
  decoder_.fail(what, std::move(why), std::move(fix));
}

void Config::note_default(std::string_view key, const std::string& value) {
  defaults_.push_back(fmt::format("{} is absent: {}, the family's default", key, value));
}

std::vector<JsonNode> Config::unread() const {
  return unread_of(decoder_);
}

std::vector<JsonNode> Config::unread_around() const {
  return top_ ? unread_of(*top_) : std::vector<JsonNode>();
}

std::vector<JsonNode> Config::unread_of(const JsonNode& object) const {
  std::vector<JsonNode> result;
  for (JsonNode& member : object.members()) {
    if (!member.is_null() && !read_.contains(member.key())) result.push_back(std::move(member));
  }
  return result;
}

}  // namespace roofline::huggingface
