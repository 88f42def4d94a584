#include "roofline/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "base/closest.hpp"
#include "base/file.hpp"
#include "spec/embedded.hpp"
#include "spec/json_node.hpp"

namespace roofline {
namespace {

namespace fs = std::filesystem;

struct KindWords {
  std::string_view embedded;   ///< folder of data/
  std::string_view directory;  ///< folder of a user's data directory
  std::string_view one;        ///< in messages
  std::string_view list;       ///< the command that lists them
};

KindWords words(EntryKind kind) {
  switch (kind) {
    case EntryKind::device:
      return {"devices", "devices", "GPU", "roofline list devices"};
    case EntryKind::model:
      return {"models", "models", "model", "roofline list models"};
    case EntryKind::format:
      return {"formats", "formats", "number format", "roofline list formats"};
    case EntryKind::spec:
      return {"textbook", "specs", "spec file", ""};
  }
  ensure(false, "unknown kind of entry");
  return {};
}

const EmbeddedFile* find_embedded(EntryKind kind, std::string_view normalized) {
  const auto names = embedded_names();
  const std::pair wanted(words(kind).embedded, normalized);
  const auto found = std::lower_bound(
      names.begin(), names.end(), wanted,
      [](const EmbeddedName& entry, const std::pair<std::string_view, std::string_view>& key) {
        return std::pair(entry.kind, entry.name) < key;
      });
  if (found == names.end() || std::pair(found->kind, found->name) != wanted) return nullptr;
  return &embedded_files()[found->file];
}

/// All names; an alias is followed by the name of its entry: "h100 (H100-SXM5-80GB)".
std::vector<std::string> builtin_names(EntryKind kind) {
  std::vector<std::string> result;
  for (const EmbeddedName& name : embedded_names()) {
    if (name.kind == words(kind).embedded) result.emplace_back(name.name);
  }
  return result;
}

std::vector<std::string> suggestions(EntryKind kind, std::string_view name,
                                     const std::vector<std::string>& user_names) {
  std::vector<std::string> candidates = builtin_names(kind);
  candidates.insert(candidates.end(), user_names.begin(), user_names.end());
  std::vector<std::string> result;
  std::vector<std::string> entries;
  for (const std::string& candidate : closest(name, candidates, candidates.size())) {
    const EmbeddedFile* file = find_embedded(kind, candidate);
    const std::string entry(file == nullptr ? candidate : file->name);
    if (std::find(entries.begin(), entries.end(), entry) != entries.end()) continue;
    entries.push_back(entry);
    const bool alias = normalized_name(entry) != candidate;
    result.push_back(alias ? fmt::format("{} ({})", candidate, entry) : entry);
    if (result.size() == 3) break;
  }
  return result;
}

bool is_path(std::string_view name) {
  return name == "-" || name.ends_with(".json") || name.ends_with(".gguf") ||
         name.starts_with('.') || name.starts_with('/');
}

/// `name` if it is a path: one that looks so, or one with a '/' that exists.
std::optional<std::string> path_of(EntryKind kind, std::string_view name) {
  if (is_path(name)) return std::string(name);
  std::error_code ignored;
  const bool slash = name.find('/') != std::string_view::npos;
  if (slash && find_embedded(kind, normalized_name(name)) == nullptr && fs::exists(name, ignored)) {
    return std::string(name);
  }
  return std::nullopt;
}

}  // namespace

std::size_t builtin_count(EntryKind kind) {
  const auto files = embedded_files();
  return static_cast<std::size_t>(
      std::count_if(files.begin(), files.end(),
                    [&](const EmbeddedFile& file) { return file.kind == words(kind).embedded; }));
}

Catalog::Catalog(std::vector<fs::path> directories) : directories_(std::move(directories)) {}

std::vector<Catalog::UserEntry> Catalog::user_entries(EntryKind kind,
                                                      std::vector<Diagnostic>& warnings) const {
  std::vector<UserEntry> result;
  for (const fs::path& directory : directories_) {
    std::vector<fs::path> paths;
    std::error_code error;
    std::error_code ignored;
    for (fs::directory_iterator it(directory / words(kind).directory, error), end;
         !error && it != end; it.increment(error)) {
      const bool regular = fs::is_regular_file(it->path(), ignored);
      if (regular && it->path().extension() == ".json") paths.push_back(it->path());
    }
    std::sort(paths.begin(), paths.end());
    for (const fs::path& path : paths) {
      UserEntry entry{path.stem().string(), {normalized_name(path.stem().string())}, path, {}};
      try {
        entry.text = read_file(path.string());
        const JsonNode root = JsonNode::parse(entry.text, path.string());
        if (const auto name = root.find("name")) entry.name = name->text();
        entry.names.push_back(normalized_name(entry.name));
        if (const auto aliases = root.find("aliases")) {
          for (const std::string& alias : aliases->texts()) {
            entry.names.push_back(normalized_name(alias));
          }
        }
      } catch (const Error& problem) {
        entry.text.clear();
        warnings.insert(warnings.end(), problem.diagnostics().begin(), problem.diagnostics().end());
      }
      result.push_back(std::move(entry));
    }
  }
  return result;
}

namespace {

/// "nvidia-geforce-rtx-4090" is the RTX 4090: drivers and shops put the maker first.
std::string without_maker(EntryKind kind, std::string name) {
  if (kind != EntryKind::device || find_embedded(kind, name) != nullptr) return name;
  std::string shorter = name;
  for (const std::string_view maker :
       {"nvidia-", "amd-", "intel-", "google-", "geforce-", "tesla-", "instinct-", "radeon-"}) {
    if (shorter.starts_with(maker)) shorter.erase(0, maker.size());
  }
  return find_embedded(kind, shorter) != nullptr ? shorter : name;
}

/// Why a name may not be known although it looks right.
std::string reason_unknown(EntryKind kind, std::string_view name) {
  const std::size_t digits = name.find_first_not_of("0123456789");
  const bool several = kind == EntryKind::device && digits != 0 && digits < name.size() &&
                       (name[digits] == 'x' || name[digits] == 'X');
  return several ? "the question is about one device" : "";
}

std::string fix_unknown(EntryKind kind, std::string_view name) {
  std::error_code ignored;
  if (fs::exists(name, ignored)) return fmt::format("for the file of that name: ./{}", name);
  return kind == EntryKind::spec ? "textbook, or the path of a file" : "";
}

}  // namespace

CatalogEntry Catalog::find(EntryKind kind, std::string_view name) const {
  const std::string wanted = without_maker(kind, normalized_name(name));
  const EmbeddedFile* embedded = find_embedded(kind, wanted);
  // A user's entry of that name hides the built-in one under its aliases too.
  const std::string full = embedded == nullptr ? wanted : normalized_name(embedded->name);
  std::vector<Diagnostic> ignored;
  std::vector<std::string> user_names;
  for (UserEntry& entry : user_entries(kind, ignored)) {
    const auto has = [&](const std::string& one) {
      return std::find(entry.names.begin(), entry.names.end(), one) != entry.names.end();
    };
    if (has(wanted) || has(full)) {
      return {std::move(entry.name),
              read_file(entry.path.string()),
              {entry.path.string(), embedded != nullptr}};
    }
    user_names.insert(user_names.end(), entry.names.begin(), entry.names.end());
  }
  if (embedded != nullptr) {
    return {std::string(embedded->name), std::string(embedded->text), {}};
  }
  throw Error(Diagnostic{.what = fmt::format("unknown {} '{}'", words(kind).one, name),
                         .why = reason_unknown(kind, name),
                         .fix = fix_unknown(kind, name),
                         .suggestions = suggestions(kind, name, user_names),
                         .list_command = std::string(words(kind).list)});
}

std::vector<CatalogEntry> Catalog::list(EntryKind kind, std::vector<Diagnostic>& warnings) const {
  std::vector<CatalogEntry> result;
  for (UserEntry& entry : user_entries(kind, warnings)) {
    if (entry.text.empty()) continue;
    const bool hides = find_embedded(kind, normalized_name(entry.name)) != nullptr;
    result.push_back({entry.name, std::move(entry.text), {entry.path.string(), hides}});
  }
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.kind != words(kind).embedded) continue;
    result.push_back({std::string(file.name), std::string(file.text), {}});
  }
  std::stable_sort(result.begin(), result.end(), [](const CatalogEntry& a, const CatalogEntry& b) {
    return normalized_name(a.name) < normalized_name(b.name);
  });
  return result;
}

Device Catalog::device(std::string_view name, DataSource* source) const {
  if (const auto path = path_of(EntryKind::device, name)) {
    if (source != nullptr) *source = {*path, false};
    return read_device(read_file(*path), *path == "-" ? "stdin" : *path);
  }
  const CatalogEntry entry = find(EntryKind::device, name);
  if (source != nullptr) *source = entry.source;
  return read_device(entry.text, entry.file());
}

std::vector<Found<Device>> Catalog::all_devices() const {
  std::vector<Diagnostic> broken;
  std::vector<Found<Device>> result;
  for (const CatalogEntry& entry : list(EntryKind::device, broken)) {
    const bool known =
        !result.empty() && normalized_name(result.back().entry.name) == normalized_name(entry.name);
    if (!known) result.push_back({read_device(entry.text, entry.file()), entry.source});
  }
  if (!broken.empty()) throw Error(broken);
  return result;
}

Model Catalog::model(std::string_view name, const ReadOptions& options, DataSource* source) const {
  if (const auto path = path_of(EntryKind::model, name)) {
    if (source != nullptr) *source = {*path, false};
    return load_model(*path, options);
  }
  const CatalogEntry entry = find(EntryKind::model, name);
  if (source != nullptr) *source = entry.source;
  return read_model(entry.text, entry.file(), options);
}

NumberFormat Catalog::format(std::string_view name) const {
  const CatalogEntry entry = find(EntryKind::format, name);
  return read_number_format(entry.text, entry.file());
}

}  // namespace roofline
