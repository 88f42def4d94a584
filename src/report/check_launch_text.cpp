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

std::string range_text(const BytesEstimate& estimate, const Writer& write) {
  if (estimate.low == estimate.high) return write.size(estimate.value);
  return fmt::format("{} ({} to {})", write.size(estimate.value), write.size(estimate.low),
                     write.size(estimate.high));
}

void add_memory(Lines& lines, const EngineMemoryBudget& memory, const Writer& write) {
  lines.emplace_back("memory", fmt::format("{} allowed of {} on a device",
                                           write.size(memory.allowed), write.size(memory.total)));
  lines.emplace_back("weights", write.size(memory.weights));
  lines.emplace_back("activations", range_text(memory.activations, write));
  lines.emplace_back("graphs", range_text(memory.graphs, write));
  lines.emplace_back("other", range_text(memory.other, write));
  lines.emplace_back("K/V", fmt::format("{}, a sequence takes {}", range_text(memory.kv, write),
                                        write.size(memory.sequence)));
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

void add_outcomes(Lines& lines, const std::vector<RuleOutcome>& outcomes) {
  std::string passed;
  for (const RuleOutcome& outcome : outcomes) {
    if (outcome.kind != RuleOutcome::Kind::passed) continue;
    passed += (passed.empty() ? "" : ", ") + outcome.rule;
  }
  if (!passed.empty()) lines.emplace_back("passed", passed);
  for (const RuleOutcome& outcome : outcomes) {
    const std::string text = outcome.reason.empty()
                                 ? outcome.rule
                                 : fmt::format("{}: {}", outcome.rule, printable(outcome.reason));
    if (outcome.kind == RuleOutcome::Kind::skipped) lines.emplace_back("skipped", text);
    if (outcome.kind == RuleOutcome::Kind::ignored) lines.emplace_back("ignored", text);
  }
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
