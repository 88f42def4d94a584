// The catalogue: devices, models, number formats and spec files by name or alias, from data
// directories and from the set that is built into the library.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/device.hpp"
#include "roofline/error.hpp"
#include "roofline/model.hpp"
#include "roofline/number_format.hpp"

namespace roofline {

enum class EntryKind { device, model, format, spec };

/// Where an entry was found.
struct DataSource {
  std::string place = "built-in";  ///< or the path of a file
  bool hides_builtin = false;      ///< a built-in entry of that name exists too

  friend bool operator==(const DataSource&, const DataSource&) = default;
};

/// An entry's text, not parsed.
struct CatalogEntry {
  std::string name;
  std::string text;
  DataSource source;

  /// What to call it in messages: its path, or the name of the built-in file.
  [[nodiscard]] std::string file() const {
    return source.place == "built-in" ? name + ".json" : source.place;
  }
};

/// A device or model, and where it was found.
template <class Entry>
struct Found {
  Entry entry;
  DataSource source;
};

/// Entries of a kind that are built in.
[[nodiscard]] std::size_t builtin_count(EntryKind kind);

class Catalog {
 public:
  /// `directories` are searched in order, before the built-in set. Each holds devices/*.json,
  /// models/*.json, formats/*.json and specs/*.json; those that do not exist are skipped.
  explicit Catalog(std::vector<std::filesystem::path> directories = {});

  /// The entry with that name or alias (case, space, '-' and '_' alike). Throws Error, with the
  /// nearest names, if there is none. The text of a user's file may turn out to be broken.
  [[nodiscard]] CatalogEntry find(EntryKind kind, std::string_view name) const;

  /// All entries by name; of entries of one name, the one that counts comes first. Files that are
  /// no JSON go to `warnings` and are left out.
  [[nodiscard]] std::vector<CatalogEntry> list(EntryKind kind,
                                               std::vector<Diagnostic>& warnings) const;

  /// `name` is a name, an alias, or a path: one that ends in ".json" or ".gguf", starts with '.' or
  /// '/', one with a '/' that exists and is no name, or "-".
  /// Throws Error.
  [[nodiscard]] Device device(std::string_view name, DataSource* source = nullptr) const;
  /// Every device, by name. Throws Error for a broken file in the directories.
  [[nodiscard]] std::vector<Found<Device>> all_devices() const;
  /// A model's path may be that of a GGUF file or of a directory too: load_model reads it.
  [[nodiscard]] Model model(std::string_view name, const ReadOptions& options = {},
                            DataSource* source = nullptr) const;
  /// Number formats have names only. Throws Error.
  [[nodiscard]] NumberFormat format(std::string_view name) const;

 private:
  /// A file of a data directory that could be read.
  struct UserEntry {
    std::string name;
    std::vector<std::string> names;  ///< with aliases, normalized
    std::filesystem::path path;
    std::string text;
  };
  [[nodiscard]] std::vector<UserEntry> user_entries(EntryKind kind,
                                                    std::vector<Diagnostic>& warnings) const;

  std::vector<std::filesystem::path> directories_;
};

}  // namespace roofline
