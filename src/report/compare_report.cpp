#include "report/compare_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.hpp"
#include "base/format.hpp"
#include "report/analyze_inputs.hpp"
#include "report/analyze_parts.hpp"
#include "report/compare_tables.hpp"
#include "report/server_words.hpp"
#include "report/shared_notes.hpp"

namespace roofline::report {
namespace {

std::string_view order_text(const CompareRequest& request) {
  const bool step = std::holds_alternative<NamedWorkload>(request.question);
  switch (request.by) {
    case RankBy::throughput:
      return step ? "the most tokens per second first" : "the most output tokens per second first";
    case RankBy::cost:
      return step ? "the cheapest per token first" : "the cheapest per output token first";
    case RankBy::energy:
      return step ? "the least energy per token first" : "the least energy per output token first";
    case RankBy::fit:
      return step ? "the largest share of memory left first" : "the most sequences in memory first";
    case RankBy::time:
      break;
  }
  return step ? "the fastest first" : "the shortest TPOT first";
}

std::string devices_text(const CompareRequest& request) {
  const auto kinds = static_cast<std::int64_t>(request.devices.size());
  const std::int64_t each = request.deployment.devices();
  std::string text = kinds == 1
                         ? fmt::format("{} x {}", count_text(each), request.devices.front().name)
                         : fmt::format("{} kinds of device", count_text(kinds));
  if (kinds > 1 && each > 1) text += fmt::format(", {} of each", count_text(each));
  return text + to_string(request.deployment);
}

/// The name of the question and the model, then what is asked.
std::string asked_text(const NamedWorkload& workload, const std::string& subject) {
  AnalyzePoint point;
  point.workload = workload;
  return fmt::format("{} of {}{}", workload.name, subject, step_text(point));
}

std::string asked_text(const ServingQuestion& question, const std::string& subject) {
  std::string text = "largest concurrency";
  if (question.concurrency) text = "concurrency " + count_text(*question.concurrency);
  if (question.requests_per_second) {
    text = format_exact(*question.requests_per_second) + " requests/s";
  }
  if (question.tpot_limit) text += ", TPOT within " + limit_text(*question.tpot_limit);
  if (question.ttft_limit) text += ", TTFT within " + limit_text(*question.ttft_limit);
  return fmt::format("serve of {}: {} prompt and {} output tokens, {}", subject,
                     count_text(question.shape.prompt), count_text(question.shape.output), text);
}

std::string question_of(const CompareRequest& request, const CompareContext& context) {
  const Precision precision = resolve_precision(request.model, request.precision).precision;
  const std::string subject = fmt::format("{} ({})", request.model.name, precision_text(precision));
  const std::string asked = std::visit(
      [&](const auto& question) { return asked_text(question, subject); }, request.question);
  std::string title =
      fmt::format("{}, on {}, {}", asked, devices_text(request), order_text(request));
  if (!context.overrides.empty()) title += fmt::format(", with {}", context.overrides);
  return title;
}

/// "A, B, C and 4 more".
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t most_named = 3;
  if (names.size() <= most_named) return fmt::format("{}", fmt::join(names, ", "));
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(most_named);
  return fmt::format("{} and {} more", fmt::join(names.begin(), end, ", "),
                     names.size() - most_named);
}

/// The names of the devices for which a condition holds, in the order of the ranking.
template <class Condition>
std::vector<std::string> names_where(const CompareResult& result, Condition condition) {
  std::vector<std::string> names;
  for (const Candidate& candidate : result.candidates) {
    if (condition(candidate)) names.push_back(candidate.gpu);
  }
  return names;
}

/// From when the prices are that were looked up.
void note_prices(const CompareResult& result, std::vector<std::string>& notes) {
  std::string oldest;
  std::string newest;
  for (const Candidate& candidate : result.candidates) {
    if (!candidate.listed) continue;
    const std::string& date = candidate.listed->as_of;
    if (oldest.empty() || date < oldest) oldest = date;
    if (newest.empty() || date > newest) newest = date;
  }
  if (newest.empty()) return;
  notes.push_back(
      fmt::format("prices are of one provider each, from {}{}; json and csv say whose "
                  "(--price to set one)",
                  oldest, oldest == newest ? "" : " to " + newest));
}

void note_unknown_memory(const CompareResult& result, std::vector<std::string>& notes) {
  const std::vector<std::string> gpus = names_where(result, [](const Candidate& candidate) {
    if (candidate.step() != nullptr) return !candidate.step()->usable_memory;
    return candidate.steady_state() != nullptr && !candidate.serving()->memory_concurrency;
  });
  if (gpus.empty()) return;
  notes.push_back(
      fmt::format("{}: the memory capacity is not known, it may not fit", fmt::join(gpus, ", ")));
}

void note_estimates(const CompareRequest& request, std::vector<std::string>& notes) {
  std::vector<std::string> gpus;
  for (const Device& device : request.devices) {
    if (device.tdp && device.tdp_is_estimate) gpus.push_back(device.name);
  }
  if (gpus.empty()) return;
  notes.push_back(fmt::format("{}: the TDP is an estimate", some_of(gpus)));
}

/// Devices that are ranked by what fewer sequences do than were asked for.
void note_fewer(const ServingQuestion& question, const CompareResult& result,
                std::vector<std::string>& notes) {
  if (!question.concurrency) return;
  const std::int64_t asked = *question.concurrency;
  const std::vector<std::string> gpus = names_where(result, [&](const Candidate& candidate) {
    const ServingPoint* point = candidate.steady_state();
    return point != nullptr && point->concurrency < asked;
  });
  if (gpus.empty()) return;
  notes.push_back(
      fmt::format("{}: fewer sequences than the {} asked for: as many as the limits leave",
                  some_of(gpus), count_text(asked)));
}

/// Notes with figures of one device: its row has them, for machines; all of them would be a list of
/// the devices once more.
bool tells_figures(const std::string& note, const Candidate& candidate) {
  const auto has = [&](const std::string& part) { return note.find(part) != std::string::npos; };
  return note.rfind(candidate.gpu + ": ", 0) == 0 || has(" of " + candidate.gpu + " ") ||
         has(" of " + candidate.gpu + ",") || has(" was asked for: ");
}

std::vector<std::string> shared_notes(const CompareResult& result) {
  SharedNotes notes;
  for (const Candidate& candidate : result.candidates) {
    if (candidate.point() != nullptr) notes.add(candidate.gpu, candidate.point()->notes);
    if (candidate.serving() == nullptr) continue;
    std::vector<std::string> told = candidate.serving()->notes;
    std::erase_if(told, [&](const std::string& note) { return tells_figures(note, candidate); });
    notes.add(candidate.gpu, told);
  }
  return notes.texts();
}

}  // namespace

Report from(const CompareRequest& request, const CompareResult& result,
            const CompareContext& context) {
  Report report;
  report.command = "compare";
  report.title = question_of(request, context);
  report.data_source = context.data_source;
  report.inputs = context.inputs;
  report.notes = shared_notes(result);
  note_prices(result, report.notes);
  note_estimates(request, report.notes);
  note_unknown_memory(result, report.notes);
  if (const auto* question = std::get_if<ServingQuestion>(&request.question)) {
    report.results = serving_table(request, *question, result);
    note_fewer(*question, result, report.notes);
  } else {
    report.results = step_table(request, result, context.significant_digits);
  }
  if (!result.any_ranked()) report.notes.emplace_back("not one of the devices can be ranked");
  return report;
}

}  // namespace roofline::report
