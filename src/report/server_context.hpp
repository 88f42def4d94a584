// What the answers of fit, serve and solve say besides their results.
#pragma once

#include <string>

#include "report/report.hpp"

namespace roofline::report {

/// What only the caller knows of a question about a server.
struct ServerContext {
  std::string subject;    ///< "llama-3.1-8b (bf16)"
  std::string devices;    ///< "2 x H100-SXM5-80GB, tp 2"
  std::string overrides;  ///< ", with bandwidth 3TB/s", or empty
  int significant_digits = TextOptions{}.significant_digits;
  Fields data_source;
  Fields
      inputs;  ///< as inputs_of gives them, and the figures that were given instead of known ones
};

}  // namespace roofline::report
