// A launch in text: its figures, and what its rules said.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/counted.hpp"
#include "base/format.hpp"
#include "base/printable.hpp"
#include "report/check_formats.hpp"
#include "report/row_writers.hpp"
#include "report/writer.hpp"

namespace roofline::report {
namespace {

/// Label and text, a line each.
using Lines = std::vector<std::pair<std::string, std::string>>;

std::string range_text(const CountEstimate& estimate) {
  if (estimate.low == estimate.high) return count_text(estimate.value);
  return fmt::format("{} ({} to {})", count_text(estimate.value), count_text(estimate.low),
                     count_text(estimate.high));
}

/// In GiB, as engines write it when they start.
std::string size_text(Bytes size, const Writer& write) {
  return format_binary_bytes(size.value(), write.digits());
}

std::string range_text(const BytesEstimate& estimate, const Writer& write) {
  if (estimate.low == estimate.high) return size_text(estimate.value, write);
  return fmt::format("{} ({} to {})", size_text(estimate.value, write),
                     size_text(estimate.low, write), size_text(estimate.high, write));
}

void add_memory(Lines& lines, const EngineMemoryBudget& memory, const Writer& write) {
  lines.emplace_back("memory",
                     fmt::format("{} allowed of {} on a device", size_text(memory.allowed, write),
                                 size_text(memory.total, write)));
  lines.emplace_back("weights", size_text(memory.weights, write));
  lines.emplace_back("activations", range_text(memory.activations, write));
  lines.emplace_back("graphs", range_text(memory.graphs, write));
  lines.emplace_back("other", range_text(memory.other, write));
  lines.emplace_back("K/V", fmt::format("{}, a sequence takes {}", range_text(memory.kv, write),
                                        size_text(memory.sequence, write)));
  if (memory.kv_tokens) lines.emplace_back("K/V tokens", range_text(*memory.kv_tokens));
  lines.emplace_back("longest", range_text(memory.longest) + " tokens in a sequence");
  lines.emplace_back("sequences", range_text(memory.full_sequences) + " of max-model-len");
}

void add_serving(Lines& lines, const ServingPoint& point, const Writer& write) {
  lines.emplace_back("at", counted(point.concurrency, "sequence") + " in flight");
  lines.emplace_back("TTFT", "at least " + write.time(point.ttft));
  lines.emplace_back("TPOT", "at least " + write.time(point.tpot));
  lines.emplace_back("output", fmt::format("at most {} tok/s, {} requests/s",
                                           write.number(point.output_tokens_per_second),
                                           write.number(point.requests_per_second)));
  if (point.dollars_per_million_tokens) {
    lines.emplace_back("cost", fmt::format("at least {} USD per 1M output tokens",
                                           write.number(*point.dollars_per_million_tokens)));
  }
}

void add_verdicts(Lines& lines, const LaunchFigures& figures, const Writer& write) {
  if (!figures.prefill_verdict.empty()) lines.emplace_back("prefill", figures.prefill_verdict);
  if (figures.decode_verdict.empty()) return;
  std::string text = figures.decode_verdict;
  if (figures.decode_intensity) {
    text += fmt::format(", {} FLOP/byte", write.number(figures.decode_intensity->value()));
  }
  lines.emplace_back("decode", text);
}

/// Rules with the same reason share a line.
void add_reasons(Lines& lines, const std::vector<RuleOutcome>& outcomes, RuleOutcome::Kind kind,
                 const char* label) {
  std::vector<std::pair<std::string, std::string>> rules_by_reason;
  for (const RuleOutcome& outcome : outcomes) {
    if (outcome.kind != kind) continue;
    const auto known =
        std::find_if(rules_by_reason.begin(), rules_by_reason.end(),
                     [&](const auto& entry) { return entry.first == outcome.reason; });
    if (known == rules_by_reason.end()) {
      rules_by_reason.emplace_back(outcome.reason, outcome.rule);
    } else {
      known->second += ", " + outcome.rule;
    }
  }
  for (const auto& [reason, rules] : rules_by_reason) {
    lines.emplace_back(label, reason.empty() ? rules : rules + ": " + printable(reason));
  }
}

void add_outcomes(Lines& lines, const std::vector<RuleOutcome>& outcomes) {
  std::string passed;
  for (const RuleOutcome& outcome : outcomes) {
    if (outcome.kind != RuleOutcome::Kind::passed) continue;
    passed += (passed.empty() ? "" : ", ") + outcome.rule;
  }
  if (!passed.empty()) lines.emplace_back("passed", passed);
  add_reasons(lines, outcomes, RuleOutcome::Kind::ignored, "ignored");
  add_reasons(lines, outcomes, RuleOutcome::Kind::skipped, "skipped");
}

std::string title_of(const CheckedFile& file, const CheckedLaunch& launch) {
  const LaunchFigures& figures = launch.figures;
  std::string title = printable(file.file);
  if (!launch.name.empty()) title += ": " + printable(launch.name);
  title += fmt::format(": {}", to_string(launch.engine));
  if (!launch.version.empty()) title += ' ' + printable(launch.version);
  if (!figures.model.empty()) title += ", " + printable(figures.model);
  if (!figures.gpu.empty()) {
    title += fmt::format(" on {} x {}", count_text(figures.devices), printable(figures.gpu));
  }
  return title;
}

}  // namespace

void append_launch(std::string& out, const CheckedFile& file, const CheckedLaunch& launch,
                   int significant_digits) {
  const Writer write(significant_digits);
  Lines lines;
  const LaunchFigures& figures = launch.figures;
  if (figures.memory) add_memory(lines, *figures.memory, write);
  if (figures.serving) add_serving(lines, *figures.serving, write);
  add_verdicts(lines, figures, write);
  add_outcomes(lines, launch.outcomes);
  for (const std::string& note : launch.notes) lines.emplace_back("note", printable(note));
  append_wrapped(out, "", title_of(file, launch));
  std::size_t width = 0;
  for (const auto& line : lines) width = std::max(width, line.first.size());
  for (const auto& [label, text] : lines) {
    append_wrapped(out, fmt::format("  {:<{}}  ", label, width), text);
  }
}

}  // namespace roofline::report
