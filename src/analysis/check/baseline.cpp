#include "analysis/check/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/counted.hpp"
#include "base/format.hpp"
#include "base/portable_path.hpp"
#include "spec/json_node.hpp"

namespace roofline {
namespace {

/// A launch as the baseline has it.
struct OldLaunch {
  std::string file;
  std::string name;
  std::string model;
  std::string gpu;
  std::optional<double> concurrency;
  std::optional<double> sequence_bytes;
  std::map<std::string_view, double> figures;
  bool met = false;  ///< the new result has it too
};

/// File, rule, launch and subject of a finding.
using FindingKey = std::tuple<std::string, std::string, std::string, std::string>;

struct Baseline {
  std::set<std::string> files;
  std::vector<OldLaunch> launches;
  std::multiset<FindingKey> findings;
};

std::string text_of(const JsonNode& object, std::string_view key) {
  const std::optional<JsonNode> member = object.find(key);
  return member ? member->text() : "";
}

std::optional<double> number_of(const JsonNode& object, std::string_view key) {
  const std::optional<JsonNode> member = object.find(key);
  if (!member) return std::nullopt;
  return member->is_zero() ? 0 : member->positive();
}

OldLaunch read_launch(const JsonNode& node, const std::string& file) {
  OldLaunch launch{.file = file,
                   .name = text_of(node, "name"),
                   .model = text_of(node, "model"),
                   .gpu = text_of(node, "gpu"),
                   .concurrency = number_of(node, "concurrency"),
                   .sequence_bytes = number_of(node, "sequence_bytes"),
                   .figures = {}};
  for (const ComparedFigure& figure : compared_figures()) {
    const std::optional<double> value = number_of(node, figure.key);
    if (value) launch.figures[figure.key] = *value;
  }
  return launch;
}

void read_file(const JsonNode& node, Baseline& baseline) {
  const std::string file = portable_path(node.at("file").text());
  baseline.files.insert(file);
  for (const JsonNode& launch : node.at("launches").elements()) {
    baseline.launches.push_back(read_launch(launch, file));
  }
  for (const JsonNode& finding : node.at("findings").elements()) {
    baseline.findings.emplace(file, finding.at("rule").text(), text_of(finding, "launch"),
                              text_of(finding, "subject"));
  }
}

[[noreturn]] void refuse(const std::string& name) {
  throw Error(Diagnostic{.what = fmt::format("'{}' is no answer of check", name),
                         .where = name,
                         .why = "a baseline is what check printed as json",
                         .fix = fmt::format("roofline check FILE -f json -o {}", name)});
}

Baseline read_baseline(std::string_view text, const std::string& name) {
  const JsonNode root = JsonNode::parse(text, name);
  if (!root.is_object()) refuse(name);
  const std::optional<JsonNode> command = root.find("command");
  if (!command || !command->is_string() || command->text() != "check") refuse(name);
  constexpr std::int64_t known_version = 1;
  if (root.at("schema_version").count(1'000'000) != known_version) {
    root.at("schema_version").fail("only schema_version 1 can be compared with");
  }
  Baseline baseline;
  for (const JsonNode& file : root.at("files").elements()) read_file(file, baseline);
  return baseline;
}

/// The n-th of that name in the file is the n-th of that name in the baseline.
OldLaunch* find_launch(Baseline& baseline, const std::string& file, const std::string& name) {
  for (OldLaunch& launch : baseline.launches) {
    if (launch.met || launch.file != file || launch.name != name) continue;
    launch.met = true;
    return &launch;
  }
  return nullptr;
}

bool is_worse(const ComparedFigure& figure, double before, double now, double tolerance) {
  if (before <= 0) return false;
  if (!figure.more_is_better) return now > before * (1 + tolerance);
  return now <= 0 || now < before * (1 - tolerance);
}

std::string percent(double share) {
  return fmt::format("{}{}%", share > 0 ? "+" : "", format_fixed(100 * share, 1));
}

/// In percent, without the last digits of its product.
std::string tolerance_text(double tolerance) {
  constexpr double steps = 1e6;
  return format_exact(std::round(100 * tolerance * steps) / steps);
}

/// "chat in a.yaml", "a.yaml".
std::string named(const std::string& launch, const std::string& file) {
  return launch.empty() ? file : fmt::format("{} in {}", launch, file);
}

class Comparison {
 public:
  Comparison(Baseline baseline, std::string name, double tolerance, CheckResult& result,
             std::string directory)
      : baseline_(std::move(baseline)),
        name_(std::move(name)),
        tolerance_(tolerance),
        result_(result),
        directory_(std::move(directory)) {}

  void run() {
    for (CheckedFile& file : result_.files) {
      const std::string path = portable_path(file.file, directory_);
      note_findings(file, path);
      for (CheckedLaunch& launch : file.launches) compare(file, path, launch);
      checked_.insert(path);
    }
    note_vanished();
  }

 private:
  void note(std::string text) { result_.notes.push_back(std::move(text)); }

  void compare(CheckedFile& file, const std::string& path, CheckedLaunch& launch) {
    OldLaunch* old = find_launch(baseline_, path, launch.name);
    if (old == nullptr) {
      note(fmt::format("the baseline does not have {}", named(launch.name, path)));
      return;
    }
    RuleOutcome* outcome = outcome_of(launch);
    if (outcome != nullptr && outcome->kind == RuleOutcome::Kind::off) return;
    if (outcome != nullptr) {
      outcome->kind = RuleOutcome::Kind::passed;
      outcome->reason.clear();
    }
    note_changes(*old, launch, path);
    for (const ComparedFigure& figure : compared_figures()) {
      compare(figure, *old, file, launch, outcome);
    }
  }

  static RuleOutcome* outcome_of(CheckedLaunch& launch) {
    const auto found =
        std::find_if(launch.outcomes.begin(), launch.outcomes.end(),
                     [](const RuleOutcome& outcome) { return outcome.rule == "regression"; });
    return found == launch.outcomes.end() ? nullptr : &*found;
  }

  void compare(const ComparedFigure& figure, const OldLaunch& old, CheckedFile& file,
               const CheckedLaunch& launch, RuleOutcome* outcome) {
    const auto before = old.figures.find(figure.key);
    if (before == old.figures.end()) return;
    const std::optional<double> now = figure.of(launch.figures);
    if (!now) {
      note(fmt::format("{}: the baseline has {}, this result has not",
                       named(launch.name, portable_path(file.file, directory_)), figure.key));
      return;
    }
    if (figure.key == "tpot_s" && concurrency_changed(old, launch)) return;
    if (figure.key == "full_sequences" && length_changed(old, launch)) return;
    if (!is_worse(figure, before->second, *now, tolerance_)) return;
    const Regression regression{.file = file.file,
                                .launch = launch.name,
                                .figure = std::string(figure.key),
                                .before = before->second,
                                .now = *now,
                                .change = *now / before->second - 1};
    result_.regressions.push_back(regression);
    if (outcome != nullptr) outcome->kind = RuleOutcome::Kind::found;
    add_finding(figure, regression, outcome == nullptr ? Severity::error : outcome->severity, file,
                launch);
  }

  void add_finding(const ComparedFigure& figure, const Regression& regression, Severity severity,
                   CheckedFile& file, const CheckedLaunch& launch) {
    Finding finding{
        .rule = "regression",
        .severity = severity,
        .launch = launch.name,
        .place = launch.place,
        .what = fmt::format("{}: {} instead of {} in the baseline ({})", figure.words,
                            figure_text(figure, regression.now),
                            figure_text(figure, regression.before), percent(regression.change)),
        .why = fmt::format("it may be {}% worse than in {}", tolerance_text(tolerance_), name_),
        .fix = {},
        .subject = regression.figure};
    const auto order = [](const Finding& one) {
      return std::tie(one.place.line, one.place.column, one.rule, one.launch);
    };
    const auto at =
        std::upper_bound(file.findings.begin(), file.findings.end(), finding,
                         [&](const Finding& a, const Finding& b) { return order(a) < order(b); });
    file.findings.insert(at, std::move(finding));
  }

  static bool concurrency_changed(const OldLaunch& old, const CheckedLaunch& launch) {
    const std::optional<ServingPoint>& now = launch.figures.serving;
    return now && old.concurrency && *old.concurrency != static_cast<double>(now->concurrency);
  }

  /// Another max-model-len, or another type of the cache.
  static bool length_changed(const OldLaunch& old, const CheckedLaunch& launch) {
    const std::optional<EngineMemoryBudget>& now = launch.figures.memory;
    return now && old.sequence_bytes && *old.sequence_bytes != now->sequence.value();
  }

  /// What the figures are of, if that is another than it was.
  void note_changes(const OldLaunch& old, const CheckedLaunch& launch, const std::string& path) {
    const LaunchFigures& now = launch.figures;
    const auto note_change = [&](std::string_view what, const std::string& before,
                                 const std::string& after) {
      if (before.empty() || after.empty() || before == after) return;
      note(fmt::format("{}: {} is {}, was {} in the baseline", named(launch.name, path), what,
                       after, before));
    };
    note_change("the model", old.model, now.model);
    note_change("the GPU", old.gpu, now.gpu);
    if (!concurrency_changed(old, launch)) return;
    note(
        fmt::format("{}: TPOT is not compared: the concurrency is {}, was {} in the "
                    "baseline",
                    named(launch.name, path), count_text(now.serving->concurrency),
                    format_count(*old.concurrency)));
  }

  void note_findings(const CheckedFile& file, const std::string& path) {
    if (!baseline_.files.contains(path)) return;
    for (const Finding& finding : file.findings) {
      const auto known =
          baseline_.findings.find({path, finding.rule, finding.launch, finding.subject});
      if (known != baseline_.findings.end()) {
        baseline_.findings.erase(known);
      } else {
        note(fmt::format("{}:{}: the baseline does not have this finding of {}", path,
                         finding.place.line, finding.rule));
      }
    }
  }

  void note_vanished() {
    for (const OldLaunch& launch : baseline_.launches) {
      if (launch.met || !checked_.contains(launch.file)) continue;
      note(fmt::format("only the baseline has {}", named(launch.name, launch.file)));
    }
    const auto unchecked =
        std::count_if(baseline_.files.begin(), baseline_.files.end(),
                      [&](const std::string& file) { return !checked_.contains(file); });
    if (unchecked > 0) {
      note(fmt::format("{} of the baseline {} not checked", counted(unchecked, "file"),
                       unchecked == 1 ? "is" : "are"));
    }
  }

  Baseline baseline_;
  std::string name_;
  double tolerance_;
  CheckResult& result_;
  std::string directory_;
  std::set<std::string> checked_{};
};

}  // namespace

void add_regressions(std::string_view baseline, const std::string& name, double tolerance,
                     CheckResult& result, const std::string& directory) {
  Comparison(read_baseline(baseline, name), name, tolerance, result, directory).run();
}

}  // namespace roofline
