#include "cli/config_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "base/file.hpp"
#include "base/portable_path.hpp"

namespace roofline::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_files = 10'000;

struct NamedFile {
  std::string path;
  bool searched = false;  ///< found in a directory: it need not be a serving config
};

bool is_hidden(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.size() > 1 && name.front() == '.' && name != "..";
}

bool may_be_config(const fs::path& path) {
  static const std::set<std::string> suffixes{".yaml", ".yml", ".json", ".sh"};
  return suffixes.contains(path.extension().string());
}

/// All regular files below `directory`, sorted, that `wanted` takes.
template <class Wanted>
std::vector<std::string> files_below(const fs::path& directory, Wanted&& wanted) {
  std::vector<std::string> files;
  std::error_code failed;
  auto place = fs::recursive_directory_iterator(
      directory, fs::directory_options::skip_permission_denied, failed);
  for (; !failed && place != fs::recursive_directory_iterator(); place.increment(failed)) {
    std::error_code ignored;
    if (place->is_directory(ignored) && is_hidden(place->path())) {
      place.disable_recursion_pending();
    } else if (place->is_regular_file(ignored) && wanted(place->path())) {
      files.push_back(place->path().string());
    }
    if (files.size() > most_files) {
      throw Error(
          Diagnostic{.what = fmt::format("more than 10000 files below '{}'", directory.string()),
                     .fix = "name the directory that has the serving configs"});
    }
  }
  if (failed) {
    throw Error(Diagnostic{
        .what = fmt::format("cannot read all of '{}': {}", directory.string(), failed.message()),
        .fix = "name the files"});
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool is_glob(const std::string& word) {
  return word.find_first_of("*?") != std::string::npos;
}

/// The directory in front of the first name with a wildcard.
fs::path start_of(const std::string& glob) {
  const std::size_t slash = glob.rfind('/', glob.find_first_of("*?"));
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : glob.substr(0, slash);
}

std::vector<std::string> matches_of(const std::string& glob) {
  std::vector<std::string> files;
  std::error_code ignored;
  if (fs::is_directory(start_of(glob), ignored)) {
    files = files_below(start_of(glob),
                        [&](const fs::path& path) { return glob_matches(glob, path.string()); });
  }
  for (std::string& file : files) {
    if (file.starts_with("./") && !glob.starts_with("./")) file.erase(0, 2);
  }
  if (!files.empty()) return files;
  throw Error(Diagnostic{.what = fmt::format("no file matches '{}'", glob),
                         .fix = "name a file, or a directory"});
}

std::vector<NamedFile> files_of(const std::string& word) {
  std::error_code ignored;
  if (word != "-" && fs::is_directory(word, ignored)) {
    std::vector<NamedFile> files;
    for (std::string& file : files_below(word, may_be_config))
      files.push_back({std::move(file), true});
    if (!files.empty()) return files;
    throw Error(Diagnostic{.what = fmt::format("'{}' has no *.yaml, *.yml, *.json or *.sh", word),
                           .fix = "name a file, or a directory that has serving configs"});
  }
  if (is_glob(word) && !fs::exists(word, ignored)) {
    std::vector<NamedFile> files;
    for (std::string& file : matches_of(word)) files.push_back({std::move(file), true});
    return files;
  }
  return {{word}};
}

}  // namespace

ConfigFiles read_config_files(const std::vector<std::string>& words) {
  ConfigFiles files;
  std::set<std::string> read;
  const auto attempt = [&](const std::string& name, auto act) {
    try {
      act();
    } catch (const Error& error) {
      CheckedFile unread;
      unread.file = name;
      unread.not_judged = error.diagnostics();
      files.unread.push_back(std::move(unread));
    }
  };
  for (const std::string& word : words) {
    attempt(word, [&] {
      for (const NamedFile& file : files_of(word)) {
        if (!read.insert(portable_path(file.path)).second) continue;
        const std::string name = file.path == "-" ? "stdin" : file.path;
        attempt(name, [&] {
          files.texts.push_back(
              {.file = name, .text = read_file(file.path), .searched = file.searched});
        });
      }
    });
  }
  return files;
}

}  // namespace roofline::cli
