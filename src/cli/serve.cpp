// serve: latency, throughput and cost of a server under continuous batching.
#include <memory>

#include "cli/answer_notes.hpp"
#include "cli/commands.hpp"
#include "cli/read_server.hpp"
#include "cli/request_flags.hpp"
#include "report/serve_report.hpp"
#include "roofline/serve.hpp"

namespace roofline::cli {
namespace {

struct ServeFlags {
  ServerFlags server;
  RequestFlags requests;
};

int run_serve(const ServeFlags& flags, Session& session) {
  ReadServer read = read_server(flags.server, session);
  report::ServerContext& context = read.context;
  const ServingQuestion question = read_requests(flags.requests, session.errors);
  const ServeRequest request{.server = std::move(read.server),
                             .shape = question.shape,
                             .concurrency = question.concurrency,
                             .requests_per_second = question.requests_per_second,
                             .tpot_limit = question.tpot_limit,
                             .ttft_limit = question.ttft_limit};
  complete_context(request.server, request_inputs(question), session, context);
  const ServeResult result = serve(request);
  report::Report answer = report::from(request, result, context);
  if (session.global.verbose) note_sources(context.data_source, answer.notes);
  write_answer(answer, session);
  return result.point ? 0 : answer_is_no;
}

}  // namespace

void set_up_serve(CLI::App& command, Session& session) {
  const auto flags = std::make_shared<ServeFlags>();
  add_request_flags(command, flags->requests);
  add_server_flags(command, flags->server);
  add_output_flags(command, session.output);
  session.run = [flags, &session] { return run_serve(*flags, session); };
}

}  // namespace roofline::cli
