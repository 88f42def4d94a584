// Reads the sources and refuses what the rooms' order and the house rules forbid: upward includes,
// heavy headers, functions that know locales, long files, headers of one name.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

/// A file includes its own room and those before it.
const std::vector<std::string> rooms{"base",     "spec",   "cost", "roofline",
                                     "analysis", "report", "cli"};

/// The room that implements each public header.
const std::map<std::string, std::string> public_headers{{"analyze.hpp", "analysis"},
                                                        {"catalog.hpp", "spec"},
                                                        {"compare.hpp", "analysis"},
                                                        {"curves.hpp", "analysis"},
                                                        {"plot.hpp", "analysis"},
                                                        {"deployment.hpp", "spec"},
                                                        {"fit.hpp", "analysis"},
                                                        {"serve.hpp", "analysis"},
                                                        {"server.hpp", "analysis"},
                                                        {"solve.hpp", "analysis"},
                                                        {"sweep.hpp", "analysis"},
                                                        {"derivation.hpp", "analysis"},
                                                        {"device.hpp", "spec"},
                                                        {"error.hpp", "base"},
                                                        {"kernel.hpp", "cost"},
                                                        {"memory.hpp", "roofline"},
                                                        {"model.hpp", "spec"},
                                                        {"number_format.hpp", "spec"},
                                                        {"quantity.hpp", "base"},
                                                        {"rates.hpp", "roofline"},
                                                        {"roof.hpp", "roofline"},
                                                        {"spec_file.hpp", "analysis"},
                                                        {"step.hpp", "cost"},
                                                        {"timing.hpp", "roofline"},
                                                        {"serving_config.hpp", "spec"},
                                                        {"serving_plan.hpp", "analysis"},
                                                        {"engine_memory.hpp", "analysis"},
                                                        {"check.hpp", "analysis"},
                                                        {"explain.hpp", "spec"}};

const std::set<std::string> forbidden_includes{"regex",   "iostream",    "sstream",      "fstream",
                                               "iomanip", "fmt/color.h", "fmt/ostream.h"};

/// They heed the locale, or print a double as no one wants it.
const std::regex forbidden_calls(
    R"(\b(strto[df]|strtold|std::sto[df]|std::stold|ato[fl]|setlocale|std::to_string)\b)");

constexpr std::size_t longest_file = 400;

int failures = 0;

void fail(const fs::path& file, std::size_t line, const std::string& what) {
  std::cout << file.string() << ':' << line << ": " << what << '\n';
  ++failures;
}

int level(const std::string& room) {
  const auto found = std::find(rooms.begin(), rooms.end(), room);
  return found == rooms.end() ? -1 : static_cast<int>(found - rooms.begin());
}

/// The room of "roofline/roof.hpp" or "base/parse.hpp"; -1 for a library's header.
int level_of_include(const std::string& include) {
  const std::size_t slash = include.find('/');
  if (slash == std::string::npos) return -1;
  const std::string folder = include.substr(0, slash);
  const auto header = public_headers.find(include.substr(slash + 1));
  if (folder == "roofline" && header != public_headers.end()) return level(header->second);
  return level(folder);
}

void check_include(const fs::path& file, std::size_t line, int own_level,
                   const std::string& include) {
  if (level_of_include(include) > own_level) {
    fail(file, line, "includes " + include + " of a later room");
  }
  // The parser of YAML reads from a stream.
  const bool needed = include == "sstream" && file.filename() == "yaml_events.cpp";
  if (forbidden_includes.contains(include) && !needed)
    fail(file, line, "includes <" + include + ">");
  if (include == "nlohmann/json.hpp" && file.extension() == ".hpp") {
    fail(file, line, "a header includes nlohmann/json.hpp; json_fwd.hpp is enough");
  }
  if (include == "CLI/CLI.hpp" && own_level != level("cli")) {
    fail(file, line, "includes CLI/CLI.hpp outside src/cli");
  }
}

void check_file(const fs::path& file, const std::string& room) {
  if (level(room) < 0) return fail(file, 1, "is in no room of the table");
  static const std::regex include_line(R"re(\s*#\s*include\s*[<"]([^>"]+)[>"].*)re");
  std::ifstream stream(file);
  std::size_t line = 0;
  for (std::string text; std::getline(stream, text);) {
    ++line;
    std::smatch match;
    if (std::regex_match(text, match, include_line)) {
      check_include(file, line, level(room), match[1]);
    }
    const std::string code = text.substr(0, text.find("//"));
    if (std::regex_search(code, match, forbidden_calls)) {
      fail(file, line, "uses " + match[1].str() + "; base has parse and format");
    }
  }
  if (line > longest_file) fail(file, line, "has more than 400 lines");
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// A unit test that no list names would never be built.
void check_tests_are_listed(const fs::path& tests) {
  const std::string list = text_of(tests / "CMakeLists.txt");
  for (const auto& entry : fs::recursive_directory_iterator(tests / "unit")) {
    const fs::path& file = entry.path();
    if (!file.string().ends_with("_test.cpp")) continue;
    const std::string name = fs::relative(file, tests).generic_string();
    if (list.find(name) == std::string::npos) fail(file, 1, "is not in tests/CMakeLists.txt");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const fs::path root = argv[1];
  std::size_t files = 0;
  std::map<std::string, fs::path> headers;
  const auto check = [&](const fs::path& file, const std::string& room) {
    ++files;
    check_file(file, room);
    if (file.extension() != ".hpp") return;
    const auto [known, added] = headers.emplace(file.filename().string(), file);
    if (!added) fail(file, 1, "has the name of " + known->second.string());
  };
  for (const auto& entry : fs::directory_iterator(root / "include/roofline")) {
    const auto header = public_headers.find(entry.path().filename().string());
    check(entry.path(), header == public_headers.end() ? "" : header->second);
  }
  for (const auto& [header, room] : public_headers) {
    if (!fs::exists(root / "include/roofline" / header)) fail(header, 1, "is not there");
  }
  for (const auto& entry : fs::recursive_directory_iterator(root / "src")) {
    const fs::path& file = entry.path();
    if (file.extension() != ".cpp" && file.extension() != ".hpp") continue;
    check(file, file.lexically_relative(root / "src").begin()->string());
  }
  check_tests_are_listed(root / "tests");
  std::cout << files << " files, " << failures << " failures\n";
  return failures == 0 && files > public_headers.size() ? 0 : 1;
}
