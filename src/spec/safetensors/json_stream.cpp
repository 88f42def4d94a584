#include "spec/safetensors/json_stream.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/printable.hpp"
#include "roofline/error.hpp"
#include "spec/counting_iterator.hpp"

namespace roofline {
namespace {

using nlohmann::json;
using Kind = JsonEvent::Kind;

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
  Handler(const StreamPlace& place, int deepest, const std::size_t* count,
          const std::function<void(const JsonEvent&)>& visit)
      : place_(place), deepest_(deepest), count_(count), visit_(visit) {}

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
  [[nodiscard]] std::size_t byte() const { return place_.first_byte + *count_; }
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
  const std::size_t* count_;
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
  std::size_t count = 0;
  Handler handler(place, deepest, &count, visit);
  const bool read = json::sax_parse(CountingIterator(text.data(), &count),
                                    CountingIterator(text.data() + text.size(), &count), &handler);
  ensure(read, "a JSON text was neither read nor refused");
}

std::string shown(std::string_view name) {
  constexpr std::size_t longest = 100;
  return fmt::format("'{}'", printable(name, longest));
}

}  // namespace roofline
