// Small models as GGUF files for tests, and what must hold of each.
#pragma once

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

#include "roofline/error.hpp"
#include "spec/gguf/gguf_model.hpp"
#include "spec/gguf_builder.hpp"

namespace gguf_test {

using roofline::all_parts;
using roofline::Bytes;
using roofline::Diagnostic;
using roofline::Error;
using roofline::Model;
using roofline::ParameterCount;
using roofline::Part;
using roofline::gguf::read_gguf;

inline std::string blk(int block, const char* name) {
  return fmt::format("blk.{}.{}", block, name);
}

inline Diagnostic refusal(const Builder& builder) {
  try {
    static_cast<void>(read_gguf(builder.file(), "m.gguf"));
  } catch (const Error& error) {
    return error.diagnostics().front();
  }
  return {.what = "it was read"};
}

/// Metadata of a model of `blocks` blocks, hidden size 64.
inline Builder start(const std::string& arch, std::uint32_t blocks) {
  Builder builder;
  builder.text("general.architecture", arch)
      .number(arch + ".block_count", blocks)
      .number(arch + ".embedding_length", 64)
      .number(arch + ".context_length", 4096);
  return builder;
}

/// The tables and the last norm: a vocabulary of 96.
inline void add_outside(Builder& builder, bool tied = false) {
  builder.tensor("token_embd.weight", f16, {64, 96}).tensor("output_norm.weight", f32, {64});
  if (!tied) builder.tensor("output.weight", f16, {64, 96});
}
inline constexpr std::int64_t outside_parameters = 2 * 64 * 96 + 64;

/// 8 query heads of 16 elements over 2 K/V heads, and the norm before it.
inline void add_attention(Builder& builder, int block) {
  builder.tensor(blk(block, "attn_norm.weight"), f32, {64})
      .tensor(blk(block, "attn_q.weight"), f16, {64, 128})
      .tensor(blk(block, "attn_k.weight"), f16, {64, 32})
      .tensor(blk(block, "attn_v.weight"), f16, {64, 32})
      .tensor(blk(block, "attn_output.weight"), f16, {128, 64});
}
inline constexpr std::int64_t attention_parameters = 64 + 64 * 128 + 2 * 64 * 32 + 128 * 64;

/// A gated MLP 128 wide, and the norm before it.
inline void add_mlp(Builder& builder, int block) {
  builder.tensor(blk(block, "ffn_norm.weight"), f32, {64})
      .tensor(blk(block, "ffn_gate.weight"), f16, {64, 128})
      .tensor(blk(block, "ffn_up.weight"), f16, {64, 128})
      .tensor(blk(block, "ffn_down.weight"), f16, {128, 64});
}
inline constexpr std::int64_t mlp_parameters = 64 + 3 * 64 * 128;

inline Builder& heads(Builder& builder, const std::string& arch) {
  return builder.number(arch + ".attention.head_count", 8)
      .number(arch + ".attention.head_count_kv", 2);
}

inline Builder llama_like(const std::string& arch, std::uint32_t blocks) {
  Builder builder = start(arch, blocks);
  heads(builder, arch);
  add_outside(builder);
  for (int i = 0; i < static_cast<int>(blocks); ++i) {
    add_attention(builder, i);
    add_mlp(builder, i);
  }
  return builder;
}

/// What must hold of every model: its parameters and its bytes are those of its tensors.
inline void check_sums(const Model& model, std::uint64_t elements, std::uint64_t bytes) {
  const ParameterCount count = count_parameters(model);
  CHECK(count.total() == static_cast<std::int64_t>(elements));
  REQUIRE(model.stored.has_value());
  CHECK(model.stored->origin == "GGUF tensors");
  double sum = 0;
  for (const Part part : all_parts) {
    CHECK(model.stored->parts[part].has_value() == (count.parts[part] > 0));
    if (!model.stored->parts[part]) continue;
    sum += static_cast<double>(count.parts[part]) * model.stored->parts[part]->bits / 8;
  }
  CHECK(sum == Approx(static_cast<double>(bytes)).epsilon(1e-14));
  REQUIRE(model.tensors.has_value());
  CHECK(model.tensors->decoder_bytes == Bytes(static_cast<double>(bytes)));
  CHECK(model.tensors->decoder_elements == static_cast<std::int64_t>(elements));
  CHECK(model.tensors->computed_bytes == model.tensors->decoder_bytes);
}

inline Model read_all(const Builder& builder) {
  Model model = read_gguf(builder.file(), "m.gguf");
  check_sums(model, builder.elements(), builder.bytes());
  return model;
}

}  // namespace gguf_test
