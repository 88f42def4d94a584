// The flags of check, and everything that they say before a file is judged.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/session.hpp"
#include "report/check_report.hpp"
#include "roofline/check.hpp"

namespace roofline::cli {

struct CheckFlags {
  std::vector<std::string> files;
  std::string type, gpu, model, assume, engine_version;
  std::string prompt, output, concurrency, price;
  std::vector<std::string> require, severities;
  std::string project, fail_on, baseline, tolerance;
  bool no_project = false;
  bool exit_zero = false;
  bool skip_others = false;
};

/// Adds the groups Model and device, Workload, Rules and Output.
void add_check_flags(CLI::App& command, CheckFlags& flags, OutputFlags& output);

/// Everything that is known before a file is judged.
struct CheckTask {
  CheckRequest request;
  Catalog catalog;
  std::optional<Severity> fail_on;
  report::CheckFormat format = report::CheckFormat::text;
  report::CheckReportOptions options;
  std::string baseline;
  double tolerance = 0.05;
  std::vector<CheckedFile> unread;  ///< configs that could not be read
};

/// Reads flags, project file, baseline and configs. What cannot be read of the configs is in
/// `unread`; throws Error for everything else that is wrong.
[[nodiscard]] CheckTask read_task(const CheckFlags& flags, Session& session);

}  // namespace roofline::cli
