// The commands, each in a file of its own, and what the program is called by.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/session.hpp"

namespace roofline::cli {

inline constexpr std::string_view version = ROOFLINE_VERSION;

struct Command {
  const char* name;
  const char* summary;
  const char* examples;  ///< lines of commands that work
  /// Adds the command's options, and sets session.run for when they have been read.
  void (*set_up)(CLI::App& command, Session& session);
};

/// In the order of the help.
[[nodiscard]] const std::vector<Command>& commands();

/// Sets up a command's options and session.run.
void set_up_analyze(CLI::App& command, Session& session);
void set_up_check(CLI::App& command, Session& session);
void set_up_compare(CLI::App& command, Session& session);
void set_up_explain(CLI::App& command, Session& session);
void set_up_fit(CLI::App& command, Session& session);
void set_up_help(CLI::App& command, Session& session);
void set_up_list(CLI::App& command, Session& session);
void set_up_plot(CLI::App& command, Session& session);
void set_up_serve(CLI::App& command, Session& session);
void set_up_show(CLI::App& command, Session& session);
void set_up_solve(CLI::App& command, Session& session);
void set_up_sweep(CLI::App& command, Session& session);
void set_up_version(CLI::App& command, Session& session);

/// The command of that name; null if there is none.
[[nodiscard]] const Command* find_command(std::string_view name);

/// The program's application with one command, or none: a run registers what it runs.
[[nodiscard]] std::unique_ptr<CLI::App> make_app(const Command* command, Session& session);

/// What --version prints.
[[nodiscard]] std::string version_text();

/// The first screen: what one can ask.
[[nodiscard]] std::string overview();

/// Help of a command. Short: one line a flag and examples; full: with the grammar of values.
[[nodiscard]] std::string command_help(const CLI::App& command, const char* examples, bool full);

/// What `roofline help TOPIC` prints; none for an unknown topic.
[[nodiscard]] std::optional<std::string> topic_help(std::string_view topic);
[[nodiscard]] std::vector<std::string> topic_names();

}  // namespace roofline::cli
