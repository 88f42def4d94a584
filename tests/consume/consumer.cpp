// The intensity of the textbook's first product, from somebody else's program.
#include <cmath>
#include <roofline/kernel.hpp>

int main() {
  const roofline::Bytes fp16(2);
  const auto cost = roofline::matmul_cost({.m = 1024, .k = 4096, .n = 11008}, fp16, fp16);
  return std::abs(cost.intensity().value() - 762.4588744588744) < 1e-9 ? 0 : 1;
}
