// The tensors of one block ("blk.7."), or those outside all blocks: each is taken once, as part of
// what it is, and what nothing takes is either a vector or an error.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/number_format.hpp"
#include "spec/gguf/gguf_file.hpp"

namespace roofline::gguf {

/// Elements and bytes of some tensors.
struct Size {
  std::int64_t elements = 0;
  std::uint64_t bytes = 0;

  friend bool operator==(const Size&, const Size&) = default;
};

/// What the tensors of a part take, by the number of their type.
using TypeSizes = std::map<std::uint32_t, Size>;

/// A tensor by its name without "blk.7."; the experts that old files keep apart
/// ("ffn_up.0.weight", "ffn_up.1.weight") are one, as in new files ("ffn_up_exps.weight").
struct BlockTensor {
  std::vector<const GgufTensor*> pieces;
  std::array<std::int64_t, 4> dims{1, 1, 1, 1};
  std::int64_t elements = 0;

  [[nodiscard]] std::int64_t inputs() const { return dims[0]; }
  /// All but the first: of experts, those of all of them.
  [[nodiscard]] std::int64_t outputs() const { return elements / dims[0]; }
};

class Block {
 public:
  /// `label` names it in messages: "blk.7", or empty outside blocks.
  Block(std::string label, const std::string& file) : label_(std::move(label)), file_(&file) {}

  /// Adds a tensor; `name` is without "blk.7.".
  void add(std::string_view name, const GgufTensor& tensor);
  /// Makes one tensor of the experts that are apart; throws unless they are alike and all there.
  void merge_experts();

  [[nodiscard]] bool empty() const { return tensors_.empty(); }
  [[nodiscard]] const BlockTensor* find(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
  /// Names of tensors that nothing took yet.
  [[nodiscard]] std::vector<std::string> left() const;

  /// Counts the tensor in `part`. Throws if it is absent, or if its type is none of weights and
  /// `part` is one of matrices.
  const BlockTensor& take(std::string_view name, Part part);
  /// The same where it is there.
  const BlockTensor* take_if(std::string_view name, Part part);
  /// Leaves the tensor out of all parts: a buffer, or a copy.
  void drop(std::string_view name);
  /// Counts what is left as vectors; throws for a matrix.
  void take_vectors();

  [[nodiscard]] std::int64_t elements(Part part) const;
  [[nodiscard]] const PerPart<TypeSizes>& sizes() const { return sizes_; }
  /// Of everything that was dropped.
  [[nodiscard]] Size dropped() const { return dropped_; }

  /// Throws Error about this block: "blk.7: WHAT".
  [[noreturn]] void fail(const std::string& what, std::string why = {}, std::string fix = {}) const;

 private:
  struct Entry {
    BlockTensor tensor;
    bool taken = false;
  };
  void merge_experts_of(std::string_view kind);

  std::string label_;
  const std::string* file_;
  std::map<std::string, Entry, std::less<>> tensors_;
  PerPart<TypeSizes> sizes_;
  Size dropped_;
};

}  // namespace roofline::gguf
