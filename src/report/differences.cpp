#include "report/differences.hpp"

#include <algorithm>

namespace roofline::report {

std::vector<std::string> joined_differences(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::string> texts;
  for (const std::vector<std::string>& row : rows) {
    std::string text;
    for (std::size_t part = 0; part < row.size(); ++part) {
      const bool differs = std::any_of(rows.begin(), rows.end(),
                                       [&](const auto& other) { return other[part] != row[part]; });
      if (differs && !row[part].empty()) text += (text.empty() ? "" : ", ") + row[part];
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace roofline::report
