// Runs the commands of a transcript and compares what they print, byte for byte.
//
//   run_transcript PROGRAM FILES TRANSCRIPT
//
// A transcript is a text file of cases:
//
//   # a comment, anywhere
//   $ roofline analyze -g t5      a command, run by /bin/sh; "\" at its end joins the next line
//   expected stdout               lines up to the next "$"; the blank ones at its end do not count
//   ...                           this line alone: any number of lines, also none
//   ! expected stderr             lines that begin with "!"
//   ? 2                           exit code, 0 where absent
//
// The commands of a file run one after another in a scratch directory with a copy of FILES, with
// PROGRAM's directory first in PATH, no input, and an environment of PATH, HOME (the scratch
// directory) and LC_ALL=C alone.
//
// Of a Markdown file the ```console blocks run, and in them the commands that begin with
// "roofline". Both streams are expected together, as a terminal shows them; a command exits with 0
// (or with 1: the answer is no) if it prints no "error:", else with 2; a finding, which ends in its
// "[rule]", is no such error. Other blocks that begin with a comment "# NAME.SUFFIX" alone are
// files of that name for the commands.
//
// ROOFLINE_UPDATE_GOLDEN=1 writes what was printed into the transcript instead of comparing, save
// for cases with a line "...".
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

/// What a command prints, or should.
struct Outcome {
  Lines out;
  Lines err;
  int code = 0;

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

/// A command with its expectation, or a line that is neither.
struct Item {
  std::size_t line = 0;
  Lines command;  ///< as it stands, "$ " included
  Outcome expected;
  std::string other;
};

Lines split(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

bool runs(const std::string& line, bool markdown) {
  return line.rfind(markdown ? "$ roofline" : "$ ", 0) == 0;
}

std::vector<Item> parse(const Lines& lines, bool markdown) {
  std::vector<Item> items;
  bool console = !markdown;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (markdown && lines[i].rfind("```", 0) == 0) console = lines[i] == "```console";
    if (!console || !runs(lines[i], markdown)) {
      items.push_back({i + 1, {}, {}, lines[i]});
      continue;
    }
    Item item{i + 1, {lines[i]}, {}, {}};
    while (item.command.back().ends_with('\\') && i + 1 < lines.size()) {
      item.command.push_back(lines[++i]);
    }
    Lines& out = item.expected.out;
    for (; i + 1 < lines.size(); ++i) {
      const std::string& next = lines[i + 1];
      if (next.rfind("$ ", 0) == 0 || next.rfind("#", 0) == 0) break;
      if (markdown && next.rfind("```", 0) == 0) break;
      if (!markdown && next.rfind("!", 0) == 0) {
        item.expected.err.push_back(next.substr(std::min<std::size_t>(2, next.size())));
      } else if (!markdown && next.rfind("? ", 0) == 0) {
        item.expected.code = std::stoi(next.substr(2));
      } else {
        out.push_back(next);
      }
    }
    std::size_t blank = 0;
    while (!out.empty() && out.back().empty()) {
      out.pop_back();
      ++blank;
    }
    items.push_back(item);
    for (; blank > 0; --blank) items.push_back({});
  }
  return items;
}

/// "# chat.yaml": the name; empty for any other line.
std::string file_named(const std::string& line) {
  if (line.rfind("# ", 0) != 0 || line.find_first_of(" /", 2) != std::string::npos) return {};
  return line.find('.') == std::string::npos ? std::string() : line.substr(2);
}

/// Writes the files that a Markdown text shows.
void write_files(const Lines& lines, const fs::path& directory) {
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    if (lines[i].rfind("```", 0) != 0) continue;
    const std::string name = file_named(lines[i + 1]);
    std::ofstream file;
    if (!name.empty()) file.open(directory / name);
    for (++i; i < lines.size() && lines[i] != "```"; ++i) file << lines[i] << '\n';
  }
}

Outcome run(const Item& item, const fs::path& program, const fs::path& scratch, bool markdown) {
  std::ofstream script(scratch / "command");
  for (const std::string& line : item.command) {
    script << (&line == &item.command.front() ? line.substr(2) : line) << '\n';
  }
  script.close();
  const std::string at = scratch.string();
  const std::string call = "cd '" + at + "/work' && env -i PATH='" +
                           program.parent_path().string() + "':/usr/bin:/bin HOME='" + at +
                           "/work' LC_ALL=C sh ../command < /dev/null > ../out " +
                           (markdown ? "2>&1" : "2> ../err");
  const int status = std::system(call.c_str());
  Outcome outcome{split(read(scratch / "out")), {}, WEXITSTATUS(status)};
  if (!markdown) outcome.err = split(read(scratch / "err"));
  const std::string text = read(scratch / "out");
  if (!text.empty() && text.back() != '\n') outcome.out.push_back("(no line feed at the end)");
  return outcome;
}

/// `pattern` may have lines "...".
bool matches(const Lines& pattern, std::size_t p, const Lines& lines, std::size_t l) {
  if (p == pattern.size()) return l == lines.size();
  if (pattern[p] == "...") {
    for (std::size_t rest = l; rest <= lines.size(); ++rest) {
      if (matches(pattern, p + 1, lines, rest)) return true;
    }
    return false;
  }
  return l < lines.size() && pattern[p] == lines[l] && matches(pattern, p + 1, lines, l + 1);
}

/// Only the lines between what both begin and end with.
void print_difference(const char* what, const Lines& expected, const Lines& actual) {
  if (matches(expected, 0, actual, 0)) return;
  const auto [e, a] = std::mismatch(expected.begin(), expected.end(), actual.begin(), actual.end());
  auto e_end = expected.end();
  auto a_end = actual.end();
  while (e_end != e && a_end != a && *(e_end - 1) == *(a_end - 1)) --e_end, --a_end;
  std::cout << "  " << what << ", line " << e - expected.begin() + 1 << '\n';
  std::for_each(e, e_end, [](const std::string& line) { std::cout << "  - " << line << '\n'; });
  std::for_each(a, a_end, [](const std::string& line) { std::cout << "  + " << line << '\n'; });
}

bool has(const Lines& lines, const std::string& line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

bool has_error(const Lines& lines) {
  return std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find("error:") != std::string::npos && !line.ends_with(']');
  });
}

bool code_goes_with(const Outcome& outcome) {
  if (has_error(outcome.out)) return outcome.code == 2;
  return outcome.code == 0 || outcome.code == 1;
}

void write(const fs::path& path, const std::vector<Item>& items) {
  std::ofstream file(path, std::ios::binary);
  for (const Item& item : items) {
    if (item.command.empty()) file << item.other << '\n';
    for (const std::string& line : item.command) file << line << '\n';
    for (const std::string& line : item.expected.out) file << line << '\n';
    for (const std::string& line : item.expected.err) {
      file << (line.empty() ? "!" : "! " + line) << '\n';
    }
    if (item.expected.code != 0) file << "? " << item.expected.code << '\n';
  }
}

int run_transcript(const fs::path& program, const fs::path& files, const fs::path& transcript) {
  if (!fs::exists(program)) throw std::runtime_error("there is no " + program.string());
  const bool markdown = transcript.extension() == ".md";
  const bool update = std::getenv("ROOFLINE_UPDATE_GOLDEN") != nullptr;
  std::string pattern = (fs::temp_directory_path() / "roofline-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
  const fs::path scratch = pattern;
  fs::copy(files, scratch / "work", fs::copy_options::recursive);
  const Lines lines = split(read(transcript));
  if (markdown) write_files(lines, scratch / "work");
  std::vector<Item> items = parse(lines, markdown);
  int cases = 0;
  int failures = 0;
  for (Item& item : items) {
    if (item.command.empty()) continue;
    ++cases;
    Outcome actual = run(item, program, scratch, markdown);
    if (markdown && code_goes_with(actual)) actual.code = 0;
    const bool loose = has(item.expected.out, "...") || has(item.expected.err, "...");
    if (update && !loose) item.expected = actual;
    if (matches(item.expected.out, 0, actual.out, 0) &&
        matches(item.expected.err, 0, actual.err, 0) && item.expected.code == actual.code) {
      continue;
    }
    ++failures;
    std::cout << transcript.string() << ':' << item.line << ": " << item.command.front() << '\n';
    print_difference("stdout", item.expected.out, actual.out);
    print_difference("stderr", item.expected.err, actual.err);
    if (item.expected.code != actual.code) {
      std::cout << "  exit code " << actual.code << " instead of " << item.expected.code << '\n';
    }
  }
  fs::remove_all(scratch);
  if (update) write(transcript, items);
  std::cout << cases << " commands, " << failures << " of them failed\n";
  return cases > 0 && failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  try {
    return run_transcript(fs::absolute(argv[1]), argv[2], argv[3]);
  } catch (const std::exception& error) {
    std::cout << "error: " << error.what() << '\n';
    return 2;
  }
}
