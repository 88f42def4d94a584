#include "report/analyze_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/format.hpp"

namespace roofline::report {
namespace {

/// One column of the results: its description, and its value for a point.
struct PointColumn {
  Column column;
  std::function<Value(const AnalyzePoint&)> value;
};

const StepAnalysis* step_of_point(const AnalyzePoint& point) {
  return std::get_if<StepAnalysis>(&point.detail);
}

/// A value that only steps of models have.
template <class Get>
auto of_step(Get get) {
  return [get](const AnalyzePoint& point) -> Value {
    const StepAnalysis* step = step_of_point(point);
    return step == nullptr ? Value() : Value(get(*step));
  };
}

/// A value of one kind of workload.
template <class Kind, class Get>
Value of_workload(const AnalyzePoint& point, Get get) {
  const Kind* kind = std::get_if<Kind>(&point.workload.workload);
  return kind == nullptr ? Value() : Value(static_cast<double>(get(*kind)));
}

std::string bound_text(Verdict verdict) {
  return verdict == Verdict::compute_bound ? "compute" : "memory";
}

Value first_of(std::initializer_list<Value> values) {
  for (const Value& value : values) {
    if (!std::holds_alternative<std::monostate>(value)) return value;
  }
  return {};
}

Value batch_of(const AnalyzePoint& p) {
  return first_of({of_workload<Decode>(p, [](const auto& w) { return w.batch; }),
                   of_workload<Prefill>(p, [](const auto& w) { return w.batch; }),
                   of_workload<AttentionShape>(p, [](const auto& w) { return w.batch; }),
                   of_workload<TextbookDecode>(p, [](const auto& w) { return w.batch; })});
}

Value context_of(const AnalyzePoint& p) {
  return first_of({of_workload<Decode>(p, [](const auto& w) { return w.context; }),
                   of_workload<Prefill>(p, [](const auto& w) { return w.context; }),
                   of_workload<TextbookDecode>(p, [](const auto& w) { return w.context; })});
}

Value optional_number(const std::optional<double>& number) {
  return number ? Value(*number) : Value();
}

std::vector<PointColumn> step_columns() {
  return {
      {{"flop", "FLOP", Unit::flop, Show::machine},
       [](const auto& p) -> Value { return p.flops.value(); }},
      {{"bytes", "bytes", Unit::bytes, Show::machine},
       [](const auto& p) -> Value { return p.bytes.value(); }},
      {{"weight_bytes", "weights", Unit::bytes, Show::machine},
       of_step([](const auto& s) { return s.time.weights.value(); })},
      {{"kv_bytes", "K/V", Unit::bytes, Show::machine},
       of_step([](const auto& s) { return s.time.kv.value(); })},
      {{"state_bytes", "state", Unit::bytes, Show::machine},
       of_step([](const auto& s) { return s.time.state.value(); })},
      {{"activation_bytes", "activations", Unit::bytes, Show::machine},
       of_step([](const auto& s) { return s.time.activations.value(); })},
      {{"compute_time_s", "compute", Unit::seconds, Show::machine},
       [](const auto& p) -> Value { return p.compute_time.value(); }},
      {{"memory_time_s", "memory", Unit::seconds, Show::machine},
       [](const auto& p) -> Value { return p.memory_time.value(); }},
      {{"network_time_s", "network", Unit::seconds, Show::machine},
       of_step([](const auto& s) { return s.time.network.value(); })},
      {{"roofline_time_s", "roofline", Unit::seconds},
       [](const auto& p) -> Value { return p.roofline_time.value(); }},
      {{"serial_time_s", "serial", Unit::seconds, Show::machine},
       of_step([](const auto& s) { return s.time.serial.value(); })},
      {{"throughput_tok_per_s", "", Unit::tok_per_s},
       of_step([](const auto& s) { return s.tokens_per_second; })},
      {{"fits", "fits"}, of_step([](const auto& s) {
         const std::optional<bool> fits = s.fits();
         return fits ? Value(*fits) : Value();
       })},
      {{"effective_peak_flop_per_s", "peak", Unit::flop_per_s, Show::machine},
       [](const auto& p) -> Value { return p.roof.peak.value(); }},
      {{"bandwidth_bytes_per_s", "bandwidth", Unit::bytes_per_s, Show::machine},
       [](const auto& p) -> Value { return p.roof.bandwidth.value(); }},
      {{"memory_needed_bytes", "needs", Unit::bytes, Show::machine},
       of_step([](const auto& s) { return s.memory.total().value(); })},
      {{"memory_usable_bytes", "usable", Unit::bytes, Show::machine}, of_step([](const auto& s) {
         return s.usable_memory ? Value(s.usable_memory->value()) : Value();
       })},
      {{"usd_per_million_tokens", "per 1M tok", Unit::usd},
       of_step([](const auto& s) { return optional_number(s.dollars_per_million_tokens); })}};
}

std::vector<PointColumn> shape_columns() {
  const auto matmul = [](const char* key, std::int64_t MatmulShape::*member) -> PointColumn {
    return {{key, key, Unit::count, Show::machine}, [member](const AnalyzePoint& p) {
              return of_workload<MatmulShape>(p, [&](const auto& w) { return w.*member; });
            }};
  };
  const auto attention = [](const char* key, std::int64_t AttentionShape::*member) -> PointColumn {
    return {{key, key, Unit::count, Show::machine}, [member](const AnalyzePoint& p) {
              return of_workload<AttentionShape>(p, [&](const auto& w) { return w.*member; });
            }};
  };
  const auto textbook = [](const char* key, std::int64_t TextbookDecode::*member) -> PointColumn {
    return {{key, key, Unit::count, Show::machine}, [member](const AnalyzePoint& p) {
              return of_workload<TextbookDecode>(p, [&](const auto& w) { return w.*member; });
            }};
  };
  const auto either = [](const char* key, std::int64_t AttentionShape::*one,
                         std::int64_t TextbookDecode::*other) -> PointColumn {
    return {{key, key, Unit::count, Show::machine}, [=](const AnalyzePoint& p) {
              return first_of(
                  {of_workload<AttentionShape>(p, [&](const auto& w) { return w.*one; }),
                   of_workload<TextbookDecode>(p, [&](const auto& w) { return w.*other; })});
            }};
  };
  return {matmul("m", &MatmulShape::m),
          matmul("k", &MatmulShape::k),
          matmul("n", &MatmulShape::n),
          attention("heads", &AttentionShape::heads),
          either("kv_heads", &AttentionShape::kv_heads, &TextbookDecode::kv_heads),
          either("head_dim", &AttentionShape::head_dim, &TextbookDecode::head_dim),
          attention("seq_q", &AttentionShape::seq_q),
          attention("seq_k", &AttentionShape::seq_k),
          {{"causal", "causal", Unit::none, Show::machine},
           [](const AnalyzePoint& p) -> Value {
             const auto* shape = std::get_if<AttentionShape>(&p.workload.workload);
             if (shape != nullptr) return shape->causal;
             const auto* prefill = std::get_if<Prefill>(&p.workload.workload);
             return prefill == nullptr ? Value() : Value(prefill->causal);
           }},
          textbook("parameters", &TextbookDecode::parameters),
          textbook("layers", &TextbookDecode::layers)};
}

/// Every column, in the order of the stable interface.
std::vector<PointColumn> all_columns() {
  std::vector<PointColumn> columns{
      {{"gpu", "gpu"}, [](const auto& p) -> Value { return p.gpu; }},
      {{"model", "model"}, of_step([](const auto& s) { return s.model; })},
      {{"workload", "workload"}, [](const auto& p) -> Value { return p.workload.name; }},
      {{"batch", "batch", Unit::count}, batch_of},
      {{"context_tokens", "context", Unit::count}, context_of},
      {{"verdict", "verdict", Unit::none, Show::machine},
       [](const auto& p) -> Value { return std::string(to_string(p.verdict())); }},
      {{"intensity_flop_per_byte", "", Unit::flop_per_byte},
       [](const auto& p) -> Value { return p.intensity().value(); }},
      {{"ridge_flop_per_byte", "ridge"},
       [](const auto& p) -> Value { return p.roof.ridge().value(); }},
      {{"achievable_flop_per_s", "", Unit::flop_per_s},
       [](const auto& p) -> Value { return p.achievable().value(); }},
      {{"bound", "bound", Unit::none, Show::text},
       [](const auto& p) -> Value { return bound_text(p.verdict()); }}};
  const auto append = [&](std::vector<PointColumn> more) {
    columns.insert(columns.end(), std::make_move_iterator(more.begin()),
                   std::make_move_iterator(more.end()));
  };
  append(step_columns());
  append(shape_columns());
  columns.push_back({{"notes", "notes", Unit::none, Show::machine},
                     [](const auto& p) -> Value { return p.notes; }});
  return columns;
}

/// The results without the columns that no row has; in text, without those that all rows share.
Table results_table(const AnalyzeResult& result) {
  Table table;
  table.key = "results";
  table.rows.resize(result.points.size());
  for (const PointColumn& candidate : all_columns()) {
    std::vector<Value> values;
    for (const AnalyzePoint& point : result.points) values.push_back(candidate.value(point));
    const bool absent = std::all_of(values.begin(), values.end(), [](const Value& value) {
      return std::holds_alternative<std::monostate>(value);
    });
    if (absent) continue;
    Column column = candidate.column;
    const std::set<std::string_view> in_title{"gpu", "model", "workload", "batch",
                                              "context_tokens"};
    const bool shared = std::all_of(values.begin(), values.end(),
                                    [&](const Value& value) { return value == values.front(); });
    if (shared && in_title.contains(column.key)) column.show = Show::machine;
    table.columns.push_back(column);
    for (std::size_t r = 0; r < values.size(); ++r) table.rows[r].push_back(std::move(values[r]));
  }
  return table;
}

Table operator_table(const StepAnalysis& step, BytesPerSecond bandwidth) {
  Table table{.key = "operators",
              .columns = {{"operator", "operator"},
                          {"layers", "layers", Unit::count},
                          {"window_tokens", "window", Unit::count, Show::machine},
                          {"flop", "", Unit::flop},
                          {"weight_bytes", "weights", Unit::bytes},
                          {"kv_bytes", "K/V", Unit::bytes},
                          {"state_bytes", "state", Unit::bytes, Show::machine},
                          {"activation_bytes", "act.", Unit::bytes},
                          {"intensity_flop_per_byte", "", Unit::flop_per_byte},
                          {"peak", "peak", Unit::none, Show::machine},
                          {"compute_time_s", "compute", Unit::seconds, Show::machine},
                          {"memory_time_s", "memory", Unit::seconds, Show::machine},
                          {"serial_time_s", "time", Unit::seconds},
                          {"share", "share", Unit::percent, Show::text},
                          {"bound", "bound"}}};
  std::vector<const Operator*> sorted;
  for (const Operator& op : step.operators) sorted.push_back(&op);
  const auto serial = [&](const Operator* op) {
    return time_operator(*op, step.rates, bandwidth).serial();
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const Operator* a, const Operator* b) { return serial(a) > serial(b); });
  for (const Operator* op : sorted) {
    const OperatorTime time = time_operator(*op, step.rates, bandwidth);
    const bool computes = op->operands != Operands::none;
    const std::string name =
        op->window ? fmt::format("{} w{}", op->name, *op->window) : std::string(op->name);
    table.rows.push_back(
        {name, static_cast<double>(op->layers),
         op->window ? Value(static_cast<double>(*op->window)) : Value(), op->flops.value(),
         op->weights.value(), op->kv.value(), op->state.value(), op->activations.value(),
         op->compulsory() > Bytes(0) ? Value((op->flops / op->compulsory()).value()) : Value(),
         computes ? Value(to_string(step.rates.of(op->operands).key)) : Value(),
         time.compute.value(), time.memory.value(), time.serial().value(),
         100 * (time.serial() / step.time.serial), bound_text(time.bound())});
  }
  return table;
}

Table derivation_table(const std::vector<DerivationStep>& steps) {
  Table table{.key = "derivation",
              .title =
                  "T tokens, R logit rows, n sequences, q new and p cached tokens, L layers, "
                  "h hidden size, H heads,\nd head size; w, a, c bytes of a weight, "
                  "activation, K/V element; K, N inputs and outputs; W window\n",
              .columns = {{"quantity", "quantity"},
                          {"formula", "formula"},
                          {"numbers", "numbers"},
                          {"value", "value", Unit::plain},
                          {"unit", "unit", Unit::none, Show::machine}},
              .layout = Layout::derivation};
  for (const DerivationStep& step : steps) {
    table.rows.push_back({step.quantity, step.formula, step.numbers, step.value, step.unit});
  }
  return table;
}

std::string precision_text(const Precision& precision) {
  const std::string& weights = precision.weights.name;
  if (weights == precision.kv.name && weights == precision.activations.name) return weights;
  return fmt::format("weights {}, K/V {}, activations {}", weights, precision.kv.name,
                     precision.activations.name);
}

/// "batch 32", "3 batches"; empty where nothing has one.
std::string counted(const AnalyzeResult& result, Value (*get)(const AnalyzePoint&),
                    std::string_view one, std::string_view many) {
  std::set<double> values;
  for (const AnalyzePoint& point : result.points) {
    const Value value = get(point);
    if (const auto* number = std::get_if<double>(&value)) values.insert(*number);
  }
  if (values.empty()) return {};
  if (values.size() == 1) return fmt::format(", {} {}", one, format_count(*values.begin()));
  return fmt::format(", {} {}", values.size(), many);
}

template <class Get>
std::string named(const AnalyzeResult& result, Get get, std::string_view one_prefix,
                  std::string_view many) {
  std::set<std::string> values;
  for (const AnalyzePoint& point : result.points) values.insert(get(point));
  if (values.size() == 1) return fmt::format("{}{}", one_prefix, *values.begin());
  return fmt::format("{} {}", values.size(), many);
}

std::string shape_text(const AnalyzePoint& point) {
  if (const auto* m = std::get_if<MatmulShape>(&point.workload.workload)) {
    return fmt::format(" {} x {} x {}", m->m, m->k, m->n);
  }
  if (const auto* a = std::get_if<AttentionShape>(&point.workload.workload)) {
    return fmt::format(", {} heads, {} K/V heads, head size {}, {} queries, {} keys, {}", a->heads,
                       a->kv_heads, a->head_dim, a->seq_q, a->seq_k,
                       a->causal ? "causal" : "not causal");
  }
  if (const auto* t = std::get_if<TextbookDecode>(&point.workload.workload)) {
    return fmt::format(" of {} parameters, {} K/V heads of {}", format_count(double(t->parameters)),
                       t->kv_heads, t->head_dim);
  }
  return {};
}

std::string question_of(const AnalyzeResult& result, const std::string& spec) {
  const AnalyzePoint& first = result.points.front();
  const std::string gpus = named(
      result, [](const auto& p) { return p.gpu; }, "1 x ", "GPUs");
  const std::string workloads = named(
      result, [](const auto& p) { return p.workload.name; }, "", "workloads");
  if (!spec.empty()) return fmt::format("{}: {} on {}", spec, workloads, gpus);
  std::string subject;
  const StepAnalysis* step = step_of_point(first);
  if (step != nullptr) {
    const std::string models = named(
        result, [](const auto& p) { return std::get<StepAnalysis>(p.detail).model; }, "", "models");
    const std::string precisions = named(
        result,
        [](const auto& p) { return precision_text(std::get<StepAnalysis>(p.detail).precision); },
        "", "precisions");
    subject = fmt::format(" of {} ({})", models, precisions);
  } else {
    const Precision& precision = std::get<KernelAnalysis>(first.detail).precision;
    const bool attention = std::holds_alternative<AttentionShape>(first.workload.workload);
    const std::string& stored = attention ? precision.kv.name : precision.weights.name;
    const std::string& other = precision.activations.name;
    subject = fmt::format("{} ({})", shape_text(first),
                          stored == other ? stored : fmt::format("{} x {}", stored, other));
  }
  const auto* prefill = std::get_if<Prefill>(&first.workload.workload);
  if (prefill != nullptr && !prefill->causal) subject += " without causal mask";
  return fmt::format("{}{}{}{}, on {}", workloads, subject,
                     counted(result, batch_of, "batch", "batches"),
                     counted(result, context_of, "context", "contexts"), gpus);
}

std::string distance_text(const AnalyzePoint& point) {
  const double ratio = point.intensity() / point.roof.ridge();
  if (ratio == 1) return "at the ridge";
  return ratio > 1 ? fmt::format("{} times above", format_significant(ratio, 3))
                   : fmt::format("{} times below", format_significant(1 / ratio, 3));
}

std::string bytes_text(Bytes bytes, const Scale& scale) {
  return format_significant(bytes.value() / scale.factor);
}

Fact memory_fact(const StepAnalysis& step) {
  const MemoryNeed& need = step.memory;
  const Scale scale =
      scale_for(std::max(need.total(), step.usable_memory.value_or(Bytes())).value());
  const std::string parts =
      fmt::format("weights {}, K/V {}, activations {}", bytes_text(need.weights, scale),
                  bytes_text(need.kv, scale), bytes_text(need.activations, scale));
  if (!step.usable_memory) {
    return {"memory", "not known",
            fmt::format("needs {} {}B: {}", bytes_text(need.total(), scale), scale.prefix, parts)};
  }
  return {"memory", *step.fits() ? "fits" : "does not fit",
          fmt::format("{} of {} {}B: {}", bytes_text(need.total(), scale),
                      bytes_text(*step.usable_memory, scale), scale.prefix, parts)};
}

std::vector<Fact> facts_of(const AnalyzePoint& point) {
  std::vector<Fact> facts;
  const StepAnalysis* step = step_of_point(point);
  facts.push_back(
      {"verdict", std::string(to_string(point.verdict())),
       fmt::format("{} FLOP/byte, ridge {}: {}", format_significant(point.intensity().value()),
                   format_significant(point.roof.ridge().value()), distance_text(point))});
  const Scale scale = scale_for(point.roofline_time.value());
  const auto time = [&](Seconds t) { return format_significant(t.value() / scale.factor); };
  facts.push_back({"roofline time", format_scaled(point.roofline_time.value(), "s"),
                   fmt::format("floor: memory {}, compute {}", time(point.memory_time),
                               time(point.compute_time))});
  if (step != nullptr) {
    facts.push_back({"serial time", format_scaled(step->time.serial.value(), "s"),
                     "operators one after another, activations through memory"});
  }
  facts.push_back({"achievable", format_scaled(point.achievable().value(), "FLOP/s"),
                   fmt::format("of {} dense, {}", format_scaled(point.roof.peak.value(), "FLOP/s"),
                               format_scaled(point.roof.bandwidth.value(), "B/s"))});
  if (step == nullptr) return facts;
  const Value batch = batch_of(point);
  facts.push_back(
      {"throughput", fmt::format("{} tok/s", format_significant(step->tokens_per_second)),
       fmt::format("at most; {} tok/s per sequence",
                   format_significant(step->tokens_per_second / std::get<double>(batch)))});
  if (step->dollars_per_million_tokens) {
    facts.push_back({"cost",
                     fmt::format("{} USD", format_significant(*step->dollars_per_million_tokens)),
                     "per 1M tokens, at least"});
  }
  const Fact memory = memory_fact(*step);
  const bool too_large = step->fits() == false;
  facts.insert(too_large ? facts.begin() : facts.end(), memory);
  return facts;
}

/// Each note once; one that holds for some of the devices only says for which.
std::vector<std::string> shared_notes(const AnalyzeResult& result) {
  constexpr std::size_t most_named = 3;
  std::vector<std::pair<std::string, std::vector<std::string>>> gpus_by_note;
  std::set<std::string> all_gpus;
  for (const AnalyzePoint& point : result.points) {
    all_gpus.insert(point.gpu);
    for (const std::string& note : point.notes) {
      auto known = std::find_if(gpus_by_note.begin(), gpus_by_note.end(),
                                [&](const auto& entry) { return entry.first == note; });
      if (known == gpus_by_note.end()) known = gpus_by_note.insert(known, {note, {}});
      auto& gpus = known->second;
      if (std::find(gpus.begin(), gpus.end(), point.gpu) == gpus.end()) gpus.push_back(point.gpu);
    }
  }
  std::vector<std::string> notes;
  for (auto& [note, gpus] : gpus_by_note) {
    if (gpus.size() == all_gpus.size()) {
      notes.push_back(note);
      continue;
    }
    const std::size_t others = gpus.size() > most_named ? gpus.size() - most_named : 0;
    gpus.resize(gpus.size() - others);
    notes.push_back(fmt::format("{}{}: {}", fmt::join(gpus, ", "),
                                others > 0 ? fmt::format(" and {} more", others) : "", note));
  }
  return notes;
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
  report.results = results_table(result);
  const bool single = result.points.size() == 1;
  report.results_in_text = !single;
  if (single) report.facts = facts_of(result.points.front());
  for (std::size_t i = 0; i < result.points.size(); ++i) {
    const AnalyzePoint& point = result.points[i];
    std::vector<Table> tables;
    if (const StepAnalysis* step = step_of_point(point)) {
      Table operators = operator_table(*step, point.roof.bandwidth);
      operators.in_text = single;
      tables.push_back(std::move(operators));
    }
    if (i < context.derivations.size()) tables.push_back(derivation_table(context.derivations[i]));
    report.details.push_back(std::move(tables));
  }
  report.notes = shared_notes(result);
  return report;
}

}  // namespace roofline::report
