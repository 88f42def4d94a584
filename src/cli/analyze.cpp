#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/file.hpp"
#include "base/format.hpp"
#include "base/parse.hpp"
#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "report/analyze_report.hpp"
#include "roofline/analyze.hpp"
#include "roofline/spec_file.hpp"

namespace roofline::cli {
namespace {

struct AnalyzeFlags : QuestionFlags {
  bool explain = false;
};

/// A request, and what the answer says of where its parts came from.
struct Question {
  AnalyzeRequest request;
  DeviceOverrides overrides;
  std::string description;  ///< a spec file's own
  report::AnalyzeContext context;
};

template <class Entry>
report::Value sources_of(const std::vector<Found<Entry>>& found) {
  std::vector<std::string> places;
  for (const Found<Entry>& one : found) places.push_back(source_text(one.source));
  if (places.size() == 1) return places.front();
  return places;
}

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
               Question& question) {
  for (const std::string& flag : given_workload_flags(flags)) {
    errors.add(Error(Diagnostic{.what = fmt::format("{} does not go with --spec", flag),
                                .why = "the spec file has the workloads",
                                .fix = "leave one of them out"}));
  }
  OpenedSpec spec;
  errors.collect([&] { spec = open_spec(flags.subject.spec, catalog); });
  question.context.spec = flags.subject.spec == "-" ? "stdin" : flags.subject.spec;
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

template <class T>
void add_once(std::vector<T>& values, const T& value) {
  if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

/// A list of one is that one.
template <class T>
report::Value one_or_list(const std::vector<T>& values) {
  if (values.size() == 1) return values.front();
  return values;
}

/// The dimensions of one workload, by the keys of its result.
report::Fields shape_of(const Workload& workload) {
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  if (const auto* w = std::get_if<Decode>(&workload)) {
    return {{"batch", number(w->batch)}, {"context_tokens", number(w->context)}};
  }
  if (const auto* w = std::get_if<Prefill>(&workload)) {
    return {
        {"batch", number(w->batch)}, {"context_tokens", number(w->context)}, {"causal", w->causal}};
  }
  if (const auto* w = std::get_if<MatmulShape>(&workload)) {
    return {{"m", number(w->m)}, {"k", number(w->k)}, {"n", number(w->n)}};
  }
  if (const auto* w = std::get_if<AttentionShape>(&workload)) {
    return {{"batch", number(w->batch)},
            {"heads", number(w->heads)},
            {"kv_heads", number(w->kv_heads)},
            {"head_dim", number(w->head_dim)},
            {"seq_q", number(w->seq_q)},
            {"seq_k", number(w->seq_k)},
            {"causal", w->causal}};
  }
  const auto& w = std::get<TextbookDecode>(workload);
  return {{"batch", number(w.batch)},
          {"parameters", number(w.parameters)},
          {"kv_heads", number(w.kv_heads)},
          {"head_dim", number(w.head_dim)},
          {"context_tokens", number(w.context)},
          {"layers", number(w.layers)}};
}

/// Every dimension of the workloads with the values that it takes.
void add_shapes(const std::vector<NamedWorkload>& workloads, report::Fields& inputs) {
  std::vector<std::pair<std::string, std::vector<double>>> numbers;
  std::optional<bool> causal;
  for (const NamedWorkload& named : workloads) {
    for (const auto& dimension : shape_of(named.workload)) {
      const std::string& key = dimension.first;
      const report::Value& value = dimension.second;
      if (const auto* flag = std::get_if<bool>(&value)) {
        causal = *flag;
        continue;
      }
      auto entry = std::find_if(numbers.begin(), numbers.end(),
                                [&](const auto& other) { return other.first == key; });
      if (entry == numbers.end()) entry = numbers.insert(entry, {key, {}});
      add_once(entry->second, std::get<double>(value));
    }
  }
  for (auto& [key, values] : numbers) inputs.emplace_back(key, one_or_list(values));
  if (causal) inputs.emplace_back("causal", *causal);
}

void add_inputs(const AnalyzeFlags& flags, Question& question) {
  const AnalyzeRequest& request = question.request;
  report::Fields& inputs = question.context.inputs;
  const auto names = [](const auto& entries) {
    std::vector<std::string> result;
    for (const auto& entry : entries) result.push_back(entry.name);
    return result;
  };
  if (!flags.subject.spec.empty()) inputs.emplace_back("spec", flags.subject.spec);
  if (!request.models.empty()) inputs.emplace_back("model", one_or_list(names(request.models)));
  inputs.emplace_back("gpu", one_or_list(names(request.devices)));
  std::vector<std::string> workloads;
  for (const NamedWorkload& named : request.workloads) {
    add_once(workloads, named.name);
  }
  inputs.emplace_back("workload", one_or_list(workloads));
  if (flags.subject.spec.empty()) add_shapes(request.workloads, inputs);
  std::vector<std::string> weights;
  std::vector<std::string> kv;
  std::vector<std::string> activations;
  const auto add_precision = [&](const Precision& precision) {
    add_once(weights, precision.weights.name);
    add_once(kv, precision.kv.name);
    add_once(activations, precision.activations.name);
  };
  for (const Model& model : request.models) {
    add_precision(resolve_precision(model, request.precision).precision);
  }
  if (request.models.empty()) add_precision(kernel_precision(request.precision));
  inputs.emplace_back("weight_dtype", one_or_list(weights));
  inputs.emplace_back("kv_dtype", one_or_list(kv));
  inputs.emplace_back("act_dtype", one_or_list(activations));
  inputs.emplace_back(
      "accumulate",
      std::string(request.precision.accumulate == Accumulate::fp16 ? "fp16" : "fp32"));
}

void add_override_inputs(const OverrideFlags& flags, Question& question) {
  const DeviceOverrides& overrides = question.overrides;
  report::Fields& inputs = question.context.inputs;
  std::string& text = question.context.overrides;
  const auto add = [&](std::string key, double value, const std::string& as_typed) {
    inputs.emplace_back(std::move(key), value);
    text += (text.empty() ? "" : ", ") + as_typed;
  };
  for (const auto& [key, peak] : overrides.peaks) {
    add(fmt::format("peak_{}_flop_per_s", to_string(key)), peak.value(),
        fmt::format("{} peak {}", to_string(key), format_scaled(peak.value(), "FLOP/s")));
  }
  if (overrides.bandwidth) {
    add("bandwidth_bytes_per_s", overrides.bandwidth->value(), "bandwidth " + flags.bandwidth);
  }
  if (overrides.memory) {
    add("memory_bytes", overrides.memory->value(), "memory " + flags.memory);
  }
  if (question.request.price) {
    add("price_usd_per_hour", question.request.price->value(),
        fmt::format("{} USD an hour", format_exact(question.request.price->value())));
  }
  if (question.request.precision.accumulate == Accumulate::fp16) {
    text += (text.empty() ? "" : ", ") + std::string("fp16 accumulation");
  }
}

/// Everything that can be wrong with the flags is found here, before anything is computed.
Question read_question(const AnalyzeFlags& flags, Session& session) {
  ErrorCollector& errors = session.errors;
  Question question;
  AnalyzeRequest& request = question.request;
  Catalog catalog;
  errors.collect([&] { catalog = open_catalog(session.global); });
  if (flags.subject.spec.empty()) {
    request.workloads = read_workloads(flags, errors);
  } else {
    read_spec(flags, catalog, errors, question);
  }
  const bool spec_has_devices = !request.devices.empty();
  if (!flags.subject.gpus.empty() || !spec_has_devices) {
    const auto devices = read_devices(flags.subject, catalog, errors);
    request.devices.clear();
    for (const auto& found : devices) request.devices.push_back(found.entry);
    question.context.data_source.emplace_back("device", sources_of(devices));
  }
  const bool wants_model = any_needs_model(request.workloads);
  if (!flags.subject.spec.empty() && !flags.subject.models.empty() && !wants_model) {
    errors.add(Error(Diagnostic{.what = "--model does not go with this spec file",
                                .why = "none of its workloads needs a model",
                                .fix = "leave it out"}));
  }
  if (wants_model && (!flags.subject.models.empty() || request.models.empty())) {
    const auto models = read_models(flags.subject, catalog, errors);
    request.models.clear();
    for (const auto& found : models) request.models.push_back(found.entry);
    question.context.data_source.emplace_back("model", sources_of(models));
  }
  request.precision = read_precision(flags.precision, catalog, errors);
  question.overrides = read_overrides(flags.overrides, errors);
  for (Device& device : request.devices) {
    device = with_overrides(std::move(device), question.overrides);
  }
  if (!flags.overrides.price.empty()) {
    errors.collect([&] { request.price = parse_price(flags.overrides.price, "--price"); });
  }
  errors.collect([&] {
    if (chosen_format(session.output) == report::Format::csv && flags.explain) {
      throw Error(Diagnostic{.what = "--explain has no place in csv",
                             .why = "csv has one line for each point",
                             .fix = "--format json"});
    }
  });
  errors.collect([&] { question.context.significant_digits = significant_digits(session.output); });
  errors.throw_if_any();
  add_inputs(flags, question);
  add_override_inputs(flags.overrides, question);
  return question;
}

std::vector<std::vector<DerivationStep>> derivations(const AnalyzeRequest& request,
                                                     const AnalyzeResult& result) {
  std::vector<std::vector<DerivationStep>> all;
  for (const AnalyzePoint& point : result.points) {
    const auto* step = std::get_if<StepAnalysis>(&point.detail);
    if (step == nullptr) {
      all.push_back(derive(point));
      continue;
    }
    for (const Model& model : request.models) {
      if (model.name != step->model) continue;
      all.push_back(derive(model, point));
      break;
    }
  }
  return all;
}

bool runs_at(const AnalyzePoint& point, const PeakKey& key) {
  if (const auto* kernel = std::get_if<KernelAnalysis>(&point.detail)) {
    return kernel->rate.key == key;
  }
  const Rates& rates = std::get<StepAnalysis>(point.detail).rates;
  return rates.weights_activations.key == key || rates.lm_head_activations.key == key ||
         rates.activations_kv.key == key;
}

/// A peak that was given and that nothing ran at is most likely a mistake.
std::vector<std::string> unused_peaks(const DeviceOverrides& overrides,
                                      const AnalyzeResult& result) {
  std::vector<std::string> notes;
  for (const auto& peak : overrides.peaks) {
    const PeakKey key = peak.first;
    const bool used = std::any_of(result.points.begin(), result.points.end(),
                                  [&](const AnalyzePoint& point) { return runs_at(point, key); });
    if (!used) {
      notes.push_back(fmt::format("--peak {} is not used: nothing here is multiplied in {}",
                                  to_string(key), to_string(key.type)));
    }
  }
  return notes;
}

int run_analyze(const AnalyzeFlags& flags, Session& session) {
  Question question = read_question(flags, session);
  AnalyzeResult result = analyze(question.request);
  for (const std::string& note : unused_peaks(question.overrides, result)) {
    for (AnalyzePoint& point : result.points) point.notes.push_back(note);
  }
  if (flags.explain) question.context.derivations = derivations(question.request, result);
  report::Report answer = report::from(result, question.context);
  if (!question.description.empty()) answer.notes.push_back(question.description);
  if (session.global.verbose) {
    for (const auto& [what, place] : question.context.data_source) {
      const auto* one = std::get_if<std::string>(&place);
      const auto* several = std::get_if<std::vector<std::string>>(&place);
      if (one != nullptr) answer.notes.push_back(fmt::format("{} data: {}", what, *one));
      if (several != nullptr) {
        answer.notes.push_back(fmt::format("{} data: {}", what, fmt::join(*several, ", ")));
      }
    }
  }
  write_answer(answer, session);
  return 0;
}

}  // namespace

void set_up_analyze(CLI::App& command, Session& session) {
  const auto flags = std::make_shared<AnalyzeFlags>();
  add_model_and_device_flags(command, flags->subject);
  add_workload_flags(command, flags->workload);
  add_precision_flags(command, flags->precision);
  add_override_flags(command, flags->overrides);
  command.add_flag("--explain", flags->explain, "show each formula with the numbers put in")
      ->group("Output");
  add_output_flags(command, session.output);
  session.run = [flags, &session] { return run_analyze(*flags, session); };
}

}  // namespace roofline::cli
