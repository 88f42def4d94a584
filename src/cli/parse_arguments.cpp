#include "cli/parse_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/closest.hpp"
#include "cli/commands.hpp"

namespace roofline::cli {
namespace {

Diagnostic problem(std::string what, std::string fix, std::vector<std::string> suggestions = {},
                   std::string list_command = {}) {
  return {.what = std::move(what),
          .where = {},
          .why = {},
          .fix = std::move(fix),
          .suggestions = std::move(suggestions),
          .list_command = std::move(list_command)};
}

bool is_flag(const std::string& word) {
  return word.size() > 1 && word.front() == '-';
}

/// The words before "--".
std::vector<std::string> flag_words(const std::vector<std::string>& words) {
  return {words.begin(), std::find(words.begin(), words.end(), "--")};
}

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

const Command* find_command(std::string_view name) {
  for (const Command& command : commands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

/// The command that is named: the first word that is neither a flag nor a global flag's value.
const std::string* command_word(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--data" || words[i] == "--color") {
      ++i;
    } else if (!is_flag(words[i])) {
      return &words[i];
    }
  }
  return nullptr;
}

std::vector<std::string> flag_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  if (app.get_parent() != nullptr) {
    const std::vector<std::string> more = flag_names(*app.get_parent());
    names.insert(names.end(), more.begin(), more.end());
  }
  return names;
}

/// Unknown words to errors. A value behind an unknown flag belongs to it.
void collect_unknown(const CLI::App& app, const CLI::App& command, ErrorCollector& errors) {
  bool after_flag = false;
  for (const std::string& word : app.remaining(true)) {
    if (word == "--") continue;
    if (is_flag(word)) {
      const std::string name = word.substr(0, word.find('='));
      errors.add(Error(problem(fmt::format("unknown flag '{}'", name), {},
                               closest(name, flag_names(command)),
                               fmt::format("roofline {} -h", command.get_name()))));
    } else if (!after_flag) {
      errors.add(Error(problem(fmt::format("unexpected word '{}'", word),
                               fmt::format("roofline {} -h", command.get_name()))));
    }
    after_flag = is_flag(word) && word.find('=') == std::string::npos;
  }
}

[[noreturn]] void unknown_command(const std::string& word) {
  std::vector<std::string> names;
  for (const Command& command : commands()) names.emplace_back(command.name);
  throw Error(problem(fmt::format("unknown command '{}'", word), {}, closest(word, names),
                      "roofline help"));
}

/// The parser's complaint, in our words.
[[noreturn]] void refuse(const CLI::ParseError& error, const std::string& command) {
  std::string what = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    what = fmt::format("{} needs a value", what.substr(0, what.find_first_of(": ")));
  }
  throw Error(problem(what, fmt::format("roofline {} -h", command)));
}

int show_help(const Command& command, CLI::App& app, Session& session, bool full) {
  CLI::App* sub = app.get_subcommand(command.name);
  command.set_up(*sub, session);
  write_stdout(command_help(*sub, command.examples, full));
  return 0;
}

void check_color(const std::string& choice) {
  if (choice == "auto" || choice == "always" || choice == "never") return;
  throw Error(
      problem(fmt::format("--color: '{}' is none of auto, always, never", choice), "--color auto"));
}

}  // namespace

int run(const std::vector<std::string>& words, Session& session) {
  const std::vector<std::string> flags = flag_words(words);
  const std::string* name = command_word(flags);
  const Command* command = name == nullptr ? nullptr : find_command(*name);
  if (contains(flags, "-V") || contains(flags, "--version")) {
    command = find_command("version");
    write_stdout(fmt::format("roofline {}\nMIT licence\n", version));
    return 0;
  }
  if (name != nullptr && command == nullptr) unknown_command(*name);
  const std::unique_ptr<CLI::App> app = make_app(session);
  const bool full_help = contains(flags, "--help");
  if (full_help || contains(flags, "-h")) {
    if (command != nullptr) return show_help(*command, *app, session, full_help);
    write_stdout(overview());
    return 0;
  }
  try {
    app->parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    refuse(error, name == nullptr ? "" : *name);
  }
  if (command == nullptr) {
    collect_unknown(*app, *app, session.errors);
    session.errors.throw_if_any();
    write_stdout(overview());
    return 0;
  }
  collect_unknown(*app, *app->get_subcommand(command->name), session.errors);
  session.errors.collect([&] { check_color(session.global.color); });
  return session.run();
}

}  // namespace roofline::cli
