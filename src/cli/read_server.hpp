// The subject of fit, serve and solve: one model on one kind of device, with its engine.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/flags.hpp"
#include "cli/session.hpp"
#include "report/report.hpp"
#include "report/server_context.hpp"
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
  report::ServerContext context;  ///< its inputs are those of the group Overrides
};

/// One model and one GPU, by default llama-3.1-8b and H100; a list is an error that names compare
/// and sweep. Everything that is wrong goes to session.errors.
[[nodiscard]] ReadServer read_server(const ServerFlags& flags, Session& session);

/// Checks the output flags and throws all that is wrong with the input. Then `context.inputs` are
/// complete: the server, `workload` (what the command asks of it) and the overrides.
void complete_context(const Server& server, const report::Fields& workload, Session& session,
                      report::ServerContext& context);

/// The exit code of an answer that is no.
inline constexpr int answer_is_no = 1;

}  // namespace roofline::cli
