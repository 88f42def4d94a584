// Everything that is known of the configs: the form that scripts read and a later run compares
// with.
#include <nlohmann/json.hpp>

#include "base/portable_path.hpp"
#include "report/check_formats.hpp"
#include "report/json_value.hpp"

namespace roofline::report {
namespace {

using nlohmann::ordered_json;

void add_range(ordered_json& object, const std::string& start, const std::string& unit,
               const BytesEstimate& estimate) {
  object[start + unit] = json_number(estimate.value.value());
  object[start + "_low" + unit] = json_number(estimate.low.value());
  object[start + "_high" + unit] = json_number(estimate.high.value());
}

void add_range(ordered_json& object, const std::string& key, const CountEstimate& estimate) {
  object[key] = estimate.value;
  object[key + "_low"] = estimate.low;
  object[key + "_high"] = estimate.high;
}

void add_memory(ordered_json& object, const EngineMemoryBudget& memory) {
  object["memory_total_bytes"] = json_number(memory.total.value());
  object["memory_allowed_bytes"] = json_number(memory.allowed.value());
  object["weight_bytes"] = json_number(memory.weights.value());
  add_range(object, "activation", "_bytes", memory.activations);
  add_range(object, "graph", "_bytes", memory.graphs);
  add_range(object, "other", "_bytes", memory.other);
  add_range(object, "kv", "_bytes", memory.kv);
  object["sequence_bytes"] = json_number(memory.sequence.value());
  object["kv_per_token_bytes"] = json_number(memory.kv_per_token.value());
  if (memory.kv_tokens) add_range(object, "kv_tokens", *memory.kv_tokens);
  add_range(object, "longest_sequence_tokens", memory.longest);
  add_range(object, "full_sequences", memory.full_sequences);
  object["shrinks"] = memory.shrinks;
}

void add_serving(ordered_json& object, const ServingPoint& point) {
  object["concurrency"] = point.concurrency;
  object["ttft_s"] = json_number(point.ttft.value());
  object["tpot_s"] = json_number(point.tpot.value());
  object["decode_step_s"] = json_number(point.decode.value());
  object["prompt_share_s"] = json_number(point.prompt_share.value());
  object["requests_per_s"] = json_number(point.requests_per_second);
  object["output_tok_per_s"] = json_number(point.output_tokens_per_second);
  object["input_tok_per_s"] = json_number(point.input_tokens_per_second);
  if (point.dollars_per_million_tokens) {
    object["usd_per_million_tokens"] = json_number(*point.dollars_per_million_tokens);
  }
  if (point.joules_per_token) object["energy_j_per_tok"] = json_number(*point.joules_per_token);
}

void add_figures(ordered_json& object, const LaunchFigures& figures) {
  if (!figures.model.empty()) object["model"] = figures.model;
  if (!figures.gpu.empty()) object["gpu"] = figures.gpu;
  object["devices"] = figures.devices;
  if (figures.memory) add_memory(object, *figures.memory);
  if (figures.serving) add_serving(object, *figures.serving);
  if (figures.decode_intensity) {
    object["decode_intensity_flop_per_byte"] = json_number(figures.decode_intensity->value());
  }
  if (!figures.decode_verdict.empty()) object["decode_verdict"] = figures.decode_verdict;
  if (!figures.prefill_verdict.empty()) object["prefill_verdict"] = figures.prefill_verdict;
}

const char* word_of(RuleOutcome::Kind kind) {
  switch (kind) {
    case RuleOutcome::Kind::passed:
      return "passed";
    case RuleOutcome::Kind::found:
      return "found";
    case RuleOutcome::Kind::skipped:
      return "skipped";
    case RuleOutcome::Kind::ignored:
      return "ignored";
    case RuleOutcome::Kind::off:
      break;
  }
  return "off";
}

ordered_json to_json(const RuleOutcome& outcome) {
  ordered_json object;
  object["rule"] = outcome.rule;
  object["outcome"] = word_of(outcome.kind);
  if (!outcome.reason.empty()) object["reason"] = outcome.reason;
  return object;
}

ordered_json to_json(const CheckedLaunch& launch) {
  ordered_json object;
  object["name"] = launch.name;
  object["engine"] = to_string(launch.engine);
  if (!launch.version.empty()) object["engine_version"] = launch.version;
  object["line"] = launch.place.line;
  object["column"] = launch.place.column;
  add_figures(object, launch.figures);
  object["outcomes"] = ordered_json::array();
  for (const RuleOutcome& outcome : launch.outcomes) object["outcomes"].push_back(to_json(outcome));
  object["notes"] = launch.notes;
  return object;
}

/// `file` is that of the list that it is in: of another, the finding says it.
ordered_json to_json(const Finding& finding, const std::string& file,
                     const CheckReportOptions& options) {
  ordered_json object;
  object["rule"] = finding.rule;
  object["severity"] = to_string(finding.severity);
  object["uncertain"] = finding.uncertain;
  object["launch"] = finding.launch;
  const std::string path = portable_path(finding.place.file, options.directory);
  if (!path.empty() && path != file) object["file"] = path;
  object["line"] = finding.place.line;
  object["column"] = finding.place.column;
  object["end_column"] = finding.place.end_column;
  object["what"] = finding.what;
  if (!finding.why.empty()) object["why"] = finding.why;
  if (!finding.fix.empty()) object["fix"] = finding.fix;
  if (!finding.subject.empty()) object["subject"] = finding.subject;
  return object;
}

ordered_json to_json(const Diagnostic& diagnostic) {
  ordered_json object;
  object["what"] = diagnostic.what;
  if (!diagnostic.where.empty()) object["where"] = diagnostic.where;
  if (!diagnostic.why.empty()) object["why"] = diagnostic.why;
  if (!diagnostic.fix.empty()) object["fix"] = diagnostic.fix;
  if (!diagnostic.suggestions.empty()) object["suggestions"] = diagnostic.suggestions;
  return object;
}

ordered_json to_json(const CheckedFile& file, const CheckReportOptions& options) {
  const std::string path = portable_path(file.file, options.directory);
  ordered_json object;
  object["file"] = path;
  if (file.type) object["type"] = to_string(*file.type);
  for (const char* list : {"launches", "findings", "not_judged"}) {
    object[list] = ordered_json::array();
  }
  for (const CheckedLaunch& launch : file.launches) object["launches"].push_back(to_json(launch));
  for (const Finding& finding : file.findings) {
    object["findings"].push_back(to_json(finding, path, options));
  }
  for (const Diagnostic& diagnostic : file.not_judged) {
    object["not_judged"].push_back(to_json(diagnostic));
  }
  return object;
}

ordered_json to_json(const Regression& regression, const CheckReportOptions& options) {
  ordered_json object;
  object["file"] = portable_path(regression.file, options.directory);
  object["launch"] = regression.launch;
  object["figure"] = regression.figure;
  object["before"] = json_number(regression.before);
  object["now"] = json_number(regression.now);
  object["change"] = json_number(regression.change);
  return object;
}

ordered_json summary_object(const CheckResult& result) {
  ordered_json object;
  object["errors"] = result.count(Severity::error);
  object["warnings"] = result.count(Severity::warning);
  object["notes"] = result.count(Severity::note);
  object["files"] = result.files.size();
  object["not_judged"] = files_not_judged(result);
  return object;
}

}  // namespace

std::string write_check_json(const CheckResult& result, const CheckReportOptions& options) {
  ordered_json root;
  root["schema_version"] = schema_version;
  root["command"] = "check";
  root["files"] = ordered_json::array();
  for (const CheckedFile& file : result.files) root["files"].push_back(to_json(file, options));
  root["regressions"] = ordered_json::array();
  for (const Regression& regression : result.regressions) {
    root["regressions"].push_back(to_json(regression, options));
  }
  root["notes"] = result.notes;
  root["summary"] = summary_object(result);
  return json_text(root, 2);
}

}  // namespace roofline::report
