// fit: what a model and its sequences need of the devices' memory, and what there is room for.
#include <fmt/format.h>

#include <memory>

#include "base/parse.hpp"
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

void note_sources(const report::Fields& sources, std::vector<std::string>& notes) {
  for (const auto& [what, place] : sources) {
    const auto* text = std::get_if<std::string>(&place);
    if (text != nullptr) notes.push_back(fmt::format("{} data: {}", what, *text));
  }
}

int run_fit(const FitFlags& flags, Session& session) {
  ErrorCollector& errors = session.errors;
  ReadServer read = read_server(flags.server, session);
  FitRequest request{.server = std::move(read.server)};
  request.overhead_known = !flags.server.engine.overhead.empty();
  report::FitContext context{.subject = std::move(read.subject),
                             .devices = std::move(read.devices),
                             .overrides = std::move(read.overrides),
                             .data_source = std::move(read.data_source),
                             .inputs = std::move(read.inputs)};
  read_sequences(flags, request, errors);
  errors.collect([&] { (void)chosen_format(session.output); });
  errors.collect([&] { context.significant_digits = significant_digits(session.output); });
  errors.throw_if_any();
  context.inputs.emplace_back("batch", static_cast<double>(request.batch));
  context.inputs.emplace_back("context_tokens", static_cast<double>(request.context));
  const FitResult result = fit(request);
  report::Report answer = report::from(request, result, context);
  if (session.global.verbose) note_sources(context.data_source, answer.notes);
  write_answer(answer, session);
  return result.verdict == FitVerdict::does_not_fit ? 1 : 0;
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
