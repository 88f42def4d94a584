#include "spec/safetensors/shard_index.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <cmath>
#include <cstddef>
#include <set>
#include <utility>

#include "base/printable.hpp"
#include "roofline/error.hpp"
#include "spec/safetensors/json_stream.hpp"

namespace roofline::safetensors {
namespace {

// Limits that no real index comes near: DeepSeek-V3's has 9 MB and 91,000 entries for 163 files.
constexpr std::size_t longest_index = 32UL * 1024 * 1024;
constexpr std::int64_t most_entries = 1'000'000;
constexpr std::size_t most_shards = 10'000;
constexpr std::size_t longest_shard_name = 255;
constexpr double most_bytes = 1e15;
constexpr int deepest = 16;

[[noreturn]] void refuse(const std::string& file, const std::string& what, std::string why = {}) {
  throw Error(Diagnostic{.what = what, .where = file, .why = std::move(why)});
}

/// A name that stays inside the directory.
bool is_plain_name(std::string_view name) {
  if (name.empty() || name.size() > longest_shard_name || name.starts_with('.')) return false;
  return std::none_of(name.begin(), name.end(),
                      [](char c) { return is_control_character(c) || c == '/' || c == '\\'; });
}

class IndexReader {
 public:
  explicit IndexReader(const std::string& file) : file_(file) {}

  void visit(const JsonEvent& event) {
    using Kind = JsonEvent::Kind;
    if (event.depth == 0) {
      if (event.kind != Kind::object_start && event.kind != Kind::object_end) {
        refuse(file_, "is no index: its JSON is no object");
      }
      return;
    }
    if (event.depth == 1) return at_top(event);
    if (event.depth > 2) return;
    if (event.kind == Kind::key) {
      key_ = event.text;
    } else if (in_map_) {
      read_entry(event);
    } else if (in_metadata_ && key_ == "total_size") {
      read_total(event);
    }
  }

  [[nodiscard]] ShardIndex take() {
    if (!has_map_) refuse(file_, "needs 'weight_map'");
    if (shards_.empty()) refuse(file_, "weight_map names no files");
    index_.shards.assign(shards_.begin(), shards_.end());
    return std::move(index_);
  }

 private:
  void at_top(const JsonEvent& event) {
    using Kind = JsonEvent::Kind;
    if (event.kind == Kind::key) {
      in_map_ = event.text == "weight_map";
      in_metadata_ = event.text == "metadata";
      if (in_map_ && std::exchange(has_map_, true)) refuse(file_, "'weight_map' stands twice");
    } else if (in_map_ && event.kind != Kind::object_start && event.kind != Kind::object_end) {
      refuse(file_, "weight_map is no object");
    }
  }

  void read_entry(const JsonEvent& event) {
    if (event.kind != JsonEvent::Kind::text) {
      refuse(file_, fmt::format("tensor {}: its file is no text", shown(key_)));
    }
    if (++index_.tensors > most_entries) {
      refuse(file_, fmt::format("more than {} tensors", most_entries));
    }
    if (!shards_.empty() && event.text == last_shard_) return;
    if (!is_plain_name(event.text)) {
      refuse(file_,
             fmt::format("tensor {}: {} is no plain file name", shown(key_), shown(event.text)),
             "the files of an index lie beside it");
    }
    last_shard_ = event.text;
    shards_.insert(last_shard_);
    if (shards_.size() > most_shards) refuse(file_, fmt::format("more than {} files", most_shards));
  }

  void read_total(const JsonEvent& event) {
    using Kind = JsonEvent::Kind;
    // Some writers give a whole number with a point: 1.6e10.
    const bool number = event.kind == Kind::whole_number || event.kind == Kind::other;
    if (!number || !(event.number > 0) || event.number > most_bytes ||
        event.number != std::floor(event.number)) {
      refuse(file_, "total_size is no number of bytes");
    }
    index_.total_bytes = event.number;
  }

  const std::string& file_;
  ShardIndex index_;
  std::set<std::string, std::less<>> shards_;
  std::string key_;
  std::string last_shard_;
  bool in_map_ = false;
  bool in_metadata_ = false;
  bool has_map_ = false;
};

}  // namespace

ShardIndex read_shard_index(std::string_view text, const std::string& file) {
  if (text.size() > longest_index) {
    refuse(file, fmt::format("an index of {} bytes", text.size()),
           fmt::format("read are up to {}", longest_index));
  }
  IndexReader reader(file);
  read_json_stream(text, {.file = file}, deepest,
                   [&](const JsonEvent& event) { reader.visit(event); });
  return reader.take();
}

}  // namespace roofline::safetensors
