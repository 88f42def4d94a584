#include "spec/huggingface/quantization/module_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <utility>

namespace roofline::huggingface {
namespace {

constexpr std::int64_t most_work = 2'000'000;  // steps of patterns; real lists need thousands

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t dot = std::min(text.find('.'), text.size());
    if (dot > 0) parts.push_back(text.substr(0, dot));
    text.remove_prefix(std::min(dot + 1, text.size()));
  }
  return parts;
}

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

bool is_layers(std::string_view component) {
  constexpr std::array<std::string_view, 4> words{"block", "blocks", "h", "layers"};
  return std::find(words.begin(), words.end(), component) != words.end();
}

/// Components with an expert's number taken out.
std::string join(const std::vector<std::string_view>& parts, std::size_t begin,
                 std::optional<std::int64_t>& expert) {
  std::string text;
  for (std::size_t i = begin; i < parts.size(); ++i) {
    const bool after_experts = i > begin && parts[i - 1] == "experts";
    if (after_experts && number(parts[i])) {
      expert = number(parts[i]);
      continue;
    }
    if (!text.empty()) text += '.';
    text += parts[i];
  }
  return text;
}

bool contains_any(std::string_view text, const std::vector<std::string_view>& words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
}

/// Vision and audio towers, and layers that predict further tokens.
bool is_outside_decoder(std::string_view text) {
  return contains_any(text, {"vision", "visual", "image", "audio", "speech", "tower", "projector",
                             "aligner", "connector", "merger", "patch", "mtp", "nextn",
                             "multi_modal", "mm_", "talker", "eh_proj", "shared_head"});
}

/// The layer that every match of a pattern is in: "layers.7." is in it, and no alternatives are.
std::optional<std::int64_t> only_layer(std::string_view text, bool expression) {
  if (contains_any(text, {"|", "(", "[", "{"})) return std::nullopt;
  for (const std::string_view word : {"layers", "h", "blocks"}) {
    std::string before = fmt::format("{}{}", word, expression ? "\\." : ".");
    std::size_t at = text.find(before);
    if (at == std::string_view::npos && expression) {
      before = fmt::format("{}.", word);
      at = text.find(before);
    }
    if (at == std::string_view::npos) continue;
    std::string_view rest = text.substr(at + before.size());
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    const auto layer = number(rest.substr(0, digits));
    rest.remove_prefix(digits);
    if (expression && rest.substr(0, 1) == "\\") rest.remove_prefix(1);
    const bool dot = rest.substr(0, 1) == ".";
    const bool repeated =
        expression && rest.size() > 1 && contains_any(rest.substr(1, 1), {"*", "+", "?"});
    if (layer && dot && !repeated) return layer;
  }
  return std::nullopt;
}

bool depends_on_layer(std::string_view text) {
  return text.find_first_of("0123456789[?") != std::string_view::npos ||
         text.find("\\d") != std::string_view::npos;
}

bool is_pattern(std::string_view text) {
  return text.find_first_of("*?[") != std::string_view::npos;
}

}  // namespace

ModuleNames::ModuleNames(const Model& model)
    : kinds_(matrix_kinds(model)), layers_(layer_count(model)) {
  for (std::size_t i = 0; i < kinds_.size(); ++i) index(kinds_[i], std::uint64_t{1} << i);
  std::sort(suffixes_.begin(), suffixes_.end(),
            [](const Suffix& a, const Suffix& b) { return a.text < b.text; });
  // A name that several kinds have, of a matrix that holds them all, is one suffix.
  std::size_t kept = 0;
  for (std::size_t i = 1; i < suffixes_.size(); ++i) {
    if (suffixes_[i].text == suffixes_[kept].text) {
      suffixes_[kept].kinds |= suffixes_[i].kinds;
    } else {
      suffixes_[++kept] = suffixes_[i];
    }
  }
  if (!suffixes_.empty()) suffixes_.resize(kept + 1);
}

void ModuleNames::index(const MatrixKind& kind, std::uint64_t bit) {
  all_ |= bit;
  if (kind.layers > 0) {
    in_layers_ |= bit;
    add_suffixes(kind, bit);
  }
  for (const std::string& name : kind.names) {
    const std::vector<std::string_view> parts = split(name);
    for (std::size_t begin = 0; begin < parts.size(); ++begin) {
      std::string run;
      for (std::size_t end = begin; end < parts.size(); ++end) {
        if (!run.empty()) run += '.';
        run += parts[end];
        // Of what is in no layer, a run that ends before the name does is a prefix of much else.
        if (kind.layers == 0 && end + 1 < parts.size()) continue;
        anywhere_[run] |= bit;
        if (begin == 0 && kind.layers > 0) from_layer_[run] |= bit;
      }
    }
  }
}

/// Experts as each of them is named (the first two stand for all), and fused.
void ModuleNames::add_suffixes(const MatrixKind& kind, std::uint64_t bit) {
  constexpr std::string_view experts = "experts.";
  for (const std::string& name : kind.names) {
    // DBRX alone has them in one tensor below "experts.mlp".
    const bool numbered =
        kind.part == Part::experts && name.find("experts.mlp") == std::string::npos;
    const std::size_t at = numbered ? name.find(experts) : std::string::npos;
    if (at == std::string::npos) {
      suffixes_.push_back({.text = name, .kinds = bit, .fused = kind.part == Part::experts});
      continue;
    }
    const std::string before = name.substr(0, at + experts.size());
    const std::string after = name.substr(at + experts.size());
    suffixes_.push_back({.text = name, .kinds = bit, .fused = true});
    for (const int expert : {0, 1}) {
      suffixes_.push_back({.text = fmt::format("{}{}.{}", before, expert, after),
                           .kinds = bit,
                           .expert = expert,
                           .numbered = true});
    }
  }
}

std::vector<NamedMatrices> ModuleNames::find(const JsonNode& where, std::string_view text,
                                             NameSyntax syntax) {
  constexpr std::string_view mark = "re:";
  const bool expression = syntax == NameSyntax::expression || text.substr(0, mark.size()) == mark;
  if (text.substr(0, mark.size()) == mark) text.remove_prefix(mark.size());
  if (!expression && !is_pattern(text)) return find_name(text);
  const auto length = static_cast<std::int64_t>(text.size());
  work_ += 1 + length * length / 16;  // what compiling it costs
  std::string problem;
  const std::optional<NamePattern> pattern =
      expression ? NamePattern::expression(text, problem) : NamePattern::wildcards(text, problem);
  if (!pattern) {
    where.fail(fmt::format("the pattern '{}' is not read: {}", text, problem), {},
               "give the directory with the *.safetensors files: their headers say it");
  }
  std::vector<NamedMatrices> found = find_pattern(where, text, *pattern, expression);
  if (work_ > most_work) {
    where.fail("the patterns up to this one are too many or too long",
               "matching them all would take too long");
  }
  return found;
}

std::vector<NamedMatrices> ModuleNames::find_name(std::string_view text) const {
  std::vector<std::string_view> parts = split(text);
  if (!parts.empty() && parts.back() == "weight") parts.pop_back();
  if (parts.empty() || is_outside_decoder(text)) return {};
  NamedMatrices named;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    if (!is_layers(parts[i]) || !number(parts[i + 1])) continue;
    named.layer = number(parts[i + 1]);
    if (*named.layer >= layers_) return {};
    const std::string name = join(parts, i + 2, named.expert);
    const auto found = from_layer_.find(name);
    if (name.empty()) {
      named.kinds = in_layers_;
    } else if (found != from_layer_.end()) {
      named.kinds = found->second;
    }
    if (named.kinds == 0) return {};
    return {named};
  }
  const std::string name = join(parts, 0, named.expert);
  if (const auto found = anywhere_.find(name); found != anywhere_.end()) {
    named.kinds = found->second;
  } else if (name == "model" || name == "language_model") {
    named.kinds = all_;
  } else if (is_layers(parts.back())) {
    named.kinds = in_layers_;
  }
  if (named.kinds == 0) return {};
  return {named};
}

NamePattern::Progress ModuleNames::advance(const NamePattern& pattern,
                                           NamePattern::Progress progress, std::string_view text) {
  for (const char character : text) {
    if (progress.matched || progress.states.empty()) return progress;
    work_ += 1 + static_cast<std::int64_t>(progress.states.size());
    progress = pattern.next(progress, character);
  }
  return progress;
}

std::uint64_t ModuleNames::find_outside(const NamePattern& pattern) {
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    if (kinds_[i].layers > 0) continue;
    for (const std::string& name : kinds_[i].names) {
      if (pattern.ends(advance(pattern, pattern.start(), name))) found |= std::uint64_t{1} << i;
    }
  }
  return found;
}

/// Names that begin alike are matched once as far as they do. A checkpoint has its matrices joined
/// or not: "gate_up_proj" counts where neither "gate_proj" nor "up_proj" matches.
ModuleNames::Found ModuleNames::find_below(const NamePattern& pattern,
                                           const NamePattern::Progress& begin, bool names_experts) {
  Found found;
  std::vector<std::uint64_t> joint;
  std::vector<NamePattern::Progress> path{begin};
  std::string_view before;
  for (const Suffix& suffix : suffixes_) {
    if (suffix.fused && !names_experts) continue;
    const std::string_view text = suffix.text;
    const auto common = static_cast<std::size_t>(
        std::mismatch(
            text.begin(),
            text.begin() + static_cast<std::ptrdiff_t>(std::min(text.size(), path.size() - 1)),
            before.begin(), before.end())
            .first -
        text.begin());
    path.resize(common + 1);
    while (path.size() <= text.size() && !path.back().states.empty() && !path.back().matched) {
      path.push_back(advance(pattern, path.back(), text.substr(path.size() - 1, 1)));
    }
    before = text.substr(0, path.size() - 1);
    if (!path.back().matched && (path.size() <= text.size() || !pattern.ends(path.back()))) {
      continue;
    }
    if (std::has_single_bit(suffix.kinds)) {
      found.kinds |= suffix.kinds;
    } else {
      joint.push_back(suffix.kinds);
    }
    if (suffix.numbered) {
      (suffix.expert == 0 ? found.first_expert : found.second_expert) |= suffix.kinds;
    }
  }
  const std::uint64_t single = found.kinds;
  for (const std::uint64_t kinds : joint) {
    if ((kinds & single) == 0) found.kinds |= kinds;
  }
  return found;
}

std::uint64_t ModuleNames::find_in_layer(const JsonNode& where, const NamePattern& pattern,
                                         bool names_experts, std::int64_t layer, Cache& cache) {
  constexpr std::array<std::string_view, 11> prefixes{"backbone.layers.",
                                                      "gpt_neox.layers.",
                                                      "language_model.model.layers.",
                                                      "layers.",
                                                      "model.decoder.layers.",
                                                      "model.language_model.layers.",
                                                      "model.layers.",
                                                      "thinker.model.layers.",
                                                      "transformer.blocks.",
                                                      "transformer.encoder.layers.",
                                                      "transformer.h."};
  std::uint64_t kinds = 0;
  for (const std::string_view prefix : prefixes) {
    const NamePattern::Progress begin =
        advance(pattern, pattern.start(), fmt::format("{}{}.", prefix, layer));
    if (begin.states.empty() && !begin.matched) continue;
    auto known = std::find_if(cache.begin(), cache.end(), [&](const auto& entry) {
      return entry.first.states == begin.states && entry.first.matched == begin.matched;
    });
    if (known == cache.end()) {
      cache.emplace_back(begin, find_below(pattern, begin, names_experts));
      known = cache.end() - 1;
    }
    const Found& found = known->second;
    if (found.first_expert != found.second_expert) {
      where.fail("names some experts only", "the format of a part is the same for all experts",
                 "give the directory with the *.safetensors files: their headers say it");
    }
    kinds |= found.kinds;
  }
  return kinds;
}

std::vector<NamedMatrices> ModuleNames::find_pattern(const JsonNode& where, std::string_view text,
                                                     const NamePattern& pattern, bool expression) {
  const bool names_experts = contains_any(text, {"experts", "switch_mlp", "put_linear"});
  Cache cache;
  std::vector<NamedMatrices> found;
  if (const std::uint64_t outside = find_outside(pattern)) found.push_back({.kinds = outside});
  if (is_outside_decoder(text) || layers_ == 0) return found;
  if (const auto layer = only_layer(text, expression)) {
    if (*layer >= layers_) return found;
    const std::uint64_t kinds = find_in_layer(where, pattern, names_experts, *layer, cache);
    if (kinds != 0) found.push_back({.kinds = kinds, .layer = *layer});
    return found;
  }
  const std::uint64_t first = find_in_layer(where, pattern, names_experts, 0, cache);
  std::vector<NamedMatrices> by_layer{{.kinds = first, .layer = 0}};
  bool alike = true;
  const std::int64_t end = depends_on_layer(text) ? layers_ : 1;
  for (std::int64_t layer = 1; layer < end && work_ <= most_work; ++layer) {
    const std::uint64_t kinds = find_in_layer(where, pattern, names_experts, layer, cache);
    alike = alike && kinds == first;
    by_layer.push_back({.kinds = kinds, .layer = layer});
  }
  if (alike) by_layer = {{.kinds = first}};
  for (const NamedMatrices& one : by_layer) {
    if (one.kinds != 0) found.push_back(one);
  }
  return found;
}

bool ModuleNames::stays_wide(std::string_view text) const {
  if (is_outside_decoder(text)) return true;
  const std::vector<std::string_view> parts = split(text);
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    const auto layer = number(parts[i + 1]);
    if (is_layers(parts[i]) && layer && *layer >= layers_) return true;
  }
  const auto layer = only_layer(text, text.substr(0, 3) == "re:");
  if (layer && *layer >= layers_) return true;
  if (contains_any(text, {"norm", "embed", "lm_head", "router", "rotary", "bias", "conv", "wte",
                          "wpe", "score", "sink", "A_log", "indexer", "shared_expert_gate",
                          "output_layer", "ln_"})) {
    return true;
  }
  const std::size_t last = text.find_last_not_of("$*.\\");
  const std::string_view name = text.substr(0, last == std::string_view::npos ? 0 : last + 1);
  constexpr std::string_view gate = "gate";
  return name.size() >= gate.size() && name.substr(name.size() - gate.size()) == gate;
}

}  // namespace roofline::huggingface
