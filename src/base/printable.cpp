#include "base/printable.hpp"

namespace roofline {
namespace {

constexpr unsigned char first_printable = 0x20;
constexpr unsigned char delete_code = 0x7f;

}  // namespace

bool is_control_character(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < first_printable || byte == delete_code;
}

std::string printable(std::string_view text, std::size_t most) {
  const bool cut = text.size() > most;
  std::string result(text.substr(0, most));
  for (char& c : result) {
    const bool beyond_ascii = static_cast<unsigned char>(c) > delete_code;
    if (is_control_character(c) || (cut && beyond_ascii)) c = '?';
  }
  return cut ? result + "..." : result;
}

}  // namespace roofline
