// Unit types: which sums and products there are, what they give, and what must not compile.
#include "roofline/quantity.hpp"

#include <catch2/catch.hpp>
#include <concepts>
#include <type_traits>

using namespace roofline;

namespace {

template <class A, class B>
concept Addable = requires(A a, B b) {
  a + b;
};
template <class A, class B>
concept Subtractable = requires(A a, B b) {
  a - b;
};
template <class A, class B>
concept Multipliable = requires(A a, B b) {
  a* b;
};
template <class A, class B>
concept Divisible = requires(A a, B b) {
  a / b;
};
template <class A, class B>
concept Comparable = requires(A a, B b) {
  a < b;
};
template <class A, class B>
concept Equatable = requires(A a, B b) {
  a == b;
};
template <class A, class B>
concept AddAssignable = requires(A a, B b) {
  a += b;
};

// Within one unit.
static_assert(Addable<Bytes, Bytes>);
static_assert(Subtractable<Seconds, Seconds>);
static_assert(Comparable<Flops, Flops>);
static_assert(Equatable<Watts, Watts>);
static_assert(AddAssignable<Bytes, Bytes>);
static_assert(std::same_as<decltype(Bytes(3) + Bytes(4)), Bytes>);
static_assert(std::same_as<decltype(Bytes(3) * 2.0), Bytes>);
static_assert(std::same_as<decltype(2.0 * Bytes(3)), Bytes>);
static_assert(std::same_as<decltype(Bytes(3) / 2.0), Bytes>);
static_assert(std::same_as<decltype(Bytes(3) / Bytes(4)), double>);

// The products that mean something.
static_assert(std::same_as<decltype(Flops(1) / FlopsPerSecond(1)), Seconds>);
static_assert(std::same_as<decltype(Bytes(1) / BytesPerSecond(1)), Seconds>);
static_assert(std::same_as<decltype(Flops(1) / Seconds(1)), FlopsPerSecond>);
static_assert(std::same_as<decltype(Flops(1) / Bytes(1)), FlopsPerByte>);
static_assert(std::same_as<decltype(FlopsPerSecond(1) / BytesPerSecond(1)), FlopsPerByte>);
static_assert(std::same_as<decltype(BytesPerSecond(1) * FlopsPerByte(1)), FlopsPerSecond>);

// Units do not mix.
static_assert(!Addable<Bytes, Flops>);
static_assert(!Addable<Flops, Bytes>);
static_assert(!Addable<Bytes, BytesPerSecond>);
static_assert(!Addable<FlopsPerSecond, BytesPerSecond>);
static_assert(!Addable<Bytes, double>);
static_assert(!Addable<double, Seconds>);
static_assert(!Subtractable<Bytes, Flops>);
static_assert(!Subtractable<Watts, DollarsPerHour>);
static_assert(!AddAssignable<Bytes, Flops>);
static_assert(!AddAssignable<Bytes, double>);
static_assert(!Comparable<Bytes, Flops>);
static_assert(!Comparable<Bytes, double>);
static_assert(!Comparable<FlopsPerSecond, BytesPerSecond>);
static_assert(!Equatable<Bytes, Flops>);
static_assert(!Equatable<Seconds, double>);

// No products without a meaning.
static_assert(!Multipliable<Bytes, Bytes>);
static_assert(!Multipliable<Bytes, Flops>);
static_assert(!Multipliable<Flops, FlopsPerSecond>);
static_assert(!Divisible<Flops, BytesPerSecond>);
static_assert(!Divisible<Bytes, FlopsPerSecond>);
static_assert(!Divisible<BytesPerSecond, FlopsPerSecond>);
static_assert(!Divisible<double, Bytes>);

// In and out only by name.
static_assert(std::constructible_from<Bytes, double>);
static_assert(!std::convertible_to<double, Bytes>);
static_assert(!std::convertible_to<Bytes, double>);
static_assert(!std::constructible_from<double, Bytes>);
static_assert(!std::constructible_from<Bytes, Flops>);
static_assert(!std::convertible_to<Bytes, Flops>);
static_assert(!std::assignable_from<Bytes&, Flops>);
static_assert(!std::assignable_from<Bytes&, double>);

// As cheap as a double.
static_assert(sizeof(Bytes) == sizeof(double));
static_assert(std::is_trivially_copyable_v<Bytes>);

// All of it at compile time too. The T4 of the textbook: 65 TFLOP/s, 320 GB/s, ridge 203.125.
static_assert(Bytes().value() == 0);
static_assert((FlopsPerSecond(65e12) / BytesPerSecond(320e9)).value() == 203.125);

}  // namespace

TEST_CASE("Quantities of one unit add and subtract and scale", "[base]") {
  CHECK((Bytes(3) + Bytes(4)).value() == 7);
  CHECK((Bytes(3) - Bytes(4)).value() == -1);
  CHECK((Bytes(3) * 2).value() == 6);
  CHECK((2 * Bytes(3)).value() == 6);
  CHECK((Bytes(3) / 2).value() == 1.5);
  CHECK(Bytes(3) / Bytes(4) == 0.75);
  Seconds sum(1);
  (sum += Seconds(2)) += Seconds(4);
  CHECK(sum.value() == 7);
}

TEST_CASE("Quantities of one unit compare as their numbers", "[base]") {
  CHECK((Seconds(1) < Seconds(2)));
  CHECK((Seconds(2) >= Seconds(2)));
  CHECK((Seconds(2) == Seconds(2)));
  CHECK((Seconds(2) != Seconds(3)));
}

TEST_CASE("Work over a rate is a time", "[base]") {
  CHECK((Flops(312e12) / FlopsPerSecond(156e12)).value() == 2);
  CHECK((Bytes(4078e9) / BytesPerSecond(2039e9)).value() == 2);
  CHECK((Flops(312e12) / Seconds(2)).value() == 156e12);
}

TEST_CASE("The roof's quantities follow from each other", "[base]") {
  CHECK((Flops(14e9) / Bytes(7e9)).value() == 2);
  const FlopsPerByte ridge = FlopsPerSecond(312e12) / BytesPerSecond(2039e9);
  CHECK(ridge.value() == Approx(153.016).margin(0.0005));  // the textbook's A100
  CHECK((BytesPerSecond(2e12) * FlopsPerByte(31)).value() == 62e12);
}
