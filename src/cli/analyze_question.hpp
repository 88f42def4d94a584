// The question of analyze, which plot draws: its flags, and the request that they make.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/flags.hpp"
#include "cli/session.hpp"
#include "report/analyze_report.hpp"
#include "roofline/analyze.hpp"

namespace roofline::cli {

struct AnalyzeFlags {
  QuestionFlags question;
  std::string utilization;
};

/// Adds every group of flags but Output.
void add_analyze_flags(CLI::App& command, AnalyzeFlags& flags);

/// A request, and what the answer says of where its parts came from.
struct AnalyzeQuestion {
  AnalyzeRequest request;
  DeviceOverrides overrides;
  std::string description;  ///< a spec file's own
  report::AnalyzeContext context;
};

/// Everything that is wrong with the flags goes to session.errors.
[[nodiscard]] AnalyzeQuestion read_analyze_question(const AnalyzeFlags& flags, Session& session);

/// Throws all that is wrong with the input. Then the context's inputs and overrides are complete.
void complete_question(const AnalyzeFlags& flags, Session& session, AnalyzeQuestion& question);

/// A peak that was given and that nothing ran at is most likely a mistake: a note of every point.
void note_unused_peaks(const DeviceOverrides& overrides, AnalyzeResult& result);

}  // namespace roofline::cli
