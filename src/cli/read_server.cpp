#include "cli/read_server.hpp"

#include <fmt/format.h>

#include "base/format.hpp"
#include "base/parse.hpp"
#include "report/analyze_inputs.hpp"

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

void add_inputs(const Server& server, const Precision& precision, report::Fields& inputs) {
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  inputs.emplace_back("model", server.model.name);
  inputs.emplace_back("gpu", server.device.name);
  inputs.emplace_back("tp", number(server.deployment.tensor));
  inputs.emplace_back("pp", number(server.deployment.pipeline));
  inputs.emplace_back("ep", number(server.deployment.expert));
  inputs.emplace_back("dp", number(server.deployment.data));
  inputs.emplace_back("weight_dtype", precision.weights_name);
  inputs.emplace_back("kv_dtype", precision.kv.name);
  inputs.emplace_back("act_dtype", precision.activations.name);
  inputs.emplace_back("gpu_memory_utilization", server.limits.utilization);
  inputs.emplace_back("memory_overhead_bytes", server.limits.overhead.value());
  inputs.emplace_back("block_size_tokens", number(server.limits.block_tokens));
  inputs.emplace_back("max_num_batched_tokens", number(server.limits.batched_tokens));
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
  read.inputs = std::move(given.inputs);
  if (!given.text.empty()) read.overrides = ", with " + given.text;
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
  read.data_source.emplace_back("device", sources_of(devices));
  read.data_source.emplace_back("model", sources_of(models));
  const bool found = !devices.empty() && !models.empty();
  take_only(devices, "--gpu", read.server.device, errors);
  take_only(models, "--model", read.server.model, errors);
  read_figures(flags, session, catalog, read);
  if (!found || !errors.empty()) return read;
  errors.collect([&] {
    require_choices({&read.server.model, 1}, read.server.precision, read.server.experts);
  });
  errors.collect([&] {
    const Precision precision =
        resolve_precision(read.server.model, read.server.precision).precision;
    report::Fields given = std::move(read.inputs);
    read.inputs.clear();
    add_inputs(read.server, precision, read.inputs);
    read.inputs.insert(read.inputs.end(), given.begin(), given.end());
    read.subject =
        fmt::format("{} ({})", read.server.model.name, report::precision_text(precision));
  });
  const auto count = static_cast<double>(read.server.deployment.devices());
  const std::string ways = to_string(read.server.deployment);
  read.devices = fmt::format("{} x {}{}", format_count(count), read.server.device.name, ways);
  return read;
}

}  // namespace roofline::cli
