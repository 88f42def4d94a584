// The parts of an analysis' report: its columns, and the words above them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/report.hpp"
#include "roofline/analyze.hpp"

namespace roofline::report {

/// One column of the results: its description, and its value for a point.
struct PointColumn {
  Column column;
  std::function<Value(const AnalyzePoint&)> value;
};

/// Every column that an analysis may have, in the order of the stable interface.
[[nodiscard]] const std::vector<PointColumn>& point_columns();

/// The step of a point that is one, else null.
[[nodiscard]] const StepAnalysis* step_of_point(const AnalyzePoint& point);

/// The first operator of routed experts; null where the model has none.
[[nodiscard]] const Operator* routed_operator(const StepAnalysis& step);

/// "memory", "compute" or "network".
[[nodiscard]] std::string bound_text(Verdict verdict);

/// Batch and context of a point's workload; monostate where it has none (or several).
[[nodiscard]] Value batch_of(const AnalyzePoint& point);
[[nodiscard]] Value context_of(const AnalyzePoint& point);
/// "512x8", "4096x2": of sequences of several lengths.
[[nodiscard]] Value contexts_of(const AnalyzePoint& point);

/// What a step has beside batch and context, from its workload: ", 4 drafts"; may be empty.
[[nodiscard]] std::string step_shape_text(const AnalyzePoint& point);
/// The sequences of a step and that: ", batch 32, context 2,048".
[[nodiscard]] std::string step_text(const AnalyzePoint& point);

/// The results without the columns that no row has; in text, without those that all rows share.
/// The title of a spec file's answer says its devices alone.
[[nodiscard]] Table results_table(const AnalyzeResult& result, bool title_is_spec);

/// The question, resolved, in a line.
[[nodiscard]] std::string question_of(const AnalyzeResult& result, const std::string& spec);

/// The answer of one point in lines; the first one is what matters most.
[[nodiscard]] std::vector<Fact> facts_of(const AnalyzePoint& point, int significant_digits);

}  // namespace roofline::report
