// What an entry of a list of modules names: kinds of matrices, in all layers or in some.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "spec/huggingface/quantization/matrices.hpp"
#include "spec/huggingface/quantization/name_pattern.hpp"
#include "spec/json_node.hpp"

namespace roofline::huggingface {

/// How an entry is to be read.
enum class NameSyntax {
  entry,      ///< a name, wildcards, or "re:" and an expression
  expression  ///< an expression
};

struct NamedMatrices {
  std::uint64_t kinds = 0;               ///< a bit for each of matrix_kinds
  std::optional<std::int64_t> layer{};   ///< none: all of them
  std::optional<std::int64_t> expert{};  ///< none: all of them
};

class ModuleNames {
 public:
  explicit ModuleNames(const Model& model);

  [[nodiscard]] const std::vector<MatrixKind>& kinds() const { return kinds_; }
  [[nodiscard]] std::int64_t layers() const { return layers_; }

  /// What `text`, found at `where`, names; empty: nothing that the model counts. Throws Error for
  /// an expression that is not read, and where there are too many patterns.
  [[nodiscard]] std::vector<NamedMatrices> find(const JsonNode& where, std::string_view text,
                                                NameSyntax syntax = NameSyntax::entry);

  /// True for a name that says itself that it is none of the decoder's matrices: norms, biases,
  /// embeddings, routers, towers, prediction layers.
  [[nodiscard]] bool stays_wide(std::string_view text) const;

 private:
  struct Suffix {
    std::string text;  ///< a name within a layer
    std::uint64_t kinds = 0;
    int expert = 0;  ///< the number in `text`; fused experts and others have none
    bool numbered = false;
    bool fused = false;
  };
  /// What a pattern finds below one prefix.
  struct Found {
    std::uint64_t kinds = 0;
    std::uint64_t first_expert = 0;
    std::uint64_t second_expert = 0;
  };
  using Cache = std::vector<std::pair<NamePattern::Progress, Found>>;

  void index(const MatrixKind& kind, std::uint64_t bit);
  void add_suffixes(const MatrixKind& kind, std::uint64_t bit);
  [[nodiscard]] std::vector<NamedMatrices> find_name(std::string_view text) const;
  [[nodiscard]] std::vector<NamedMatrices> find_pattern(const JsonNode& where,
                                                        std::string_view text,
                                                        const NamePattern& pattern,
                                                        bool expression);
  [[nodiscard]] std::uint64_t find_outside(const NamePattern& pattern);
  [[nodiscard]] std::uint64_t find_in_layer(const JsonNode& where, const NamePattern& pattern,
                                            bool names_experts, std::int64_t layer, Cache& cache);
  [[nodiscard]] Found find_below(const NamePattern& pattern, const NamePattern::Progress& begin,
                                 bool names_experts);
  NamePattern::Progress advance(const NamePattern& pattern, NamePattern::Progress progress,
                                std::string_view text);

  std::vector<MatrixKind> kinds_;
  std::int64_t layers_ = 0;
  std::uint64_t all_ = 0;
  std::uint64_t in_layers_ = 0;
  std::unordered_map<std::string, std::uint64_t> from_layer_;  ///< a name's first components
  std::unordered_map<std::string, std::uint64_t> anywhere_;    ///< any of them in a row
  std::vector<Suffix> suffixes_;                               ///< sorted
  std::int64_t work_ = 0;
};

}  // namespace roofline::huggingface
