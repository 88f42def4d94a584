// nlohmann's values carry no positions. Its parser reads through an iterator that counts, so that
// a failing parse knows where it stands; a place asked for later is found by a second parse.
#include "spec/json_text.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "roofline/error.hpp"
#include "spec/counting_iterator.hpp"

namespace roofline {
namespace {

using nlohmann::json;

std::string place(std::string_view text, const std::string& file, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  std::size_t line = 1;
  std::size_t line_start = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] == '\n') {
      ++line;
      line_start = i + 1;
    }
  }
  return fmt::format("{}:{}:{}", file, line, before.size() - line_start + 1);
}

[[noreturn]] void refuse(std::string where, std::string what, std::string why, std::string fix) {
  throw Error(Diagnostic{.what = std::move(what),
                         .where = std::move(where),
                         .why = std::move(why),
                         .fix = std::move(fix)});
}

/// The parser's own words for what it met, without its name and position.
std::string reason(std::string_view message) {
  constexpr std::size_t longest = 120;
  const std::size_t dash = message.find(" - ");
  std::string text(dash == std::string_view::npos ? message : message.substr(dash + 3));
  if (text.size() > longest) text = text.substr(0, longest) + " ...";
  return text;
}

/// Where the token that ends at `end` starts: back to the quote, or over a literal.
std::size_t token_start(std::string_view text, std::size_t end) {
  constexpr std::string_view between = " \t\r\n,:]}";
  while (end > 0 && between.find(text[end - 1]) != std::string_view::npos) --end;
  if (end == 0) return 0;
  std::size_t start = end - 1;
  if (text[start] != '"') {
    while (start > 0 && between.find(text[start - 1]) == std::string_view::npos &&
           text[start - 1] != '[' && text[start - 1] != '{') {
      --start;
    }
    return start;
  }
  // The opening quote: the nearest one before that no odd number of backslashes escapes.
  while (start > 0) {
    --start;
    if (text[start] != '"') continue;
    std::size_t slashes = 0;
    while (slashes < start && text[start - slashes - 1] == '\\') ++slashes;
    if (slashes % 2 == 0) break;
  }
  return start;
}

/// The position of the parser in its text, and what can be said of it.
struct Cursor {
  std::string_view text;
  const std::string& file;
  std::size_t count = 0;

  [[nodiscard]] std::string here() const { return place(text, file, count); }
  [[nodiscard]] std::string token() const { return place(text, file, token_start(text, count)); }
};

/// Builds the value from the parser's events and refuses what the parser lets pass.
class Builder {
 public:
  explicit Builder(const Cursor& cursor) : cursor_(cursor) {}

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(json::number_integer_t value) { return add(value); }
  bool number_unsigned(json::number_unsigned_t value) { return add(value); }
  bool number_float(json::number_float_t value, const std::string& /*digits*/) {
    return add(value);
  }
  bool string(const std::string& value) { return add(value); }
  bool binary(const json::binary_t& /*value*/) { return false; }
  bool start_object(std::size_t /*elements*/) { return open(json::object()); }
  bool start_array(std::size_t /*elements*/) { return open(json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(const std::string& name) {
    if (open_.back()->contains(name)) {
      refuse(cursor_.token(), fmt::format("key '{}' stands twice in one object", name), {},
             "remove one of them");
    }
    constexpr std::size_t longest_key = 1000;
    if (name.size() > longest_key) {
      refuse(cursor_.here(), fmt::format("a key of more than {} bytes", longest_key), {}, {});
    }
    count_value();
    key_ = name;
    return true;
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const json::exception& error) {
    constexpr int number_out_of_range = 406;
    const std::string_view text = cursor_.text;
    if (error.id == number_out_of_range) {
      const std::size_t start = token_start(text, cursor_.count);
      refuse(place(text, cursor_.file, start),
             fmt::format("number '{}' is out of range",
                         text.substr(start, text.find_first_of(" \t\r\n,]}", start) - start)),
             {}, {});
    }
    const bool empty = text.find_first_not_of(" \t\r\n") == std::string_view::npos;
    refuse(place(text, cursor_.file, cursor_.count == 0 ? 0 : cursor_.count - 1),
           empty ? "the file is empty" : "not valid JSON", empty ? "" : reason(error.what()), {});
  }

  [[nodiscard]] json take() { return std::move(root_); }

 private:
  void count_value() {
    constexpr std::size_t most_values = 300'000;
    if (++values_ > most_values) {
      refuse(cursor_.here(), fmt::format("more than {} values", most_values), {}, {});
    }
  }
  json& place_for_value() {
    if (open_.empty()) return root_;
    json& parent = *open_.back();
    if (parent.is_array()) return parent.emplace_back();
    return parent[key_];
  }
  bool add(json value) {
    count_value();
    place_for_value() = std::move(value);
    return true;
  }
  bool open(json value) {
    constexpr std::size_t deepest = 64;
    if (open_.size() >= deepest) {
      refuse(cursor_.here(), fmt::format("nested more than {} levels", deepest), {}, {});
    }
    count_value();
    json& placed = place_for_value();
    placed = std::move(value);
    open_.push_back(&placed);
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  const Cursor& cursor_;
  json root_;
  std::vector<json*> open_;
  std::string key_;
  std::size_t values_ = 0;
};

/// Follows a parse and notes where the value with a given path starts.
class Locator {
 public:
  Locator(const Cursor& cursor, std::string pointer)
      : cursor_(cursor), wanted_(std::move(pointer)) {}

  bool null() { return value(); }
  bool boolean(bool /*value*/) { return value(); }
  bool number_integer(json::number_integer_t /*value*/) { return value(); }
  bool number_unsigned(json::number_unsigned_t /*value*/) { return value(); }
  bool number_float(json::number_float_t /*value*/, const std::string& /*digits*/) {
    return value();
  }
  bool string(const std::string& /*value*/) { return value(); }
  bool binary(const json::binary_t& /*value*/) { return false; }
  bool start_object(std::size_t /*elements*/) { return open(false); }
  bool start_array(std::size_t /*elements*/) { return open(true); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(const std::string& name) {
    path_.back().key = name;
    return true;
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const json::exception& /*error*/) {
    ensure(false, "a document was read once and not again");
    return false;
  }

  [[nodiscard]] std::size_t offset() const { return offset_; }

 private:
  struct Level {
    std::string key;
    std::size_t index = 0;
    bool array = false;
  };

  bool value() {
    visit(token_start(cursor_.text, cursor_.count));
    step();
    return true;
  }
  bool open(bool array) {
    visit(cursor_.count - 1);
    path_.push_back({.key = {}, .index = 0, .array = array});
    return true;
  }
  bool close() {
    path_.pop_back();
    step();
    return true;
  }
  /// The deepest value on the way to the wanted one wins.
  void visit(std::size_t offset) {
    std::string pointer;
    for (const Level& level : path_) {
      pointer += '/' + (level.array ? fmt::format("{}", level.index) : level.key);
    }
    const bool on_the_way = wanted_.starts_with(pointer) &&
                            (wanted_.size() == pointer.size() || wanted_[pointer.size()] == '/');
    if (on_the_way && pointer.size() >= best_) {
      best_ = pointer.size();
      offset_ = offset;
    }
  }
  void step() {
    if (!path_.empty() && path_.back().array) ++path_.back().index;
  }

  const Cursor& cursor_;
  std::string wanted_;
  std::vector<Level> path_;
  std::size_t best_ = 0;
  std::size_t offset_ = 0;
};

template <class Handler>
void parse_with(Cursor& cursor, Handler& handler) {
  const char* first = cursor.text.data();
  const char* last = first + cursor.text.size();
  (void)json::sax_parse(CountingIterator(first, &cursor.count),
                        CountingIterator(last, &cursor.count), &handler);
}

}  // namespace

json parse_json(std::string_view text, const std::string& file) {
  if (text.starts_with("GGUF")) {
    refuse(place(text, file, 0), "a GGUF file, where JSON is expected", {}, {});
  }
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    refuse(place(text, file, zero), "a NUL byte", "it is no text file", {});
  }
  Cursor cursor{text, file};
  Builder builder(cursor);
  parse_with(cursor, builder);
  return builder.take();
}

std::string locate_json(std::string_view text, const std::string& file, std::string_view pointer) {
  Cursor cursor{text, file};
  Locator locator(cursor, std::string(pointer));
  parse_with(cursor, locator);
  return place(text, file, locator.offset());
}

}  // namespace roofline
