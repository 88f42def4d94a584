// Well-formed UTF-8 is table 3-7 of the Unicode standard, what XML allows its production 2, Char.
#include "report/markup.hpp"

namespace roofline::report {
namespace {

constexpr char32_t replacement = 0xfffd;
constexpr std::string_view replacement_bytes = "\xef\xbf\xbd";

unsigned char byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

/// That a first byte announces; 0 for one that cannot be first.
std::size_t announced_bytes(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  if (first >= 0xf0 && first < 0xf5) return 4;
  return 0;
}

/// Neither the half of a UTF-16 pair nor one that fewer bytes can say.
bool well_formed(char32_t code, std::size_t bytes) {
  if (bytes == 3) return code >= 0x800 && (code < 0xd800 || code > 0xdfff);
  return bytes != 4 || (code >= 0x10000 && code <= 0x10ffff);
}

bool allowed_in_xml(char32_t code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  return code != 0xfffe && code != 0xffff;
}

std::string_view reference(char32_t code) {
  switch (code) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

}  // namespace

Character character_at(std::string_view text, std::size_t at) {
  const unsigned char first = byte_at(text, at);
  const std::size_t bytes = announced_bytes(first);
  if (bytes == 0) return {replacement, 1};
  if (bytes == 1) return {first, 1};
  char32_t code = first & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const unsigned char next = byte_at(text, at + i);
    if ((next & 0xc0) != 0x80) return {replacement, 1};
    code = (code << 6) | (next & 0x3fU);
  }
  return well_formed(code, bytes) ? Character{code, bytes} : Character{replacement, 1};
}

std::string escape_markup(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    const std::string_view as_reference = reference(character.code);
    if (!as_reference.empty()) {
      escaped += as_reference;
    } else if (character.code == replacement || !allowed_in_xml(character.code)) {
      escaped += replacement_bytes;
    } else {
      escaped += text.substr(at, character.bytes);
    }
    at += character.bytes;
  }
  return escaped;
}

}  // namespace roofline::report
