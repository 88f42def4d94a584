// The parts of an analysis' report: its columns, and the words above them.
#pragma once

#include <string>
#include <vector>

#include "report/report.hpp"
#include "roofline/analyze.hpp"

namespace roofline::report {

/// The step of a point that is one, else null.
[[nodiscard]] const StepAnalysis* step_of_point(const AnalyzePoint& point);

/// The first operator of routed experts; null where the model has none.
[[nodiscard]] const Operator* routed_operator(const StepAnalysis& step);

/// "memory" or "compute".
[[nodiscard]] std::string bound_text(Verdict verdict);

/// Batch and context of a point's workload; monostate where it has none.
[[nodiscard]] Value batch_of(const AnalyzePoint& point);
[[nodiscard]] Value context_of(const AnalyzePoint& point);

/// The results without the columns that no row has; in text, without those that all rows share.
[[nodiscard]] Table results_table(const AnalyzeResult& result);

/// The question, resolved, in a line.
[[nodiscard]] std::string question_of(const AnalyzeResult& result, const std::string& spec);

/// The answer of one point in lines; the first one is what matters most.
[[nodiscard]] std::vector<Fact> facts_of(const AnalyzePoint& point, int significant_digits);

}  // namespace roofline::report
