// fit: what a model and its sequences need of the devices' memory, and what there is room for.
#include <memory>

#include "base/number.hpp"
#include "base/parse.hpp"
#include "cli/answer_notes.hpp"
#include "cli/commands.hpp"
#include "cli/read_server.hpp"
#include "report/fit_report.hpp"
#include "roofline/fit.hpp"

namespace roofline::cli {
namespace {

struct FitFlags {
  ServerFlags server;
  std::string batch;
  std::string context;
};

void add_sequence_flags(CLI::App& command, FitFlags& flags) {
  const auto add = [&](const char* names, std::string& value, const char* text) {
    command.add_option(names, value, text)->type_name("N")->take_last()->group("Workload");
  };
  add("-b,--batch", flags.batch, "sequences, over all replicas [1]");
  add("-c,--context", flags.context, "tokens of each at its full length [2048]");
}

void read_sequences(const FitFlags& flags, FitRequest& request, ErrorCollector& errors) {
  const auto read = [&](const std::string& text, const char* flag, std::int64_t& target) {
    if (!text.empty()) errors.collect([&] { target = parse_count(text, flag); });
  };
  read(flags.batch, "--batch", request.batch);
  read(flags.context, "--context", request.context);
}

report::Fields workload_of(const FitRequest& request) {
  return {{"batch", number(request.batch)}, {"context_tokens", number(request.context)}};
}

/// Where it is not given, fit reckons with an interval of its own.
void leave_overhead_open(report::Fields& inputs) {
  for (auto& [key, value] : inputs) {
    if (key == "memory_overhead_bytes") value = report::Unknown();
  }
}

int run_fit(const FitFlags& flags, Session& session) {
  ReadServer read = read_server(flags.server, session);
  report::ServerContext& context = read.context;
  FitRequest request{.server = std::move(read.server)};
  request.overhead_known = !flags.server.engine.overhead.empty();
  read_sequences(flags, request, session.errors);
  complete_context(request.server, workload_of(request), session, context);
  if (!request.overhead_known) leave_overhead_open(context.inputs);
  const FitResult result = fit(request);
  report::Report answer = report::from(request, result, context);
  if (session.global.verbose) note_sources(context.data_source, answer.notes);
  write_answer(answer, session);
  return result.verdict == FitVerdict::does_not_fit ? answer_is_no : 0;
}

}  // namespace

void set_up_fit(CLI::App& command, Session& session) {
  const auto flags = std::make_shared<FitFlags>();
  add_sequence_flags(command, *flags);
  add_server_flags(command, flags->server);
  add_output_flags(command, session.output);
  session.run = [flags, &session] { return run_fit(*flags, session); };
}

}  // namespace roofline::cli
