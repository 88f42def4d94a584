// Kernels on their own: FLOP and bytes of a matrix product, of attention, and of the textbook's
// decode step. The lowest layer; it knows neither models nor devices.
// Source of the forms: the roofline model (Williams, Waterman, Patterson 2009) with every operand
// moved once; a multiply-add is 2 FLOP.
#pragma once

#include <cstdint>

#include "roofline/quantity.hpp"

namespace roofline {

/// Work and memory traffic of one kernel.
struct KernelCost {
  Flops flops;
  Bytes bytes;

  /// FLOP/byte.
  [[nodiscard]] FlopsPerByte intensity() const { return flops / bytes; }
  friend bool operator==(const KernelCost&, const KernelCost&) = default;
};

/// C[m,n] = A[m,k] B[k,n].
struct MatmulShape {
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;

  friend bool operator==(const MatmulShape&, const MatmulShape&) = default;
};

/// F = 2 m k n; bytes = a m k + w k n + a m n. `activation` and `weight` are the bytes of one
/// element of A and C, and of B. Throws std::invalid_argument unless all are above 0.
[[nodiscard]] KernelCost matmul_cost(const MatmulShape& shape, Bytes activation, Bytes weight);

/// softmax(Q K^T) V: Q and the output [batch, heads, seq_q, head_dim], K and V
/// [batch, kv_heads, seq_k, head_dim].
struct AttentionShape {
  std::int64_t batch = 1;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;  ///< divides heads
  std::int64_t head_dim = 0;
  std::int64_t seq_q = 0;
  std::int64_t seq_k = 0;
  bool causal = false;  ///< the last query attends all keys, each one before it one key less

  friend bool operator==(const AttentionShape&, const AttentionShape&) = default;
};

/// F = 4 b h d A with A = q s pairs, or, causal, A = q (s - q) + q (q + 1) / 2.
/// bytes = b d (2 a h q + 2 c kv_heads s): K and V are read once; scores never leave the chip.
/// `activation` and `cache` are the bytes of one element of Q and output, and of K and V.
/// Throws std::invalid_argument unless all are above 0, kv_heads divides heads, and, causal,
/// seq_k >= seq_q.
[[nodiscard]] KernelCost attention_cost(const AttentionShape& shape, Bytes activation, Bytes cache);

/// The textbook's decode step of a model that is known by bare numbers: all P weights once, and
/// attention of one layer (of `layers`, where given) with as many query heads as K/V heads.
struct TextbookDecode {
  std::int64_t batch = 1;
  std::int64_t parameters = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t context = 0;  ///< tokens attended
  std::int64_t layers = 1;

  friend bool operator==(const TextbookDecode&, const TextbookDecode&) = default;
};

/// F = 2 P b + 4 b h_kv s d L; bytes = w P + L b h_kv d (a + 2 c s + a).
/// `weight`, `activation` and `cache` are bytes of one element.
/// Throws std::invalid_argument unless all are above 0.
[[nodiscard]] KernelCost textbook_decode_cost(const TextbookDecode& step, Bytes weight,
                                              Bytes activation, Bytes cache);

}  // namespace roofline
