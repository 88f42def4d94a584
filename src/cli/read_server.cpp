#include "cli/read_server.hpp"

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/parse.hpp"
#include "report/analyze_inputs.hpp"
#include "report/server_inputs.hpp"

namespace roofline::cli {
namespace {

constexpr const char* default_gpu = "H100";

/// The only one of a list; several are an error.
template <class Entry>
void take_only(std::vector<Found<Entry>>& found, const char* flag, Entry& target,
               ErrorCollector& errors) {
  if (found.size() > 1) {
    errors.add(Error(Diagnostic{.what = fmt::format("{} takes one here", flag),
                                .why = "the answer is about one model on one kind of device",
                                .fix = fmt::format("{} {}; roofline compare ranks many GPUs", flag,
                                                   found.front().entry.name)}));
  }
  if (!found.empty()) target = std::move(found.front().entry);
}

void read_figures(const ServerFlags& flags, Session& session, const Catalog& catalog,
                  ReadServer& read) {
  ErrorCollector& errors = session.errors;
  Server& server = read.server;
  server.precision = read_precision(flags.question.precision, catalog, errors);
  server.deployment = read_deployment(flags.question.parallel, errors);
  server.limits = read_engine_limits(flags.engine, errors);
  server.experts = read_experts(flags.question.workload, errors);
  const DeviceOverrides overrides = read_overrides(flags.question.overrides, errors);
  server.device = with_overrides(std::move(server.device), overrides);
  const std::string& price = flags.question.overrides.price;
  if (!price.empty()) errors.collect([&] { server.price = parse_price(price, "--price"); });
  GivenFigures given = given_figures(flags.question, overrides, server.price, server.precision);
  read.context.inputs = std::move(given.inputs);
  if (!given.text.empty()) read.context.overrides = ", with " + given.text;
}

}  // namespace

void add_server_flags(CLI::App& command, ServerFlags& flags) {
  add_subject_flags(command, flags.question.subject);
  add_experts_flag(command, flags.question.workload.experts);
  add_parallel_flags(command, flags.question.parallel);
  add_precision_flags(command, flags.question.precision);
  add_engine_flags(command, flags.engine);
  add_override_flags(command, flags.question.overrides);
}

ReadServer read_server(const ServerFlags& flags, Session& session) {
  ErrorCollector& errors = session.errors;
  ReadServer read;
  Catalog catalog;
  errors.collect([&] { catalog = open_catalog(session.global); });
  ModelAndDeviceFlags subject = flags.question.subject;
  if (subject.gpus.empty()) subject.gpus.emplace_back(default_gpu);
  auto devices = read_devices(subject, catalog, errors);
  auto models = read_models(subject, catalog, errors);
  read.context.data_source.emplace_back("device", sources_of(devices));
  read.context.data_source.emplace_back("model", sources_of(models));
  const bool found = !devices.empty() && !models.empty();
  take_only(devices, "--gpu", read.server.device, errors);
  take_only(models, "--model", read.server.model, errors);
  read_figures(flags, session, catalog, read);
  if (!found || !errors.empty()) return read;
  errors.collect([&] {
    const Server& server = read.server;
    const Precision precision = resolve_precision(server.model, server.precision).precision;
    read.context.subject =
        fmt::format("{} ({})", server.model.name, report::precision_text(precision));
  });
  const Deployment& deployment = read.server.deployment;
  read.context.devices = fmt::format("{} x {}{}", count_text(deployment.devices()),
                                     read.server.device.name, to_string(deployment));
  return read;
}

void complete_context(const Server& server, const report::Fields& workload, Session& session,
                      report::ServerContext& context) {
  ErrorCollector& errors = session.errors;
  errors.collect([&] { (void)chosen_format(session.output); });
  errors.collect([&] { context.significant_digits = significant_digits(session.output); });
  errors.throw_if_any();
  report::Fields inputs = report::inputs_of(server, workload);
  inputs.insert(inputs.end(), context.inputs.begin(), context.inputs.end());
  context.inputs = std::move(inputs);
}

}  // namespace roofline::cli
