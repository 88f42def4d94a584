// `roofline solve`: the batch, context, concurrency or number of devices that meets limits.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "base/closest.hpp"
#include "base/number.hpp"
#include "base/parse.hpp"
#include "cli/answer_notes.hpp"
#include "cli/commands.hpp"
#include "cli/read_server.hpp"
#include "report/solve_report.hpp"

namespace roofline::cli {
namespace {

struct SolveFlags {
  std::string what;
  std::string batch, context, input_length, output_length;
  std::string bound, tpot, ttft, throughput, cost;
  ServerFlags server;
};

constexpr std::array unknowns{SolveFor::batch, SolveFor::context, SolveFor::concurrency,
                              SolveFor::devices};

std::vector<std::string> names_of_unknowns() {
  std::vector<std::string> names;
  for (const SolveFor unknown : unknowns) names.emplace_back(to_string(unknown));
  return names;
}

SolveFor read_unknown(const std::string& text) {
  const std::string name = normalized_name(text);
  for (const SolveFor unknown : unknowns) {
    if (name == to_string(unknown)) return unknown;
  }
  if (text.empty()) {
    throw Error(Diagnostic{.what = "solve needs to know what for",
                           .why = "batch, context, concurrency or devices",
                           .fix = "roofline solve batch --bound compute"});
  }
  throw Error(Diagnostic{.what = fmt::format("cannot solve for '{}'", text),
                         .fix = fmt::format("one of {}", fmt::join(names_of_unknowns(), ", ")),
                         .suggestions = closest(text, names_of_unknowns())});
}

/// A flag, whether it was given, and the unknowns that it says something about.
struct FlagUse {
  const char* flag;
  const std::string& text;
  std::vector<SolveFor> goes_with;
};

std::vector<SolveFor> limited_by(SolveLimit limit) {
  std::vector<SolveFor> all;
  for (const SolveFor unknown : unknowns) {
    if (applies(limit, unknown)) all.push_back(unknown);
  }
  return all;
}

void refuse_unused(const SolveFlags& flags, SolveFor unknown, ErrorCollector& errors) {
  const std::array<FlagUse, 6> uses{
      FlagUse{"--batch", flags.batch, {SolveFor::context, SolveFor::devices}},
      FlagUse{"--context", flags.context, {SolveFor::batch, SolveFor::devices}},
      FlagUse{"--input-len", flags.input_length, {SolveFor::concurrency}},
      FlagUse{"--output-len", flags.output_length, {SolveFor::concurrency}},
      FlagUse{"--bound", flags.bound, limited_by(SolveLimit::ridge)},
      FlagUse{"--ttft-limit", flags.ttft, limited_by(SolveLimit::ttft)}};
  for (const FlagUse& use : uses) {
    const auto& with = use.goes_with;
    if (use.text.empty() || std::find(with.begin(), with.end(), unknown) != with.end()) continue;
    std::vector<std::string_view> names;
    for (const SolveFor other : with) names.push_back(to_string(other));
    const bool sought = fmt::format("--{}", to_string(unknown)) == use.flag;
    errors.add(Error(Diagnostic{
        .what = fmt::format("{} does not go with solve {}", use.flag, to_string(unknown)),
        .why = sought ? "it is what is to be found"
                      : fmt::format("it goes with solve {}", fmt::join(names, ", solve ")),
        .fix = "leave it out"}));
  }
}

SolveConstraints read_constraints(const SolveFlags& flags, ErrorCollector& errors) {
  SolveConstraints c;
  if (!flags.bound.empty()) {
    errors.collect([&] {
      if (flags.bound == "compute") {
        c.compute_bound = true;
        return;
      }
      throw Error(Diagnostic{.what = fmt::format("--bound: cannot solve for '{}'", flags.bound),
                             .why = "every decode step is memory-bound below that point",
                             .fix = "--bound compute"});
    });
  }
  const auto read = [&](const std::string& text, auto&& parse) {
    if (!text.empty()) errors.collect([&] { parse(text); });
  };
  read(flags.tpot, [&](const auto& text) { c.tpot = parse_time(text, "--tpot-limit"); });
  read(flags.ttft, [&](const auto& text) { c.ttft = parse_time(text, "--ttft-limit"); });
  read(flags.throughput,
       [&](const auto& text) { c.tokens_per_second = parse_number(text, "--min-throughput"); });
  read(flags.cost,
       [&](const auto& text) { c.dollars_per_million_tokens = parse_number(text, "--max-cost"); });
  if (c.compute_bound && !(c == SolveConstraints{.compute_bound = true})) {
    errors.add(Error(Diagnostic{.what = "--bound compute does not go with other limits",
                                .why = "it is a question of its own",
                                .fix = "leave one of them out"}));
  }
  return c;
}

void read_question(const SolveFlags& flags, SolveRequest& request, ErrorCollector& errors) {
  errors.collect([&] {
    request.unknown = read_unknown(flags.what);
    refuse_unused(flags, request.unknown, errors);
  });
  const auto read = [&](const std::string& text, const char* flag, std::int64_t& target) {
    if (!text.empty()) errors.collect([&] { target = parse_count(text, flag); });
  };
  read(flags.batch, "--batch", request.batch);
  read(flags.context, "--context", request.context);
  read(flags.input_length, "--input-len", request.shape.prompt);
  read(flags.output_length, "--output-len", request.shape.output);
  request.constraints = read_constraints(flags, errors);
}

/// What of the question the unknown has a use for.
report::Fields workload_of(const SolveRequest& request) {
  const SolveConstraints& c = request.constraints;
  const SolveFor unknown = request.unknown;
  report::Fields inputs{{"unknown", std::string(to_string(unknown))}};
  const bool devices = unknown == SolveFor::devices;
  if (devices || unknown == SolveFor::context) inputs.emplace_back("batch", number(request.batch));
  if (devices || unknown == SolveFor::batch) {
    inputs.emplace_back("context_tokens", number(request.context));
  }
  if (unknown == SolveFor::concurrency) {
    inputs.emplace_back("input_tokens", number(request.shape.prompt));
    inputs.emplace_back("output_tokens", number(request.shape.output));
  }
  if (c.compute_bound) inputs.emplace_back("bound", std::string("compute"));
  if (c.tpot) inputs.emplace_back("tpot_limit_s", c.tpot->value());
  if (c.ttft) inputs.emplace_back("ttft_limit_s", c.ttft->value());
  if (c.tokens_per_second) inputs.emplace_back("min_throughput_tok_per_s", *c.tokens_per_second);
  if (c.dollars_per_million_tokens) {
    inputs.emplace_back("max_cost_usd_per_million_tokens", *c.dollars_per_million_tokens);
  }
  return inputs;
}

int run_solve(const SolveFlags& flags, Session& session) {
  ReadServer read = read_server(flags.server, session);
  report::ServerContext& context = read.context;
  SolveRequest request{.server = std::move(read.server)};
  read_question(flags, request, session.errors);
  complete_context(request.server, workload_of(request), session, context);
  const SolveResult result = solve(request);
  report::Report answer = report::from(request, result, context);
  if (session.global.verbose) note_sources(context.data_source, answer.notes);
  write_answer(answer, session);
  return result.answer ? 0 : answer_is_no;
}

void add_question_flags(CLI::App& command, SolveFlags& flags) {
  const auto add = [&](const char* names, std::string& target, const char* type,
                       const char* description) {
    command.add_option(names, target, description)->type_name(type)->take_last()->group("Workload");
  };
  command.add_option("WHAT", flags.what, "batch, context, concurrency or devices");
  add("-b,--batch", flags.batch, "N", "sequences (context, devices) [1]");
  add("-c,--context", flags.context, "N", "tokens attended (batch, devices) [2048]");
  add("--input-len,--prompt-len", flags.input_length, "N", "prompt tokens (concurrency) [1024]");
  add("--output-len", flags.output_length, "N", "output tokens (concurrency) [256]");
  add("--bound", flags.bound, "WORD",
      "compute: where decode becomes compute-bound (batch, context)");
  add("--tpot-limit", flags.tpot, "TIME", "time per output token at most, as 30ms");
  add("--ttft-limit", flags.ttft, "TIME",
      "time to the first token of a prompt alone at most, as 500ms\n"
      "(context, concurrency, devices)");
  add("--min-throughput", flags.throughput, "TOK/S",
      "output tokens a second at least, of all devices");
  add("--max-cost", flags.cost, "USD", "of a million output tokens at most, as 0.5");
}

}  // namespace

void set_up_solve(CLI::App& command, Session& session) {
  const auto flags = std::make_shared<SolveFlags>();
  add_question_flags(command, *flags);
  add_server_flags(command, flags->server);
  add_output_flags(command, session.output);
  session.run = [flags, &session] { return run_solve(*flags, session); };
}

}  // namespace roofline::cli
