#include "spec/json_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/closest.hpp"
#include "base/parse.hpp"
#include "base/printable.hpp"
#include "spec/json_text.hpp"

namespace roofline {

struct JsonNode::Document {
  std::string text;
  std::string file;
  nlohmann::json root;
};

namespace {

std::string_view type_name(const nlohmann::json& value) {
  if (value.is_null()) return "null";
  if (value.is_boolean()) return "a truth value";
  if (value.is_number()) return "a number";
  if (value.is_string()) return "a string";
  return value.is_array() ? "a list" : "an object";
}

/// What Python writes beyond JSON, as strings of the same length: no getter takes them for numbers.
std::string with_quoted_literals(std::string_view text) {
  struct Literal {
    std::string_view written;
    std::string_view quoted;
  };
  constexpr std::array literals{Literal{"-Infinity", "\"-Infini\""},
                                Literal{"Infinity", "\"Infini\""}, Literal{"NaN", "\"?\""}};
  std::string result(text);
  bool in_string = false;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (in_string && result[i] == '\\') {
      ++i;
      continue;
    }
    if (result[i] == '"') in_string = !in_string;
    if (in_string) continue;
    for (const Literal& literal : literals) {
      if (result.compare(i, literal.written.size(), literal.written) != 0) continue;
      result.replace(i, literal.written.size(), literal.quoted);
      i += literal.written.size() - 1;
      break;
    }
  }
  return result;
}

bool has_control_character(const std::string& text) {
  return std::any_of(text.begin(), text.end(), is_control_character);
}

std::string quoted_keys(std::initializer_list<std::string_view> keys) {
  std::string result;
  for (const std::string_view key : keys) {
    result += fmt::format("{}'{}'", result.empty() ? "" : " or ", key);
  }
  return result;
}

}  // namespace

JsonNode JsonNode::parse(std::string_view text, const std::string& file, JsonDialect dialect) {
  auto document = std::make_shared<Document>();
  document->text = dialect == JsonDialect::python ? with_quoted_literals(text) : std::string(text);
  document->file = file;
  document->root = parse_json(document->text, file);
  const nlohmann::json* root = &document->root;
  return {std::move(document), root, "", ""};
}

JsonNode::JsonNode(std::shared_ptr<const Document> document, const nlohmann::json* value,
                   std::string pointer, std::string key)
    : document_(std::move(document)),
      value_(value),
      pointer_(std::move(pointer)),
      key_(std::move(key)) {}

JsonNode JsonNode::child(const nlohmann::json& value, const std::string& key) const {
  return {document_, &value, pointer_ + '/' + key, key};
}

bool JsonNode::is_object() const {
  return value_->is_object();
}
bool JsonNode::is_array() const {
  return value_->is_array();
}
bool JsonNode::is_string() const {
  return value_->is_string();
}
bool JsonNode::is_null() const {
  return value_->is_null();
}
bool JsonNode::is_boolean() const {
  return value_->is_boolean();
}
bool JsonNode::is_number() const {
  return value_->is_number();
}
bool JsonNode::is_empty() const {
  return value_->empty();
}
bool JsonNode::is_zero() const {
  return value_->is_number() && value_->get<double>() == 0;
}

std::optional<JsonNode> JsonNode::find(std::string_view key) const {
  if (!value_->is_object()) fail(fmt::format("expected an object, found {}", type_name(*value_)));
  const auto found = value_->find(std::string(key));
  if (found == value_->end() || found->is_null()) return std::nullopt;
  return child(*found, std::string(key));
}

std::optional<JsonNode> JsonNode::find_any(std::initializer_list<std::string_view> keys) const {
  for (const std::string_view key : keys) {
    if (auto found = find(key)) return found;
  }
  return std::nullopt;
}

JsonNode JsonNode::at(std::string_view key) const {
  return at_any({key});
}

JsonNode JsonNode::at_any(std::initializer_list<std::string_view> keys) const {
  if (auto found = find_any(keys)) return *found;
  fail(fmt::format("needs {}", quoted_keys(keys)), {}, fmt::format("add \"{}\"", *keys.begin()));
}

std::vector<JsonNode> JsonNode::members() const {
  if (!value_->is_object()) fail(fmt::format("expected an object, found {}", type_name(*value_)));
  std::vector<JsonNode> result;
  for (const auto& [key, value] : value_->items()) result.push_back(child(value, key));
  return result;
}

std::vector<JsonNode> JsonNode::elements() const {
  if (!value_->is_array()) fail(fmt::format("expected a list, found {}", type_name(*value_)));
  std::vector<JsonNode> result;
  for (std::size_t i = 0; i < value_->size(); ++i) {
    result.push_back(child((*value_)[i], fmt::format("{}", i)));
  }
  return result;
}

void JsonNode::only(std::initializer_list<std::string_view> known) const {
  for (const JsonNode& member : members()) {
    if (std::find(known.begin(), known.end(), member.key()) != known.end()) continue;
    const std::vector<std::string> names(known.begin(), known.end());
    const std::vector<std::string> near = closest(member.key(), names);
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
    member.fail("unknown key", near.empty() ? "known: " + all : "", {}, near);
  }
}

std::string JsonNode::text() const {
  if (!value_->is_string()) fail(fmt::format("expected a string, found {}", type_name(*value_)));
  const auto& text = value_->get_ref<const std::string&>();
  if (has_control_character(text)) fail("has a control character");
  return text;
}

bool JsonNode::boolean() const {
  if (!value_->is_boolean()) {
    fail(fmt::format("expected true or false, found {}", type_name(*value_)));
  }
  return value_->get<bool>();
}

std::int64_t JsonNode::count(std::int64_t most, std::int64_t least) const {
  if (!value_->is_number()) {
    fail(fmt::format("expected a whole number, found {}", type_name(*value_)));
  }
  const double number = value_->get<double>();
  if (number != std::floor(number)) fail(fmt::format("{} is not a whole number", value_->dump()));
  if (number < static_cast<double>(least) || number > static_cast<double>(most)) {
    fail(fmt::format("{} is out of range", value_->dump()),
         fmt::format("it is a whole number from {} to {}", least, most));
  }
  return static_cast<std::int64_t>(number);
}

double JsonNode::positive() const {
  if (!value_->is_number()) fail(fmt::format("expected a number, found {}", type_name(*value_)));
  const double number = value_->get<double>();
  if (!std::isfinite(number) || number <= 0) {
    fail(fmt::format("{} must be more than 0", value_->dump()));
  }
  return number;
}

std::string JsonNode::quantity_text(std::string_view example) const {
  if (!value_->is_string()) {
    fail(fmt::format("expected a string with a unit, found {}", type_name(*value_)), {},
         fmt::format("\"{}\"", example));
  }
  return value_->get<std::string>();
}

namespace {

/// Runs a parser of the command line's grammar and gives its message this file's place.
template <class Parse>
auto parsed_at(const JsonNode& node, const char* example, Parse&& parse) {
  try {
    return parse();
  } catch (const Error& error) {
    const Diagnostic& first = error.diagnostics().front();
    std::string what = first.what;
    const std::string prefix = ": ";
    if (const auto at = what.find(prefix); at != std::string::npos) what.erase(0, at + 2);
    node.fail(what, first.why, example);
  }
}

}  // namespace

Bytes JsonNode::bytes() const {
  const std::string text = quantity_text("80 GiB");
  return parsed_at(*this, R"("80 GiB")", [&] { return parse_bytes(text, key_); });
}

BytesPerSecond JsonNode::bandwidth() const {
  const std::string text = quantity_text("3350 GB/s");
  return parsed_at(*this, R"("3350 GB/s")", [&] { return parse_bandwidth(text, key_); });
}

FlopsPerSecond JsonNode::compute() const {
  const std::string text = quantity_text("989 TFLOP/s");
  return parsed_at(*this, R"("989 TFLOP/s")", [&] { return parse_compute(text, key_); });
}

Watts JsonNode::power() const {
  const std::string text = quantity_text("700 W");
  return parsed_at(*this, R"("700 W")", [&] { return parse_power(text, key_); });
}

Seconds JsonNode::time() const {
  const std::string text = quantity_text("2 us");
  return parsed_at(*this, R"("2 us")", [&] { return parse_time(text, key_); });
}

std::vector<std::string> JsonNode::texts() const {
  if (!value_->is_array()) fail(fmt::format("expected a list, found {}", type_name(*value_)));
  std::vector<std::string> result;
  for (std::size_t i = 0; i < value_->size(); ++i) {
    const nlohmann::json& element = (*value_)[i];
    // A node is made only for what is wrong: lists may be long.
    if (!element.is_string() || has_control_character(element.get_ref<const std::string&>())) {
      (void)child(element, fmt::format("{}", i)).text();
    }
    result.push_back(element.get<std::string>());
  }
  return result;
}

void JsonNode::fail(const std::string& what, std::string why, std::string fix,
                    std::vector<std::string> suggestions) const {
  const std::string place = key_.empty() ? "" : fmt::format("'{}': ", key_);
  throw Error(Diagnostic{.what = place + what,
                         .where = locate_json(document_->text, document_->file, pointer_),
                         .why = std::move(why),
                         .fix = std::move(fix),
                         .suggestions = std::move(suggestions)});
}

}  // namespace roofline
