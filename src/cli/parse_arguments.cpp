#include "cli/parse_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <optional>

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

/// Where the command stands: the first word, or the first that is a command's name behind flags
/// that came before it. The end if there is none.
std::vector<std::string>::const_iterator command_place(const std::vector<std::string>& words) {
  if (words.empty() || !is_flag(words.front())) return words.begin();
  return std::find_if(words.begin(), words.end(),
                      [](const std::string& word) { return find_command(word) != nullptr; });
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

/// The flags that are near to `name`, or contain its words.
std::vector<std::string> similar_flags(const std::string& name,
                                       const std::vector<std::string>& names) {
  std::vector<std::string> similar = closest(name, names);
  const std::string word = name.substr(std::min(name.find_first_not_of('-'), name.size()));
  constexpr std::size_t shortest = 4;
  for (const std::string& known : names) {
    const bool contains = word.size() >= shortest && known.find(word) != std::string::npos;
    const bool listed = std::find(similar.begin(), similar.end(), known) != similar.end();
    if (contains && !listed && similar.size() < 3) similar.push_back(known);
  }
  return similar;
}

/// The command that prints what there is.
std::string help_of(const CLI::App& command) {
  if (command.get_parent() == nullptr) return "roofline help";
  return fmt::format("roofline {} -h", command.get_name());
}

/// Unknown words to errors. A value behind an unknown flag belongs to it.
void collect_unknown(const CLI::App& app, const CLI::App& command, ErrorCollector& errors) {
  bool after_flag = false;
  for (const std::string& word : app.remaining(true)) {
    if (word == "--") continue;
    if (is_flag(word)) {
      const std::string name = word.substr(0, word.find('='));
      errors.add(Error(problem(fmt::format("unknown flag '{}'", name), {},
                               similar_flags(name, flag_names(command)), help_of(command))));
    } else if (!after_flag) {
      errors.add(Error(problem(fmt::format("unexpected word '{}'", word), help_of(command))));
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

/// "-gpu" would be read as "-g pu": nobody means that.
void collect_single_dashes(const std::vector<std::string>& words, const CLI::App& command,
                           ErrorCollector& errors) {
  const std::vector<std::string> names = flag_names(command);
  for (const std::string& word : words) {
    if (word == "--") return;
    const bool single = word.size() > 2 && word[0] == '-' && word[1] != '-';
    if (single && std::find(names.begin(), names.end(), "-" + word) != names.end()) {
      errors.add(Error(problem(fmt::format("unknown flag '{}'", word), "-" + word)));
    }
  }
}

/// The parser's complaint, in our words.
Error refusal(const CLI::ParseError& error, const std::string& command) {
  std::string what = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    what = fmt::format("{} needs a value", what.substr(0, what.find_first_of(": ")));
  }
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    what = "a flag without a value was given one";
  }
  return Error(problem(what, fmt::format("roofline {}{}-h", command, command.empty() ? "" : " ")));
}

/// A flag that was given without a value must not become a default, nor take the next flag.
void collect_missing_values(const CLI::App& app, ErrorCollector& errors) {
  for (const CLI::Option* option : app.get_options()) {
    const std::vector<std::string>& values = option->results();
    if (option->get_items_expected_max() == 0 || option->get_positional()) continue;
    const std::string name = "--" + option->get_lnames().front();
    for (const std::string& value : values) {
      const bool flag = is_flag(value) &&
                        std::isalpha(static_cast<unsigned char>(value.back())) != 0 &&
                        std::isdigit(static_cast<unsigned char>(value[1])) == 0;
      if (value.empty()) {
        errors.add(Error(problem(name + " is empty", "leave it out, or give it a value")));
      } else if (flag) {
        errors.add(Error(problem(fmt::format("{} needs a value before '{}'", name, value),
                                 fmt::format("{} VALUE {}", name, value))));
      }
    }
  }
}

void check_color(const std::string& choice) {
  if (choice == "auto" || choice == "always" || choice == "never") return;
  throw Error(
      problem(fmt::format("--color: '{}' is none of auto, always, never", choice), "--color auto"));
}

}  // namespace

int run(const std::vector<std::string>& words, Session& session) {
  const auto place = command_place(words);
  const Command* command = place == words.end() ? nullptr : find_command(*place);
  if (place != words.end() && command == nullptr) unknown_command(*place);
  const std::unique_ptr<CLI::App> app = make_app(command, session);
  // The command first, whatever flags stood before it; the parser takes its words from the back.
  std::vector<std::string> ordered(words);
  if (command != nullptr) {
    std::rotate(ordered.begin(), ordered.begin() + (place - words.begin()),
                ordered.begin() + (place - words.begin()) + 1);
  }
  std::reverse(ordered.begin(), ordered.end());
  std::optional<Error> failed;
  try {
    app->parse(ordered);
  } catch (const CLI::ParseError& error) {
    failed = refusal(error, command == nullptr ? "" : command->name);
  }
  const CLI::App* sub = command == nullptr ? app.get() : app->get_subcommand(command->name);
  if (session.global.version) {
    write_stdout(version_text());
    return 0;
  }
  // Help is given whatever else is wrong; an error may have stopped the parser before it.
  const auto flags_end = std::find(words.begin(), words.end(), "--");
  const bool full = std::find(words.begin(), flags_end, "--help") != flags_end;
  const bool brief = std::find(words.begin(), flags_end, "-h") != flags_end;
  if (session.global.help || full || brief) {
    write_stdout(command == nullptr ? overview() : command_help(*sub, command->examples, full));
    return 0;
  }
  ErrorCollector dashes;
  collect_single_dashes(words, *sub, dashes);
  dashes.throw_if_any();
  if (failed) throw *failed;
  collect_unknown(*app, *sub, session.errors);
  session.errors.collect([&] { check_color(session.global.color); });
  ErrorCollector missing;
  collect_missing_values(*app, missing);
  if (command != nullptr) collect_missing_values(*sub, missing);
  session.errors.collect([&] { missing.throw_if_any(); });
  // A missing value shifts what follows: more errors would be about the shift.
  if (!missing.empty()) session.errors.throw_if_any();
  if (command != nullptr) return session.run();
  if (!session.errors.empty()) {
    session.errors.add(Error(problem("no command", "roofline analyze, with these flags")));
  }
  session.errors.throw_if_any();
  write_stdout(overview());
  return 0;
}

}  // namespace roofline::cli
