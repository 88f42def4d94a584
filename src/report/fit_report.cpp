#include "report/fit_report.hpp"

#include <fmt/format.h>

#include "base/format.hpp"

namespace roofline::report {
namespace {

std::string count(std::int64_t value) {
  return format_count(static_cast<double>(value));
}

std::string count(const CountRange& range) {
  if (range.low == range.high) return count(range.low);
  return fmt::format("{} to {}", count(range.low), count(range.high));
}

/// Sizes with the digits that were asked for.
class Writer {
 public:
  explicit Writer(int digits) : digits_(digits) {}

  [[nodiscard]] std::string size(Bytes bytes) const {
    return format_scaled(bytes.value(), "B", digits_);
  }
  /// "70.12 to 73.38 GB".
  [[nodiscard]] std::string range(Bytes low, Bytes high) const {
    const std::string end = size(high);
    const Scale scale = scale_for(high.value(), digits_);
    const std::string start = format_significant(low.value() / scale.factor, digits_);
    return end.starts_with(start + ' ') ? end : fmt::format("{} to {}", start, end);
  }

 private:
  int digits_;
};

/// The flags that make it of the request's deployment: "--tp 2".
std::string flags_of(const Deployment& wanted, const Deployment& given) {
  std::string flags;
  const auto add = [&](const char* flag, std::int64_t value, std::int64_t old) {
    if (value == 1 && old == 1) return;
    flags += fmt::format("{}{} {}", flags.empty() ? "" : " ", flag, value);
  };
  add("--tp", wanted.tensor, given.tensor);
  add("--pp", wanted.pipeline, given.pipeline);
  add("--ep", wanted.expert, given.expert);
  add("--dp", wanted.data, given.data);
  return flags;
}

std::string flags_of(FitRemedy::Kind kind) {
  switch (kind) {
    case FitRemedy::Kind::kv_8_bit:
      return "--kv-dtype fp8";
    case FitRemedy::Kind::weights_8_bit:
      return "--weight-dtype fp8";
    case FitRemedy::Kind::both_8_bit:
      break;
  }
  return "--weight-dtype fp8 --kv-dtype fp8";
}

std::string verdict_text(FitVerdict verdict) {
  return verdict == FitVerdict::does_not_fit ? "does not fit" : std::string(to_string(verdict));
}

std::string binds_text(MemoryTerm term) {
  switch (term) {
    case MemoryTerm::weights:
      return "weights bind";
    case MemoryTerm::activations:
      return "activations bind";
    case MemoryTerm::state:
      return "state binds";
    case MemoryTerm::kv:
      break;
  }
  return "K/V binds";
}

Fact verdict_fact(const FitRequest& request, const FitResult& result, const Writer& write) {
  const bool several = request.server.deployment.devices() > 1;
  std::string text =
      fmt::format("needs {} of {} usable{}", write.range(result.least_need(), result.most_need()),
                  write.size(result.usable), several ? " on each device" : "");
  if (result.verdict != FitVerdict::fits) text += "; " + binds_text(result.binds);
  return {"verdict", verdict_text(result.verdict), text};
}

/// What engines take besides, part by part.
Fact engine_fact(const EngineMemory& engine, const Writer& write) {
  std::string parts;
  const auto add = [&](const char* noun, Bytes bytes) {
    if (!(bytes > Bytes())) return;
    parts += fmt::format("{}{} {}", parts.empty() ? "at most: " : ", ", noun, write.size(bytes));
  };
  add("context", engine.context);
  add("CUDA graphs", engine.graphs);
  add("matrices not split", engine.whole_matrices);
  return {"engine", "0 to " + write.size(engine.total()), parts};
}

std::string sequences_text(std::int64_t batch, std::int64_t context) {
  return fmt::format("{} sequence{} of {} tokens", count(batch), batch == 1 ? "" : "s",
                     count(context));
}

void add_terms(const FitRequest& request, const FitResult& result, const Writer& write,
               std::vector<Fact>& facts) {
  const MemoryNeed& need = result.need;
  const bool several = request.server.deployment.devices() > 1;
  facts.push_back({"weights", write.size(need.weights), several ? "on each device" : ""});
  if (need.kv > Bytes()) {
    facts.push_back({"K/V", write.size(need.kv),
                     fmt::format("{}, blocks of {}", sequences_text(request.batch, request.context),
                                 count(request.server.limits.block_tokens))});
  }
  if (need.state > Bytes()) {
    facts.push_back({"state", write.size(need.state), "whatever the length"});
  }
  facts.push_back({"activations", write.size(need.activations),
                   fmt::format("of the largest step, up to {} prompt tokens",
                               count(request.server.limits.batched_tokens))});
  if (result.engine.total() > Bytes()) facts.push_back(engine_fact(result.engine, write));
}

std::string longest_detail(const FitRequest& request, const FitResult& result) {
  std::string text = fmt::format("tokens, at batch {}", count(request.batch));
  if (!result.max_context) return text;
  const std::int64_t made_for = *result.max_context;
  if (result.context.high > made_for) {
    text += fmt::format("; the model is made for {}", count(made_for));
  }
  return text;
}

void add_room(const FitRequest& request, const FitResult& result, std::vector<Fact>& facts) {
  if (result.kv_tokens) {
    facts.push_back({"K/V tokens", count(*result.kv_tokens), "room for, beside the rest"});
  }
  std::string limit = fmt::format("of {} tokens", count(request.context));
  if (result.verdict == FitVerdict::fits) limit += ": " + binds_text(result.binds);
  facts.push_back({"most sequences", count(result.sequences), limit});
  facts.push_back({"longest context", result.any_length ? "any" : count(result.context),
                   longest_detail(request, result)});
}

std::string devices_text(const Deployment& wanted, const Deployment& given) {
  const std::string flags = flags_of(wanted, given);
  const std::string devices = count(wanted.devices());
  return flags.empty() ? devices : fmt::format("{} ({})", devices, flags);
}

Fact fewest_fact(const FitRequest& request, const FitResult& result) {
  const Deployment& given = request.server.deployment;
  if (!result.fewest) return {"fewest devices", "none", "of up to 1,024 would do"};
  std::string detail;
  if (result.fewest_at_best && result.fewest_at_best->devices() < result.fewest->devices()) {
    detail = fmt::format("perhaps {}", devices_text(*result.fewest_at_best, given));
  }
  return {"fewest devices", devices_text(*result.fewest, given), detail};
}

std::string_view at_most(const FitResult& result) {
  return result.engine.total() > Bytes() ? " at most" : "";
}

std::vector<Fact> facts_of(const FitRequest& request, const FitResult& result,
                           const Writer& write) {
  std::vector<Fact> facts{verdict_fact(request, result, write)};
  add_terms(request, result, write, facts);
  add_room(request, result, facts);
  facts.push_back(fewest_fact(request, result));
  for (const FitRemedy& remedy : result.remedies) {
    facts.push_back({"fix",
                     fmt::format("{}: fits, needs {}{}", flags_of(remedy.kind),
                                 write.size(remedy.need), at_most(result)),
                     ""});
  }
  return facts;
}

/// Columns and their only row, side by side.
class OneRow {
 public:
  OneRow() {
    table_.key = "results";
    table_.rows.resize(1);
  }
  void add(const char* key, Unit unit, Value value) {
    table_.columns.push_back({key, key, unit, Show::machine});
    table_.rows.front().push_back(std::move(value));
  }
  void number(const char* key, std::int64_t value) {
    add(key, Unit::count, static_cast<double>(value));
  }
  void bytes(const char* key, Bytes value) { add(key, Unit::bytes, value.value()); }
  void text(const char* key, std::string value) { add(key, Unit::none, std::move(value)); }
  [[nodiscard]] Table take() { return std::move(table_); }

 private:
  Table table_;
};

void add_memory(const FitResult& result, OneRow& row) {
  row.bytes("need_low_bytes", result.least_need());
  row.bytes("need_high_bytes", result.most_need());
  row.bytes("usable_bytes", result.usable);
  row.text("binds", std::string(to_string(result.binds)));
  row.bytes("weight_bytes", result.need.weights);
  row.bytes("kv_bytes", result.need.kv);
  row.bytes("state_bytes", result.need.state);
  row.bytes("activation_bytes", result.need.activations);
  row.bytes("engine_context_high_bytes", result.engine.context);
  row.bytes("engine_graphs_high_bytes", result.engine.graphs);
  row.bytes("engine_whole_matrices_high_bytes", result.engine.whole_matrices);
}

void add_counts(const FitResult& result, OneRow& row) {
  const auto range = [&](const char* low, const char* high, std::optional<CountRange> value) {
    const auto end = [&](std::int64_t CountRange::*which) {
      return value ? Value(static_cast<double>(*value.*which)) : Value();
    };
    row.add(low, Unit::count, end(&CountRange::low));
    row.add(high, Unit::count, end(&CountRange::high));
  };
  range("kv_tokens_low", "kv_tokens_high", result.kv_tokens);
  range("most_sequences_low", "most_sequences_high", result.sequences);
  range("longest_context_low", "longest_context_high",
        result.any_length ? std::nullopt : std::optional(result.context));
  row.add("any_length", Unit::none, result.any_length);
  row.add("max_context_tokens", Unit::count,
          result.max_context ? Value(static_cast<double>(*result.max_context)) : Value());
}

/// Null where no number of devices would do.
void add_fewest(const FitResult& result, OneRow& row) {
  const auto ways = [&](const char* key, const std::optional<Deployment>& deployment, auto get) {
    row.add(key, Unit::count,
            deployment ? Value(static_cast<double>(get(*deployment))) : Value(Unknown()));
  };
  const auto devices = [](const Deployment& d) { return d.devices(); };
  ways("fewest_devices", result.fewest, devices);
  ways("fewest_devices_tp", result.fewest, [](const Deployment& d) { return d.tensor; });
  ways("fewest_devices_pp", result.fewest, [](const Deployment& d) { return d.pipeline; });
  ways("fewest_devices_ep", result.fewest, [](const Deployment& d) { return d.expert; });
  ways("fewest_devices_at_best", result.fewest_at_best, devices);
}

Table results_table(const FitRequest& request, const FitResult& result) {
  OneRow row;
  row.text("gpu", request.server.device.name);
  row.text("model", request.server.model.name);
  row.number("devices", request.server.deployment.devices());
  row.number("batch", request.batch);
  row.number("context_tokens", request.context);
  row.text("verdict", std::string(to_string(result.verdict)));
  add_memory(result, row);
  add_counts(result, row);
  add_fewest(result, row);
  std::vector<std::string> fixes;
  for (const FitRemedy& remedy : result.remedies) fixes.push_back(flags_of(remedy.kind));
  row.add("fixes", Unit::none, fixes);
  row.text("weight_dtype", result.precision.weights_name);
  row.text("kv_dtype", result.precision.kv.name);
  row.text("act_dtype", result.precision.activations.name);
  row.add("notes", Unit::none, result.notes);
  return row.take();
}

}  // namespace

Report from(const FitRequest& request, const FitResult& result, const FitContext& context) {
  Report report;
  report.command = "fit";
  report.title =
      fmt::format("fit of {}, batch {}, context {}, on {}{}", context.subject, count(request.batch),
                  count(request.context), context.devices, context.overrides);
  report.facts = facts_of(request, result, Writer(context.significant_digits));
  report.first_fact_matters_most = true;
  report.data_source = context.data_source;
  report.inputs = context.inputs;
  report.results = results_table(request, result);
  report.results_in_text = false;
  report.notes = result.notes;
  return report;
}

}  // namespace roofline::report
