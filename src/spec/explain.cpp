#include "roofline/explain.hpp"

#include "base/closest.hpp"
#include "spec/embedded.hpp"

namespace roofline {

std::optional<std::string_view> explanation(std::string_view word) {
  const std::string wanted = normalized_name(word);
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.kind == "explain" && file.name == wanted) return file.text;
  }
  return std::nullopt;
}

std::vector<std::string> explained_words() {
  std::vector<std::string> words;
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.kind == "explain") words.emplace_back(file.name);
  }
  return words;
}

}  // namespace roofline
