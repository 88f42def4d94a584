#include "spec/huggingface/quantization/assignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/printable.hpp"

namespace roofline::huggingface {
namespace {

constexpr std::size_t longest_shown = 80;

}  // namespace

Assignment::Assignment(const Model& model, JsonNode quantization)
    : quantization_(std::move(quantization)),
      names_(model),
      wide_bits_(model.published_format.bits),
      kinds_(names_.kinds().size()) {
  Scheme own;
  own.name = model.published_format.name;
  own.element = model.published_format.element;
  own.element_bits = wide_bits_;
  schemes_.push_back(own);
}

SchemeId Assignment::add(const Scheme& scheme) {
  const auto known = std::find(schemes_.begin() + 1, schemes_.end(), scheme);
  if (known != schemes_.end()) return static_cast<SchemeId>(known - schemes_.begin());
  constexpr std::size_t most_schemes = 200;
  if (schemes_.size() > most_schemes) quantization_.fail("has more than 200 formats");
  schemes_.push_back(scheme);
  return static_cast<SchemeId>(schemes_.size() - 1);
}

void Assignment::set(std::initializer_list<Part> parts, SchemeId scheme) {
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    const Part part = names_.kinds()[i].part;
    if (std::find(parts.begin(), parts.end(), part) == parts.end()) continue;
    kinds_[i].rest = scheme;
    kinds_[i].by_layer.clear();
  }
}

void Assignment::set_layers(SchemeId scheme) {
  set({Part::mixer, Part::mlp, Part::shared_experts, Part::experts}, scheme);
}

void Assignment::set_lm_head(const JsonNode& where, SchemeId scheme) {
  const auto& kinds = names_.kinds();
  const bool own = std::any_of(kinds.begin(), kinds.end(),
                               [](const MatrixKind& kind) { return kind.part == Part::lm_head; });
  if (!own) {
    where.fail("the lm_head is quantised, but it is tied to the embedding",
               "whether the file has a second copy is not known", std::string(use_headers));
  }
  set({Part::lm_head}, scheme);
}

void Assignment::keep_wide(std::string_view key) {
  if (const auto names = quantization_.find(key)) set_named(*names, wide);
}

void Assignment::set_named(const JsonNode& names, SchemeId scheme) {
  std::set<std::string, std::less<>> seen;
  std::vector<std::string> unknown;
  for (const JsonNode& entry : names.elements()) {
    const std::string text = entry.text();
    if (!seen.insert(text).second || set_name(entry, text, scheme)) continue;
    if (!names_.stays_wide(text)) unknown.push_back(text);
  }
  warn_of_unknown(names, unknown);
  collect_experts();
}

void Assignment::warn_of_unknown(const JsonNode& where, const std::vector<std::string>& names) {
  if (names.empty()) return;
  const std::string others =
      names.size() > 1 ? fmt::format(" and {} more", names.size() - 1) : std::string();
  warnings_.push_back(fmt::format(
      "'{}' of {} names no matrix that is counted{}: taken to change nothing",
      printable(names.front(), longest_shown), printable(where.key(), longest_shown), others));
}

bool Assignment::set_name(const JsonNode& where, std::string_view text, SchemeId scheme,
                          NameSyntax syntax, bool any_part) {
  bool any = false;
  for (NamedMatrices named : names_.find(where, text, syntax)) {
    for (std::size_t i = 0; i < kinds_.size() && scheme != wide && !any_part; ++i) {
      const Part part = names_.kinds()[i].part;
      const bool left_out = part == Part::embedding || part == Part::router;
      if (left_out) named.kinds &= ~(std::uint64_t{1} << i);
    }
    any = any || named.kinds != 0;
    apply(named, scheme, where);
  }
  return any;
}

void Assignment::set_rules(const JsonNode& list, const std::vector<NameRule>& rules) {
  constexpr std::size_t most_rules = 200;
  if (rules.size() > most_rules) list.fail("has more than 200 rules", {}, std::string(use_headers));
  std::vector<std::vector<SchemeId>> claims(kinds_.size());
  std::vector<std::string> unknown;
  for (const NameRule& rule : rules) {
    for (const NamedMatrices& named : names_.find(rule.where, rule.text, rule.syntax)) {
      claim(claims, named, rule);
    }
    const bool found = set_name(rule.where, rule.text, rule.scheme, rule.syntax);
    if (!found && !names_.stays_wide(rule.text)) unknown.push_back(rule.text);
  }
  warn_of_unknown(list, unknown);
  collect_experts();
}

/// Notes what a rule asks for; throws where another one asked for something else.
void Assignment::claim(std::vector<std::vector<SchemeId>>& claims, const NamedMatrices& named,
                       const NameRule& rule) const {
  constexpr SchemeId unclaimed = 255;
  const auto layers = static_cast<std::size_t>(std::max<std::int64_t>(names_.layers(), 1));
  const auto first = static_cast<std::size_t>(named.layer.value_or(0));
  const std::size_t end = named.layer ? first + 1 : layers;
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    if ((named.kinds >> i & 1U) == 0) continue;
    if (claims[i].empty()) claims[i].assign(layers, unclaimed);
    for (std::size_t layer = first; layer < end; ++layer) {
      SchemeId& claimed = claims[i][layer];
      if (claimed != unclaimed && claimed != rule.scheme) {
        rule.where.fail(
            fmt::format("'{}' is named by rules that differ", names_.kinds()[i].names.front()),
            "the first of them in the file counts, which is not known here",
            std::string(use_headers));
      }
      claimed = rule.scheme;
    }
  }
}

/// True if a layer that is named by `kinds` has the matrix: nothing else that it could have in that
/// place is named too.
bool Assignment::is_sure(std::uint64_t kinds, const MatrixKind& kind) const {
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    const Place& other = names_.kinds()[i].place;
    if ((kinds >> i & 1U) != 0 && other.slot == kind.place.slot && !(other == kind.place)) {
      return false;
    }
  }
  return true;
}

void Assignment::apply(const NamedMatrices& named, SchemeId scheme, const JsonNode& where) {
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    if ((named.kinds >> i & 1U) == 0) continue;
    const MatrixKind& kind = names_.kinds()[i];
    if (named.expert && kind.part == Part::experts) {
      if (!named.layer) {
        where.fail("names one expert of all layers",
                   "the format of a part is the same for all experts", std::string(use_headers));
      }
      Experts& experts = experts_[{i, *named.layer}];
      if (experts.scheme != scheme) experts = {.scheme = scheme, .numbers = {}};
      experts.numbers.push_back(*named.expert);
    } else if (named.layer && kind.layers > 0) {
      apply(i, *named.layer, is_sure(named.kinds, kind), scheme);
    } else {
      kinds_[i].rest = scheme;
      kinds_[i].by_layer.clear();
    }
  }
}

void Assignment::apply(std::size_t kind, std::int64_t layer, bool sure, SchemeId scheme) {
  Layers& layers = kinds_[kind];
  const auto count = static_cast<std::size_t>(names_.layers());
  if (layers.by_layer.empty()) layers.by_layer.assign(count, layers.rest);
  if (layers.sure.empty()) layers.sure.assign(count, false);
  const auto index = static_cast<std::size_t>(layer);
  layers.by_layer[index] = scheme;
  if (sure) layers.sure[index] = true;
}

/// Experts that were named one by one must be all of a layer.
void Assignment::collect_experts() {
  for (auto& [place, experts] : experts_) {
    const MatrixKind& kind = names_.kinds()[place.first];
    std::sort(experts.numbers.begin(), experts.numbers.end());
    const auto end = std::unique(experts.numbers.begin(), experts.numbers.end());
    const auto count = static_cast<std::int64_t>(end - experts.numbers.begin());
    const bool all = std::all_of(kind.shapes.begin(), kind.shapes.end(),
                                 [&](const MatrixShape& s) { return s.copies == count; });
    if (!all) refuse(kind, fmt::format("is named for some experts of layer {}", place.second));
    apply(place.first, place.second, true, experts.scheme);
  }
  experts_.clear();
}

void Assignment::refuse(const MatrixKind& kind, const std::string& what) const {
  quantization_.fail(fmt::format("'{}' {}", kind.names.front(), what),
                     "which tensors are meant cannot be told from the config",
                     std::string(use_headers));
}

/// Layers that have the matrix, by the scheme that they have it in.
std::map<SchemeId, std::int64_t> Assignment::layers_by_scheme(std::size_t kind) const {
  const Layers& layers = kinds_[kind];
  const MatrixKind& matrix = names_.kinds()[kind];
  const std::int64_t total = std::max<std::int64_t>(matrix.layers, 1);
  if (layers.by_layer.empty()) return {{layers.rest, total}};
  const SchemeId first = layers.by_layer.front();
  const bool alike = std::all_of(layers.by_layer.begin(), layers.by_layer.end(),
                                 [&](SchemeId scheme) { return scheme == first; });
  if (alike) return {{first, total}};
  std::map<SchemeId, std::int64_t> count;
  std::int64_t known = 0;
  for (std::size_t i = 0; i < layers.by_layer.size(); ++i) {
    const bool exists = matrix.layers == names_.layers() || layers.sure[i];
    if (!exists && layers.by_layer[i] != layers.rest) {
      refuse(matrix, fmt::format("may or may not be in layer {}, which is named", i));
    }
    if (!exists) continue;
    ++count[layers.by_layer[i]];
    ++known;
  }
  if (known > total) refuse(matrix, fmt::format("is named for more than {} layers", total));
  if (known < total) count[layers.rest] += total - known;
  if (count.size() > 1 && matrix.shapes.size() > 1) {
    refuse(matrix, "is named for some layers, and its size differs by layer");
  }
  return count;
}

void Assignment::add_share(Shares& shares, SchemeId scheme, const MatrixShape& shape,
                           std::int64_t layers) const {
  Share& share = shares[scheme];
  const double matrices = static_cast<double>(shape.copies) * static_cast<double>(layers);
  share.elements +=
      matrices * static_cast<double>(shape.outputs) * static_cast<double>(shape.inputs);
  share.bits += matrices * stored_bits(schemes_[scheme], shape.outputs, shape.inputs);
}

Assignment::Shares Assignment::shares_of(Part part) const {
  Shares shares;
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    const MatrixKind& kind = names_.kinds()[i];
    if (kind.part != part) continue;
    for (const auto& [scheme, layers] : layers_by_scheme(i)) {
      for (const MatrixShape& shape : kind.shapes) {
        add_share(shares, scheme, shape, kind.shapes.size() > 1 ? shape.layers : layers);
      }
    }
  }
  return shares;
}

/// The scheme of most elements, with the mean bits and the largest blocks of all of them.
NumberFormat Assignment::format_of(Part part, const Shares& shares, Model& model) const {
  NumberFormat format;
  SchemeId most = shares.begin()->first;
  Share sum;
  std::vector<std::string> names;
  for (const auto& [scheme, share] : shares) {
    if (share.elements > shares.at(most).elements) most = scheme;
    sum.elements += share.elements;
    sum.bits += share.bits;
    format.block_inputs = std::max(format.block_inputs, whole_inputs(schemes_[scheme]));
    format.block_outputs = std::max(format.block_outputs, whole_outputs(schemes_[scheme]));
  }
  bool products_differ = false;
  names.push_back(schemes_[most].name);
  for (const auto& [scheme, share] : shares) {
    if (scheme == most) continue;
    names.push_back(schemes_[scheme].name);
    const bool rounds = schemes_[scheme].rounds_activations || schemes_[most].rounds_activations;
    products_differ =
        products_differ || (rounds && schemes_[scheme].element != schemes_[most].element);
  }
  if (products_differ) {
    model.warnings.push_back(fmt::format(
        "{} matrices are stored in several formats ({}): their products are timed as {}",
        to_string(part), fmt::join(names, ", "), names.front()));
  }
  format.name = fmt::format("{}", fmt::join(names, "/"));
  format.bits = sum.bits / sum.elements;
  format.element = schemes_[most].element;
  format.rounds_activations = schemes_[most].rounds_activations;
  format.for_activations = false;
  format.for_kv = false;
  format.coverage = Coverage::layers;
  format.source = schemes_[most].source;
  return format;
}

void Assignment::finish(Model& model, std::string_view origin) {
  collect_experts();
  StoredWeights stored;
  stored.origin = origin;
  std::set<SchemeId> used;
  for (const Part part : all_parts) {
    const Shares shares = shares_of(part);
    const bool own = shares.empty() || (shares.size() == 1 && shares.begin()->first == wide);
    if (own) continue;
    for (const auto& [scheme, share] : shares) used.insert(scheme);
    stored.parts[part] = format_of(part, shares, model);
  }
  used.erase(wide);
  std::vector<std::string> names;
  for (const SchemeId scheme : used) names.push_back(schemes_[scheme].name);
  stored.name = fmt::format("{}", fmt::join(names, " + "));
  model.warnings.insert(model.warnings.end(), warnings_.begin(), warnings_.end());
  if (!used.empty()) model.stored = stored;
}

}  // namespace roofline::huggingface
