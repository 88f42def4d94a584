// The workloads of an analysis as a picture names them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "roofline/analyze.hpp"

namespace roofline::report {

/// The workloads of an analysis, each once, whatever the device.
struct PlottedWorkloads {
  std::vector<std::string> names;     ///< what tells them apart: "batch 32", "prefill"
  std::vector<std::size_t> of_point;  ///< index in `names`, for each point
};

[[nodiscard]] PlottedWorkloads plotted_workloads(const AnalyzeResult& analysis);

}  // namespace roofline::report
