#include "spec/gguf/mixers.hpp"

#include <fmt/format.h>

namespace roofline::gguf {
namespace {

const BlockTensor& take_from_hidden(Block& block, std::string_view name, const BlockPlace& place) {
  const BlockTensor& tensor = block.take(name, Part::mixer);
  if (tensor.inputs() != place.hidden) {
    block.fail(fmt::format("{} has {} inputs", name, tensor.inputs()),
               fmt::format("the hidden size is {}", place.hidden));
  }
  return tensor;
}

/// The query heads of a block.
std::int64_t read_heads(const Block& block, Metadata& metadata, const BlockPlace& place) {
  const auto heads = metadata.optional_count_of("attention.head_count", place.index, place.blocks);
  if (!heads) metadata.fail(fmt::format("{} is missing", metadata.full("attention.head_count")));
  if (*heads == 0) block.fail("has attention, but no heads by attention.head_count");
  return *heads;
}

/// Elements of a head by the output projection, whose inputs are those of all heads.
std::int64_t divided(const Block& block, std::int64_t elements, std::int64_t heads,
                     std::string_view name) {
  if (elements % heads != 0) {
    block.fail(fmt::format("{} has {} elements for {} heads", name, elements, heads));
  }
  return elements / heads;
}

/// Where the metadata has the size of a head, it is that of the tensors.
void check_head_dim(const Block& block, Metadata& metadata, const BlockPlace& place,
                    std::int64_t head_dim) {
  const bool windowed = place.reach.window && metadata.find("attention.key_length_swa") != nullptr;
  const char* key = windowed ? "attention.key_length_swa" : "attention.key_length";
  const auto stated = metadata.optional_count(key, most_width);
  if (stated && *stated != head_dim) {
    block.fail(
        fmt::format("has heads of {} elements, {} by {}", head_dim, *stated, metadata.full(key)));
  }
}

std::int64_t read_kv_heads(Metadata& metadata, const BlockPlace& place, std::int64_t heads) {
  constexpr std::string_view key = "attention.head_count_kv";
  const auto kv_heads = metadata.optional_count_of(key, place.index, place.blocks);
  if (!kv_heads) metadata.note_default(key, fmt::format("{}", heads));
  return kv_heads.value_or(heads);
}

struct Projections {
  std::int64_t query = 0;
  std::int64_t key = 0;
  std::int64_t value = 0;
};

/// Q, K and V, apart or fused; `width` is that of all query heads.
Projections take_projections(Block& block, const BlockPlace& place, std::int64_t width,
                             std::int64_t kv_width) {
  if (block.has("attn_qkv.weight")) {
    const std::int64_t all = take_from_hidden(block, "attn_qkv.weight", place).outputs();
    if (all != width + 2 * kv_width) {
      block.fail(fmt::format("attn_qkv.weight has {} outputs", all),
                 fmt::format("queries of {} and keys and values of {} each have {}", width,
                             kv_width, width + 2 * kv_width));
    }
    return {.query = width, .key = kv_width, .value = kv_width};
  }
  return {.query = take_from_hidden(block, "attn_q.weight", place).outputs(),
          .key = take_from_hidden(block, "attn_k.weight", place).outputs(),
          .value = take_from_hidden(block, "attn_v.weight", place).outputs()};
}

bool has_qkv_bias(const Block& block) {
  return block.has("attn_qkv.bias") ||
         (block.has("attn_q.bias") && block.has("attn_k.bias") && block.has("attn_v.bias"));
}

/// attn_gate: as wide as the queries it is their second half; else a matrix of its own.
void take_gate(Block& block, std::int64_t width, Attention& attention, LayerGroup& group) {
  const BlockTensor* gate = block.find("attn_gate.weight");
  if (gate == nullptr) return;
  const bool full = gate->outputs() == width && !attention.output_gate;
  block.take("attn_gate.weight", full ? Part::mixer : Part::mlp);
  if (full) {
    attention.output_gate = true;
  } else {
    group.extra_maps.push_back(
        {.name = "attention gate", .inputs = gate->inputs(), .outputs = gate->outputs()});
  }
}

Attention read_attention(Block& block, Metadata& metadata, const BlockPlace& place,
                         LayerGroup& group) {
  Attention attention{.window = place.reach.window,
                      .chunk = place.reach.chunk,
                      .qkv_bias = has_qkv_bias(block),
                      .output_bias = block.has("attn_output.bias"),
                      .reuses_cache = place.reuses_cache};
  attention.query_heads = read_heads(block, metadata, place);
  attention.kv_heads = read_kv_heads(metadata, place, attention.query_heads);
  if (attention.kv_heads == 0 || attention.query_heads % attention.kv_heads != 0) {
    block.fail(fmt::format("{} attention heads cannot share {} K/V heads", attention.query_heads,
                           attention.kv_heads));
  }
  const std::int64_t width = block.take("attn_output.weight", Part::mixer).inputs();
  attention.head_dim = divided(block, width, attention.query_heads, "attn_output.weight");
  check_head_dim(block, metadata, place, attention.head_dim);
  const std::int64_t kv_width = attention.kv_heads * attention.head_dim;
  const Projections got = take_projections(block, place, width, kv_width);
  if (got.key != kv_width || got.value != kv_width) {
    block.fail(fmt::format("keys of {} elements and values of {}", got.key, got.value),
               fmt::format("{} K/V heads of {} elements have {}: heads of several sizes are not "
                           "supported",
                           attention.kv_heads, attention.head_dim, kv_width));
  }
  if (got.query != width && got.query != 2 * width) {
    block.fail(fmt::format("attn_q.weight has {} outputs", got.query),
               fmt::format("{} heads of {} elements have {}, or twice that with a gate",
                           attention.query_heads, attention.head_dim, width));
  }
  attention.output_gate = got.query != width;
  take_gate(block, width, attention, group);
  return attention;
}

/// The per-head halves of the second K/V projection: new files keep them apart, for absorption.
void take_second_kv_projection(Block& block) {
  const bool apart = block.has("attn_k_b.weight") && block.has("attn_v_b.weight");
  if (!apart) {
    block.take("attn_kv_b.weight", Part::mixer);
    return;
  }
  block.take("attn_k_b.weight", Part::mixer);
  block.take("attn_v_b.weight", Part::mixer);
  block.drop("attn_kv_b.weight");  // the same numbers once more, for other engines
}

LatentAttention read_latent(Block& block, Metadata& metadata, const BlockPlace& place) {
  if (place.reach.window || place.reach.chunk) {
    block.fail("latent attention with a window is not supported");
  }
  LatentAttention latent;
  latent.heads = read_heads(block, metadata, place);
  const BlockTensor& down = take_from_hidden(block, "attn_kv_a_mqa.weight", place);
  const BlockTensor* norm = block.find("attn_kv_a_norm.weight");
  if (norm == nullptr) block.fail("attn_kv_a_norm.weight is missing");
  latent.kv_rank = norm->elements;
  latent.rope_dim = down.outputs() - latent.kv_rank;
  std::int64_t queries = 0;
  if (block.has("attn_q_a.weight")) {
    latent.query_rank = take_from_hidden(block, "attn_q_a.weight", place).outputs();
    queries = block.take("attn_q_b.weight", Part::mixer).outputs();
  } else {
    queries = take_from_hidden(block, "attn_q.weight", place).outputs();
  }
  latent.nope_dim = divided(block, queries, latent.heads, "the query projection") - latent.rope_dim;
  latent.value_dim = divided(block, block.take("attn_output.weight", Part::mixer).inputs(),
                             latent.heads, "attn_output.weight");
  if (latent.rope_dim <= 0 || latent.nope_dim <= 0) {
    block.fail("its latent attention's shapes contradict each other",
               fmt::format("{} outputs of attn_kv_a_mqa.weight, {} of them latent, and {} query "
                           "elements for {} heads",
                           down.outputs(), latent.kv_rank, queries, latent.heads));
  }
  take_second_kv_projection(block);
  return latent;
}

std::int64_t take_convolution(Block& block) {
  return block.take("ssm_conv1d.weight", Part::vectors).inputs();
}

Mamba1 read_mamba1(Block& block, const BlockPlace& place) {
  Mamba1 mamba;
  static_cast<void>(take_from_hidden(block, "ssm_in.weight", place));
  block.take("ssm_x.weight", Part::mixer);
  mamba.inner = block.take("ssm_out.weight", Part::mixer).inputs();
  mamba.step_rank = block.take("ssm_dt.weight", Part::mixer).inputs();
  mamba.state = block.take("ssm_a", Part::vectors).inputs();
  mamba.convolution = take_convolution(block);
  for (const char* name : {"ssm_dt_norm.weight", "ssm_b_norm.weight", "ssm_c_norm.weight",
                           "ssm_in.bias", "ssm_out.bias"}) {
    if (const BlockTensor* tensor = block.take_if(name, Part::vectors)) {
      mamba.vectors += tensor->elements;
    }
  }
  return mamba;
}

Mamba2 read_mamba2(Block& block, Metadata& metadata, const BlockPlace& place) {
  Mamba2 mamba;
  static_cast<void>(take_from_hidden(block, "ssm_in.weight", place));
  mamba.heads = metadata.count("ssm.time_step_rank", most_width);
  mamba.state = metadata.count("ssm.state_size", most_width);
  mamba.groups = metadata.count("ssm.group_count", most_width);
  const std::int64_t inner = block.take("ssm_out.weight", Part::mixer).inputs();
  mamba.head_dim = divided(block, inner, mamba.heads, "ssm_out.weight");
  block.take("ssm_a", Part::vectors);
  mamba.convolution = take_convolution(block);
  for (const char* name : {"ssm_in.bias", "ssm_out.bias"}) {
    if (const BlockTensor* tensor = block.take_if(name, Part::vectors)) {
      mamba.vectors += tensor->elements;
    }
  }
  return mamba;
}

/// The projections are one (ssm_in), or q, k, v (attn_qkv) and the gate (attn_gate) apart; beta
/// and alpha are together (ssm_ba) or apart.
GatedDelta read_gated_delta(Block& block, Metadata& metadata, const BlockPlace& place) {
  GatedDelta delta;
  delta.key_heads = metadata.count("ssm.group_count", most_width);
  delta.key_dim = metadata.count("ssm.state_size", most_width);
  delta.value_heads = metadata.count("ssm.time_step_rank", most_width);
  const std::int64_t values = block.take("ssm_out.weight", Part::mixer).inputs();
  delta.value_dim = divided(block, values, delta.value_heads, "ssm_out.weight");
  if (block.has("ssm_in.weight")) {
    static_cast<void>(take_from_hidden(block, "ssm_in.weight", place));
  } else {
    static_cast<void>(take_from_hidden(block, "attn_qkv.weight", place));
    static_cast<void>(take_from_hidden(block, "attn_gate.weight", place));
  }
  if (block.has("ssm_ba.weight")) {
    static_cast<void>(take_from_hidden(block, "ssm_ba.weight", place));
  } else {
    static_cast<void>(take_from_hidden(block, "ssm_alpha.weight", place));
    static_cast<void>(take_from_hidden(block, "ssm_beta.weight", place));
  }
  block.take_if("ssm_a", Part::vectors);
  delta.convolution = take_convolution(block);
  return delta;
}

}  // namespace

void read_mixer(Block& block, Metadata& metadata, const BlockPlace& place, LayerGroup& group) {
  const bool delta = block.has("ssm_ba.weight") || block.has("ssm_beta.weight");
  const bool mamba = !delta && block.has("ssm_in.weight");
  const bool latent = block.has("attn_kv_a_mqa.weight");
  const bool attention =
      !latent && !delta && (block.has("attn_q.weight") || block.has("attn_qkv.weight"));
  if (static_cast<int>(delta) + static_cast<int>(mamba) + static_cast<int>(latent) +
          static_cast<int>(attention) >
      1) {
    block.fail("has two mixers",
               "blocks of attention and a state space side by side are not "
               "supported");
  }
  if (delta) group.mixer = read_gated_delta(block, metadata, place);
  if (mamba && block.has("ssm_x.weight")) group.mixer = read_mamba1(block, place);
  if (mamba && !block.has("ssm_x.weight")) group.mixer = read_mamba2(block, metadata, place);
  if (latent) group.mixer = read_latent(block, metadata, place);
  if (attention) group.mixer = read_attention(block, metadata, place, group);
  if (!delta && !latent && !attention && block.has("attn_output.weight")) {
    // Blocks whose attention was replaced by one matrix (Nemotron NAS).
    const BlockTensor& map = block.take("attn_output.weight", Part::mlp);
    group.extra_maps.push_back(
        {.name = "attention replaced", .inputs = map.inputs(), .outputs = map.outputs()});
  }
}

}  // namespace roofline::gguf
