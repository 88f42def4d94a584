// serve: latency, throughput and cost of a server under continuous batching.
#include <cmath>
#include <memory>

#include "base/decimal.hpp"
#include "base/number.hpp"
#include "base/parse.hpp"
#include "cli/answer_notes.hpp"
#include "cli/commands.hpp"
#include "cli/read_server.hpp"
#include "report/serve_report.hpp"
#include "roofline/serve.hpp"

namespace roofline::cli {
namespace {

struct ServeFlags {
  ServerFlags server;
  std::string prompt;
  std::string output;
  std::string concurrency;
  std::string rate;
  std::string tpot_limit;
  std::string ttft_limit;
};

void add_request_flags(CLI::App& command, ServeFlags& flags) {
  const auto add = [&](const char* names, std::string& value, const char* type, const char* text) {
    command.add_option(names, value, text)->type_name(type)->take_last()->group("Workload");
  };
  add("--input-len,--prompt-len", flags.prompt, "N", "prompt tokens of a request [1024]");
  add("--output-len", flags.output, "N", "output tokens of a request [256]");
  add("--concurrency,--max-concurrency", flags.concurrency, "N",
      "sequences in flight [as many as the limits leave]");
  add("--request-rate", flags.rate, "R",
      "requests a second: the smallest concurrency that keeps up");
  add("--tpot-limit", flags.tpot_limit, "TIME",
      "time per output token under load at most, as 30ms");
  add("--ttft-limit", flags.ttft_limit, "TIME",
      "time to the first token of a prompt alone at most, as 500ms");
}

/// `2.5` or `2.5/s`: requests a second.
double parse_request_rate(const std::string& text) {
  constexpr const char* flag = "--request-rate";
  constexpr double most = 1e9;
  const Decimal decimal = number_part(text, flag, "2.5");
  if (!decimal.rest.empty() && decimal.rest != "/s") {
    refuse(flag, text, "is not a request rate", "it is a number of requests a second",
           with_value(flag, decimal.number));
  }
  const double rate = decimal.value().value_or(INFINITY);
  if (rate <= 0) {
    refuse(flag, text, "is too low", "no request would ever come", with_value(flag, "2.5"));
  }
  if (rate > most) refuse(flag, text, "is too high", "at most 1e9 requests a second", {});
  return rate;
}

/// Reads a flag that was given into an optional value.
template <class Target, class Read>
void read_given(const std::string& text, std::optional<Target>& target, ErrorCollector& errors,
                Read read) {
  if (text.empty()) return;
  errors.collect([&] { target = read(text); });
}

void read_request(const ServeFlags& flags, ServeRequest& request, ErrorCollector& errors) {
  const auto count = [](const char* flag) {
    return [flag](const std::string& text) { return parse_count(text, flag); };
  };
  const auto time = [](const char* flag) {
    return [flag](const std::string& text) { return parse_time(text, flag); };
  };
  std::optional<std::int64_t> prompt;
  std::optional<std::int64_t> output;
  read_given(flags.prompt, prompt, errors, count("--input-len"));
  read_given(flags.output, output, errors, count("--output-len"));
  request.shape.prompt = prompt.value_or(request.shape.prompt);
  request.shape.output = output.value_or(request.shape.output);
  read_given(flags.concurrency, request.concurrency, errors, count("--concurrency"));
  read_given(flags.rate, request.requests_per_second, errors, parse_request_rate);
  read_given(flags.tpot_limit, request.tpot_limit, errors, time("--tpot-limit"));
  read_given(flags.ttft_limit, request.ttft_limit, errors, time("--ttft-limit"));
  if (!flags.concurrency.empty() && !flags.rate.empty()) {
    errors.add(Error(Diagnostic{.what = "--concurrency and --request-rate contradict each other",
                                .why = "each of them says how many sequences are in flight",
                                .fix = "leave one of them out"}));
  }
}

report::Fields workload_of(const ServeRequest& request) {
  report::Fields inputs{{"input_tokens", number(request.shape.prompt)},
                        {"output_tokens", number(request.shape.output)}};
  if (request.concurrency) inputs.emplace_back("concurrency", number(*request.concurrency));
  if (request.requests_per_second) {
    inputs.emplace_back("requests_per_s", *request.requests_per_second);
  }
  if (request.tpot_limit) inputs.emplace_back("tpot_limit_s", request.tpot_limit->value());
  if (request.ttft_limit) inputs.emplace_back("ttft_limit_s", request.ttft_limit->value());
  return inputs;
}

int run_serve(const ServeFlags& flags, Session& session) {
  ReadServer read = read_server(flags.server, session);
  report::ServerContext& context = read.context;
  ServeRequest request{.server = std::move(read.server)};
  read_request(flags, request, session.errors);
  complete_context(request.server, workload_of(request), session, context);
  const ServeResult result = serve(request);
  report::Report answer = report::from(request, result, context);
  if (session.global.verbose) note_sources(context.data_source, answer.notes);
  write_answer(answer, session);
  return result.point ? 0 : answer_is_no;
}

}  // namespace

void set_up_serve(CLI::App& command, Session& session) {
  const auto flags = std::make_shared<ServeFlags>();
  add_request_flags(command, *flags);
  add_server_flags(command, flags->server);
  add_output_flags(command, session.output);
  session.run = [flags, &session] { return run_serve(*flags, session); };
}

}  // namespace roofline::cli
