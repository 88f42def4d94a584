// A stack of open lists and mappings; a finished node moves into the one below it. Every bound is
// checked before anything is copied.
#include "spec/serving/config_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/printable.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

constexpr std::size_t deepest = 100;
constexpr std::size_t most_values = 500'000;
constexpr std::size_t most_unfolded = 100'000;
constexpr std::size_t most_unfolded_bytes = std::size_t{16} << 20;
constexpr std::size_t most_kept = 200'000;
constexpr std::size_t longest_shown = 60;

bool is_merge_key(const ConfigNode& key) {
  return !key.quoted && key.written == "<<";
}

std::string_view key_text(const ConfigNode& key) {
  return key.quoted || key.written.empty() ? key.text : key.written;
}

}  // namespace

void ConfigBuilder::begin_document() {
  frames_.clear();
  anchors_.clear();
  kept_ = 0;
  root_ = {};
}

void ConfigBuilder::end_document() {
  if (root_.kind != NodeKind::null) result_.roots.push_back(std::move(root_));
}

void ConfigBuilder::refuse(std::size_t offset, std::string what, std::string why,
                           std::string fix) const {
  throw Error(Diagnostic{.what = std::move(what),
                         .where = to_string(source_.place(offset, offset + 1)),
                         .why = std::move(why),
                         .fix = std::move(fix)});
}

bool ConfigBuilder::wants_key() const {
  return !frames_.empty() && frames_.back().node.is_mapping() && !frames_.back().has_key;
}

const ConfigNode* ConfigBuilder::waiting_key() const {
  return frames_.empty() || !frames_.back().has_key ? nullptr : &frames_.back().key;
}

void ConfigBuilder::scalar(ConfigNode node, std::size_t anchor) {
  if (++values_ > most_values) {
    refuse(node.offset, fmt::format("more than {} values", most_values));
  }
  const Size size{.values = 1, .bytes = node.text.size() + node.written.size(), .levels = 0};
  add(std::move(node), size, anchor);
}

void ConfigBuilder::open(NodeKind kind, std::size_t offset, std::size_t anchor) {
  if (frames_.size() >= deepest) {
    refuse(offset, fmt::format("nested more than {} levels", deepest));
  }
  if (++values_ > most_values) refuse(offset, fmt::format("more than {} values", most_values));
  if (wants_key()) {
    refuse(offset, fmt::format("a {} as a key", kind == NodeKind::mapping ? "mapping" : "list"),
           "a key is text", "quotes around it");
  }
  Frame frame;
  frame.node.kind = kind;
  frame.node.offset = offset;
  frame.node.place = source_.place(offset, offset + 1);
  frame.anchor = anchor;
  frames_.push_back(std::move(frame));
}

void ConfigBuilder::close() {
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  merge(frame);
  ++frame.size.levels;
  add(std::move(frame.node), frame.size, frame.anchor);
}

void ConfigBuilder::alias(std::size_t offset, std::size_t anchor) {
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end()) {
    refuse(offset, "an alias inside the value that it repeats", "it would never end");
  }
  const Size size = found->second.size;
  unfolded_ += size.values;
  unfolded_bytes_ += size.bytes;
  if (unfolded_ > most_unfolded || unfolded_bytes_ > most_unfolded_bytes) {
    refuse(
        offset,
        fmt::format("the aliases unfold to more than {}",
                    unfolded_ > most_unfolded ? fmt::format("{} values", most_unfolded)
                                              : fmt::format("{} MiB", most_unfolded_bytes >> 20)),
        "each *NAME repeats all that its &NAME holds");
  }
  if (frames_.size() + size.levels > deepest) {
    refuse(offset, fmt::format("nested more than {} levels", deepest),
           "an alias counts with the levels of what it repeats");
  }
  add(found->second.node, size, no_anchor);
}

void ConfigBuilder::keep(std::size_t anchor, const ConfigNode& node, const Size& size) {
  if (anchor == no_anchor) return;
  kept_ += size.values;
  if (kept_ > most_kept) {
    refuse(node.offset, fmt::format("the anchors hold more than {} values", most_kept),
           "each &NAME counts with all that it holds");
  }
  anchors_.insert_or_assign(anchor, Anchored{node, size});
}

void ConfigBuilder::add(ConfigNode node, const Size& size, std::size_t anchor) {
  keep(anchor, node, size);
  if (frames_.empty()) {
    root_ = std::move(node);
    return;
  }
  Frame& frame = frames_.back();
  frame.size.values += size.values;
  frame.size.bytes += size.bytes;
  frame.size.levels = std::max(frame.size.levels, size.levels);
  if (frame.node.is_list()) {
    frame.node.items.push_back(std::move(node));
  } else if (!frame.has_key) {
    add_key(frame, std::move(node));
  } else {
    add_member(frame, std::move(node));
  }
}

void ConfigBuilder::add_key(Frame& frame, ConfigNode key) {
  if (!key.is_scalar()) {
    refuse(key.offset, "a list or a mapping as a key", "a key is text");
  }
  frame.key = std::move(key);
  frame.has_key = true;
}

void ConfigBuilder::add_member(Frame& frame, ConfigNode value) {
  frame.has_key = false;
  if (is_merge_key(frame.key)) {
    check_merge(value);
    frame.merges.push_back(std::move(value));
    return;
  }
  ConfigNode::Member member{
      .key = std::string(key_text(frame.key)), .place = frame.key.place, .value = std::move(value)};
  const auto [found, is_new] = frame.positions.emplace(member.key, frame.node.members.size());
  if (is_new) {
    frame.node.members.push_back(std::move(member));
    return;
  }
  ConfigNode::Member& first = frame.node.members[found->second];
  result_.remarks.push_back(
      {.rule = "duplicate-key",
       .place = member.place,
       .what = fmt::format("key '{}' stands twice", printable(member.key, longest_shown)),
       .why = fmt::format("of line {} and line {} the last counts", first.place.line,
                          member.place.line),
       .fix = first.place.line == member.place.line
                  ? std::string("remove the first of the two")
                  : fmt::format("remove line {}", first.place.line)});
  first = std::move(member);
}

void ConfigBuilder::check_merge(const ConfigNode& value) const {
  const bool mappings = std::all_of(value.items.begin(), value.items.end(),
                                    [](const ConfigNode& item) { return item.is_mapping(); });
  if (value.is_mapping() || (value.is_list() && mappings)) return;
  refuse(value.offset, "'<<' merges mappings alone", "its value is no mapping and no list of them",
         "<<: *NAME");
}

/// The mapping's own keys win, then those of a later '<<', in a list those of the first.
void ConfigBuilder::merge(Frame& frame) {
  std::vector<ConfigNode::Member>& members = frame.node.members;
  const auto add_absent = [&](std::vector<ConfigNode::Member>& others) {
    for (ConfigNode::Member& other : others) {
      if (frame.positions.emplace(other.key, members.size()).second) {
        members.push_back(std::move(other));
      }
    }
  };
  for (auto merged = frame.merges.rbegin(); merged != frame.merges.rend(); ++merged) {
    add_absent(merged->members);
    for (ConfigNode& item : merged->items) add_absent(item.members);
  }
}

}  // namespace roofline
