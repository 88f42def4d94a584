#include "report/shared_notes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace roofline::report {

void SharedNotes::add(const std::string& gpu, const std::vector<std::string>& notes) {
  gpus_.insert(gpu);
  for (const std::string& note : notes) {
    auto known = std::find_if(entries_.begin(), entries_.end(),
                              [&](const Entry& entry) { return entry.note == note; });
    if (known == entries_.end()) {
      if (entries_.size() == most_) {
        left_out_ = true;
        continue;
      }
      known = entries_.insert(known, {note, {}});
    }
    auto& gpus = known->gpus;
    if (std::find(gpus.begin(), gpus.end(), gpu) == gpus.end()) gpus.push_back(gpu);
  }
}

std::vector<std::string> SharedNotes::texts() const {
  constexpr std::size_t most_named = 3;
  std::vector<std::string> texts;
  for (const auto& [note, gpus] : entries_) {
    if (gpus.size() == gpus_.size()) {
      texts.push_back(note);
      continue;
    }
    const std::size_t others = gpus.size() > most_named ? gpus.size() - most_named : 0;
    const auto named = static_cast<std::ptrdiff_t>(gpus.size() - others);
    texts.push_back(fmt::format("{}{}: {}", fmt::join(gpus.begin(), gpus.begin() + named, ", "),
                                others > 0 ? fmt::format(" and {} more", others) : "", note));
  }
  if (left_out_) texts.emplace_back("there are more notes than these: the rows have them (-f csv)");
  return texts;
}

}  // namespace roofline::report
