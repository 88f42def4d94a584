// plot: the roofline, or a curve over the batch or the context, as a picture.
#include <memory>

#include "cli/analyze_question.hpp"
#include "cli/answer_notes.hpp"
#include "cli/commands.hpp"
#include "cli/plot_flags.hpp"
#include "report/curves_report.hpp"
#include "report/plot_report.hpp"

namespace roofline::cli {
namespace {

struct Flags {
  AnalyzeFlags analyze;
  PlotFlags plot;
};

/// A spec file's own words are a note.
report::Report with_description(report::Report answer, const AnalyzeQuestion& question) {
  if (!question.description.empty()) answer.notes.push_back(question.description);
  return answer;
}

/// The ceilings that were asked for, as the answer repeats them.
void add_ceilings(const PlotRequest& request, report::Fields& inputs) {
  if (request.all_ceilings) {
    inputs.emplace_back("ceilings", std::string("all"));
    return;
  }
  std::vector<std::string> names;
  for (const PeakKey& key : request.ceilings) names.push_back(to_string(key));
  if (names.size() == 1) inputs.emplace_back("ceilings", names.front());
  if (names.size() > 1) inputs.emplace_back("ceilings", names);
}

report::Report draw_roofline(const Flags& flags, Session& session) {
  PlotRequest request;
  report::PlotContext context;
  AnalyzeQuestion question = read_analyze_question(flags.analyze, session);
  context.mark = read_plot_flags(flags.plot, request, session.errors);
  complete_question(flags.analyze, session, question);
  context.question = std::move(question.context);
  add_ceilings(request, context.question.inputs);
  context.title = flags.plot.title;
  request.question = std::move(question.request);
  PlotResult result = plot(request);
  note_unused_peaks(question.overrides, result.analysis);
  return with_description(report::from(result, context), question);
}

/// What x is where no list of it was given.
void add_usual_list(CurveX x, WorkloadFlags& flags) {
  if (!flags.lengths.empty()) return;
  if (x == CurveX::batch && flags.batches.empty()) flags.batches = {"1..1024x2"};
  if (x == CurveX::context && flags.contexts.empty()) flags.contexts = {"512..131072x2"};
}

report::Report draw_curves(const Flags& flags, Session& session) {
  CurvesRequest request;
  report::CurvesContext context;
  read_curve_flags(flags.plot, request, session.errors);
  AnalyzeFlags analyze = flags.analyze;
  const bool is_matmul = analyze.question.workload.workload == "matmul";
  if (analyze.question.subject.spec.empty() && !is_matmul) {
    add_usual_list(request.x, analyze.question.workload);
  }
  AnalyzeQuestion question = read_analyze_question(analyze, session);
  complete_question(analyze, session, question);
  context.question = std::move(question.context);
  context.title = flags.plot.title;
  request.question = std::move(question.request);
  CurvesResult result = curves(request);
  note_unused_peaks(question.overrides, result.analysis);
  return with_description(report::from(result, context), question);
}

int run_plot(const Flags& flags, Session& session) {
  session.errors.collect([&] { (void)chosen_format(session.output); });
  report::Report answer =
      asks_for_curves(flags.plot) ? draw_curves(flags, session) : draw_roofline(flags, session);
  if (session.global.verbose) note_sources(answer.data_source, answer.notes);
  write_answer(answer, session);
  return 0;
}

}  // namespace

void set_up_plot(CLI::App& command, Session& session) {
  const auto flags = std::make_shared<Flags>();
  add_analyze_flags(command, flags->analyze);
  add_plot_flags(command, flags->plot);
  add_output_flags(command, session.output);
  add_picture_flags(command, session.output);
  session.run = [flags, &session] { return run_plot(*flags, session); };
}

}  // namespace roofline::cli
