// Where a curve's limits lie: exact values of x, found by evaluating the step anew.
#include <algorithm>

#include "analysis/curves_parts.hpp"
#include "analysis/evaluator.hpp"
#include "analysis/search.hpp"
#include "analysis/solve_parts.hpp"

namespace roofline {
namespace {

class LimitSearch {
 public:
  LimitSearch(const CurvesRequest& request, const Model& model, const Device& device,
              const Workload& shape)
      : request_(request),
        shape_(shape),
        setting_(
            make_setting(model, device, request.question.deployment, request.question.precision)),
        evaluator_(setting_, request.question.experts),
        usable_(usable_memory(device, request.question.utilization)) {}

  /// None where the capacity is not known. What is kept grows with batch and context alike.
  std::optional<CurveEdge> memory() {
    if (!usable_) return std::nullopt;
    const std::int64_t found = largest_where(least(), largest_curve_x, [&](std::int64_t value) {
      evaluate(value);
      return evaluator_.memory().total() <= *usable_;
    });
    return edge(CurveLimit::memory, found);
  }

  /// The largest x whose step keeps to the limit, or the limit itself as a TPOT.
  std::optional<CurveEdge> tpot() {
    if (!request_.tpot_limit) return std::nullopt;
    if (request_.y == CurveY::tpot) {
      return CurveEdge{CurveLimit::tpot, false, request_.tpot_limit->value()};
    }
    const HoldsAt holds = [&](std::int64_t value) {
      evaluate(value);
      return evaluator_.time().roofline <= *request_.tpot_limit;
    };
    return edge(CurveLimit::tpot, request_.x == CurveX::batch
                                      ? largest_where(1, largest_curve_x, holds)
                                      : longest_within(setting_.model, largest_curve_x, holds));
  }

 private:
  /// A prompt is longer than what is cached of it.
  [[nodiscard]] std::int64_t least() const {
    const auto* prefill = std::get_if<Prefill>(&shape_);
    return request_.x == CurveX::context && prefill != nullptr ? prefill->cached + 1 : 1;
  }
  void evaluate(std::int64_t value) {
    evaluator_.evaluate(step_of(with_value(shape_, request_.x, value)));
  }
  [[nodiscard]] CurveEdge edge(CurveLimit limit, std::int64_t found) const {
    CurveEdge edge{.limit = limit};
    if (found < largest_curve_x) {
      edge.value = found < least() ? 0.0 : static_cast<double>(found);
    }
    return edge;
  }

  const CurvesRequest& request_;
  const Workload& shape_;
  Setting setting_;
  Evaluator evaluator_;
  std::optional<Bytes> usable_;
};

}  // namespace

std::vector<CurveEdge> limits_of(const CurvesRequest& request, const Model& model,
                                 const Device& device, const Workload& shape) {
  LimitSearch search(request, model, device, shape);
  std::vector<CurveEdge> edges;
  for (const std::optional<CurveEdge>& edge : {search.memory(), search.tpot()}) {
    if (edge) edges.push_back(*edge);
  }
  return edges;
}

}  // namespace roofline
