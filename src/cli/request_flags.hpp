// The flags of requests to serve: their lengths, how many there are, and limits on latency.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "report/report.hpp"
#include "roofline/compare.hpp"
#include "roofline/error.hpp"

namespace roofline::cli {

struct RequestFlags {
  std::string prompt, output;
  std::string concurrency, rate;
  std::string tpot_limit, ttft_limit;
};

/// Adds them to the group Workload.
void add_request_flags(CLI::App& command, RequestFlags& flags);

/// The flags that were given, in the order of the help.
[[nodiscard]] std::vector<std::string> given_request_flags(const RequestFlags& flags);

/// Without a flag, serve's defaults. Everything that is wrong goes to `errors`.
[[nodiscard]] ServingQuestion read_requests(const RequestFlags& flags, ErrorCollector& errors);

/// The question as an answer repeats it.
[[nodiscard]] report::Fields request_inputs(const ServingQuestion& question);

}  // namespace roofline::cli
