#include "report/fit_report.hpp"

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/format.hpp"
#include "report/one_row.hpp"
#include "report/server_words.hpp"
#include "report/writer.hpp"

namespace roofline::report {
namespace {

std::string range_text(const CountRange& range) {
  if (range.low == range.high) return count_text(range.low);
  return fmt::format("{} to {}", count_text(range.low), count_text(range.high));
}

/// "70.12 to 73.38 GB".
std::string range_text(Bytes low, Bytes high, const Writer& write) {
  const std::string end = write.size(high);
  const Scale scale = scale_for(high.value(), write.digits());
  const std::string start = write.number(low.value() / scale.factor);
  return end.starts_with(start + ' ') ? end : fmt::format("{} to {}", start, end);
}

std::string remedy_flags(FitRemedy::Kind kind) {
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

std::string needs_text(const FitRequest& request, const FitResult& result, const Writer& write) {
  std::string text = fmt::format(
      "needs {} of {} usable{}", range_text(result.least_need(), result.most_need(), write),
      write.size(result.usable), on_each_device(request.server.deployment));
  if (result.verdict != FitVerdict::fits) text += "; " + binds_text(result.binds);
  return text;
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
  return fmt::format("{} of {}", counted(batch, "sequence"), counted(context, "token"));
}

void add_terms(const FitRequest& request, const FitResult& result, const Writer& write,
               std::vector<Fact>& facts) {
  const MemoryNeed& need = result.need;
  const bool several = request.server.deployment.devices() > 1;
  facts.push_back({"weights", write.size(need.weights), several ? "on each device" : ""});
  if (need.kv > Bytes()) {
    facts.push_back({"K/V", write.size(need.kv),
                     fmt::format("{}, blocks of {}", sequences_text(request.batch, request.context),
                                 count_text(request.server.limits.block_tokens))});
  }
  if (need.state > Bytes()) {
    facts.push_back({"state", write.size(need.state), "whatever the length"});
  }
  facts.push_back({"activations", write.size(need.activations),
                   fmt::format("of the largest step, up to {} prompt tokens",
                               count_text(request.server.limits.batched_tokens))});
  if (result.engine.total() > Bytes()) facts.push_back(engine_fact(result.engine, write));
}

std::string longest_detail(const FitRequest& request, const FitResult& result) {
  std::string text = fmt::format("tokens, at batch {}", count_text(request.batch));
  if (!result.max_context) return text;
  const std::int64_t made_for = *result.max_context;
  if (result.context.high > made_for) {
    text += fmt::format("; the model is made for {}", count_text(made_for));
  }
  return text;
}

void add_room(const FitRequest& request, const FitResult& result, std::vector<Fact>& facts) {
  if (result.kv_tokens) {
    facts.push_back({"K/V tokens", range_text(*result.kv_tokens), "room for, beside the rest"});
  }
  std::string limit = fmt::format("of {} tokens", count_text(request.context));
  if (result.verdict == FitVerdict::fits) limit += ": " + binds_text(result.binds);
  facts.push_back({"most sequences", range_text(result.sequences), limit});
  facts.push_back({"longest context", result.any_length ? "any" : range_text(result.context),
                   longest_detail(request, result)});
}

std::string devices_text(const Deployment& wanted, const Deployment& given) {
  const std::string flags = flags_of(wanted, given);
  const std::string devices = count_text(wanted.devices());
  return flags.empty() ? devices : fmt::format("{} ({})", devices, flags);
}

Fact fewest_fact(const FitRequest& request, const FitResult& result) {
  const Deployment& given = request.server.deployment;
  if (!result.fewest) {
    if (links_of(request.server.device).empty()) {
      return {"fewest devices", "none", "no link between them is known (--link 50GB/s to say one)"};
    }
    return {"fewest devices", "none", "of up to " + count_text(most_devices) + " would do"};
  }
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
  std::vector<Fact> facts{
      {"verdict", verdict_text(result.verdict), needs_text(request, result, write)}};
  add_terms(request, result, write, facts);
  add_room(request, result, facts);
  facts.push_back(fewest_fact(request, result));
  for (const FitRemedy& remedy : result.remedies) {
    facts.push_back({"fix",
                     fmt::format("{}: fits, needs {}{}", remedy_flags(remedy.kind),
                                 write.size(remedy.need), at_most(result)),
                     ""});
  }
  return facts;
}

void add_memory(const FitResult& result, OneRow& row) {
  row.bytes("memory_needed_bytes", result.least_need());
  row.bytes("memory_needed_high_bytes", result.most_need());
  row.bytes("memory_usable_bytes", result.usable);
  row.text("bound_by", to_string(result.binds));
  row.bytes("memory_weight_bytes", result.need.weights);
  row.bytes("memory_kv_bytes", result.need.kv);
  row.bytes("memory_state_bytes", result.need.state);
  row.bytes("memory_activation_bytes", result.need.activations);
  row.bytes("engine_context_high_bytes", result.engine.context);
  row.bytes("engine_graphs_high_bytes", result.engine.graphs);
  row.bytes("engine_whole_matrices_high_bytes", result.engine.whole_matrices);
}

void add_counts(const FitResult& result, OneRow& row) {
  const auto range = [&](const char* low, const char* high,
                         const std::optional<CountRange>& value) {
    row.count(low, value ? std::optional(value->low) : std::nullopt, Value());
    row.count(high, value ? std::optional(value->high) : std::nullopt, Value());
  };
  range("kv_tokens_low", "kv_tokens_high", result.kv_tokens);
  range("most_sequences_low", "most_sequences_high", result.sequences);
  range("longest_context_low", "longest_context_high",
        result.any_length ? std::nullopt : std::optional(result.context));
  row.add("any_length", Unit::none, result.any_length);
  row.count("max_context_tokens", result.max_context, Value());
}

/// Null where no number of devices would do.
void add_fewest(const FitResult& result, OneRow& row) {
  const auto add = [&](const char* key, const std::optional<Deployment>& deployment, auto get) {
    row.count(key, deployment ? std::optional(get(*deployment)) : std::nullopt, Unknown());
  };
  const auto devices = [](const Deployment& d) { return d.devices(); };
  add("fewest_devices", result.fewest, devices);
  add("fewest_devices_tp", result.fewest, [](const Deployment& d) { return d.tensor; });
  add("fewest_devices_pp", result.fewest, [](const Deployment& d) { return d.pipeline; });
  add("fewest_devices_ep", result.fewest, [](const Deployment& d) { return d.expert; });
  add("fewest_devices_at_best", result.fewest_at_best, devices);
}

Table results_table(const FitRequest& request, const FitResult& result, const Writer& write) {
  OneRow row;
  add_subject(request.server, row);
  add_deployment(request.server.deployment, row);
  row.count("batch", request.batch);
  row.count("context_tokens", request.context);
  row.text("verdict", to_string(result.verdict));
  add_memory(result, row);
  add_counts(result, row);
  add_fewest(result, row);
  std::vector<std::string> fixes;
  for (const FitRemedy& remedy : result.remedies) fixes.push_back(remedy_flags(remedy.kind));
  row.add("fixes", Unit::none, fixes);
  const bool fits = result.verdict == FitVerdict::fits;
  add_end(fits ? "" : needs_text(request, result, write), request.server.model, result.precision,
          result.notes, row);
  return row.take();
}

}  // namespace

Report from(const FitRequest& request, const FitResult& result, const ServerContext& context) {
  Report report;
  report.command = "fit";
  report.title = fmt::format("fit of {}, batch {}, context {}, on {}{}", context.subject,
                             count_text(request.batch), count_text(request.context),
                             context.devices, context.overrides);
  const Writer write(context.significant_digits);
  report.facts = facts_of(request, result, write);
  report.first_fact_matters_most = true;
  report.data_source = context.data_source;
  report.inputs = context.inputs;
  report.results = results_table(request, result, write);
  report.results_in_text = false;
  report.notes = result.notes;
  return report;
}

}  // namespace roofline::report
