// compare: one question on many devices, ranked: a step, or requests to serve.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "base/closest.hpp"
#include "base/parse.hpp"
#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/request_flags.hpp"
#include "cli/step_flags.hpp"
#include "report/analyze_inputs.hpp"
#include "report/compare_report.hpp"
#include "report/server_inputs.hpp"
#include "roofline/compare.hpp"

namespace roofline::cli {
namespace {

struct CompareFlags {
  QuestionFlags question;
  RequestFlags requests;
  EngineFlags engine;
  std::string by;
};

/// A request, and what the answer says of where its parts came from.
struct Question {
  CompareRequest request;
  report::CompareContext context;
  std::map<PeakKey, FlopsPerSecond> peaks;  ///< that were given
  std::vector<std::string> source_notes;
};

RankBy read_order(const std::string& text, ErrorCollector& errors) {
  if (text.empty()) return RankBy::time;
  std::vector<std::string> names;
  for (const RankBy by :
       {RankBy::time, RankBy::throughput, RankBy::cost, RankBy::energy, RankBy::fit}) {
    if (to_string(by) == text) return by;
    names.emplace_back(to_string(by));
  }
  errors.add(Error(Diagnostic{.what = fmt::format("--by: unknown order '{}'", text),
                              .fix = fmt::format("one of {}", fmt::join(names, ", ")),
                              .suggestions = closest(text, names)}));
  return RankBy::time;
}

/// One step of a model: a list is a table and no ranking.
void read_workload(const QuestionFlags& flags, CompareRequest& request, ErrorCollector& errors) {
  if (!asks_for_step(flags.workload, "compare", errors)) return;
  std::vector<NamedWorkload> workloads = read_workloads(flags, errors);
  if (workloads.empty()) return;
  request.question = std::move(workloads.front());
  if (workloads.size() > 1) {
    errors.add(Error(Diagnostic{.what = "compare takes one --batch and one --context",
                                .why = "devices are ranked for one question",
                                .fix = "roofline sweep --gpu all makes a table of many"}));
  }
}

/// What only a server has.
void refuse_engine_flags(const EngineFlags& flags, ErrorCollector& errors) {
  for (const auto& [flag, text] : {std::pair("--memory-overhead", &flags.overhead),
                                   std::pair("--block-size", &flags.block_size),
                                   std::pair("--max-num-batched-tokens", &flags.batched_tokens)}) {
    if (text->empty()) continue;
    errors.add(Error(Diagnostic{.what = fmt::format("{} does not go with a step", flag),
                                .why = "it is about an engine that serves requests",
                                .fix = "leave it out, or ask for requests: --input-len 1024"}));
  }
}

/// What only a step has.
void refuse_step_flags(const QuestionFlags& flags, const std::string& request_flag,
                       ErrorCollector& errors) {
  for (const std::string& flag : given_workload_flags(flags)) {
    errors.add(Error(Diagnostic{
        .what = fmt::format("{} and {} contradict each other", flag, request_flag),
        .why =
            fmt::format("{} asks about one step, {} about requests to serve", flag, request_flag),
        .fix = flag == "--batch" ? "leave one of them out; --concurrency is how many are served"
                                 : "leave one of them out"}));
  }
}

void read_asked(const CompareFlags& flags, CompareRequest& request, ErrorCollector& errors) {
  const std::vector<std::string> requests = given_request_flags(flags.requests);
  if (requests.empty()) {
    read_workload(flags.question, request, errors);
    refuse_engine_flags(flags.engine, errors);
  } else {
    request.question = read_requests(flags.requests, errors);
    refuse_step_flags(flags.question, requests.front(), errors);
  }
}

void read_subject(const ModelAndDeviceFlags& flags, const Catalog& catalog, Question& question,
                  ErrorCollector& errors) {
  ModelAndDeviceFlags subject = flags;
  if (subject.gpus.empty()) subject.gpus.emplace_back("all");
  auto devices = read_devices(subject, catalog, errors);
  auto models = read_models(subject, catalog, errors);
  question.context.data_source.emplace_back("device", sources_of(devices));
  question.context.data_source.emplace_back("model", sources_of(models));
  if (models.size() > 1) {
    errors.add(Error(Diagnostic{.what = "compare takes one --model",
                                .why = "devices are ranked for one question",
                                .fix = fmt::format("--model {}", models.front().entry.name)}));
  }
  const auto note = [&](const char* what, const std::string& name, const DataSource& source) {
    question.source_notes.push_back(fmt::format("{} {}: {}", what, name, source_text(source)));
  };
  for (auto& found : devices) {
    note("device", found.entry.name, found.source);
    question.request.devices.push_back(std::move(found.entry));
  }
  if (models.empty()) return;
  note("model", models.front().entry.name, models.front().source);
  question.request.model = std::move(models.front().entry);
}

report::Fields inputs_of(const CompareRequest& request, const NamedWorkload& workload) {
  return report::inputs_of({.models = {request.model},
                            .devices = request.devices,
                            .workloads = {workload},
                            .precision = request.precision,
                            .price = request.price,
                            .experts = request.experts,
                            .deployment = request.deployment,
                            .utilization = request.limits.utilization},
                           "");
}

report::Fields inputs_of(const CompareRequest& request, const ServingQuestion& question) {
  const ServeRequest first = serve_request(request, question, request.devices.front());
  report::Fields inputs = report::inputs_of(first.server, request_inputs(question));
  if (request.devices.size() == 1) return inputs;
  std::vector<std::string> gpus;
  for (const Device& device : request.devices) gpus.push_back(device.name);
  for (auto& [key, value] : inputs) {
    if (key == "gpu") value = gpus;
  }
  return inputs;
}

void add_inputs(const CompareFlags& flags, const DeviceOverrides& overrides, Question& question) {
  const CompareRequest& request = question.request;
  report::Fields& inputs = question.context.inputs;
  inputs =
      std::visit([&](const auto& asked) { return inputs_of(request, asked); }, request.question);
  inputs.emplace_back("by", std::string(to_string(request.by)));
  GivenFigures given = given_figures(flags.question, overrides, request.price, request.precision);
  inputs.insert(inputs.end(), given.inputs.begin(), given.inputs.end());
  question.context.overrides = std::move(given.text);
}

Question read_question(const CompareFlags& flags, Session& session) {
  ErrorCollector& errors = session.errors;
  Question question;
  CompareRequest& request = question.request;
  Catalog catalog;
  errors.collect([&] { catalog = open_catalog(session.global); });
  read_asked(flags, request, errors);
  read_subject(flags.question.subject, catalog, question, errors);
  request.experts = read_experts(flags.question.workload, errors);
  request.precision = read_precision(flags.question.precision, catalog, errors);
  request.deployment = read_deployment(flags.question.parallel, errors);
  request.limits = read_engine_limits(flags.engine, errors);
  request.by = read_order(flags.by, errors);
  const DeviceOverrides overrides = read_overrides(flags.question.overrides, errors);
  question.peaks = overrides.peaks;
  for (Device& device : request.devices) device = with_overrides(std::move(device), overrides);
  const std::string& price = flags.question.overrides.price;
  if (!price.empty()) errors.collect([&] { request.price = parse_price(price, "--price"); });
  errors.collect([&] { (void)chosen_format(session.output); });
  errors.collect([&] { question.context.significant_digits = significant_digits(session.output); });
  errors.throw_if_any();
  add_inputs(flags, overrides, question);
  return question;
}

/// Whether a device here computes at that peak; a server's answer does not tell.
bool runs_at(const CompareResult& result, const PeakKey& key) {
  return std::any_of(result.candidates.begin(), result.candidates.end(),
                     [&](const Candidate& candidate) {
                       return candidate.serving() != nullptr ||
                              (candidate.step() != nullptr && candidate.step()->rates.use(key));
                     });
}

void add_notes(const Question& question, const CompareResult& result, bool verbose,
               std::vector<std::string>& notes) {
  for (const auto& peak : question.peaks) {
    if (runs_at(result, peak.first)) continue;
    notes.push_back(
        fmt::format("--peak {} is not used: no product here runs at it", to_string(peak.first)));
  }
  if (!verbose) return;
  notes.insert(notes.end(), question.source_notes.begin(), question.source_notes.end());
}

int run_compare(const CompareFlags& flags, Session& session) {
  const Question question = read_question(flags, session);
  const CompareResult result = compare(question.request);
  report::Report answer = report::from(question.request, result, question.context);
  add_notes(question, result, session.global.verbose, answer.notes);
  write_answer(answer, session);
  return result.any_ranked() ? 0 : 1;
}

}  // namespace

void set_up_compare(CLI::App& command, Session& session) {
  const auto flags = std::make_shared<CompareFlags>();
  add_step_flags(command, flags->question, flags->engine.utilization,
                 "a name, alias, config.json, GGUF or directory [llama-3.1-8b]",
                 "names, aliases, JSON files [all]");
  command.remove_option(command.get_option("--gpu-memory-utilization"));
  add_engine_flags(command, flags->engine);
  add_request_flags(command, flags->requests);
  for (const char* flag : {"--model", "--batch", "--context"}) {
    command.get_option(flag)->type_name(flag == std::string_view("--model") ? "NAME" : "N");
  }
  command
      .add_option("--by", flags->by, "time, throughput, cost, energy or fit: the best first [time]")
      ->type_name("ORDER")
      ->take_last()
      ->group("Output");
  add_output_flags(command, session.output);
  session.run = [flags, &session] { return run_compare(*flags, session); };
}

}  // namespace roofline::cli
