#include "roofline/kernel.hpp"

#include <initializer_list>
#include <stdexcept>

#include "base/number.hpp"

namespace roofline {
namespace {

void require_positive(std::initializer_list<std::int64_t> counts,
                      std::initializer_list<Bytes> sizes) {
  for (const std::int64_t count : counts) {
    if (count <= 0) throw std::invalid_argument("a kernel's dimensions are above 0");
  }
  for (const Bytes size : sizes) {
    if (!(size > Bytes(0))) throw std::invalid_argument("an element's size is above 0");
  }
}

}  // namespace

KernelCost matmul_cost(const MatmulShape& shape, Bytes activation, Bytes weight) {
  require_positive({shape.m, shape.k, shape.n}, {activation, weight});
  const double m = number(shape.m);
  const double k = number(shape.k);
  const double n = number(shape.n);
  return {.flops = Flops(2 * m * k * n), .bytes = activation * (m * k + m * n) + weight * (k * n)};
}

KernelCost attention_cost(const AttentionShape& shape, Bytes activation, Bytes cache) {
  require_positive(
      {shape.batch, shape.heads, shape.kv_heads, shape.head_dim, shape.seq_q, shape.seq_k},
      {activation, cache});
  if (shape.heads % shape.kv_heads != 0) {
    throw std::invalid_argument("the number of K/V heads divides the number of heads");
  }
  if (shape.causal && shape.seq_k < shape.seq_q) {
    throw std::invalid_argument("causal attention has at least as many keys as queries");
  }
  const double b = number(shape.batch);
  const double h = number(shape.heads);
  const double kv = number(shape.kv_heads);
  const double d = number(shape.head_dim);
  const double q = number(shape.seq_q);
  const double s = number(shape.seq_k);
  const double pairs = shape.causal ? q * (s - q) + q * (q + 1) / 2 : q * s;
  return {.flops = Flops(4 * b * h * d * pairs),
          .bytes = activation * (2 * b * h * d * q) + cache * (2 * b * kv * d * s)};
}

KernelCost textbook_decode_cost(const TextbookDecode& step, Bytes weight, Bytes activation,
                                Bytes cache) {
  require_positive(
      {step.batch, step.parameters, step.kv_heads, step.head_dim, step.context, step.layers},
      {weight, activation, cache});
  const double b = number(step.batch);
  const double parameters = number(step.parameters);
  const double width = number(step.kv_heads) * number(step.head_dim);
  const double s = number(step.context);
  const double layers = number(step.layers);
  return {.flops = Flops(2 * parameters * b + 4 * b * s * width * layers),
          .bytes = weight * parameters + activation * (2 * layers * b * width) +
                   cache * (2 * layers * b * width * s)};
}

}  // namespace roofline
