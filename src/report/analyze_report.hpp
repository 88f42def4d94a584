// An analysis as a report.
#pragma once

#include <string>
#include <vector>

#include "report/report.hpp"
#include "roofline/analyze.hpp"
#include "roofline/derivation.hpp"

namespace roofline::report {

/// What only the caller knows of a question.
struct AnalyzeContext {
  std::string spec;       ///< name of the spec file that asked, or empty
  std::string overrides;  ///< figures that were given instead of the devices' own, or empty
  int significant_digits = TextOptions{}.significant_digits;
  Fields data_source;
  Fields inputs;
  std::vector<std::vector<DerivationStep>> derivations;  ///< one for each point, or none at all
};

[[nodiscard]] Report from(const AnalyzeResult& result, const AnalyzeContext& context);

}  // namespace roofline::report
