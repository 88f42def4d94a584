#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/analyze_question.hpp"
#include "cli/answer_notes.hpp"
#include "cli/commands.hpp"
#include "roofline/derivation.hpp"

namespace roofline::cli {
namespace {

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

int run_analyze(const AnalyzeFlags& flags, bool explain, Session& session) {
  AnalyzeQuestion question = read_analyze_question(flags, session);
  session.errors.collect([&] {
    if (chosen_format(session.output) == report::Format::csv && explain) {
      throw Error(Diagnostic{.what = "--explain has no place in csv",
                             .why = "csv has one line for each point",
                             .fix = "--format json"});
    }
  });
  complete_question(flags, session, question);
  AnalyzeResult result = analyze(question.request);
  note_unused_peaks(question.overrides, result);
  if (explain) question.context.derivations = derivations(question.request, result);
  report::Report answer = report::from(result, question.context);
  if (!question.description.empty()) answer.notes.push_back(question.description);
  if (session.global.verbose) note_sources(question.context.data_source, answer.notes);
  write_answer(answer, session);
  return 0;
}

}  // namespace

void set_up_analyze(CLI::App& command, Session& session) {
  struct Flags {
    AnalyzeFlags analyze;
    bool explain = false;
  };
  const auto flags = std::make_shared<Flags>();
  add_analyze_flags(command, flags->analyze);
  command.add_flag("--explain", flags->explain, "show each formula with the numbers put in")
      ->group("Output");
  add_output_flags(command, session.output);
  session.run = [flags, &session] { return run_analyze(flags->analyze, flags->explain, session); };
}

}  // namespace roofline::cli
