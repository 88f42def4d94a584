// nlohmann's values carry no positions. Its parser reads through an iterator that counts, so that
// a failing parse knows where it stands; a place asked for later is found by a second parse.
#include "spec/json_text.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "roofline/error.hpp"

namespace roofline {
namespace {

using nlohmann::json;

/// An input iterator over characters that keeps the furthest offset read.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t* count) : at_(at), count_(count) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*count_;
    return *this;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) {
    return a.at_ == b.at_;
  }

 private:
  const char* at_;
  std::size_t* count_;
};

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
    std::size_t slashes = 0;
    while (slashes < start && text[start - slashes - 1] == '\\') ++slashes;
    if (text[start] == '"' && slashes % 2 == 0) break;
  }
  return start;
}

/// Refuses what the parser lets pass.
class Guard {
 public:
  Guard(std::string_view text, const std::string& file, const std::size_t* count)
      : text_(text), file_(file), count_(count) {}

  bool operator()(int depth, json::parse_event_t event, json& parsed) {
    constexpr int deepest = 64;
    using Event = json::parse_event_t;
    const bool opens = event == Event::object_start || event == Event::array_start;
    if (opens && depth >= deepest) {
      refuse(place(text_, file_, *count_), fmt::format("nested more than {} levels", deepest), {},
             {});
    }
    constexpr std::size_t most_values = 200'000;
    if (++values_ > most_values) {
      refuse(place(text_, file_, *count_), fmt::format("more than {} values", most_values), {}, {});
    }
    if (event == Event::object_start) keys_.emplace_back();
    if (event == Event::object_end && !keys_.empty()) keys_.pop_back();
    if (event == Event::key && !keys_.back().insert(parsed.get<std::string>()).second) {
      refuse(place(text_, file_, token_start(text_, *count_)),
             fmt::format("key '{}' stands twice in one object", parsed.get<std::string>()), {},
             "remove one of them");
    }
    return true;
  }

 private:
  std::string_view text_;
  const std::string& file_;
  const std::size_t* count_;
  std::vector<std::set<std::string>> keys_;
  std::size_t values_ = 0;
};

/// Follows a parse and notes where the value with a given path ends or starts.
class Locator {
 public:
  Locator(std::string_view text, const std::string& pointer, const std::size_t* count)
      : text_(text), wanted_(pointer), count_(count) {}

  bool operator()(int /*depth*/, json::parse_event_t event, json& parsed) {
    using Event = json::parse_event_t;
    switch (event) {
      case Event::key:
        path_.back().key = parsed.get<std::string>();
        break;
      case Event::object_start:
      case Event::array_start:
        visit(*count_ - 1);
        path_.push_back({.key = {}, .index = 0, .array = event == Event::array_start});
        break;
      case Event::object_end:
      case Event::array_end:
        path_.pop_back();
        step();
        break;
      case Event::value:
        visit(token_start(text_, *count_));
        step();
        break;
    }
    return true;
  }

  [[nodiscard]] std::size_t offset() const { return offset_; }

 private:
  struct Level {
    std::string key;
    std::size_t index = 0;
    bool array = false;
  };

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

  std::string_view text_;
  std::string wanted_;
  const std::size_t* count_;
  std::vector<Level> path_;
  std::size_t best_ = 0;
  std::size_t offset_ = 0;
};

}  // namespace

json parse_json(std::string_view text, const std::string& file) {
  if (text.starts_with("GGUF")) {
    refuse(place(text, file, 0), "a GGUF file, where JSON is expected", {}, {});
  }
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    refuse(place(text, file, zero), "a NUL byte", "it is no text file", {});
  }
  std::size_t count = 0;
  try {
    return json::parse(CountingIterator(text.data(), &count),
                       CountingIterator(text.data() + text.size(), &count),
                       Guard(text, file, &count));
  } catch (const json::parse_error& error) {
    const bool empty = text.find_first_not_of(" \t\r\n") == std::string_view::npos;
    refuse(place(text, file, count == 0 ? 0 : count - 1),
           empty ? "the file is empty" : "not valid JSON", empty ? "" : reason(error.what()), {});
  } catch (const json::out_of_range&) {
    const std::size_t start = token_start(text, count);
    refuse(place(text, file, start),
           fmt::format("number '{}' is out of range",
                       text.substr(start, text.find_first_of(" \t\r\n,]}", start) - start)),
           {}, {});
  }
}

std::string locate_json(std::string_view text, const std::string& file, std::string_view pointer) {
  std::size_t count = 0;
  Locator locator(text, std::string(pointer), &count);
  const json parsed =
      json::parse(CountingIterator(text.data(), &count),
                  CountingIterator(text.data() + text.size(), &count), std::ref(locator));
  ensure(!parsed.is_discarded(), "a document was read once and not again");
  return place(text, file, locator.offset());
}

}  // namespace roofline
