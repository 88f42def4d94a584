#include "spec/safetensors/json_stream.hpp"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "roofline/error.hpp"

namespace roofline {
namespace {

using nlohmann::json;
using Kind = JsonEvent::Kind;

/// An input iterator over characters that tells how far the parser has read.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, const char** furthest) : at_(at), furthest_(furthest) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    *furthest_ = ++at_;
    return *this;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) {
    return a.at_ == b.at_;
  }

 private:
  const char* at_;
  const char** furthest_;
};

[[noreturn]] void refuse(const StreamPlace& place, std::size_t byte, const std::string& what,
                         std::string why = {}) {
  throw Error(Diagnostic{
      .what = fmt::format("byte {}: {}", byte, what), .where = place.file, .why = std::move(why)});
}

/// The parser's own words for what it met, without its name and position.
std::string reason(std::string_view message) {
  constexpr std::size_t longest = 120;
  const std::size_t dash = message.find(" - ");
  if (dash != std::string_view::npos) message.remove_prefix(dash + 3);
  if (message.size() <= longest) return std::string(message);
  return std::string(message.substr(0, longest)) + " ...";
}

/// What the parser calls: each of its events becomes a JsonEvent.
class Handler {
 public:
  Handler(const StreamPlace& place, int deepest, const char* first, const char* const* furthest,
          const std::function<void(const JsonEvent&)>& visit)
      : place_(place), deepest_(deepest), first_(first), furthest_(furthest), visit_(visit) {}

  bool null() { return send({.kind = Kind::other}); }
  bool boolean(bool /*value*/) { return send({.kind = Kind::other}); }
  bool number_integer(json::number_integer_t value) {
    return send({.kind = Kind::other, .number = static_cast<double>(value)});
  }
  bool number_unsigned(json::number_unsigned_t value) {
    return send({.kind = Kind::whole_number, .whole = value, .number = static_cast<double>(value)});
  }
  bool number_float(json::number_float_t value, const json::string_t& /*digits*/) {
    return send({.kind = Kind::other, .number = value});
  }
  bool string(const json::string_t& value) { return send({.kind = Kind::text, .text = value}); }
  bool binary(const json::binary_t& /*value*/) { return false; }
  bool key(const json::string_t& value) { return send({.kind = Kind::key, .text = value}); }
  bool start_object(std::size_t /*elements*/) { return open(Kind::object_start); }
  bool start_array(std::size_t /*elements*/) { return open(Kind::array_start); }
  bool end_object() { return close(Kind::object_end); }
  bool end_array() { return close(Kind::array_end); }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const json::exception& error) {
    // The parser counts from 1, and the end of the text as one more.
    refuse(place_, place_.first_byte + (position == 0 ? 0 : position - 1), "not valid JSON",
           reason(error.what()));
  }

 private:
  [[nodiscard]] std::size_t byte() const {
    return place_.first_byte + static_cast<std::size_t>(*furthest_ - first_);
  }
  bool send(JsonEvent event) {
    event.depth = depth_;
    event.byte = byte();
    visit_(event);
    return true;
  }
  bool open(Kind kind) {
    if (depth_ >= deepest_) {
      refuse(place_, byte() - 1, fmt::format("nested more than {} levels", deepest_));
    }
    send({.kind = kind});
    ++depth_;
    return true;
  }
  bool close(Kind kind) {
    --depth_;
    return send({.kind = kind});
  }

  const StreamPlace& place_;
  int deepest_;
  const char* first_;
  const char* const* furthest_;
  const std::function<void(const JsonEvent&)>& visit_;
  int depth_ = 0;
};

/// The parser keeps a whole string, twice: one must not be as long as the file.
void refuse_long_strings(std::string_view text, const StreamPlace& place) {
  constexpr std::size_t longest = 1024UL * 1024;
  bool in_string = false;
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (in_string && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      in_string = !in_string;
      start = i;
    }
    if (in_string && i - start > longest) {
      refuse(place, place.first_byte + start, "a string of more than 1 MiB");
    }
  }
}

}  // namespace

void read_json_stream(std::string_view text, const StreamPlace& place, int deepest,
                      const std::function<void(const JsonEvent&)>& visit) {
  // The parser would take a NUL for the end of the text.
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    refuse(place, place.first_byte + zero, "a NUL byte", "it is no JSON text");
  }
  refuse_long_strings(text, place);
  const char* furthest = text.data();
  Handler handler(place, deepest, text.data(), &furthest, visit);
  const bool read =
      json::sax_parse(CountingIterator(text.data(), &furthest),
                      CountingIterator(text.data() + text.size(), &furthest), &handler);
  ensure(read, "a JSON text was neither read nor refused");
}

std::string shown(std::string_view name) {
  constexpr std::size_t longest = 100;
  const bool cut = name.size() > longest;
  std::string text(cut ? name.substr(0, longest) : name);
  for (char& c : text) {
    constexpr unsigned char first_printable = 0x20;
    constexpr unsigned char delete_code = 0x7f;
    const auto byte = static_cast<unsigned char>(c);
    // A character of several bytes that the cut has split would be no text any more.
    if (byte < first_printable || byte == delete_code || (cut && byte > delete_code)) c = '?';
  }
  return fmt::format("'{}{}'", text, cut ? "..." : "");
}

}  // namespace roofline
