// What all commands share: global and output flags, the catalogue, where answers and messages go.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "report/report.hpp"
#include "roofline/catalog.hpp"
#include "roofline/error.hpp"

namespace roofline::cli {

/// Cannot write the answer: our failure, exit 3.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct GlobalFlags {
  bool quiet = false;
  bool verbose = false;
  bool help = false;
  bool version = false;
  std::string color = "auto";
  std::vector<std::string> data;
};

struct OutputFlags {
  std::string format;
  std::string file;
  bool json = false;
  std::string digits;
  bool pictures = false;  ///< the command draws: svg and html are formats of it
  bool unicode = false;
};

/// One run: what was parsed, and the command to run when all of it is known to be good.
struct Session {
  GlobalFlags global;
  OutputFlags output;
  ErrorCollector errors;     ///< input errors found so far; a command throws them with its own
  std::function<int()> run;  ///< set by the command that was named; returns the exit code
};

/// Adds -f, --json, -o, --precision.
void add_output_flags(CLI::App& command, OutputFlags& output);

/// Adds --unicode, and svg and html to the formats. After add_output_flags.
void add_picture_flags(CLI::App& command, OutputFlags& output);

/// The catalogue with the directories of --data and the environment.
[[nodiscard]] Catalog open_catalog(const GlobalFlags& global);

/// "built-in", or the file, and what it hides.
[[nodiscard]] std::string source_text(const DataSource& source);

/// Writes the answer where it belongs, and its notes to standard error. Throws OutputError.
void write_answer(const report::Report& report, const Session& session);

/// The format asked for, or guessed from the file's suffix. Throws Error.
[[nodiscard]] report::Format chosen_format(const OutputFlags& output);

/// What --precision asks for. Throws Error.
[[nodiscard]] int significant_digits(const OutputFlags& output);

/// Writes to standard output and checks that it arrived. Throws OutputError.
void write_stdout(const std::string& text);

/// Escape codes for a stream, by --color, NO_COLOR, CLICOLOR_FORCE and TERM.
[[nodiscard]] bool use_color(const std::string& choice, int file_descriptor);

/// Writes to standard error as well as it can.
void write_stderr(const std::string& text);

/// Prints diagnostics as "error: ..." with why, fix and suggestions; at most ten.
void print_errors(const std::vector<Diagnostic>& diagnostics, bool color);
void print_notes(const std::vector<std::string>& notes, bool color);
void print_warnings(const std::vector<Diagnostic>& diagnostics, bool color);

}  // namespace roofline::cli
