// Size and encoding; what YAML allows no text to hold is refused with its place.
#include "spec/serving/config_text.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>

#include "roofline/error.hpp"
#include "spec/serving/config_node.hpp"

namespace roofline {
namespace {

constexpr std::size_t most_mebibytes = 16;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

unsigned char byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

/// A UTF-8 sequence: its length and code point; length 0 if it is none.
struct Character {
  std::size_t length = 0;
  unsigned code = 0;
};

Character character_at(std::string_view text, std::size_t at) {
  const unsigned first = byte_at(text, at);
  constexpr unsigned two = 0xC0;
  constexpr unsigned three = 0xE0;
  constexpr unsigned four = 0xF0;
  constexpr unsigned past_four = 0xF8;
  if (first < 0x80) return {.length = 1, .code = first};
  if (first < two || first >= past_four) return {};
  const std::size_t length = first >= four ? 4 : (first >= three ? 3 : 2);
  unsigned code = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const unsigned next = byte_at(text, at + i);
    if ((next & two) != 0x80) return {};
    code = (code << 6) | (next & 0x3FU);
  }
  constexpr unsigned smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < smallest[length] || code > 0x10FFFF || surrogate) return {};
  return {.length = length, .code = code};
}

bool is_printable(unsigned code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  const bool control = code >= 0x7F && code < 0xA0;
  return !control || code == 0x85;
}

/// Of a text that is_utf16: every character takes four bytes.
bool is_utf32(std::string_view text) {
  constexpr std::string_view little("\xFF\xFE\0\0", 4);
  constexpr std::string_view zeros("\0\0\0", 3);
  return text.starts_with(little) || text.substr(1).starts_with(zeros);
}

bool is_utf16(std::string_view text) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) return true;
  return text.size() >= 2 && (text[0] == '\0') != (text[1] == '\0');
}

[[noreturn]] void refuse(std::string where, std::string what, std::string why, std::string fix) {
  throw Error(Diagnostic{.what = std::move(what),
                         .where = std::move(where),
                         .why = std::move(why),
                         .fix = std::move(fix)});
}

void check_characters(std::string_view text, const std::string& file) {
  const auto where = [&](std::size_t at) { return to_string(place_at(text, file, at)); };
  for (std::size_t at = 0; at < text.size();) {
    const Character next = character_at(text, at);
    if (next.length == 0) {
      refuse(where(at), fmt::format("byte 0x{:02x} is no UTF-8", byte_at(text, at)), {},
             fmt::format("iconv -f LATIN1 -t UTF-8 {} | roofline check -", file));
    }
    if (next.code == 0) refuse(where(at), "a NUL byte", "it is no text file", {});
    if (!is_printable(next.code)) {
      refuse(where(at), fmt::format("control character 0x{:02x}", next.code), {}, "remove it");
    }
    at += next.length;
  }
}

}  // namespace

void check_config_text(std::string_view text, const std::string& file) {
  if (text.size() > most_mebibytes << 20) {
    refuse(file, fmt::format("a file of {} MiB", text.size() >> 20),
           fmt::format("a config of more than {} MiB is none", most_mebibytes), {});
  }
  if (is_utf16(text)) {
    const char* encoding = is_utf32(text) ? "UTF-32" : "UTF-16";
    refuse(to_string(place_at(text, file, 0)), fmt::format("the text is {}", encoding),
           "configs are UTF-8",
           fmt::format("iconv -f {} -t UTF-8 {} | roofline check -", encoding, file));
  }
  check_characters(text, file);
}

bool is_json(std::string_view text) {
  const std::string_view json = without_byte_order_mark(text);
  const std::size_t first = json.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || (json[first] != '{' && json[first] != '[')) return false;
  return nlohmann::json::accept(json.begin(), json.end());
}

std::string_view without_byte_order_mark(std::string_view text) {
  return text.substr(text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
}

}  // namespace roofline
