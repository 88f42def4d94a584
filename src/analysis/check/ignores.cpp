#include "analysis/check/ignores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "analysis/check/rule.hpp"
#include "base/closest.hpp"

namespace roofline {
namespace {

bool names(const IgnoreComment& comment, const std::string& rule) {
  return std::find(comment.rules.begin(), comment.rules.end(), rule) != comment.rules.end();
}

bool is_about(const IgnoreComment& comment, const Finding& finding) {
  if (!names(comment, finding.rule)) return false;
  const std::int64_t line = finding.place.line;
  return comment.whole_file ||
         (line >= comment.line && line <= std::max(comment.line, comment.last_line));
}

/// Rules of one comment that left something out.
using UsedRules = std::vector<std::vector<bool>>;

void mark_outcome(const Finding& finding, const std::string& reason, CheckedFile& file) {
  for (CheckedLaunch& launch : file.launches) {
    if (launch.name != finding.launch) continue;
    for (RuleOutcome& outcome : launch.outcomes) {
      if (outcome.rule != finding.rule) continue;
      outcome.kind = RuleOutcome::Kind::ignored;
      outcome.reason = reason;
    }
  }
}

/// A rule is not ignored where another finding of it is left.
void mark_found(const Finding& finding, CheckedFile& file) {
  for (CheckedLaunch& launch : file.launches) {
    if (launch.name != finding.launch) continue;
    for (RuleOutcome& outcome : launch.outcomes) {
      if (outcome.rule != finding.rule) continue;
      outcome.kind = RuleOutcome::Kind::found;
      outcome.reason.clear();
    }
  }
}

bool ignored_by_comment(const std::vector<IgnoreComment>& comments, const Finding& finding,
                        UsedRules& used, CheckedFile& file) {
  bool ignored = false;
  for (std::size_t i = 0; i < comments.size(); ++i) {
    if (!is_about(comments[i], finding)) continue;
    ignored = true;
    for (std::size_t rule = 0; rule < comments[i].rules.size(); ++rule) {
      if (comments[i].rules[rule] == finding.rule) used[i][rule] = true;
    }
    mark_outcome(finding, comments[i].reason, file);
  }
  return ignored;
}

bool ignored_by_project(const Project& project, const Finding& finding, std::vector<bool>& used,
                        CheckedFile& file) {
  bool ignored = false;
  for (std::size_t i = 0; i < project.ignores.size(); ++i) {
    const IgnoreSetting& setting = project.ignores[i];
    if (setting.rule != finding.rule) continue;
    if (!setting.path.empty() && !glob_matches(setting.path, file.file)) continue;
    used[i] = true;
    ignored = true;
    mark_outcome(finding, setting.reason, file);
  }
  return ignored;
}

Finding about(const IgnoreComment& comment, const char* rule, std::string subject,
              std::string what) {
  Finding finding;
  finding.rule = rule;
  finding.severity = Severity::warning;
  finding.place = comment.place;
  finding.what = std::move(what);
  finding.subject = std::move(subject);
  return finding;
}

void judge_comment(const IgnoreComment& comment, const std::vector<bool>& used, bool all_judged,
                   CheckedFile& file) {
  if (comment.reason.empty()) {
    Finding finding =
        about(comment, "ignore-without-reason", fmt::format("{}", fmt::join(comment.rules, ",")),
              "this ignore has no reason");
    finding.fix = fmt::format("# roofline: ignore[{}] WHY", fmt::join(comment.rules, ", "));
    file.findings.push_back(std::move(finding));
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    const std::string& rule = comment.rules[i];
    if (find_rule(rule) == nullptr) {
      Finding finding =
          about(comment, "unused-ignore", rule, fmt::format("there is no rule '{}'", rule));
      const std::vector<std::string> near = closest(rule, rule_ids(), 1);
      if (!near.empty()) finding.fix = near.front();
      file.findings.push_back(std::move(finding));
    } else if (!used[i] && all_judged) {
      Finding finding =
          about(comment, "unused-ignore", rule, fmt::format("nothing here is found by {}", rule));
      finding.fix = "take the comment out";
      file.findings.push_back(std::move(finding));
    }
  }
}

}  // namespace

void apply_ignores(const std::vector<IgnoreComment>& comments, const Project& project,
                   std::vector<bool>& used, CheckedFile& file) {
  UsedRules used_rules;
  for (const IgnoreComment& comment : comments) {
    used_rules.emplace_back(comment.rules.size(), false);
  }
  std::vector<Finding> kept;
  for (const Finding& finding : file.findings) {
    const bool by_comment = ignored_by_comment(comments, finding, used_rules, file);
    const bool by_project = ignored_by_project(project, finding, used, file);
    if (!by_comment && !by_project) kept.push_back(finding);
  }
  file.findings = std::move(kept);
  for (const Finding& finding : file.findings) mark_found(finding, file);
  for (std::size_t i = 0; i < comments.size(); ++i) {
    judge_comment(comments[i], used_rules[i], file.not_judged.empty(), file);
  }
}

}  // namespace roofline
