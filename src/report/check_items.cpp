// A result as one list of items with places and fingerprints.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "base/counted.hpp"
#include "base/portable_path.hpp"
#include "base/printable.hpp"
#include "report/check_formats.hpp"

namespace roofline::report {
namespace {

/// FNV-1a of 64 bits.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3U;
  }
  return hash;
}

/// Numbers the fingerprints of one list.
class Fingerprints {
 public:
  std::string next(const CheckItem& item, std::string_view subject) {
    std::string text;
    for (const std::string_view part : {std::string_view(item.file), std::string_view(item.rule),
                                        std::string_view(item.launch), subject}) {
      text += part;
      text += '\0';
    }
    const std::uint64_t hash = hash_of(text);
    return fmt::format("{:016x}:{}", hash, ++seen_[hash]);
  }

 private:
  std::map<std::uint64_t, std::int64_t> seen_{};
};

/// Takes ":NUMBER" off the end.
std::optional<std::int64_t> take_number(std::string_view& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view digits = text.substr(colon + 1);
  std::int64_t number = 0;
  const char* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end || number < 1) return std::nullopt;
  text = text.substr(0, colon);
  return number;
}

/// "FILE", "FILE:LINE" or "FILE:LINE:COL".
Place place_in(std::string_view where) {
  Place place;
  const std::optional<std::int64_t> last = take_number(where);
  const std::optional<std::int64_t> before = last ? take_number(where) : std::nullopt;
  place.file = where;
  place.line = before ? *before : last.value_or(1);
  place.column = before ? *last : 1;
  return place;
}

void add_details(std::vector<std::string>& details, std::string_view label, std::string_view text) {
  if (!text.empty()) details.push_back(fmt::format("{}: {}", label, text));
}

void set_place(CheckItem& item, const Place& place) {
  item.line = std::max<std::int64_t>(1, place.line);
  item.column = std::max<std::int64_t>(1, place.column);
  item.end_column = std::max(item.column + 1, place.end_column);
}

CheckItem item_of(const Finding& finding, const std::string& file,
                  const CheckReportOptions& options) {
  CheckItem item{.severity = finding.severity,
                 .rule = finding.rule,
                 .launch = finding.launch,
                 .file = finding.place.file.empty()
                             ? file
                             : portable_path(finding.place.file, options.directory),
                 .what = printable(finding.what),
                 .fix = finding.fix};
  set_place(item, finding.place);
  add_details(item.details, "why", finding.why);
  add_details(item.details, "fix", finding.fix);
  return item;
}

/// It is shown in the file that was asked about: what it says of another file, a model's, is text.
CheckItem item_of(const Diagnostic& diagnostic, const std::string& file,
                  const CheckReportOptions& options) {
  CheckItem item{.rule = std::string(not_judged_rule),
                 .file = file,
                 .what = "cannot be judged: " + printable(diagnostic.what),
                 .fix = diagnostic.fix};
  const Place place = place_in(diagnostic.where);
  if (portable_path(place.file, options.directory) == file) {
    set_place(item, place);
  } else {
    add_details(item.details, "where", diagnostic.where);
  }
  add_details(item.details, "why", diagnostic.why);
  add_details(item.details, "fix", diagnostic.fix);
  add_details(item.details, "did you mean",
              fmt::format("{}", fmt::join(diagnostic.suggestions, ", ")));
  add_details(item.details, "all of them", diagnostic.list_command);
  return item;
}

void append_items(std::vector<CheckItem>& items, const CheckedFile& file,
                  const CheckReportOptions& options, Fingerprints& fingerprints) {
  const std::string path = portable_path(file.file, options.directory);
  const auto append = [&](CheckItem item, std::string_view subject) {
    item.fingerprint = fingerprints.next(item, subject);
    items.push_back(std::move(item));
  };
  for (const Diagnostic& diagnostic : file.not_judged) {
    append(item_of(diagnostic, path, options), diagnostic.what);
  }
  for (const Finding& finding : file.findings) {
    append(item_of(finding, path, options), finding.subject);
  }
}

}  // namespace

std::vector<CheckItem> check_items(const CheckedFile& file, const CheckReportOptions& options) {
  std::vector<CheckItem> items;
  Fingerprints fingerprints;
  append_items(items, file, options, fingerprints);
  return items;
}

std::vector<CheckItem> check_items(const CheckResult& result, const CheckReportOptions& options) {
  std::vector<CheckItem> items;
  Fingerprints fingerprints;
  for (const CheckedFile& file : result.files) append_items(items, file, options, fingerprints);
  return items;
}

std::string message_of(const CheckItem& item) {
  std::string text = item.what;
  for (const std::string& detail : item.details) text += '\n' + detail;
  return text;
}

std::string lines_of(const CheckItem& item) {
  std::string text = fmt::format("{}:{}:{}: {}: {} [{}]", item.file, item.line, item.column,
                                 to_string(item.severity), item.what, item.rule);
  for (const std::string& detail : item.details) text += '\n' + detail;
  return text;
}

std::string without_controls(std::string_view text) {
  std::string kept;
  for (const char c : text) {
    if (!is_control_character(c) || c == '\t' || c == '\n') kept += c;
  }
  return kept;
}

std::int64_t files_not_judged(const CheckResult& result) {
  return std::count_if(result.files.begin(), result.files.end(),
                       [](const CheckedFile& file) { return !file.not_judged.empty(); });
}

std::string summary_of(const CheckResult& result) {
  std::string text =
      fmt::format("{}, {}, {} in {}", counted(result.count(Severity::error), "error"),
                  counted(result.count(Severity::warning), "warning"),
                  counted(result.count(Severity::note), "note"),
                  counted(static_cast<std::int64_t>(result.files.size()), "file"));
  if (const std::int64_t files = files_not_judged(result); files > 0) {
    text += fmt::format("; {} could not be judged", counted(files, "file"));
  }
  return text;
}

}  // namespace roofline::report
