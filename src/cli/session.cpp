#include "cli/session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/closest.hpp"
#include "base/parse.hpp"
#include "base/printable.hpp"
#include "cli/output_sink.hpp"

namespace roofline::cli {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

void append_paths(std::vector<fs::path>& paths, const std::string& list, const char* suffix,
                  bool absolute_only) {
  std::size_t start = 0;
  while (start <= list.size()) {
    const std::size_t end = std::min(list.find(':', start), list.size());
    const fs::path path = list.substr(start, end - start);
    if (!path.empty() && (!absolute_only || path.is_absolute())) paths.push_back(path / suffix);
    start = end + 1;
  }
}

}  // namespace

int significant_digits(const OutputFlags& output) {
  if (output.digits.empty()) return report::TextOptions{}.significant_digits;
  constexpr std::int64_t most = 17;
  const std::int64_t digits = parse_count(output.digits, "--precision");
  if (digits > most) {
    throw Error(Diagnostic{.what = "--precision is at most 17",
                           .why = "a double has no more digits",
                           .fix = "--precision 17"});
  }
  return static_cast<int>(digits);
}

namespace {

/// Text of files and arguments must not steer the terminal.
std::string visible(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (is_control_character(c)) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result;
}

template <class... Arguments>
void print_message(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write_stderr(fmt::format(format, std::forward<Arguments>(arguments)...));
}

void print_diagnostic(const Diagnostic& d, std::string_view word, std::string_view color_code,
                      bool color) {
  const std::string place = d.where.empty() ? "" : visible(d.where) + ": ";
  const std::string label =
      color ? fmt::format("\033[{}m{}:\033[0m", color_code, word) : fmt::format("{}:", word);
  print_message("{}{} {}\n", place, label, visible(d.what));
  if (!d.why.empty()) print_message("  why: {}\n", visible(d.why));
  if (!d.fix.empty()) print_message("  fix: {}\n", visible(d.fix));
  if (!d.suggestions.empty()) {
    print_message("  did you mean: {}?\n",
                  visible(fmt::format("{}", fmt::join(d.suggestions, ", "))));
  }
  if (!d.list_command.empty()) print_message("  all of them: {}\n", d.list_command);
}

}  // namespace

void add_output_flags(CLI::App& command, OutputFlags& output) {
  const std::string group = "Output";
  command.add_option("-f,--format", output.format, "text, json, jsonl, csv or markdown [text]")
      ->type_name("FORMAT")
      ->take_last()
      ->group(group);
  command.add_flag("--json", output.json, "short for --format json")->group(group);
  command.add_option("-o,--output", output.file, "write to a file; its suffix decides the format")
      ->type_name("FILE")
      ->take_last()
      ->group(group);
  command.add_option("--precision", output.digits, "significant digits in text [4]")
      ->type_name("N")
      ->take_last()
      ->group(group);
}

void add_picture_flags(CLI::App& command, OutputFlags& output) {
  output.pictures = true;
  command.get_option("--format")
      ->description("text, svg, html, csv, json, jsonl or markdown [text]");
  command.add_flag("--unicode", output.unicode, "text: draw with braille dots instead of ASCII")
      ->group("Output");
}

Catalog open_catalog(const GlobalFlags& global) {
  std::vector<fs::path> directories(global.data.begin(), global.data.end());
  for (const fs::path& directory : directories) {
    std::error_code ignored;
    if (!fs::is_directory(directory, ignored)) {
      throw Error(
          Diagnostic{.what = fmt::format("--data: '{}' is not a directory", directory.string()),
                     .fix = "--data DIR, with devices/*.json or models/*.json in it"});
    }
  }
  append_paths(directories, environment("ROOFLINE_DATA_PATH"), "", false);
  const std::string home = environment("HOME");
  const std::string data_home = environment("XDG_DATA_HOME");
  append_paths(directories, data_home.empty() && !home.empty() ? home + "/.local/share" : data_home,
               "roofline", true);
  const std::string data_dirs = environment("XDG_DATA_DIRS");
  append_paths(directories, data_dirs.empty() ? "/usr/local/share:/usr/share" : data_dirs,
               "roofline", true);
  return Catalog(std::move(directories));
}

std::string source_text(const DataSource& source) {
  return source.hides_builtin ? source.place + ", hides the built-in entry" : source.place;
}

namespace {

/// A suffix of pictures that are not written: text under that name would be a surprise.
void refuse_pixels(const std::string& file) {
  for (const std::string_view suffix : {".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf", ".eps"}) {
    if (!file.ends_with(suffix)) continue;
    const std::string stem = file.substr(0, file.size() - suffix.size());
    throw Error(
        Diagnostic{.what = fmt::format("--output: {} files are not written", suffix.substr(1)),
                   .why = "pictures are SVG, which browsers and office programs show",
                   .fix = fmt::format("-o {}.svg", stem)});
  }
}

}  // namespace

report::Format chosen_format(const OutputFlags& output) {
  if (output.json && !output.format.empty() && output.format != "json") {
    throw Error(Diagnostic{
        .what = fmt::format("--json and --format {} contradict each other", output.format),
        .fix = "leave one of them out"});
  }
  if (output.json) return report::Format::json;
  if (output.format == "md") return report::Format::markdown;
  for (const report::FormatName& known : report::formats()) {
    const bool named = !output.format.empty() && known.name == output.format;
    const bool guessed = output.format.empty() && output.file.ends_with(known.suffix);
    if (!named && !guessed) continue;
    if (!known.picture || output.pictures) return known.format;
    throw Error(
        Diagnostic{.what = fmt::format("{} is a picture, and this command draws none", known.name),
                   .fix = fmt::format("roofline plot -f {}", known.name)});
  }
  if (output.format.empty()) {
    if (output.pictures) refuse_pixels(output.file);
    return report::Format::text;
  }
  std::vector<std::string> names;
  for (const report::FormatName& known : report::formats()) {
    if (!known.picture || output.pictures) names.emplace_back(known.name);
  }
  throw Error(Diagnostic{.what = fmt::format("unknown output format '{}'", output.format),
                         .fix = fmt::format("one of {}", fmt::join(names, ", ")),
                         .suggestions = closest(output.format, names)});
}

// Messages are lost where standard error is closed or full; that is no reason to stop.
void write_stderr(const std::string& text) {
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
}

void write_stdout(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return;
  if (errno == EPIPE) std::_Exit(0);  // a reader that has seen enough is no failure
  throw OutputError(fmt::format("cannot write to standard output: {}", std::strerror(errno)));
}

void write_answer(const report::Report& report, const Session& session) {
  const OutputFlags& output = session.output;
  const report::Format format = chosen_format(output);
  const bool to_stdout = output.file.empty() || output.file == "-";
  report::TextOptions options;
  options.significant_digits = significant_digits(output);
  options.unicode = output.unicode;
  options.bold =
      to_stdout && format == report::Format::text && use_color(session.global.color, STDOUT_FILENO);
  const std::string text = report::write(report, format, options);
  OutputSink sink(output);
  sink.write(text);
  sink.close();
  const bool notes_in_answer = format == report::Format::json || format == report::Format::html ||
                               format == report::Format::markdown;
  if (!session.global.quiet && !notes_in_answer) {
    print_notes(report.notes, use_color(session.global.color, STDERR_FILENO));
  }
}

bool use_color(const std::string& choice, int file_descriptor) {
  if (choice == "always") return true;
  if (choice == "never") return false;
  if (!environment("CLICOLOR_FORCE").empty()) return true;
  if (!environment("NO_COLOR").empty() || environment("TERM") == "dumb") return false;
  return isatty(file_descriptor) == 1;
}

void print_errors(const std::vector<Diagnostic>& diagnostics, bool color) {
  constexpr std::size_t most = 10;
  const std::size_t shown = std::min(most, diagnostics.size());
  for (std::size_t i = 0; i < shown; ++i) {
    print_diagnostic(diagnostics[i], "error", "1;31", color);
  }
  if (shown < diagnostics.size()) {
    const std::size_t more = diagnostics.size() - shown;
    print_message("and {} more {}\n", more, more == 1 ? "error" : "errors");
  }
}

void print_warnings(const std::vector<Diagnostic>& diagnostics, bool color) {
  for (const Diagnostic& diagnostic : diagnostics) {
    print_diagnostic(diagnostic, "warning", "1;33", color);
  }
}

void print_notes(const std::vector<std::string>& notes, bool color) {
  for (const std::string& note : notes) {
    print_message("{} {}\n", color ? "\033[1mnote:\033[0m" : "note:", visible(note));
  }
}

}  // namespace roofline::cli
