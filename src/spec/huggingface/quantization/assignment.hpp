// Which matrices of a model are stored in which scheme, put together from what a
// quantization_config says, and then summed to a format for each part of the model.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roofline/model.hpp"
#include "spec/huggingface/quantization/module_names.hpp"
#include "spec/huggingface/quantization/scheme.hpp"
#include "spec/json_node.hpp"

namespace roofline::huggingface {

/// What to do where only the tensors can say how a matrix is stored.
inline constexpr std::string_view use_headers =
    "give the directory with the *.safetensors files: their headers say it";

/// A scheme of an Assignment.
using SchemeId = std::uint8_t;
inline constexpr SchemeId wide = 0;  ///< the model's own number format

/// A pattern of a list of rules, and what it asks for.
struct NameRule {
  JsonNode where;
  std::string text;
  SchemeId scheme = wide;
  NameSyntax syntax = NameSyntax::entry;
};

class Assignment {
 public:
  /// Everything is wide at first. `quantization` is the object that is read; messages about the
  /// whole name it.
  Assignment(const Model& model, JsonNode quantization);

  [[nodiscard]] const JsonNode& quantization() const { return quantization_; }
  [[nodiscard]] const ModuleNames& modules() const { return names_; }

  /// The scheme's number, the same for one that is there already.
  [[nodiscard]] SchemeId add(const Scheme& scheme);

  /// All matrices of some parts.
  void set(std::initializer_list<Part> parts, SchemeId scheme);
  /// What the methods quantise: the layers' matrices but the router.
  void set_layers(SchemeId scheme);
  /// The lm_head where it is a matrix of its own; throws where it is not.
  void set_lm_head(const JsonNode& where, SchemeId scheme);

  /// What `names`, a list, names. Names that the model does not count are warned of unless they say
  /// themselves that they are norms, towers or the like.
  void set_named(const JsonNode& names, SchemeId scheme);
  /// The same for the list under `key` in the quantization_config, if there is one; it stays wide.
  void keep_wide(std::string_view key);
  /// What one name or pattern names; false if that is nothing. Embedding and router stay as they
  /// are unless `any_part`.
  bool set_name(const JsonNode& where, std::string_view text, SchemeId scheme,
                NameSyntax syntax = NameSyntax::entry, bool any_part = false);
  /// What each rule names; throws where two of them ask for different things, since the order of
  /// `list`, which decides then, is not kept.
  void set_rules(const JsonNode& list, const std::vector<NameRule>& rules);
  /// After names that may have been experts one by one: throws unless they are all of a layer.
  void collect_experts();
  /// Says that a name was not understood, once a list.
  void warn_of_unknown(const JsonNode& where, const std::vector<std::string>& names);

  /// Fills model.stored and adds the warnings. Throws Error where a name leaves open what is meant.
  void finish(Model& model, std::string_view origin);

 private:
  struct Layers {
    SchemeId rest = wide;            ///< of layers that `by_layer` does not know
    std::vector<SchemeId> by_layer;  ///< empty: all are `rest`
    std::vector<bool> sure;          ///< the layer has the matrix: a name says so
  };
  struct Experts {
    SchemeId scheme = wide;
    std::vector<std::int64_t> numbers;
  };
  /// Matrices of one part in one scheme.
  struct Share {
    double elements = 0;
    double bits = 0;
  };
  using Shares = std::map<SchemeId, Share>;

  void apply(const NamedMatrices& named, SchemeId scheme, const JsonNode& where);
  void apply(std::size_t kind, std::int64_t layer, bool sure, SchemeId scheme);
  void claim(std::vector<std::vector<SchemeId>>& claims, const NamedMatrices& named,
             const NameRule& rule) const;
  [[nodiscard]] bool is_sure(std::uint64_t kinds, const MatrixKind& kind) const;
  [[nodiscard]] std::map<SchemeId, std::int64_t> layers_by_scheme(std::size_t kind) const;
  void add_share(Shares& shares, SchemeId scheme, const MatrixShape& shape,
                 std::int64_t layers) const;
  [[nodiscard]] Shares shares_of(Part part) const;
  [[nodiscard]] NumberFormat format_of(Part part, const Shares& shares, Model& model) const;
  [[noreturn]] void refuse(const MatrixKind& kind, const std::string& what) const;

  JsonNode quantization_;
  ModuleNames names_;
  double wide_bits_ = 16;
  std::vector<Scheme> schemes_;
  std::vector<Layers> kinds_;
  std::map<std::pair<std::size_t, std::int64_t>, Experts> experts_;
  std::vector<std::string> warnings_;
};

}  // namespace roofline::huggingface
