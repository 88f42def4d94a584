#include "cli/answer_notes.hpp"

#include <fmt/format.h>

namespace roofline::cli {

void note_sources(const report::Fields& data_source, std::vector<std::string>& notes) {
  for (const auto& [what, place] : data_source) {
    if (const auto* one = std::get_if<std::string>(&place)) {
      notes.push_back(fmt::format("{} data: {}", what, *one));
    } else if (const auto* several = std::get_if<std::vector<std::string>>(&place)) {
      notes.push_back(fmt::format("{} data: {}", what, fmt::join(*several, ", ")));
    }
  }
}

}  // namespace roofline::cli
