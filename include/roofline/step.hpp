// A forward step of a model, and what it costs: a list of operators with FLOP and bytes by kind.
// Symbols: h hidden size, H query heads, H_kv K/V heads, d head size, m MLP width, V vocabulary;
// n sequences, q new tokens, p cached tokens; w, a, c bytes of a weight, activation, cache element.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "roofline/model.hpp"
#include "roofline/number_format.hpp"
#include "roofline/quantity.hpp"

namespace roofline {

/// Sequences that do the same in a step.
struct StepGroup {
  std::int64_t count = 1;          ///< sequences
  std::int64_t new_tokens = 1;     ///< of each
  std::int64_t cached_tokens = 0;  ///< of each, attended and not computed again
  std::int64_t logit_rows = 1;     ///< of each: rows that lm_head computes

  friend bool operator==(const StepGroup&, const StepGroup&) = default;
};

struct Step {
  std::vector<StepGroup> groups;
  bool causal = true;  ///< false counts q (p + q) pairs, as papers do that do not halve

  friend bool operator==(const Step&, const Step&) = default;
};

/// T: the new tokens of all sequences.
[[nodiscard]] double new_tokens(const Step& step);

/// batch x {1, context - 1}: `context` tokens are attended, the new one included.
[[nodiscard]] Step decode_step(std::int64_t batch, std::int64_t context);

/// batch x {prompt, 0}.
[[nodiscard]] Step prefill_step(std::int64_t batch, std::int64_t prompt);

/// The number formats of a step.
struct Precision {
  NumberFormat weights;
  NumberFormat unquantized;  ///< of the weights that `weights` does not cover
  NumberFormat kv;
  NumberFormat activations;

  friend bool operator==(const Precision&, const Precision&) = default;
};

/// The format of the embedding table; of an lm_head that is not tied to it; of norms and biases.
[[nodiscard]] const NumberFormat& embedding_format(const Precision& precision);
[[nodiscard]] const NumberFormat& lm_head_format(const Model& model, const Precision& precision);
[[nodiscard]] const NumberFormat& norm_format(const Precision& precision);

enum class OperatorKind {
  embedding,
  qkv_projection,
  attention,
  output_projection,
  up_projection,  ///< gate and up of a gated MLP
  down_projection,
  lm_head
};

/// The name in tables and JSON: "qkv", "gate+up" ...
[[nodiscard]] std::string_view operator_name(OperatorKind kind, bool gated);

/// Which two operands an operator multiplies: they decide the rate it can run at.
enum class Operands { none, weights_activations, lm_head_activations, activations_kv };

/// One operator of all layers that are alike. Bytes are kept apart by kind: weights, K/V and state
/// have to move through memory once a step; activations may stay in a cache.
struct Operator {
  OperatorKind kind = OperatorKind::embedding;
  std::string_view name;
  std::int64_t layers = 1;
  std::optional<std::int64_t> window;
  Operands operands = Operands::none;
  std::int64_t inputs = 0;   ///< K of a linear map, 0 for what is none
  std::int64_t outputs = 0;  ///< N of a linear map
  Flops flops;
  Bytes weights;
  Bytes kv;
  Bytes state;
  Bytes activations;

  /// weights + K/V + state.
  [[nodiscard]] Bytes compulsory() const { return weights + kv + state; }
  friend bool operator==(const Operator&, const Operator&) = default;
};

/// Query-key pairs of one sequence: the sum over j = 1..q of min(p + j, W). Not causal: q (p + q),
/// windows or not, the convention of papers that count no mask.
[[nodiscard]] double attended_pairs(std::int64_t new_tokens, std::int64_t cached_tokens,
                                    std::optional<std::int64_t> window, bool causal);

/// Tokens of K/V that one sequence touches: min(p + q, W + q - 1).
[[nodiscard]] double kv_span(std::int64_t new_tokens, std::int64_t cached_tokens,
                             std::optional<std::int64_t> window);

/// Replaces `operators` with those of the step, in the order in which they run. Allocates only if
/// the vector's capacity is too small, so that a sweep can use one vector for all its points.
/// Per operator over t tokens: F = 2 t K N, weights w K N, activations a t (K + N); attention
/// F = 4 n H d A, K/V c n s 2 H_kv d, activations a n q 2 H d.
void list_operators(const Model& model, const Step& step, const Precision& precision,
                    std::vector<Operator>& operators);

}  // namespace roofline
