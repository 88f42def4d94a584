// A forward step of a model, and what it costs: a list of operators with FLOP and bytes by kind.
// Symbols: h hidden size, H query heads, H_kv K/V heads, d head size, m MLP width, V vocabulary;
// n sequences, q new tokens, p cached tokens; w, a, c bytes of a weight, activation, cache element.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/deployment.hpp"
#include "roofline/error.hpp"
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

/// How many distinct experts a layer is taken to read.
struct ExpertChoice {
  enum class Kind {
    expected,  ///< the expectation for uniform routing, E (1 - (1 - k/E)^T)
    fewest,    ///< k: every token routes alike, which makes the step a strict floor
    all,       ///< E, or as many as T tokens can pass: k T
    fixed      ///< `count`, or k T where that is less
  };
  Kind kind = Kind::expected;
  std::int64_t count = 0;

  friend bool operator==(const ExpertChoice&, const ExpertChoice&) = default;
};

struct Step {
  std::vector<StepGroup> groups;
  bool causal = true;  ///< false counts q (p + q) pairs, as papers do that do not halve
  ExpertChoice experts{};
  /// Tokens of all replicas whose tokens meet at the same experts; 0: those of this step alone.
  double joined_tokens = 0;

  friend bool operator==(const Step&, const Step&) = default;
};

/// T: the new tokens of all sequences.
[[nodiscard]] double new_tokens(const Step& step);

/// batch x {1, context - 1}: `context` tokens are attended, the new one included.
[[nodiscard]] Step decode_step(std::int64_t batch, std::int64_t context);

/// batch x {prompt - cached, cached}: `cached` tokens of each prompt are in the cache already.
[[nodiscard]] Step prefill_step(std::int64_t batch, std::int64_t prompt, std::int64_t cached = 0);

/// The step of the fullest of `data` replicas: sequences are dealt out in turn, those with the most
/// new tokens first. `joined` replicas share their experts.
[[nodiscard]] Step replica_step(const Step& step, const Deployment& deployment);
/// The same in place: never allocates where the groups are in that order already.
void take_replica(const Deployment& deployment, Step& step);

/// Distinct experts that a layer reads for `tokens`.
[[nodiscard]] double distinct_experts(const Experts& experts, double tokens,
                                      const ExpertChoice& choice);

/// The number formats of a step; the weights' by part.
struct Precision {
  std::string weights_name;  ///< "bf16", "awq", "Q4_K_M"
  PerPart<NumberFormat> weights;
  NumberFormat kv;
  NumberFormat activations;
  NumberFormat state = plain_format(MatrixType::fp32);  ///< of recurrent states

  friend bool operator==(const Precision&, const Precision&) = default;
};

/// The ways that a model cannot be spread so, as engines refuse them: heads, K/V heads, MLP widths,
/// quantisation blocks and groups, experts and layers that do not divide. Each names the nearest
/// values that work. Empty if it can.
[[nodiscard]] std::vector<Diagnostic> deployment_problems(const Model& model,
                                                          const Precision& precision,
                                                          const Deployment& deployment);

/// True if deployment_problems finds none; it does not look for values that work.
[[nodiscard]] bool can_deploy(const Model& model, const Precision& precision,
                              const Deployment& deployment);

/// The part that an lm_head's weights belong to.
[[nodiscard]] constexpr Part lm_head_part(const Model& model) {
  return model.tied_embeddings ? Part::embedding : Part::lm_head;
}

/// Which two operands an operator multiplies: they decide the rate it can run at.
enum class Operands {
  none,
  weights,  ///< of the operator's part, with activations
  cache,    ///< K/V with activations
  state     ///< a recurrence, in the activations' type
};

/// One operator of all layers that are alike. Bytes are kept apart by kind: weights, K/V and state
/// have to move through memory once a step; activations may stay in a cache.
struct Operator {
  std::string_view name;  ///< a literal: "qkv", "gate+up" ...
  std::int64_t layers = 1;
  std::optional<std::int64_t> window;  ///< or chunk
  bool chunked = false;                ///< `window` is a chunk
  Operands operands = Operands::none;
  Part part = Part::mixer;    ///< of its weights
  double rows = 0;            ///< tokens that a linear map runs on, in each layer, on this device
  double matrices = 1;        ///< of the map, those that are read: distinct experts
  std::int64_t ways = 1;      ///< devices that each matrix, and the heads, are split over
  bool split_inputs = false;  ///< its inputs are split, else its outputs
  std::int64_t inputs = 0;    ///< K of a linear map, 0 for what is none
  std::int64_t outputs = 0;   ///< N of a linear map
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

/// Pairs where a query attends its own chunk of W tokens only: a token at position t attends
/// (t mod W) + 1. Not causal: q (p + q), as above.
[[nodiscard]] double chunk_pairs(std::int64_t new_tokens, std::int64_t cached_tokens,
                                 std::int64_t chunk, bool causal);

/// Tokens of K/V that one sequence touches there: from the start of the chunk that holds position
/// p.
[[nodiscard]] double chunk_span(std::int64_t new_tokens, std::int64_t cached_tokens,
                                std::int64_t chunk);

/// K/V heads that a device of `tensor` has: ceil(H_kv / tensor); where there are more devices than
/// heads, each head is on several.
[[nodiscard]] constexpr std::int64_t device_kv_heads(const Attention& attention,
                                                     std::int64_t tensor) {
  return (attention.kv_heads + tensor - 1) / tensor;
}

/// The same two for a layer's attention, whichever it is.
[[nodiscard]] double attended_pairs(const Attention& attention, const StepGroup& group,
                                    bool causal);
[[nodiscard]] double kv_span(const Attention& attention, const StepGroup& group);

/// What a group of sequences costs latent attention, in one layer. It takes the form with the
/// fewer FLOP, kv_b's included: absorbed (heads attend the latent itself) or expanded (the latent
/// is unfolded to keys and values).
struct LatentCost {
  bool absorbed = true;
  double pairs = 0;          ///< of one sequence
  double span = 0;           ///< tokens of the latent that one sequence touches: p + q
  double unfolded_rows = 0;  ///< tokens that kv_b runs on: n q, or n (p + q)
  Flops flops;               ///< 2 n H A (2 r_kv + r), or 2 n H A (u + r + v)
  /// Elements of the heads: n q H (2 r_kv + r), or n s H (u + v) + n q H (u + r + v).
  double activations = 0;
  double shared_activations = 0;  ///< of all heads at once: n s r of the expanded form
};
[[nodiscard]] LatentCost latent_cost(const LatentAttention& attention, const StepGroup& group,
                                     bool causal);

/// FLOP that a recurrence spends on one token, its convolution included; 0 for other mixers. For
/// each element of the state: Mamba 6 (decay, input and their sum, output), Mamba 2 and linear
/// attention 5 (the decay is one number a head), gated delta 7 (and the prediction that is taken
/// off); for each tap of a convolution 2.
[[nodiscard]] double recurrence_flop(const Mixer& mixer);

/// Replaces `operators` with those of one device, in the order in which they run: `step` is that of
/// a replica. All stages of a pipeline are in the list: a token passes them one after another.
/// Allocates only if the vector's capacity is too small, so that a sweep can use one vector for all
/// its points. Per operator over t tokens: F = 2 t K N, weights w K N, activations a t (K + N);
/// attention F = 4 n H d A, K/V c n s 2 H_kv d, activations a n q 2 H d; routed experts over T k
/// rows, with the weights of the distinct experts; a state is written once a sequence, and read
/// once where the sequence has cached tokens. Tensor parallel over N: weights and FLOP of every
/// map, heads and states divide by N; a device has ceil(H_kv / N) K/V heads, and all of a latent.
void list_operators(const Model& model, const Step& step, const Precision& precision,
                    const Deployment& deployment, std::vector<Operator>& operators);

}  // namespace roofline
