// `roofline explain`: what a rule or a term means.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "base/closest.hpp"
#include "cli/commands.hpp"
#include "roofline/explain.hpp"

namespace roofline::cli {
namespace {

std::string word_list() {
  std::string text;
  for (const std::string& word : explained_words()) text += word + '\n';
  return text;
}

std::string page_of(const std::string& word) {
  if (word.empty()) return word_list();
  const std::optional<std::string_view> page = explanation(word);
  if (page) return std::string(*page);
  throw Error(Diagnostic{.what = fmt::format("nothing explains '{}'", word),
                         .suggestions = closest(word, explained_words()),
                         .list_command = "roofline explain"});
}

}  // namespace

void set_up_explain(CLI::App& command, Session& session) {
  const auto word = std::make_shared<std::string>();
  command.add_option("WORD", *word, "a rule or a term; without it all of them are listed");
  session.run = [word, &session] {
    std::string page;
    session.errors.collect([&] { page = page_of(*word); });
    session.errors.throw_if_any();
    write_stdout(page);
    return 0;
  };
}

}  // namespace roofline::cli
