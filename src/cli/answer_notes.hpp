// Notes that the command line adds to an answer.
#pragma once

#include <string>
#include <vector>

#include "report/report.hpp"

namespace roofline::cli {

/// Where the data came from, for --verbose: "model data: built-in".
void note_sources(const report::Fields& data_source, std::vector<std::string>& notes);

}  // namespace roofline::cli
