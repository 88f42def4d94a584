// The columns of an analysis, in the order of the stable interface.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/format.hpp"
#include "report/analyze_parts.hpp"

namespace roofline::report {
namespace {

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

Value first_of(std::initializer_list<Value> values) {
  for (const Value& value : values) {
    if (!std::holds_alternative<std::monostate>(value)) return value;
  }
  return {};
}

Value optional_number(const std::optional<double>& number) {
  return number ? Value(*number) : Value();
}

/// "yes", or what is missing.
Value fits_text(const StepAnalysis& step) {
  const std::optional<bool> fits = step.fits();
  if (!fits) return std::string("not known");
  if (*fits) return std::string("yes");
  const Scale scale = scale_for(step.memory.total().value());
  return fmt::format("no: {} of {} {}B",
                     format_significant(step.memory.total().value() / scale.factor),
                     format_significant(step.usable_memory->value() / scale.factor), scale.prefix);
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
      {{"distinct_experts", "experts", Unit::count, Show::machine}, of_step([](const auto& s) {
         const Operator* experts = routed_operator(s);
         return experts == nullptr ? Value() : Value(experts->matrices);
       })},
      {{"activation_bytes", "activations", Unit::bytes, Show::machine},
       of_step([](const auto& s) { return s.time.activations.value(); })},
      {{"compute_time_s", "compute", Unit::seconds, Show::machine},
       [](const auto& p) -> Value { return p.compute_time.value(); }},
      {{"memory_time_s", "memory", Unit::seconds, Show::machine},
       [](const auto& p) -> Value { return p.memory_time.value(); }},
      {{"network_bytes", "network", Unit::bytes, Show::machine},
       of_step([](const auto& s) { return s.time.load.bytes().value(); })},
      {{"network_time_s", "network", Unit::seconds, Show::machine},
       of_step([](const auto& s) { return s.time.network.value(); })},
      {{"network_latency_s", "latency", Unit::seconds, Show::machine},
       of_step([](const auto& s) { return s.time.load.latency.value(); })},
      {{"roofline_time_s", "roofline", Unit::seconds},
       [](const auto& p) -> Value { return p.roofline_time.value(); }},
      {{"serial_time_s", "serial", Unit::seconds, Show::machine},
       of_step([](const auto& s) { return s.time.serial.value(); })},
      {{"throughput_tok_per_s", "", Unit::tok_per_s},
       of_step([](const auto& s) { return s.tokens_per_second; })},
      {{"fits", "fits", Unit::none, Show::machine}, of_step([](const auto& s) {
         const std::optional<bool> fits = s.fits();
         return fits ? Value(*fits) : Value(Unknown());
       })},
      {{"reason", "reason", Unit::none, Show::machine}, of_step([](const auto& s) {
         const bool unknown = !s.fits().has_value();
         return unknown ? Value(std::string("the memory capacity is not known")) : Value();
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
       of_step([](const auto& s) { return optional_number(s.dollars_per_million_tokens); })},
      {{"fits_text", "fits", Unit::none, Show::text}, of_step(fits_text)}};
}

std::vector<PointColumn> deployment_columns() {
  const auto ways = [](const char* key, std::int64_t Deployment::*member) -> PointColumn {
    return {{key, key, Unit::count, Show::machine}, of_step([member](const StepAnalysis& s) {
              return static_cast<double>(s.deployment.*member);
            })};
  };
  return {ways("tp", &Deployment::tensor), ways("pp", &Deployment::pipeline),
          ways("ep", &Deployment::expert), ways("dp", &Deployment::data)};
}

/// What a step has beside batch and context.
std::vector<PointColumn> step_shape_columns() {
  const auto mixed = [](const char* key, const char* header,
                        std::int64_t Mixed::*member) -> PointColumn {
    return {{key, header, Unit::count}, [member](const AnalyzePoint& p) {
              return of_workload<Mixed>(p, [&](const auto& w) { return w.*member; });
            }};
  };
  return {{{"contexts", "contexts"}, contexts_of},
          {{"cached_tokens", "cached", Unit::count},
           [](const AnalyzePoint& p) {
             return of_workload<Prefill>(p, [](const auto& w) { return w.cached; });
           }},
          mixed("chunk_tokens", "chunk", &Mixed::chunk),
          mixed("position_tokens", "position", &Mixed::position),
          {{"draft_tokens", "drafts", Unit::count}, [](const AnalyzePoint& p) {
             return of_workload<Verify>(p, [](const auto& w) { return w.drafts; });
           }}};
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

std::vector<PointColumn> verdict_columns() {
  return {{{"verdict", "verdict", Unit::none, Show::machine},
           [](const auto& p) -> Value { return std::string(to_string(p.verdict())); }},
          {{"intensity_flop_per_byte", "", Unit::flop_per_byte},
           [](const auto& p) -> Value { return p.intensity().value(); }},
          {{.key = "ridge_flop_per_byte", .header = "ridge", .where_room = true},
           [](const auto& p) -> Value { return p.roof.ridge().value(); }},
          {{.key = "achievable_flop_per_s", .unit = Unit::flop_per_s, .where_room = true},
           [](const auto& p) -> Value { return p.achievable().value(); }},
          {{"bound", "bound", Unit::none, Show::text},
           [](const auto& p) -> Value { return bound_text(p.verdict()); }}};
}

/// Every column, in the order of the stable interface.
std::vector<PointColumn> all_columns() {
  std::vector<PointColumn> columns{
      {{"gpu", "gpu"}, [](const auto& p) -> Value { return p.gpu; }},
      {{"model", "model"}, of_step([](const auto& s) { return s.model; })},
      {{"workload", "workload"}, [](const auto& p) -> Value { return p.workload.name; }},
      {{"batch", "batch", Unit::count}, batch_of},
      {{"context_tokens", "context", Unit::count}, context_of}};
  const auto append = [&](std::vector<PointColumn> more) {
    columns.insert(columns.end(), std::make_move_iterator(more.begin()),
                   std::make_move_iterator(more.end()));
  };
  append(step_shape_columns());
  append(verdict_columns());
  append(step_columns());
  append(shape_columns());
  append(deployment_columns());
  const auto dtype = [&](const char* key, std::string (*name)(const Precision&)) {
    columns.push_back(
        {{key, key, Unit::none, Show::machine}, [name](const AnalyzePoint& p) -> Value {
           const StepAnalysis* step = step_of_point(p);
           return name(step != nullptr ? step->precision
                                       : std::get<KernelAnalysis>(p.detail).precision);
         }});
  };
  dtype("weight_dtype", [](const Precision& p) { return p.weights_name; });
  dtype("kv_dtype", [](const Precision& p) { return p.kv.name; });
  dtype("act_dtype", [](const Precision& p) { return p.activations.name; });
  columns.push_back(
      {{"state_dtype", "state_dtype", Unit::none, Show::machine}, of_step([](const auto& s) {
         return s.time.state > Bytes(0) ? Value(s.precision.state.name) : Value();
       })});
  columns.push_back({{"notes", "notes", Unit::none, Show::machine},
                     [](const auto& p) -> Value { return p.notes; }});
  return columns;
}

}  // namespace

const std::vector<PointColumn>& point_columns() {
  static const std::vector<PointColumn> columns = all_columns();
  return columns;
}

const StepAnalysis* step_of_point(const AnalyzePoint& point) {
  return std::get_if<StepAnalysis>(&point.detail);
}

const Operator* routed_operator(const StepAnalysis& step) {
  for (const Operator& op : step.operators) {
    if (op.part == Part::experts) return &op;
  }
  return nullptr;
}

std::string bound_text(Verdict verdict) {
  const std::string_view text = to_string(verdict);
  return std::string(text.substr(0, text.find('-')));
}

Value batch_of(const AnalyzePoint& p) {
  double sequences = 0;
  for (const Sequences& alike : sequences_of(p.workload.workload)) {
    sequences += static_cast<double>(alike.count);
  }
  if (sequences > 0) return sequences;
  return first_of({of_workload<AttentionShape>(p, [](const auto& w) { return w.batch; }),
                   of_workload<TextbookDecode>(p, [](const auto& w) { return w.batch; })});
}

Value context_of(const AnalyzePoint& p) {
  const std::vector<Sequences> all = sequences_of(p.workload.workload);
  if (all.size() == 1) return static_cast<double>(all.front().context);
  return of_workload<TextbookDecode>(p, [](const auto& w) { return w.context; });
}

Value contexts_of(const AnalyzePoint& p) {
  const std::vector<Sequences> all = sequences_of(p.workload.workload);
  if (all.size() < 2) return {};
  std::vector<std::string> texts;
  for (const Sequences& alike : all) {
    texts.push_back(fmt::format("{}x{}", alike.context, alike.count));
  }
  return texts;
}

Table results_table(const AnalyzeResult& result, bool title_is_spec) {
  const std::set<std::string_view> in_title =
      title_is_spec
          ? std::set<std::string_view>{"gpu"}
          : std::set<std::string_view>{
                "gpu",      "model",         "workload",     "batch",           "context_tokens",
                "contexts", "cached_tokens", "chunk_tokens", "position_tokens", "draft_tokens"};
  Table table;
  table.key = "results";
  table.rows.resize(result.points.size());
  for (const PointColumn& candidate : point_columns()) {
    std::vector<Value> values;
    for (const AnalyzePoint& point : result.points) values.push_back(candidate.value(point));
    const bool absent = std::all_of(values.begin(), values.end(), [](const Value& value) {
      return std::holds_alternative<std::monostate>(value);
    });
    if (absent) continue;
    Column column = candidate.column;
    const bool shared = std::all_of(values.begin(), values.end(),
                                    [&](const Value& value) { return value == values.front(); });
    if (shared && in_title.contains(column.key)) column.show = Show::machine;
    table.columns.push_back(column);
    for (std::size_t r = 0; r < values.size(); ++r) table.rows[r].push_back(std::move(values[r]));
  }
  return table;
}

}  // namespace roofline::report
