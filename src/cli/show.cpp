// `roofline show`: all that is known of one device or model.
#include <fmt/format.h>

#include <memory>

#include "base/closest.hpp"
#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "report/catalog_report.hpp"

namespace roofline::cli {
namespace {

report::Report show(const std::string& what, const std::string& name, const std::string& assume,
                    const Catalog& catalog) {
  DataSource source;
  const std::string kind = normalized_name(what);
  if (kind == "device" || kind == "gpu" || kind == "devices" || kind == "gpus") {
    if (!assume.empty()) {
      throw Error(Diagnostic{.what = "--assume does not go with a device",
                             .why = "it is about a model's family",
                             .fix = "leave it out"});
    }
    const Device device = catalog.device(name, &source);
    return report::show_device(device, source_text(source));
  }
  if (kind == "model" || kind == "models") {
    const Model model = catalog.model(name, read_options(assume), &source);
    return report::show_model(model, source_text(source));
  }
  throw Error(Diagnostic{.what = fmt::format("cannot show a '{}'", what),
                         .fix = "roofline show device NAME, or roofline show model NAME",
                         .suggestions = closest(what, {"device", "model"})});
}

/// The command that shows `name`, whatever it is.
std::string command_for(const std::string& name, const Catalog& catalog) {
  for (const auto& [kind, word] :
       {std::pair(EntryKind::device, "device"), std::pair(EntryKind::model, "model")}) {
    try {
      (void)catalog.find(kind, name);
      return fmt::format("roofline show {} {}", word, name);
    } catch (const Error&) {
    }
  }
  return "roofline show device H100";
}

}  // namespace

void set_up_show(CLI::App& command, Session& session) {
  struct Words {
    std::string what;
    std::string name;
    std::string assume;
  };
  const auto words = std::make_shared<Words>();
  command.add_option("WHAT", words->what, "device (or gpu), or model");
  command.add_option("NAME", words->name,
                     "a name, an alias, or a path: JSON, GGUF or a model's directory");
  add_assume_flag(command, words->assume);
  add_output_flags(command, session.output);
  session.run = [words, &session] {
    report::Report answer;
    session.errors.collect([&] {
      if (words->what.empty() || words->name.empty()) {
        throw Error(Diagnostic{.what = "show needs to know what, and its name",
                               .fix = command_for(words->what, open_catalog(session.global))});
      }
      answer = show(words->what, words->name, words->assume, open_catalog(session.global));
    });
    session.errors.collect([&] { (void)chosen_format(session.output); });
    session.errors.throw_if_any();
    write_answer(answer, session);
    return 0;
  };
}

}  // namespace roofline::cli
