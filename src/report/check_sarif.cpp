// SARIF 2.1.0 as GitHub code scanning reads it: every result has a rule, a place and a fingerprint.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/check_formats.hpp"
#include "report/json_value.hpp"

namespace roofline::report {
namespace {

using nlohmann::ordered_json;

constexpr RuleInfo not_judged_info{.id = not_judged_rule,
                                   .severity = Severity::error,
                                   .summary = "the file, or a launch in it, cannot be judged"};

/// Those of check_rules, and the one for what could not be judged.
std::vector<RuleInfo> reported_rules() {
  std::vector<RuleInfo> rules = check_rules();
  rules.push_back(not_judged_info);
  return rules;
}

const char* level_of(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::note:
      return "note";
    case Severity::off:
      break;
  }
  return "none";
}

/// What GitHub calls it.
const char* problem_severity_of(Severity severity) {
  if (severity == Severity::error) return "error";
  return severity == Severity::warning ? "warning" : "recommendation";
}

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// "KvTooSmall".
std::string name_of(std::string_view id) {
  std::string name;
  bool capital = true;
  for (const char c : id) {
    if (is_letter_or_digit(c)) {
      name += capital && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    capital = !is_letter_or_digit(c);
  }
  return name;
}

ordered_json text_object(std::string_view text) {
  ordered_json object;
  object["text"] = text;
  return object;
}

ordered_json rule_object(const RuleInfo& rule, const CheckReportOptions& options) {
  const std::string page = options.explain_text ? options.explain_text(rule.id) : "";
  ordered_json object;
  object["id"] = rule.id;
  object["name"] = name_of(rule.id);
  object["shortDescription"] = text_object(rule.summary);
  object["fullDescription"] = text_object(rule.summary);
  object["help"] = text_object(page.empty() ? rule.summary : page);
  if (!page.empty()) object["help"]["markdown"] = page;
  object["defaultConfiguration"]["level"] = level_of(rule.severity);
  object["properties"]["tags"] = ordered_json::array({"serving"});
  object["properties"]["precision"] = "high";
  object["properties"]["problem.severity"] = problem_severity_of(rule.severity);
  return object;
}

/// A path as a URI reference: all but what needs no escape is percent-encoded.
std::string uri_of(std::string_view path) {
  std::string uri;
  for (const char c : path) {
    if (is_letter_or_digit(c) || std::string_view("/-._~").find(c) != std::string_view::npos) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return uri;
}

/// A path that is not absolute is one below the repository's root.
ordered_json artifact_of(const std::string& file) {
  ordered_json object;
  if (file.starts_with('/')) {
    object["uri"] = "file://" + uri_of(file);
  } else {
    object["uri"] = uri_of(file);
    object["uriBaseId"] = "%SRCROOT%";
  }
  return object;
}

ordered_json result_object(const CheckItem& item, const std::vector<RuleInfo>& rules) {
  const auto rule = std::find_if(rules.begin(), rules.end(),
                                 [&](const RuleInfo& one) { return one.id == item.rule; });
  ordered_json object;
  object["ruleId"] = item.rule;
  if (rule != rules.end()) object["ruleIndex"] = rule - rules.begin();
  object["level"] = level_of(item.severity);
  object["message"] = text_object(message_of(item));
  ordered_json place;
  place["physicalLocation"]["artifactLocation"] = artifact_of(item.file);
  place["physicalLocation"]["region"] = {{"startLine", item.line},
                                         {"startColumn", item.column},
                                         {"endLine", item.line},
                                         {"endColumn", item.end_column}};
  object["locations"] = ordered_json::array({place});
  object["partialFingerprints"]["primaryLocationLineHash"] = item.fingerprint;
  return object;
}

ordered_json driver_object(const std::vector<RuleInfo>& rules, const CheckReportOptions& options) {
  ordered_json object;
  object["name"] = "roofline";
  if (!options.version.empty()) object["semanticVersion"] = options.version;
  object["rules"] = ordered_json::array();
  for (const RuleInfo& rule : rules) object["rules"].push_back(rule_object(rule, options));
  return object;
}

}  // namespace

std::string write_check_sarif(const CheckResult& result, const CheckReportOptions& options) {
  const std::vector<RuleInfo> rules = reported_rules();
  ordered_json run;
  run["tool"]["driver"] = driver_object(rules, options);
  run["automationDetails"]["id"] = "roofline-check/";
  ordered_json invocation;
  invocation["executionSuccessful"] = result.judged();
  run["invocations"] = ordered_json::array({invocation});
  run["results"] = ordered_json::array();
  for (const CheckItem& item : check_items(result, options)) {
    run["results"].push_back(result_object(item, rules));
  }
  ordered_json root;
  root["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
  root["version"] = "2.1.0";
  root["runs"] = ordered_json::array({run});
  return json_text(root, 2);
}

}  // namespace roofline::report
