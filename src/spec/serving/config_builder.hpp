// Nodes out of a parser's events, whatever parser: duplicate keys, merge keys and aliases, with
// bounds on depth and size.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "spec/serving/config_node.hpp"
#include "spec/serving/source_text.hpp"

namespace roofline {

class ConfigBuilder {
 public:
  static constexpr std::size_t no_anchor = 0;

  ConfigBuilder(const SourceText& source, ConfigDocuments& result)
      : source_(source), result_(result) {}

  void begin_document();
  void end_document();
  /// A scalar, all of it set. Throws Error for too many of them, as the others do.
  void scalar(ConfigNode node, std::size_t anchor);
  void open(NodeKind kind, std::size_t offset, std::size_t anchor);
  void close();
  void alias(std::size_t offset, std::size_t anchor);

  /// True where a mapping waits for a key.
  [[nodiscard]] bool wants_key() const;
  /// The key that waits for its value; null if there is none.
  [[nodiscard]] const ConfigNode* waiting_key() const;

 private:
  /// What a node holds, itself included.
  struct Size {
    std::size_t values = 1;
    std::size_t bytes = 0;
    std::size_t levels = 0;
  };
  struct Anchored {
    ConfigNode node;
    Size size;
  };
  struct Frame {
    ConfigNode node;
    std::size_t anchor = no_anchor;
    Size size{};
    bool has_key = false;
    ConfigNode key{};
    std::unordered_map<std::string, std::size_t> positions{};  // of a mapping's members
    std::vector<ConfigNode> merges{};
  };

  void add(ConfigNode node, const Size& size, std::size_t anchor);
  void add_key(Frame& frame, ConfigNode key);
  void add_member(Frame& frame, ConfigNode value);
  void check_merge(const ConfigNode& value) const;
  static void merge(Frame& frame);
  void keep(std::size_t anchor, const ConfigNode& node, const Size& size);
  [[noreturn]] void refuse(std::size_t offset, std::string what, std::string why = {},
                           std::string fix = {}) const;

  const SourceText& source_;
  ConfigDocuments& result_;
  std::vector<Frame> frames_;
  std::unordered_map<std::size_t, Anchored> anchors_;
  ConfigNode root_;
  std::size_t values_ = 0;    // all that stand in the file
  std::size_t unfolded_ = 0;  // that aliases repeat
  std::size_t unfolded_bytes_ = 0;
  std::size_t kept_ = 0;  // that anchors hold
};

}  // namespace roofline
