#include "cli/analyze_question.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.hpp"
#include "base/parse.hpp"
#include "report/analyze_inputs.hpp"
#include "roofline/spec_file.hpp"

namespace roofline::cli {
namespace {

/// A spec file, and where it was found.
struct OpenedSpec {
  SpecFile file;
  DataSource source;
};

OpenedSpec open_spec(const std::string& name, const Catalog& catalog) {
  const bool path = name == "-" || name.find('/') != std::string::npos || name.ends_with(".json");
  const std::string shown = name == "-" ? "stdin" : name;
  if (path) return {read_spec_file(read_file(name), shown, catalog), {shown, false}};
  const CatalogEntry entry = catalog.find(EntryKind::spec, name);
  return {read_spec_file(entry.text, entry.file(), catalog), entry.source};
}

/// A spec file says what is to be evaluated; --gpu and --model replace its devices and models.
void read_spec(const AnalyzeFlags& flags, const Catalog& catalog, ErrorCollector& errors,
               AnalyzeQuestion& question) {
  for (const std::string& flag : given_workload_flags(flags.question)) {
    errors.add(Error(Diagnostic{.what = fmt::format("{} does not go with --spec", flag),
                                .why = "the spec file has the workloads",
                                .fix = "leave one of them out"}));
  }
  OpenedSpec spec;
  ErrorCollector unreadable;
  unreadable.collect([&] { spec = open_spec(flags.question.subject.spec, catalog); });
  if (!unreadable.empty()) errors.collect([&] { unreadable.throw_if_any(); });
  question.context.spec =
      flags.question.subject.spec == "-" ? "stdin" : flags.question.subject.spec;
  question.context.data_source.emplace_back("spec", source_text(spec.source));
  question.description = std::move(spec.file.description);
  question.request.workloads = std::move(spec.file.workloads);
  question.request.devices = std::move(spec.file.devices);
  question.request.models = std::move(spec.file.models);
}

bool any_needs_model(const std::vector<NamedWorkload>& workloads) {
  for (const NamedWorkload& named : workloads) {
    if (needs_model(named.workload)) return true;
  }
  return false;
}

bool runs_at(const AnalyzePoint& point, const PeakKey& key) {
  if (const auto* kernel = std::get_if<KernelAnalysis>(&point.detail)) {
    return kernel->rate.key == key;
  }
  return std::get<StepAnalysis>(point.detail).rates.use(key);
}

}  // namespace

void add_analyze_flags(CLI::App& command, AnalyzeFlags& flags) {
  add_model_and_device_flags(command, flags.question.subject);
  add_workload_flags(command, flags.question.workload);
  add_parallel_flags(command, flags.question.parallel);
  add_precision_flags(command, flags.question.precision);
  add_override_flags(command, flags.question.overrides);
  add_utilization_flag(command, flags.utilization);
}

AnalyzeQuestion read_analyze_question(const AnalyzeFlags& flags, Session& session) {
  ErrorCollector& errors = session.errors;
  AnalyzeQuestion question;
  AnalyzeRequest& request = question.request;
  Catalog catalog;
  errors.collect([&] { catalog = open_catalog(session.global); });
  if (flags.question.subject.spec.empty()) {
    request.workloads = read_workloads(flags.question, errors);
  } else {
    read_spec(flags, catalog, errors, question);
  }
  const bool spec_has_devices = !request.devices.empty();
  if (!flags.question.subject.gpus.empty() || !spec_has_devices) {
    const auto devices = read_devices(flags.question.subject, catalog, errors);
    request.devices.clear();
    for (const auto& found : devices) request.devices.push_back(found.entry);
    question.context.data_source.emplace_back("device", sources_of(devices));
  }
  const bool wants_model = any_needs_model(request.workloads);
  const bool has_spec = !flags.question.subject.spec.empty() && !request.workloads.empty();
  if (has_spec && !flags.question.subject.models.empty() && !wants_model) {
    errors.add(Error(Diagnostic{.what = "--model does not go with this spec file",
                                .why = "none of its workloads needs a model",
                                .fix = "leave it out"}));
  }
  if (wants_model && (!flags.question.subject.models.empty() || request.models.empty())) {
    const auto models = read_models(flags.question.subject, catalog, errors);
    request.models.clear();
    for (const auto& found : models) request.models.push_back(found.entry);
    question.context.data_source.emplace_back("model", sources_of(models));
  }
  request.experts = read_experts(flags.question.workload, errors);
  request.precision = read_precision(flags.question.precision, catalog, errors);
  request.deployment = read_deployment(flags.question.parallel, errors);
  request.utilization = read_utilization(flags.utilization, errors);
  question.overrides = read_overrides(flags.question.overrides, errors);
  for (Device& device : request.devices) {
    device = with_overrides(std::move(device), question.overrides);
  }
  if (!flags.question.overrides.price.empty()) {
    errors.collect([&] { request.price = parse_price(flags.question.overrides.price, "--price"); });
  }
  errors.collect([&] { question.context.significant_digits = significant_digits(session.output); });
  return question;
}

void complete_question(const AnalyzeFlags& flags, Session& session, AnalyzeQuestion& question) {
  session.errors.throw_if_any();
  const AnalyzeRequest& request = question.request;
  require_few_points(request);
  question.context.inputs = report::inputs_of(request, flags.question.subject.spec);
  GivenFigures given =
      given_figures(flags.question, question.overrides, request.price, request.precision);
  question.context.overrides = std::move(given.text);
  auto& inputs = question.context.inputs;
  inputs.insert(inputs.end(), given.inputs.begin(), given.inputs.end());
}

void note_unused_peaks(const DeviceOverrides& overrides, AnalyzeResult& result) {
  for (const auto& peak : overrides.peaks) {
    const PeakKey key = peak.first;
    const bool used = std::any_of(result.points.begin(), result.points.end(),
                                  [&](const AnalyzePoint& point) { return runs_at(point, key); });
    if (used) continue;
    const std::string note =
        fmt::format("--peak {} is not used: no product here runs at it", to_string(key));
    for (AnalyzePoint& point : result.points) point.notes.push_back(note);
  }
}

}  // namespace roofline::cli
