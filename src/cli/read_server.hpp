// The subject of fit, serve and solve: one model on one kind of device, with its engine.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/flags.hpp"
#include "cli/session.hpp"
#include "report/report.hpp"
#include "roofline/server.hpp"

namespace roofline::cli {

/// The flags of a server: `question.workload` holds --experts alone.
struct ServerFlags {
  QuestionFlags question;
  EngineFlags engine;
};

/// Adds the groups Model and device, Parallelism, Precision, Engine and Overrides, and --experts.
/// A command adds its own Workload flags first and output flags last.
void add_server_flags(CLI::App& command, ServerFlags& flags);

/// A server, and what the answer repeats of the question.
struct ReadServer {
  Server server;
  report::Fields data_source;
  /// model, gpu, tp pp ep dp, number formats, engine limits, overrides; the command appends its own.
  report::Fields inputs;
  std::string subject;    ///< "llama-3.1-8b (bf16)", for the title
  std::string devices;    ///< "2 x H100-SXM5-80GB (tp 2)", for the title
  std::string overrides;  ///< ", with bandwidth 3TB/s", or empty
};

/// One model and one GPU, by default llama-3.1-8b and H100; a list is an error that names compare
/// and sweep. Everything that is wrong goes to session.errors, which the caller throws.
[[nodiscard]] ReadServer read_server(const ServerFlags& flags, Session& session);

}  // namespace roofline::cli
