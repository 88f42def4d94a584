#include "spec/model_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "base/format.hpp"
#include "base/mapped_file.hpp"
#include "base/printable.hpp"
#include "roofline/error.hpp"
#include "spec/huggingface/quantization.hpp"
#include "spec/json_node.hpp"
#include "spec/safetensors/safetensors_file.hpp"
#include "spec/safetensors/shard_index.hpp"
#include "spec/safetensors/stored_weights.hpp"

namespace roofline {
namespace {

namespace fs = std::filesystem;
using safetensors::ShardIndex;

constexpr std::string_view index_name = "model.safetensors.index.json";

/// The names in a directory that end in `suffix`, sorted.
std::vector<std::string> names_with(const fs::path& directory, std::string_view suffix) {
  constexpr std::size_t most_names = 100'000;
  std::set<std::string> names;
  std::error_code error;
  std::size_t seen = 0;
  for (fs::directory_iterator i(directory, error), end; !error && i != end && seen < most_names;
       i.increment(error), ++seen) {
    std::string name = i->path().filename().string();
    if (name.ends_with(suffix)) names.insert(std::move(name));
  }
  return {names.begin(), names.end()};
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// Of a pipe that no one writes to there would be no end.
void require_regular(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) return;
  throw Error(Diagnostic{.what = fmt::format("cannot read '{}'", path.string()),
                         .why = "it is no regular file"});
}

[[noreturn]] void refuse_without_config(const fs::path& directory) {
  const std::vector<std::string> ggufs = names_with(directory, ".gguf");
  std::string fix = "name a directory with config.json, a config.json or a GGUF file";
  if (!ggufs.empty()) fix = "name the file in it: " + (directory / ggufs.front()).string();
  throw Error(Diagnostic{.what = fmt::format("'{}' has no config.json", directory.string()),
                         .why = "it is what describes a model in a directory",
                         .fix = std::move(fix)});
}

/// The directory's own name; of a download cache's (models--ORG--NAME/snapshots/HASH) NAME.
std::string name_of(const fs::path& directory) {
  std::error_code ignored;
  fs::path path = fs::absolute(directory, ignored).lexically_normal();
  if (path.filename().empty()) path = path.parent_path();
  const fs::path above = path.parent_path();
  std::string name = path.filename().string();
  const std::string cached = above.parent_path().filename().string();
  if (above.filename() == "snapshots" && cached.starts_with("models--")) {
    name = cached.substr(cached.rfind("--") + 2);
  }
  return printable(name);
}

/// The files that hold the weights, and what an index says of them.
struct WeightFiles {
  std::vector<std::string> names;
  std::optional<ShardIndex> index;
};

/// "model-00002-of-00005.safetensors" -> the names of all five; none for another kind of name.
std::optional<std::vector<std::string>> all_shards(std::string_view name) {
  constexpr std::string_view suffix = ".safetensors";
  constexpr std::size_t digits = 5;
  constexpr std::string_view of = "-of-";
  constexpr std::size_t tail = digits + of.size() + digits;
  if (!name.ends_with(suffix) || name.size() < suffix.size() + tail) return std::nullopt;
  const std::string_view stem = name.substr(0, name.size() - suffix.size());
  const std::string_view numbers = stem.substr(stem.size() - tail);
  if (numbers.substr(digits, of.size()) != of) return std::nullopt;
  const std::string_view count_text = numbers.substr(digits + of.size());
  std::size_t count = 0;
  for (const char c : count_text) {
    if (c < '0' || c > '9') return std::nullopt;
    count = count * 10 + static_cast<std::size_t>(c - '0');
  }
  constexpr std::size_t most_shards = 10'000;
  if (count == 0 || count > most_shards) return std::nullopt;
  std::vector<std::string> names;
  const std::string_view start = stem.substr(0, stem.size() - tail);
  for (std::size_t i = 1; i <= count; ++i) {
    names.push_back(fmt::format("{}{:05}-of-{}{}", start, i, count_text, suffix));
  }
  return names;
}

/// The files of a directory without an index: those that are the model itself.
std::vector<std::string> files_without_index(const fs::path& directory) {
  std::vector<std::string> names = names_with(directory, ".safetensors");
  const auto is_named = [](std::string_view start) {
    return [start](const std::string& name) { return name.starts_with(start); };
  };
  std::erase_if(names, is_named("adapter"));
  if (std::find(names.begin(), names.end(), "model.safetensors") != names.end()) {
    return {"model.safetensors"};
  }
  // The same weights under the names of the model's publisher: consolidated.safetensors.
  const auto is_model = is_named("model");
  const auto is_copy = is_named("consolidated");
  if (std::any_of(names.begin(), names.end(), is_model)) {
    std::erase_if(names, [&](const std::string& name) { return !is_model(name); });
  } else if (!std::all_of(names.begin(), names.end(), is_copy)) {
    std::erase_if(names, is_copy);
  }
  if (names.empty()) return names;
  const auto shards = all_shards(names.front());
  return shards ? *shards : names;
}

WeightFiles find_weights(const fs::path& directory) {
  const fs::path index = directory / index_name;
  if (!is_there(index)) return {.names = files_without_index(directory), .index = std::nullopt};
  const MappedFile file(index.string());
  ShardIndex read = safetensors::read_shard_index(file.bytes(), index.string());
  std::vector<std::string> names = read.shards;
  return {.names = std::move(names), .index = std::move(read)};
}

/// A file that is there, and more than a pointer to one.
bool holds_tensors(const fs::path& path) {
  if (!is_there(path)) return false;
  return !safetensors::is_lfs_pointer(MappedFile(path.string()).bytes());
}

void refuse_missing(const fs::path& directory, const std::vector<std::string>& missing,
                    std::size_t all) {
  throw Error(Diagnostic{
      .what = fmt::format("'{}' is not there", (directory / missing.front()).string()),
      .why =
          fmt::format("{} of {} files with the model's weights are missing", missing.size(), all),
      .fix = "download the rest, or keep config.json alone to compute the sizes"});
}

/// What is known without a header: sizes are computed, and compared with the index's sum.
void note_absent_weights(const WeightFiles& files, Model& model) {
  if (files.names.empty()) {
    model.defaults.emplace_back(
        "no safetensors files beside config.json: stored bytes are computed");
    return;
  }
  model.defaults.push_back(
      fmt::format("{} safetensors {} not downloaded: stored bytes are computed", files.names.size(),
                  files.names.size() == 1 ? "file is" : "files are"));
  if (!files.index || !files.index->total_bytes) return;
  const double computed = safetensors::computed_bytes(model).value();
  const double listed = *files.index->total_bytes;
  const std::string comparison =
      fmt::format("{} lists {} of tensors, computed are {}", index_name, format_scaled(listed, "B"),
                  format_scaled(computed, "B"));
  constexpr double notable = 0.01;
  if (std::abs(listed / computed - 1) <= notable) {
    model.defaults.push_back(comparison);
  } else {
    model.warnings.push_back(comparison +
                             ": towers, prediction layers, or a config.json of another model");
  }
}

void count_tensors(const fs::path& directory, const WeightFiles& files, Model& model) {
  safetensors::TensorCounter counter(model);
  for (const std::string& name : files.names) {
    const std::string path = (directory / name).string();
    const MappedFile file(path);
    counter.add_file(safetensors::read_safetensors_header(file.bytes(), path));
  }
  counter.store(model, directory.string());
  if (files.index && files.index->tensors != counter.tensors()) {
    model.warnings.push_back(
        fmt::format("{} lists {} tensors, the files hold {}: are they of one model?", index_name,
                    files.index->tensors, counter.tensors()));
  }
}

/// True if the files with the weights are there. Throws if some are and some are not.
bool are_there(const fs::path& directory, const WeightFiles& files) {
  std::vector<std::string> missing;
  for (const std::string& name : files.names) {
    if (!holds_tensors(directory / name)) missing.push_back(name);
  }
  if (missing.size() == files.names.size()) return false;
  if (!missing.empty()) refuse_missing(directory, missing, files.names.size());
  return true;
}

void read_quantization_beside(const fs::path& directory, bool counted, Model& model) {
  const fs::path quantization = directory / "hf_quant_config.json";
  if (!is_there(quantization)) return;
  require_regular(quantization);
  const std::string file = quantization.string();
  const JsonNode root = JsonNode::parse(read_file(file), file);
  try {
    huggingface::read_quantization_file(root, model);
  } catch (const Error& error) {
    if (!counted) throw;
    model.warnings.push_back(fmt::format("hf_quant_config.json is left to the tensors: {}",
                                         error.diagnostics().front().what));
  }
}

}  // namespace

Model load_model_directory(const std::string& directory, const ReadOptions& options) {
  const fs::path path(directory);
  const fs::path config = path / "config.json";
  if (!is_there(config)) refuse_without_config(path);
  require_regular(config);
  const WeightFiles files = find_weights(path);
  const bool counted = are_there(path, files);
  Model model = read_model(read_file(config.string()), config.string(),
                           {.assume = options.assume, .tensors_follow = counted});
  model.name = name_of(path);
  read_quantization_beside(path, counted, model);
  if (counted) {
    count_tensors(path, files, model);
  } else {
    note_absent_weights(files, model);
  }
  return model;
}

}  // namespace roofline
