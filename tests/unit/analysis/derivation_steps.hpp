// What the tests of derivations share: a calculator for their numbers, and how steps are looked up.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/analyze.hpp"
#include "roofline/derivation.hpp"

namespace roofline {

/// Plain arithmetic: numbers, + - * / ( ), min(,) and max(,), and as in Python // (quotient without
/// its fraction), % (what it leaves) and ** (power). Throws std::invalid_argument.
class Calculator {
 public:
  static double evaluate(std::string_view text) {
    Calculator calculator(text);
    const double value = calculator.sum();
    if (!calculator.rest_.empty()) throw std::invalid_argument("stray text");
    return value;
  }

 private:
  explicit Calculator(std::string_view text) : rest_(text) { skip_blanks(); }

  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }

  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    skip_blanks();
    return true;
  }

  void expect(std::string_view word) {
    if (!take(word)) throw std::invalid_argument("expected " + std::string(word));
  }

  double sum() {
    double value = product();
    for (;;) {
      if (take("+")) {
        value += product();
      } else if (take("-")) {
        value -= product();
      } else {
        return value;
      }
    }
  }

  double product() {
    double value = power();
    for (;;) {
      if (take("*")) {
        value *= power();
      } else if (take("//")) {
        value = std::floor(value / power());
      } else if (take("/")) {
        value /= power();
      } else if (take("%")) {
        value = std::fmod(value, power());
      } else {
        return value;
      }
    }
  }

  double power() {
    const double value = operand();
    return take("**") ? std::pow(value, power()) : value;
  }

  double operand() {
    if (take("min(")) return arguments([](double a, double b) { return std::min(a, b); });
    if (take("max(")) return arguments([](double a, double b) { return std::max(a, b); });
    if (!take("(")) return number();
    const double value = sum();
    expect(")");
    return value;
  }

  template <class Choose>
  double arguments(Choose choose) {
    double value = sum();
    expect(",");
    do value = choose(value, sum());
    while (take(","));
    expect(")");
    return value;
  }

  double number() {
    double value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) throw std::invalid_argument("expected a number");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    skip_blanks();
    return value;
  }

  std::string_view rest_;
};

inline void check_numbers(const std::vector<DerivationStep>& steps) {
  REQUIRE_FALSE(steps.empty());
  for (const DerivationStep& step : steps) {
    CAPTURE(step.quantity, step.formula, step.numbers);
    CHECK(Calculator::evaluate(step.numbers) == Approx(step.value).epsilon(1e-12));
    CHECK_FALSE(step.formula.empty());
    CHECK_FALSE(step.unit.empty());
  }
}

inline const DerivationStep& step_named(const std::vector<DerivationStep>& steps,
                                        const std::string& quantity) {
  const auto found = std::find_if(steps.begin(), steps.end(), [&](const DerivationStep& step) {
    return step.quantity == quantity;
  });
  INFO(quantity);
  REQUIRE(found != steps.end());
  return *found;
}

inline AnalyzePoint analyze_one(const std::vector<Model>& models, const Device& device,
                                const Workload& workload, const PrecisionRequest& precision,
                                const Deployment& deployment = {}) {
  const AnalyzeResult result = analyze({.models = models,
                                        .devices = {device},
                                        .workloads = {{"workload", workload}},
                                        .precision = precision,
                                        .price = {},
                                        .deployment = deployment});
  REQUIRE(result.points.size() == 1);
  return result.points.front();
}

}  // namespace roofline
