// `roofline list`: the entries of the catalogue.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "base/closest.hpp"
#include "cli/commands.hpp"
#include "report/catalog_report.hpp"

namespace roofline::cli {
namespace {

/// Reads every entry, the first good one of each name; a broken file of the user's is a warning.
template <class Read>
auto read_all(const Catalog& catalog, EntryKind kind, std::vector<Diagnostic>& warnings,
              Read&& read) {
  std::vector<decltype(read(std::string_view(), std::string()))> result;
  std::string last;
  for (const CatalogEntry& entry : catalog.list(kind, warnings)) {
    if (normalized_name(entry.name) == last) continue;
    try {
      result.push_back(read(entry.text, entry.file()));
      last = normalized_name(entry.name);
    } catch (const Error& error) {
      warnings.insert(warnings.end(), error.diagnostics().begin(), error.diagnostics().end());
    }
  }
  return result;
}

report::Report list(const std::string& what, const Catalog& catalog,
                    std::vector<Diagnostic>& warnings) {
  const std::string kind = normalized_name(what);
  if (kind == "devices" || kind == "gpus" || kind == "device" || kind == "gpu") {
    return report::list_devices(read_all(
        catalog, EntryKind::device, warnings,
        [](std::string_view text, const std::string& file) { return read_device(text, file); }));
  }
  if (kind == "models" || kind == "model") {
    return report::list_models(read_all(
        catalog, EntryKind::model, warnings,
        [](std::string_view text, const std::string& file) { return read_model(text, file); }));
  }
  if (kind == "formats" || kind == "dtypes" || kind == "format") {
    return report::list_number_formats(read_all(catalog, EntryKind::format, warnings,
                                                [](std::string_view text, const std::string& file) {
                                                  return read_number_format(text, file);
                                                }));
  }
  if (kind == "rules" || kind == "rule") return report::list_rules(check_rules());
  throw Error(Diagnostic{
      .what = what.empty() ? "list needs to know what" : fmt::format("cannot list '{}'", what),
      .fix = "roofline list devices, models, formats or rules",
      .suggestions = closest(what, {"devices", "models", "formats", "rules"})});
}

}  // namespace

void set_up_list(CLI::App& command, Session& session) {
  const auto what = std::make_shared<std::string>();
  command.add_option("WHAT", *what, "devices (or gpus), models, formats (or dtypes), rules");
  add_output_flags(command, session.output);
  session.run = [what, &session] {
    report::Report answer;
    std::vector<Diagnostic> warnings;
    session.errors.collect([&] { answer = list(*what, open_catalog(session.global), warnings); });
    session.errors.collect([&] { (void)chosen_format(session.output); });
    session.errors.throw_if_any();
    for (Diagnostic& warning : warnings) {
      if (warning.fix.empty()) warning.fix = "mend the file, or take it out of the data directory";
    }
    print_warnings(warnings, use_color(session.global.color, STDERR_FILENO));
    write_answer(answer, session);
    return 0;
  };
}

}  // namespace roofline::cli
