#include "report/analyze_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "report/analyze_parts.hpp"
#include "report/shared_notes.hpp"

namespace roofline::report {
namespace {

/// True if a layer of the one does what a layer of the other does.
bool alike(const Operator& a, const Operator& b) {
  const auto each = [](const Operator& op, double value) {
    return value / static_cast<double>(op.layers);
  };
  return a.name == b.name && a.operands == b.operands && a.part == b.part && a.inputs == b.inputs &&
         a.outputs == b.outputs && a.matrices == b.matrices &&
         (a.inputs > 0 ||
          (a.window == b.window && each(a, a.flops.value()) == each(b, b.flops.value()) &&
           each(a, a.kv.value()) == each(b, b.kv.value()) &&
           each(a, a.state.value()) == each(b, b.state.value())));
}

/// Groups of layers have operators in common: one row for all that are alike.
std::vector<Operator> merged_operators(const std::vector<Operator>& operators) {
  std::vector<Operator> merged;
  for (const Operator& op : operators) {
    const auto same = std::find_if(merged.begin(), merged.end(),
                                   [&](const Operator& other) { return alike(op, other); });
    if (same == merged.end()) {
      merged.push_back(op);
      continue;
    }
    same->layers += op.layers;
    same->flops += op.flops;
    same->weights += op.weights;
    same->kv += op.kv;
    same->state += op.state;
    same->activations += op.activations;
  }
  return merged;
}

Table operator_table(const StepAnalysis& step, BytesPerSecond bandwidth) {
  Table table{
      .key = "operators",
      .columns = {
          {"operator", "operator"},
          {"layers", "layers", Unit::count},
          {"window_tokens", "window", Unit::count, Show::machine},
          {"flop", "", Unit::flop},
          {"weight_bytes", "weights", Unit::bytes},
          {"kv_bytes", "K/V", Unit::bytes,
           step.time.kv > Bytes(0) ? Show::everywhere : Show::machine},
          {"state_bytes", "state", Unit::bytes,
           step.time.state > Bytes(0) ? Show::everywhere : Show::machine},
          {.key = "activation_bytes", .header = "act.", .unit = Unit::bytes, .where_room = true},
          {"intensity_flop_per_byte", "", Unit::flop_per_byte},
          {"peak_type", "peak", Unit::none, Show::machine},
          {"compute_time_s", "compute", Unit::seconds, Show::machine},
          {"memory_time_s", "memory", Unit::seconds, Show::machine},
          {"serial_time_s", "time", Unit::seconds},
          {.key = "share",
           .header = "share",
           .unit = Unit::percent,
           .show = Show::text,
           .where_room = true},
          {"bound", "bound"}}};
  const std::vector<Operator> merged = merged_operators(step.operators);
  std::vector<const Operator*> sorted;
  for (const Operator& op : merged) sorted.push_back(&op);
  const auto serial = [&](const Operator* op) {
    return time_operator(*op, step.rates, bandwidth).serial();
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const Operator* a, const Operator* b) { return serial(a) > serial(b); });
  for (const Operator* op : sorted) {
    const OperatorTime time = time_operator(*op, step.rates, bandwidth);
    const bool computes = op->operands != Operands::none;
    const std::string name =
        op->window ? fmt::format("{} {}{}", op->name, op->chunked ? "c" : "w", *op->window)
                   : std::string(op->name);
    table.rows.push_back(
        {name, static_cast<double>(op->layers),
         op->window ? Value(static_cast<double>(*op->window)) : Value(), op->flops.value(),
         op->weights.value(), op->kv.value(), op->state.value(), op->activations.value(),
         op->compulsory() > Bytes(0) ? Value((op->flops / op->compulsory()).value()) : Value(),
         computes ? Value(to_string(step.rates.of(*op).key)) : Value(), time.compute.value(),
         time.memory.value(), time.serial().value(), 100 * (time.serial() / step.time.serial),
         bound_text(time.bound())});
  }
  return table;
}

constexpr const char* step_symbols =
    "T tokens, R logit rows, n sequences, q new and p cached tokens, L layers, h hidden size,\n"
    "H heads, H_kv K/V heads, d head size, s tokens of K/V, A query-key pairs, W window;\n"
    "K inputs and N outputs of a matrix; w, a, c bytes of a weight, activation, K/V element;\n"
    "k of E experts a token, D distinct ones; latent attention: r_kv latent, r rope, u other key\n"
    "and v value elements, U tokens whose latent is unfolded\n";
constexpr const char* device_symbols =
    "G devices of tensor parallel, X that experts are spread over, P stages of a pipeline,\n"
    "J tokens that meet at the experts, M outputs that are summed over devices\n";
constexpr const char* kernel_symbols =
    "a, w, c bytes of an activation, weight, K/V element; b batch, h heads, h_kv K/V heads,\n"
    "d head size, q queries, s keys, P parameters, L layers\n";

/// "decode on T4, batch 1, context 2,048".
std::string point_label(const AnalyzePoint& point) {
  std::string label = fmt::format("{} on {}", point.workload.name, point.gpu);
  const Value batch = batch_of(point);
  const Value context = context_of(point);
  if (const auto* number = std::get_if<double>(&batch)) {
    label += fmt::format(", batch {}", format_count(*number));
  }
  if (const auto* number = std::get_if<double>(&context)) {
    label += fmt::format(", context {}", format_count(*number));
  }
  return label;
}

/// What the symbols of a point's formulas mean.
std::string symbols_of(const AnalyzePoint& point) {
  const StepAnalysis* step = step_of_point(point);
  if (step == nullptr) return kernel_symbols;
  return std::string(step_symbols) + (step->deployment.devices() > 1 ? device_symbols : "");
}

Table derivation_table(const std::vector<DerivationStep>& steps, const AnalyzePoint& point) {
  Table table{.key = "derivation",
              .title = symbols_of(point),
              .columns = {{"quantity", "quantity"},
                          {"formula", "formula"},
                          {"numbers", "numbers"},
                          {"value", "value", Unit::plain, Show::machine},
                          {"unit", "unit", Unit::none, Show::machine},
                          {"result", "value", Unit::none, Show::text}},
              .layout = Layout::derivation};
  for (const DerivationStep& step : steps) {
    table.rows.push_back({step.quantity, step.formula, step.numbers, step.value, step.unit,
                          fmt::format("{} {}", format_exact(step.value), step.unit)});
  }
  return table;
}

/// "twice-the-peak", "8-bit-kv".
std::string key_of(Change change) {
  if (change == Change::kv_8_bit) return "8-bit-kv";
  std::string key(to_string(change));
  std::replace(key.begin(), key.end(), ' ', '-');
  return key;
}

Table improvement_table(const AnalyzePoint& point) {
  Table table{.key = "improvements",
              .columns = {{"change", "change"},
                          {"speedup", "speedup"},
                          {"roofline_time_s", "roofline", Unit::seconds},
                          {"fits", "fits"}},
              .in_text = false};
  for (const Improvement& improvement : point.improvements) {
    table.rows.push_back({key_of(improvement.change), improvement.speedup,
                          improvement.roofline.value(),
                          improvement.fits ? Value(*improvement.fits) : Value()});
  }
  return table;
}

}  // namespace

Report from(const AnalyzeResult& result, const AnalyzeContext& context) {
  Report report;
  report.command = "analyze";
  report.data_source = context.data_source;
  report.inputs = context.inputs;
  if (result.points.empty()) return report;
  report.title = question_of(result, context.spec);
  if (!context.overrides.empty()) report.title += fmt::format(", with {}", context.overrides);
  const bool single = result.points.size() == 1;
  report.results = results_table(result, !single && !context.spec.empty());
  report.results_in_text = !single;
  report.first_fact_matters_most = true;
  if (single) report.facts = facts_of(result.points.front(), context.significant_digits);
  for (std::size_t i = 0; i < result.points.size(); ++i) {
    const AnalyzePoint& point = result.points[i];
    std::vector<Table> tables;
    if (const StepAnalysis* step = step_of_point(point)) {
      Table operators = operator_table(*step, point.roof.bandwidth);
      operators.in_text = single;
      tables.push_back(std::move(operators));
    }
    if (!point.improvements.empty()) tables.push_back(improvement_table(point));
    if (i < context.derivations.size()) {
      tables.push_back(derivation_table(context.derivations[i], point));
      if (!single) tables.back().title = point_label(point) + "\n\n" + tables.back().title;
    }
    report.details.push_back(std::move(tables));
  }
  SharedNotes notes;
  for (const AnalyzePoint& point : result.points) notes.add(point.gpu, point.notes);
  report.notes = notes.texts();
  return report;
}

}  // namespace roofline::report
