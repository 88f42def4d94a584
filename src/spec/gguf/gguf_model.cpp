#include "spec/gguf/gguf_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "base/format.hpp"
#include "roofline/error.hpp"
#include "spec/gguf/architectures.hpp"
#include "spec/gguf/block.hpp"
#include "spec/gguf/feed_forward.hpp"
#include "spec/gguf/metadata.hpp"
#include "spec/gguf/mixers.hpp"
#include "spec/gguf/part_formats.hpp"
#include "spec/gguf/split_files.hpp"
#include "spec/gguf/windows.hpp"
#include "spec/layer_groups.hpp"
#include "spec/model_limits.hpp"

namespace roofline::gguf {
namespace {

constexpr std::string_view block_start = "blk.";

/// Tensors of rotary frequencies: tables that the file precomputes.
constexpr std::array<std::string_view, 4> buffers{"rope_freqs.weight", "rope_factors_long.weight",
                                                  "rope_factors_short.weight",
                                                  "attn_rot_embd.weight"};

/// Beginnings of the names of vision and audio tensors.
constexpr std::array<std::string_view, 5> towers{"v.", "a.", "mm.", "resampler.", "s."};

struct NamedMap {
  std::string_view tensor;
  std::string_view map;
};

/// Matrices that Gemma 3n adds to its blocks, and outside them.
constexpr std::array gemma3n_maps{
    NamedMap{"inp_gate.weight", "per-layer gate"},
    NamedMap{"proj.weight", "per-layer projection"},
    NamedMap{"laurel_l.weight", "laurel left"},
    NamedMap{"laurel_r.weight", "laurel right"},
    NamedMap{"altup_router.weight", "altup router"},
    NamedMap{"altup_predict_coef.weight", "altup prediction"},
    NamedMap{"altup_correct_coef.weight", "altup correction"},
    NamedMap{"per_layer_model_proj.weight", "per-layer model projection"},
    NamedMap{"altup_proj.weight", "altup projection"},
    NamedMap{"altup_unembd_proj.weight", "altup unembedding"},
};

/// N of "blk.N.rest", and the rest; none for a tensor outside blocks.
struct BlockName {
  std::int64_t block = 0;
  std::string_view rest;
};

std::optional<BlockName> split_name(std::string_view name) {
  if (!name.starts_with(block_start)) return std::nullopt;
  name.remove_prefix(block_start.size());
  BlockName result;
  const auto parsed = std::from_chars(name.data(), name.data() + name.size(), result.block);
  const auto digits = static_cast<std::size_t>(parsed.ptr - name.data());
  if (parsed.ec != std::errc() || digits == name.size() || name[digits] != '.') return std::nullopt;
  if (name.front() == '-' || (digits > 1 && name.front() == '0')) return std::nullopt;
  result.rest = name.substr(digits + 1);
  return result;
}

/// The file's name without directory, ".gguf" and the number of its part.
std::string stem(std::string_view file) {
  const std::size_t slash = file.rfind('/');
  if (slash != std::string_view::npos) file.remove_prefix(slash + 1);
  constexpr std::string_view suffix = ".gguf";
  if (file.ends_with(suffix)) file.remove_suffix(suffix.size());
  constexpr std::size_t part = std::string_view("-00001-of-00003").size();
  if (file.size() > part && file.substr(file.size() - 9, 4) == "-of-") file.remove_suffix(part);
  return std::string(file);
}

std::string describe(const Size& size) {
  return fmt::format("{} parameters, {}", format_count(static_cast<double>(size.elements)),
                     format_scaled(static_cast<double>(size.bytes), "B"));
}

void add(Size& sum, const Size& size) {
  sum.elements += size.elements;
  sum.bytes += size.bytes;
}

void add(PerPart<TypeSizes>& sum, const PerPart<TypeSizes>& sizes) {
  for (const Part part : all_parts) {
    for (const auto& [type, size] : sizes[part]) add(sum[part][type], size);
  }
}

class ModelReader {
 public:
  ModelReader(const GgufFile& file, std::size_t files)
      : file_(file), files_(files), metadata_(file), outside_("", file.name) {}

  [[nodiscard]] Model read() {
    refuse_unsupported(metadata_);
    if (!metadata_.flag_or("attention.causal", true)) {
      metadata_.fail("attention that is not causal is not supported",
                     metadata_.full("attention.causal") + " is false");
    }
    model_.family = metadata_.architecture();
    model_.hidden_size = metadata_.count("embedding_length", most_width);
    model_.max_context = metadata_.optional_count("context_length", most_context);
    read_block_counts();
    distribute_tensors();
    read_outside();
    read_blocks();
    if (const auto problem = size_problem(model_)) metadata_.fail(*problem);
    finish();
    return std::move(model_);
  }

 private:
  /// The last blocks of a file may be for multi-token prediction: they are no part of a step.
  void read_block_counts() {
    blocks_ = metadata_.count("block_count", most_blocks);
    const auto prediction = metadata_.optional_count("nextn_predict_layers", most_blocks, 0);
    layers_ = blocks_ - prediction.value_or(0);
    if (layers_ < 1) {
      metadata_.fail(fmt::format("{} of {} blocks are for multi-token prediction",
                                 blocks_ - layers_, blocks_));
    }
  }

  void distribute_tensors() {
    for (std::int64_t i = 0; i < layers_; ++i) {
      layer_blocks_.emplace_back(fmt::format("blk.{}", i), file_.name);
    }
    for (const GgufTensor& tensor : file_.tensors) {
      add(all_, {tensor.elements, tensor.bytes});
      const auto name = split_name(tensor.name);
      if (name && name->block >= blocks_) {
        metadata_.fail(
            fmt::format("tensor '{}' is of block {}", printable(tensor.name), name->block),
            fmt::format("{} is {}", metadata_.full("block_count"), blocks_));
      }
      if (name && name->block >= layers_) {
        add(prediction_, {tensor.elements, tensor.bytes});
      } else if (name) {
        layer_blocks_[static_cast<std::size_t>(name->block)].add(name->rest, tensor);
      } else if (is_tower(tensor.name)) {
        add(towers_, {tensor.elements, tensor.bytes});
      } else {
        outside_.add(tensor.name, tensor);
      }
    }
  }

  static bool is_tower(std::string_view name) {
    return std::any_of(towers.begin(), towers.end(),
                       [&](std::string_view start) { return name.starts_with(start); });
  }

  void read_outside() {
    const BlockTensor& embedding = take_table("token_embd.weight", Part::embedding);
    model_.vocabulary = embedding.outputs();
    model_.tied_embeddings = !outside_.has("output.weight");
    if (!model_.tied_embeddings &&
        take_table("output.weight", Part::lm_head).outputs() != model_.vocabulary) {
      outside_.fail("output.weight has another vocabulary than token_embd.weight");
    }
    if (outside_.has("position_embd.weight")) {
      model_.learned_positions = take_table("position_embd.weight", Part::embedding).outputs();
    }
    if (metadata_.architecture() == "gemma3n") read_second_table();
    drop_buffers(outside_);
    outside_.take_vectors();
    model_.final_norm_parameters = outside_.elements(Part::vectors);
    add(sizes_, outside_.sizes());
  }

  const BlockTensor& take_table(std::string_view name, Part part) {
    const BlockTensor& table = outside_.take(name, part);
    if (table.inputs() != model_.hidden_size) {
      outside_.fail(fmt::format("{} has rows of {} elements", name, table.inputs()),
                    fmt::format("the hidden size is {}", model_.hidden_size));
    }
    return table;
  }

  void read_second_table() {
    if (const auto* table = outside_.take_if("per_layer_token_embd.weight", Part::embedding)) {
      model_.lookup_width = table->inputs();
      model_.lookup_rows = table->outputs();
    }
    take_maps(outside_, model_.extra_maps);
  }

  static void take_maps(Block& block, std::vector<LinearMap>& maps) {
    for (const NamedMap& named : gemma3n_maps) {
      const BlockTensor* matrix = block.take_if(named.tensor, Part::mlp);
      if (matrix == nullptr) continue;
      maps.push_back({.name = named.map, .inputs = matrix->inputs(), .outputs = matrix->outputs()});
    }
  }

  void drop_buffers(Block& block) {
    for (const std::string_view name : buffers) block.drop(name);
    add(buffers_, block.dropped());
  }

  void read_blocks() {
    const std::vector<Reach> reaches = read_reaches(metadata_, blocks_);
    const std::int64_t shared = read_shared_layers();
    for (std::int64_t i = 0; i < layers_; ++i) {
      read_block(layer_blocks_[static_cast<std::size_t>(i)],
                 {.index = i,
                  .blocks = blocks_,
                  .hidden = model_.hidden_size,
                  .reach = reaches[static_cast<std::size_t>(i)],
                  .reuses_cache = i >= layers_ - shared});
    }
  }

  /// How many layers at the end attend the K/V of earlier ones.
  std::int64_t read_shared_layers() {
    constexpr std::string_view key = "attention.shared_kv_layers";
    constexpr std::int64_t gemma3n_owners = 20;
    const auto shared = metadata_.optional_count(key, layers_ - 1, 0);
    if (shared || metadata_.architecture() != "gemma3n") return shared.value_or(0);
    const std::int64_t fallback = std::max<std::int64_t>(0, layers_ - gemma3n_owners);
    metadata_.note_default(key, fmt::format("{}", fallback));
    return fallback;
  }

  void read_block(Block& block, const BlockPlace& place) {
    LayerGroup group;
    group.count = 1;
    block.merge_experts();
    read_mixer(block, metadata_, place, group);
    read_feed_forward(block, metadata_, place, group);
    if (metadata_.architecture() == "gemma3n") take_maps(block, group.extra_maps);
    drop_copies_and_buffers(block);
    block.take_vectors();
    const bool idle = std::holds_alternative<std::monostate>(group.mixer) &&
                      std::holds_alternative<std::monostate>(group.feed_forward);
    if (idle && metadata_.architecture() != "deci") {
      block.fail("has neither a mixer nor a feed-forward",
                 block.empty() ? "it has no tensors" : "");
    }
    count_vectors(block, group);
    add_layer(model_, std::move(group));
    add(sizes_, block.sizes());
  }

  void drop_copies_and_buffers(Block& block) {
    const Size before = block.dropped();
    add(copies_, before);
    for (const std::string_view name : buffers) block.drop(name);
    buffers_.elements += block.dropped().elements - before.elements;
    buffers_.bytes += block.dropped().bytes - before.bytes;
  }

  /// What the layer's dimensions say must be what its tensors have; vectors that the dimensions
  /// do not count are the norms and the like.
  void count_vectors(const Block& block, LayerGroup& group) const {
    Model probe;
    probe.hidden_size = model_.hidden_size;
    probe.tied_embeddings = true;
    probe.layers = {group};
    if (const auto problem = size_problem(probe)) block.fail(*problem);
    const ParameterCount count = count_parameters(probe);
    for (const Part part : all_parts) {
      const std::int64_t stored = block.elements(part);
      if (part == Part::vectors ? stored < count.parts[part] : stored != count.parts[part]) {
        block.fail(fmt::format("its tensors contradict each other: {} elements of {}", stored,
                               to_string(part)),
                   fmt::format("the dimensions of the block have {}", count.parts[part]));
      }
    }
    group.norm_parameters = block.elements(Part::vectors) - count.parts[Part::vectors];
  }

  void finish() {
    const auto name = metadata_.general_text("general.name");
    model_.name = name && !name->empty() ? printable(*name) : stem(file_.name);
    model_.stored = stored_weights(sizes_, metadata_.general_number("general.file_type"));
    const Size decoder = total_size(sizes_);
    ensure(count_parameters(model_).total() == decoder.elements,
           "a GGUF model has the parameters of its tensors");
    const Bytes decoder_bytes(static_cast<double>(decoder.bytes));
    model_.tensors = TensorTotals{.files = static_cast<std::int64_t>(files_),
                                  .tensors = static_cast<std::int64_t>(file_.tensors.size()),
                                  .bytes = Bytes(static_cast<double>(all_.bytes)),
                                  .decoder_bytes = decoder_bytes,
                                  .decoder_elements = decoder.elements,
                                  .computed_bytes = decoder_bytes};
    set_activation_format();
    add_warnings();
  }

  void set_activation_format() {
    const bool bf16 = std::any_of(
        file_.tensors.begin(), file_.tensors.end(),
        [](const GgufTensor& tensor) { return tensor.type->element == MatrixType::bf16; });
    model_.published_format = plain_format(bf16 ? MatrixType::bf16 : MatrixType::fp16);
    model_.defaults = metadata_.defaults();
    model_.defaults.push_back(
        fmt::format("activations are taken as {}: a GGUF file does not say their format",
                    model_.published_format.name));
  }

  void add_warnings() {
    std::vector<std::string>& warnings = model_.warnings;
    if (!is_known_decoder(metadata_.architecture())) {
      warnings.push_back(
          fmt::format("the architecture '{}' is not known: its layers are read from its tensors, "
                      "and attention is taken as causal",
                      metadata_.architecture()));
    }
    const std::vector<std::string> unread = metadata_.unread();
    if (!unread.empty()) {
      warnings.push_back(fmt::format("keys that are not understood: {}", fmt::join(unread, ", ")));
    }
    if (prediction_.elements > 0) {
      warnings.push_back(fmt::format("multi-token prediction is left out: {} of {} blocks, {}",
                                     blocks_ - layers_, blocks_, describe(prediction_)));
    }
    if (towers_.elements > 0) {
      warnings.push_back(
          fmt::format("vision and audio towers are left out: {}", describe(towers_)));
    }
    if (copies_.elements > 0) {
      warnings.push_back(
          fmt::format("attn_kv_b.weight is left out: {}; attn_k_b.weight and attn_v_b.weight are "
                      "the same numbers",
                      describe(copies_)));
    }
    if (buffers_.elements > 0) {
      model_.notes = fmt::format("tables of rotary frequencies are not counted: {} elements",
                                 format_count(static_cast<double>(buffers_.elements)));
    }
  }

  const GgufFile& file_;
  std::size_t files_;
  Metadata metadata_;
  Model model_;
  std::int64_t blocks_ = 0;
  std::int64_t layers_ = 0;
  std::vector<Block> layer_blocks_;
  Block outside_;
  PerPart<TypeSizes> sizes_;
  Size all_, prediction_, towers_, copies_, buffers_;
};

}  // namespace

Model read_gguf_model(std::vector<GgufFile> files) {
  const std::size_t count = files.size();
  const GgufFile whole = join_parts(std::move(files));
  return ModelReader(whole, count).read();
}

Model read_gguf(std::string_view bytes, const std::string& file) {
  std::vector<GgufFile> files;
  files.push_back(read_gguf_file(bytes, file));
  return read_gguf_model(std::move(files));
}

Model load_gguf(const std::string& path) {
  return read_gguf_model(load_parts(path));
}

}  // namespace roofline::gguf
