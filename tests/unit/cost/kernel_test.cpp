// Kernels on their own: the textbook's figures, hand-made small cases, and what they refuse.
#include "roofline/kernel.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace roofline {
namespace {

constexpr Bytes two_bytes(2);

KernelCost matmul_16_bit(std::int64_t m, std::int64_t k, std::int64_t n) {
  return matmul_cost({.m = m, .k = k, .n = n}, two_bytes, two_bytes);
}

KernelCost decode_16_bit(std::int64_t batch) {
  return textbook_decode_cost({.batch = batch,
                               .parameters = 7'000'000'000,
                               .kv_heads = 8,
                               .head_dim = 128,
                               .context = 2048},
                              two_bytes, two_bytes, two_bytes);
}

KernelCost attention_16_bit(std::int64_t tokens) {
  return attention_cost(
      {.heads = 32, .kv_heads = 32, .head_dim = 128, .seq_q = tokens, .seq_k = tokens}, two_bytes,
      two_bytes);
}

TEST_CASE("Kernels give the textbook's figures", "[cost]") {
  struct Golden {
    std::string workload;
    KernelCost cost;
    double flops;
    double bytes;
    double intensity;
  };
  const Golden golden =
      GENERATE(Golden{"matmul 1024 x 4096 x 11008", matmul_16_bit(1024, 4096, 11008),
                      92'341'796'864, 121'110'528, 762.4588744588744},
               Golden{"matmul 8192 x 4096 x 11008", matmul_16_bit(8192, 4096, 11008),
                      738'734'374'912, 337'641'472, 2187.9254658385094},
               Golden{"decode of one sequence", decode_16_bit(1), 14'008'388'608, 14'008'392'704,
                      0.9999997076038567},
               Golden{"decode of 32 sequences", decode_16_bit(32), 448'268'435'456, 14'268'566'528,
                      31.416501060308896},
               Golden{"attention over 2048 tokens", attention_16_bit(2048), 68'719'476'736,
                      67'108'864, 1024},
               Golden{"matmul 1024 x 1024 x 1024", matmul_16_bit(1024, 1024, 1024), 2'147'483'648,
                      6'291'456, 341.3333333333333});
  INFO(golden.workload);
  CHECK(golden.cost.flops == Flops(golden.flops));
  CHECK(golden.cost.bytes == Bytes(golden.bytes));
  CHECK(golden.cost.intensity().value() == Approx(golden.intensity).epsilon(1e-12));
}

TEST_CASE("A square matmul does a third of its side per byte in 16 bits", "[cost]") {
  const auto side = GENERATE(as<std::int64_t>(), 1, 64, 300, 4096);
  const double third = static_cast<double>(side) / 3;
  CHECK(matmul_16_bit(side, side, side).intensity().value() == Approx(third).epsilon(1e-12));
}

TEST_CASE("Matmul counts the weight matrix at its own width", "[cost]") {
  // A 2 x 3 and C 2 x 4 at 2 bytes, B 3 x 4 at half a byte: 2 (6 + 8) + 12 / 2.
  const KernelCost cost = matmul_cost({.m = 2, .k = 3, .n = 4}, Bytes(2), Bytes(0.5));
  CHECK(cost.flops == Flops(48));
  CHECK(cost.bytes == Bytes(34));
}

TEST_CASE("Attention counts Q and output apart from K and V", "[cost]") {
  // b 2, h 6, h_kv 2, d 5, q 3, s 7.
  // Pairs 3 x 7 = 21: 4 x 2 x 6 x 5 x 21 = 5040 FLOP.
  // Q and output 2 x 2 x 6 x 5 x 3 = 360 elements, K and V 2 x 2 x 2 x 5 x 7 = 280.
  const AttentionShape shape{
      .batch = 2, .heads = 6, .kv_heads = 2, .head_dim = 5, .seq_q = 3, .seq_k = 7};
  const KernelCost cost = attention_cost(shape, Bytes(2), Bytes(1));
  CHECK(cost.flops == Flops(5040));
  CHECK(cost.bytes == Bytes(2 * 360 + 280));
}

TEST_CASE("Causal attention counts the pairs that the mask leaves", "[cost]") {
  const auto queries = GENERATE(as<std::int64_t>(), 1, 2, 3, 8, 31);
  const auto earlier = GENERATE(as<std::int64_t>(), 0, 1, 5, 40);
  const std::int64_t keys = queries + earlier;
  std::int64_t pairs = 0;
  for (std::int64_t query = 0; query < queries; ++query) {
    for (std::int64_t key = 0; key < keys; ++key) {
      if (key <= earlier + query) ++pairs;
    }
  }
  AttentionShape shape{.heads = 4, .kv_heads = 2, .head_dim = 8, .seq_q = queries, .seq_k = keys};
  const KernelCost whole = attention_cost(shape, two_bytes, two_bytes);
  shape.causal = true;
  const KernelCost causal = attention_cost(shape, two_bytes, two_bytes);
  CHECK(causal.flops == Flops(4.0 * 4 * 8 * static_cast<double>(pairs)));
  CHECK(causal.bytes == whole.bytes);
}

TEST_CASE("One query attends every key with a mask or without", "[cost]") {
  AttentionShape shape{.heads = 8, .kv_heads = 8, .head_dim = 64, .seq_q = 1, .seq_k = 1000};
  const KernelCost whole = attention_cost(shape, two_bytes, two_bytes);
  shape.causal = true;
  CHECK(attention_cost(shape, two_bytes, two_bytes) == whole);
}

TEST_CASE("Textbook decode counts one layer unless told otherwise", "[cost]") {
  // P 1000, b 3, h_kv 2, d 4, s 10: weights 2 x 1000 x 3 = 6000 FLOP and 1000 elements;
  // a layer 4 x 3 x 10 x 8 = 960 FLOP, 2 x 3 x 8 = 48 elements of Q and output, 480 of K and V.
  TextbookDecode step{.batch = 3, .parameters = 1000, .kv_heads = 2, .head_dim = 4, .context = 10};
  const KernelCost one = textbook_decode_cost(step, Bytes(0.5), Bytes(2), Bytes(1));
  CHECK(one.flops == Flops(6960));
  CHECK(one.bytes == Bytes(500 + 96 + 480));
  step.layers = 5;
  const KernelCost five = textbook_decode_cost(step, Bytes(0.5), Bytes(2), Bytes(1));
  CHECK(five.flops == Flops(6000 + 5 * 960));
  CHECK(five.bytes == Bytes(500 + 5 * 576));
}

TEST_CASE("Matmul refuses dimensions and sizes that are not above zero", "[cost]") {
  const auto bad = GENERATE(as<std::int64_t>(), 0, -1);
  CHECK_THROWS_AS(matmul_16_bit(bad, 2, 3), std::invalid_argument);
  CHECK_THROWS_AS(matmul_16_bit(2, bad, 3), std::invalid_argument);
  CHECK_THROWS_AS(matmul_16_bit(2, 3, bad), std::invalid_argument);
  const double size = GENERATE(0.0, -2.0, std::numeric_limits<double>::quiet_NaN());
  CHECK_THROWS_AS(matmul_cost({1, 2, 3}, Bytes(size), two_bytes), std::invalid_argument);
  CHECK_THROWS_AS(matmul_cost({1, 2, 3}, two_bytes, Bytes(size)), std::invalid_argument);
}

TEST_CASE("Attention refuses dimensions and sizes that are not above zero", "[cost]") {
  auto member = GENERATE(&AttentionShape::batch, &AttentionShape::heads, &AttentionShape::kv_heads,
                         &AttentionShape::head_dim, &AttentionShape::seq_q, &AttentionShape::seq_k);
  const auto bad = GENERATE(as<std::int64_t>(), 0, -1);
  AttentionShape shape{.heads = 4, .kv_heads = 2, .head_dim = 8, .seq_q = 3, .seq_k = 3};
  CHECK_NOTHROW(attention_cost(shape, two_bytes, two_bytes));
  CHECK_THROWS_AS(attention_cost(shape, Bytes(0), two_bytes), std::invalid_argument);
  CHECK_THROWS_AS(attention_cost(shape, two_bytes, Bytes(0)), std::invalid_argument);
  shape.*member = bad;
  CHECK_THROWS_AS(attention_cost(shape, two_bytes, two_bytes), std::invalid_argument);
}

TEST_CASE("Attention refuses K/V heads that do not divide the heads", "[cost]") {
  AttentionShape shape{.heads = 32, .head_dim = 128, .seq_q = 1, .seq_k = 10};
  const auto [kv_heads, divides] = GENERATE(
      table<std::int64_t, bool>({{1, true}, {8, true}, {32, true}, {3, false}, {64, false}}));
  shape.kv_heads = kv_heads;
  if (divides) {
    CHECK_NOTHROW(attention_cost(shape, two_bytes, two_bytes));
  } else {
    CHECK_THROWS_AS(attention_cost(shape, two_bytes, two_bytes), std::invalid_argument);
  }
}

TEST_CASE("Causal attention refuses fewer keys than queries", "[cost]") {
  AttentionShape shape{.heads = 4, .kv_heads = 4, .head_dim = 8, .seq_q = 10, .seq_k = 9};
  CHECK_NOTHROW(attention_cost(shape, two_bytes, two_bytes));
  shape.causal = true;
  CHECK_THROWS_AS(attention_cost(shape, two_bytes, two_bytes), std::invalid_argument);
  shape.seq_k = 10;
  CHECK_NOTHROW(attention_cost(shape, two_bytes, two_bytes));
}

TEST_CASE("Textbook decode refuses counts and sizes that are not above zero", "[cost]") {
  auto member =
      GENERATE(&TextbookDecode::batch, &TextbookDecode::parameters, &TextbookDecode::kv_heads,
               &TextbookDecode::head_dim, &TextbookDecode::context, &TextbookDecode::layers);
  const auto bad = GENERATE(as<std::int64_t>(), 0, -1);
  TextbookDecode step{.parameters = 1000, .kv_heads = 2, .head_dim = 4, .context = 10};
  const Bytes none(0);
  CHECK_THROWS_AS(textbook_decode_cost(step, none, two_bytes, two_bytes), std::invalid_argument);
  CHECK_THROWS_AS(textbook_decode_cost(step, two_bytes, none, two_bytes), std::invalid_argument);
  CHECK_THROWS_AS(textbook_decode_cost(step, two_bytes, two_bytes, none), std::invalid_argument);
  step.*member = bad;
  CHECK_THROWS_AS(textbook_decode_cost(step, two_bytes, two_bytes, two_bytes),
                  std::invalid_argument);
}

}  // namespace
}  // namespace roofline
