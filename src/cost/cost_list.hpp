// The list of operators that is being written, and what all of its operators have in common.
#pragma once

#include <variant>
#include <vector>

#include "roofline/step.hpp"

namespace roofline {

class CostList {
 public:
  CostList(const Model& model, const Step& step, const Precision& precision,
           const Deployment& deployment, std::vector<Operator>& operators);

  /// Operators that follow are of so many layers.
  void set_layers(std::int64_t layers) { layers_ = layers; }

  [[nodiscard]] const Step& step() const { return step_; }
  [[nodiscard]] std::int64_t hidden_size() const { return hidden_size_; }
  [[nodiscard]] double tokens() const { return tokens_; }
  [[nodiscard]] double logit_rows() const { return logit_rows_; }
  [[nodiscard]] double layers() const { return static_cast<double>(layers_); }
  [[nodiscard]] Bytes activation() const { return activation_; }
  [[nodiscard]] Bytes cache() const { return cache_; }
  [[nodiscard]] Bytes state() const { return state_; }
  [[nodiscard]] const Deployment& deployment() const { return deployment_; }
  /// Devices that heads and matrices are split over.
  [[nodiscard]] double ways() const { return static_cast<double>(deployment_.tensor); }

  /// Which dimension of a matrix is split over devices.
  enum class Split { outputs, inputs };

  /// A linear map K -> N over all new tokens, split over the tensor-parallel devices:
  /// F = 2 t K N, weights w K N, activations a t (K + N).
  void linear(std::string_view name, Part part, std::int64_t inputs, std::int64_t outputs,
              Split split = Split::outputs);
  /// The same over `rows`.
  void linear_over(double rows, std::string_view name, Part part, std::int64_t inputs,
                   std::int64_t outputs, Split split = Split::outputs);
  /// A routed expert's map: over the rows of the experts that a device has, those that are read.
  void routed(std::string_view name, std::int64_t inputs, std::int64_t outputs,
              const Experts& experts, Split split = Split::outputs);
  /// An empty operator of these layers.
  Operator& add(std::string_view name, Operands operands);

 private:
  struct Rows {
    double rows = 0;
    double matrices = 1;
    std::int64_t ways = 1;
  };
  void add_linear(std::string_view name, Part part, std::int64_t inputs, std::int64_t outputs,
                  Split split, const Rows& rows);

  const Step& step_;
  const Precision& precision_;
  const Deployment& deployment_;
  std::vector<Operator>& operators_;
  std::int64_t hidden_size_;
  std::int64_t layers_ = 1;
  double tokens_ = 0;
  double logit_rows_ = 0;
  Bytes activation_;
  Bytes cache_;
  Bytes state_;
};

/// One function a kind of layer; each appends its operators in the order in which they run.
void add_operators(const Attention& attention, CostList& list);
void add_operators(const LatentAttention& attention, CostList& list);
void add_operators(const Mamba1& mamba, CostList& list);
void add_operators(const Mamba2& mamba, CostList& list);
void add_operators(const GatedDelta& delta, CostList& list);
void add_operators(const LinearAttention& attention, CostList& list);
void add_operators(const Mlp& mlp, CostList& list);
void add_operators(const Experts& experts, CostList& list);
inline void add_operators(const std::monostate& /*none*/, CostList& /*list*/) {}

}  // namespace roofline
