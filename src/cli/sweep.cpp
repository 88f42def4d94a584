// sweep: a table of the full product of any lists, row by row.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <set>

#include "base/parse.hpp"
#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/output_sink.hpp"
#include "cli/progress.hpp"
#include "cli/step_flags.hpp"
#include "report/shared_notes.hpp"
#include "report/stream.hpp"
#include "report/sweep_report.hpp"
#include "roofline/sweep.hpp"

namespace roofline::cli {
namespace {

struct SweepFlags {
  QuestionFlags question;
  std::string utilization;
};

/// A request, and how its answer is written.
struct Question {
  SweepRequest request;
  std::set<PeakKey> given_peaks;
  std::string overrides;
  std::vector<std::string> source_notes;
  report::Format format = report::Format::text;
  report::TextOptions options;
};

std::vector<std::int64_t> read_counts(const std::vector<std::string>& texts, const char* flag,
                                      std::int64_t fallback, ErrorCollector& errors) {
  std::vector<std::int64_t> counts;
  for (const std::string& text : texts) {
    errors.collect([&] {
      for (const std::int64_t count : parse_count_list(text, flag)) counts.push_back(count);
    });
  }
  if (counts.empty()) counts.push_back(fallback);
  return counts;
}

/// The flags' workload, with the longest context and then with the lists of both.
void read_workload(const QuestionFlags& flags, SweepRequest& request, ErrorCollector& errors) {
  if (!asks_for_step(flags.workload, "sweep", errors)) return;
  ErrorCollector unreadable;
  request.batches = read_counts(flags.workload.batches, "--batch", Decode{}.batch, unreadable);
  request.contexts =
      read_counts(flags.workload.contexts, "--context", Decode{}.context, unreadable);
  QuestionFlags one = flags;
  if (unreadable.empty()) {
    const auto longest = std::max_element(request.contexts.begin(), request.contexts.end());
    if (!flags.workload.batches.empty()) one.workload.batches = {"1"};
    if (!flags.workload.contexts.empty()) one.workload.contexts = {fmt::format("{}", *longest)};
  }
  std::vector<NamedWorkload> workloads = read_workloads(one, errors);
  if (workloads.empty()) return;
  request.workload = std::move(workloads.front());
  if (!flags.workload.lengths.empty()) {
    const Sequences first = sequences_of(request.workload.workload).front();
    request.batches = {first.count};
    request.contexts = {first.context};
  }
}

void read_deployments(const ParallelFlags& flags, SweepRequest& request, ErrorCollector& errors) {
  const auto read = [&](const std::vector<std::string>& texts, const char* flag) {
    std::vector<std::int64_t> counts = read_counts(texts, flag, 1, errors);
    constexpr std::int64_t most = 100'000;
    const std::int64_t largest = *std::max_element(counts.begin(), counts.end());
    if (largest > most) {
      errors.add(Error(Diagnostic{.what = fmt::format("{}: {} devices are too many", flag, largest),
                                  .why = fmt::format("at most {}", most),
                                  .fix = fmt::format("{} 1..8x2", flag)}));
      counts = {1};
    }
    return counts;
  };
  request.tensor = read(flags.tensor, "--tp");
  request.pipeline = read(flags.pipeline, "--pp");
  request.expert = read(flags.expert, "--ep");
  request.data = read(flags.data, "--dp");
  // Experts alone are spread over as many replicas.
  if (flags.data.empty()) request.data = {0};
}

/// Every format of a list; none where the flag was not given.
std::vector<std::optional<NumberFormat>> read_formats(const std::string& list, const char* flag,
                                                      const Catalog& catalog,
                                                      ErrorCollector& errors) {
  std::vector<std::optional<NumberFormat>> formats;
  if (list.empty()) return {std::nullopt};
  errors.collect([&] {
    for (const std::string_view name : split_list(list, flag)) {
      PrecisionFlags one;
      one.weights = name;
      formats.push_back(read_precision(one, catalog, errors).weights);
    }
  });
  if (formats.empty()) formats.emplace_back();
  return formats;
}

void read_precisions(const PrecisionFlags& flags, const Catalog& catalog, SweepRequest& request,
                     ErrorCollector& errors) {
  PrecisionFlags rest = flags;
  rest.weights.clear();
  rest.kv.clear();
  request.precision = read_precision(rest, catalog, errors);
  request.weights = read_formats(flags.weights, "--weight-dtype", catalog, errors);
  request.kv = read_formats(flags.kv, "--kv-dtype", catalog, errors);
}

report::Format read_format(const OutputFlags& output) {
  const report::Format format = chosen_format(output);
  if (format == report::Format::json) {
    throw Error(Diagnostic{.what = "sweep writes no json",
                           .why = "one object would have to be held until the last point",
                           .fix = "-f jsonl, one object a line"});
  }
  return format;
}

void read_subject(const ModelAndDeviceFlags& flags, const Catalog& catalog, Question& question,
                  ErrorCollector& errors) {
  auto devices = read_devices(flags, catalog, errors);
  auto models = read_models(flags, catalog, errors);
  for (auto& found : devices) {
    question.source_notes.push_back(
        fmt::format("device {}: {}", found.entry.name, source_text(found.source)));
    question.request.devices.push_back(std::move(found.entry));
  }
  for (auto& found : models) {
    question.source_notes.push_back(
        fmt::format("model {}: {}", found.entry.name, source_text(found.source)));
    question.request.models.push_back(std::move(found.entry));
  }
}

/// Everything that can be wrong with the flags is found here, before anything is computed.
Question read_question(const SweepFlags& flags, Session& session) {
  ErrorCollector& errors = session.errors;
  Question question;
  SweepRequest& request = question.request;
  Catalog catalog;
  errors.collect([&] { catalog = open_catalog(session.global); });
  read_workload(flags.question, request, errors);
  read_subject(flags.question.subject, catalog, question, errors);
  read_deployments(flags.question.parallel, request, errors);
  read_precisions(flags.question.precision, catalog, request, errors);
  request.experts = read_experts(flags.question.workload, errors);
  request.utilization = read_utilization(flags.utilization, errors);
  const DeviceOverrides overrides = read_overrides(flags.question.overrides, errors);
  for (Device& device : request.devices) device = with_overrides(std::move(device), overrides);
  for (const auto& peak : overrides.peaks) question.given_peaks.insert(peak.first);
  const std::string& price = flags.question.overrides.price;
  if (!price.empty()) errors.collect([&] { request.price = parse_price(price, "--price"); });
  errors.collect([&] { question.format = read_format(session.output); });
  errors.collect([&] { question.options.significant_digits = significant_digits(session.output); });
  errors.throw_if_any();
  question.overrides =
      given_figures(flags.question, overrides, request.price, request.precision).text;
  return question;
}

/// Every column that any row has is in a row of these: the first batch, and of the contexts the
/// first and the longest (a cached prefix may be as long as the first).
SweepRequest first_of_each(SweepRequest request) {
  const auto longest = std::max_element(request.contexts.begin(), request.contexts.end());
  request.batches.resize(1);
  request.contexts = {request.contexts.front(), *longest};
  return request;
}

/// Evaluates the product once or twice and writes it.
class Writing {
 public:
  Writing(const Question& question, Session& session)
      : question_(question),
        session_(session),
        table_(question.format == report::Format::text ||
               question.format == report::Format::markdown),
        stream_(question.format, table_.columns(), table_.in_title(), question.options),
        unused_peaks_(question.given_peaks),
        sink_(session.output),
        progress_(!session.global.quiet && isatty(STDERR_FILENO) == 1,
                  point_count(question.request) * (stream_.needs_all_rows() ? 2 : 1)) {}

  void run() {
    if (stream_.needs_all_rows()) {
      sweep(question_.request, [&](const SweepPoint& point) { look_at(point); });
    } else if (stream_.needs_columns() || !unused_peaks_.empty()) {
      const SweepRequest first = first_of_each(question_.request);
      sweep(first, [&](const SweepPoint& point) { look_at(point); });
    }
    for (const PeakKey& key : unused_peaks_) {
      peak_notes_.push_back(
          fmt::format("--peak {} is not used: no product here runs at it", to_string(key)));
    }
    if (sink_.to_terminal()) progress_.stop();
    std::string out;
    stream_.begin(out, report::title_of(question_.request, question_.overrides));
    sink_.write(out);
    sweep(question_.request, [&](const SweepPoint& point) { write(point); });
    finish();
  }

 private:
  void look_at(const SweepPoint& point) {
    const AnalyzePoint analysis = point.analysis();
    if (point.time != nullptr) {
      const Rates& rates = std::get<StepAnalysis>(analysis.detail).rates;
      std::erase_if(unused_peaks_, [&](const PeakKey& key) { return rates.use(key); });
    }
    stream_.look_at(table_.row(point, analysis));
    if (stream_.needs_all_rows()) progress_.advance();
  }

  void write(const SweepPoint& point) {
    AnalyzePoint analysis = point.analysis();
    if (point.time == nullptr) {
      notes_.add(point.device.name, {std::string(point.reason)});
    } else {
      auto& notes = analysis.notes;
      notes.insert(notes.end(), peak_notes_.begin(), peak_notes_.end());
      notes_.add(point.device.name, notes);
    }
    line_.clear();
    stream_.append(line_, table_.row(point, analysis));
    sink_.write(line_);
    progress_.advance();
  }

  void finish() {
    std::vector<std::string> notes = notes_.texts();
    if (session_.global.verbose) {
      notes.insert(notes.end(), question_.source_notes.begin(), question_.source_notes.end());
    }
    line_.clear();
    stream_.end(line_, notes);
    sink_.write(line_);
    sink_.close();
    progress_.stop();
    if (session_.global.quiet || question_.format == report::Format::markdown) return;
    print_notes(notes, use_color(session_.global.color, STDERR_FILENO));
  }

  static constexpr std::size_t most_notes = 30;

  const Question& question_;
  const Session& session_;
  report::SweepTable table_;
  report::Stream stream_;
  std::set<PeakKey> unused_peaks_;
  std::vector<std::string> peak_notes_;
  report::SharedNotes notes_{most_notes};
  OutputSink sink_;
  Progress progress_;
  std::string line_;
};

int run_sweep(const SweepFlags& flags, Session& session) {
  const Question question = read_question(flags, session);
  Writing(question, session).run();
  return 0;
}

/// A repeated list adds up.
void take_list(CLI::App& command, const char* flag) {
  command.get_option(flag)
      ->delimiter(',')
      ->multi_option_policy(CLI::MultiOptionPolicy::Join)
      ->type_name("LIST");
}

}  // namespace

void set_up_sweep(CLI::App& command, Session& session) {
  const auto flags = std::make_shared<SweepFlags>();
  add_step_flags(command, flags->question, flags->utilization,
                 "names, aliases, config.json, GGUF, directories [llama-3.1-8b]",
                 "names, aliases, JSON files, or all [T4,L4,A10G,A100,H100]");
  for (const char* flag : {"--tp", "--pp", "--ep", "--dp"}) {
    command.get_option(flag)->type_name("LIST");
  }
  take_list(command, "--weight-dtype");
  take_list(command, "--kv-dtype");
  add_output_flags(command, session.output);
  session.run = [flags, &session] { return run_sweep(*flags, session); };
}

}  // namespace roofline::cli
