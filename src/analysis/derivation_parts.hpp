// The list of formulas that is being written, and the parts that write it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "roofline/derivation.hpp"

namespace roofline::derivation {

class Derivation {
 public:
  void add(std::string quantity, std::string formula, std::string numbers, double value,
           std::string unit) {
    steps_.push_back(
        {std::move(quantity), std::move(formula), std::move(numbers), value, std::move(unit)});
  }

  [[nodiscard]] std::vector<DerivationStep> take() { return std::move(steps_); }

 private:
  std::vector<DerivationStep> steps_;
};

/// Terms of a sum.
class Sum {
 public:
  void add(const std::string& term) { text_ += (text_.empty() ? "" : " + ") + term; }
  [[nodiscard]] bool empty() const { return text_.empty(); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// What the derivations of a step's operators have in common.
struct Context {
  Derivation& d;
  const StepAnalysis& analysis;
  const Step& step;
  const Precision& precision;
  const Deployment& deployment;
};

/// A number that a calculator takes.
[[nodiscard]] std::string number(double value);
/// Bytes an element.
[[nodiscard]] std::string size(const NumberFormat& format);
/// "32 * 1": sequences times new tokens, of each group.
[[nodiscard]] std::string token_numbers(const Step& step);
/// " / 8" for numbers and " / G" for formulas; empty for one device.
[[nodiscard]] std::string divided(std::int64_t ways);
[[nodiscard]] std::string divided(std::int64_t ways, const char* symbol);
/// "((80 + 8 - 1) // 8)": the quotient, rounded up.
[[nodiscard]] std::string rounded_up(std::int64_t count, std::int64_t ways);
/// The K/V heads of a device.
[[nodiscard]] std::string own_kv_heads(const Attention& attention, std::int64_t tensor);
/// The operator's name, with its window, and its layers where another has the same.
[[nodiscard]] std::string name_of(const Context& c, const Operator& op);

/// Tokens of the step, and each operator's FLOP and bytes.
void derive_operators(Derivation& d, const Model& model, const AnalyzePoint& point);

/// The same of a layer's attention or recurrence.
void derive_mixer(const Context& c, const Operator& op, const Mixer& mixer);

/// What crosses the links, and how long that takes; nothing where no link is used.
void derive_network(Derivation& d, const Model& model, const StepAnalysis& analysis);

/// What a device holds.
void derive_memory(Derivation& d, const Model& model, const StepAnalysis& analysis);

}  // namespace roofline::derivation
