#include "spec/gguf/split_files.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/mapped_file.hpp"
#include "roofline/error.hpp"

namespace roofline::gguf {
namespace {

constexpr std::int64_t most_parts = 10'000;

[[noreturn]] void fail(const GgufFile& file, std::string what, std::string why = {},
                       std::string fix = {}) {
  throw Error(Diagnostic{
      .what = std::move(what), .where = file.name, .why = std::move(why), .fix = std::move(fix)});
}

std::optional<std::int64_t> number(const GgufFile& file, std::string_view key) {
  const auto entry = file.metadata.find(key);
  if (entry == file.metadata.end()) return std::nullopt;
  const auto* value = std::get_if<std::int64_t>(&entry->second.value);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::int64_t part_count_of(const GgufFile& file) {
  const std::int64_t parts = number(file, "split.count").value_or(1);
  if (parts < 0 || parts > most_parts) fail(file, fmt::format("split.count is {}", parts));
  return parts == 0 ? 1 : parts;
}

std::string ending(std::int64_t part, std::int64_t parts) {
  return fmt::format("-{:05}-of-{:05}.gguf", part, parts);
}

GgufFile load_part(const std::string& path) {
  const MappedFile file(path);
  return read_gguf_file(file.bytes(), path);
}

void check_part(const GgufFile& file, std::size_t index, std::size_t parts) {
  if (static_cast<std::size_t>(part_count_of(file)) != parts) {
    fail(file, fmt::format("is one of {} parts, not of {}", part_count_of(file), parts));
  }
  if (number(file, "split.no").value_or(-1) != static_cast<std::int64_t>(index)) {
    fail(file, fmt::format("is not part {}, though it is named so", index + 1),
         "split.no says otherwise");
  }
}

void check_tensors(const GgufFile& whole) {
  std::set<std::string_view> names;
  for (const GgufTensor& tensor : whole.tensors) {
    if (!names.insert(tensor.name).second) {
      fail(whole, fmt::format("the tensor '{}' is in two parts", printable(tensor.name)));
    }
  }
  const auto stated = number(whole, "split.tensors.count");
  if (stated && *stated != static_cast<std::int64_t>(whole.tensors.size())) {
    fail(whole, fmt::format("the parts have {} tensors, {} by split.tensors.count",
                            whole.tensors.size(), *stated));
  }
}

}  // namespace

std::vector<GgufFile> load_parts(const std::string& path) {
  std::vector<GgufFile> files;
  files.push_back(load_part(path));
  const std::int64_t parts = part_count_of(files.front());
  if (parts == 1) return files;
  const auto part = number(files.front(), "split.no").value_or(-1);
  if (part < 0 || part >= parts || !path.ends_with(ending(part + 1, parts))) {
    fail(files.front(), fmt::format("is one of {} parts of a model", parts),
         "the others are found by its name, and it is not named as gguf-split does",
         fmt::format("name it NAME{}", ending(1, parts)));
  }
  const std::string start = path.substr(0, path.size() - ending(part + 1, parts).size());
  files.clear();
  constexpr std::size_t most_tensors = 100'000;
  std::size_t tensors = 0;
  for (std::int64_t i = 1; i <= parts; ++i) {
    const std::string name = start + ending(i, parts);
    std::error_code ignored;
    if (!std::filesystem::exists(name, ignored)) {
      throw Error(Diagnostic{.what = fmt::format("part {} of {} is missing: '{}'", i, parts, name),
                             .where = path,
                             .fix = "put all parts into one directory"});
    }
    files.push_back(load_part(name));
    check_part(files.back(), static_cast<std::size_t>(i - 1), static_cast<std::size_t>(parts));
    tensors += files.back().tensors.size();
    if (tensors > most_tensors) {
      fail(files.back(),
           fmt::format("more than {} tensors in all parts up to this one", most_tensors));
    }
  }
  return files;
}

GgufFile join_parts(std::vector<GgufFile> files) {
  ensure(!files.empty(), "a model has a file");
  const std::size_t parts = files.size();
  if (parts == 1 && part_count_of(files.front()) == 1) return std::move(files.front());
  for (std::size_t i = 0; i < parts; ++i) check_part(files[i], i, parts);
  GgufFile whole = std::move(files.front());
  for (std::size_t i = 1; i < parts; ++i) {
    std::vector<GgufTensor>& more = files[i].tensors;
    whole.tensors.insert(whole.tensors.end(), std::make_move_iterator(more.begin()),
                         std::make_move_iterator(more.end()));
  }
  check_tensors(whole);
  return whole;
}

}  // namespace roofline::gguf
