#include "base/closest.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace roofline {

std::string normalized_name(std::string_view name) {
  std::string result(name);
  for (char& c : result) {
    if (c == ' ' || c == '_') c = '-';
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> two_back(width), previous(width), current(width);
  for (std::size_t j = 0; j < width; ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replace});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) current[j] = std::min(current[j], two_back[j - 2] + 1);
    }
    std::swap(two_back, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

std::vector<std::string> closest(std::string_view word, const std::vector<std::string>& names,
                                 std::size_t limit) {
  constexpr std::size_t longest_word = 64;
  const std::string wanted = normalized_name(word);
  if (wanted.empty() || wanted.size() > longest_word) return {};
  const std::size_t allowed = std::max<std::size_t>(1, wanted.size() / 3);
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const std::string& name : names) {
    const std::string candidate = normalized_name(name);
    if (candidate.size() > longest_word) continue;
    const std::size_t distance = edit_distance(wanted, candidate);
    if (distance <= allowed || candidate.starts_with(wanted)) found.emplace_back(distance, name);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> result;
  for (const auto& [distance, name] : found) {
    if (result.size() == limit) break;
    if (std::find(result.begin(), result.end(), name) == result.end()) result.push_back(name);
  }
  return result;
}

}  // namespace roofline
