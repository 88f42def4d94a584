// Settings that the engine does not have, or has no longer.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "analysis/check/resolve.hpp"
#include "analysis/check/rules/rules.hpp"
#include "analysis/check/rules/setting_names.hpp"
#include "base/closest.hpp"
#include "base/printable.hpp"
#include "spec/serving/command_line.hpp"
#include "spec/serving/own_settings.hpp"

namespace roofline::rules {
namespace {

/// With its value, as it is pasted.
std::string with_values(std::string text, const EngineSetting& setting) {
  for (const std::string& value : setting.values) text += " " + printable(value, 60);
  return text;
}

std::vector<std::string> names_of(const Launch& launch, const EngineFlags& flags) {
  std::vector<std::string> names;
  if (has_own_names(launch)) {
    names.assign(own_setting_names.begin(), own_setting_names.end());
    names.insert(names.end(), own_surrounding_names.begin(), own_surrounding_names.end());
    names.insert(names.end(), own_other_names.begin(), own_other_names.end());
    return names;
  }
  for (const EngineFlag& flag : flags.flags) {
    if (flag.removed.empty()) names.push_back(flag.name);
  }
  return names;
}

std::string release(const EngineFlags& flags) {
  return fmt::format("{} {}", engine_title(flags.engine), flags.version);
}

/// One or two letters from a name that is known: nobody calls a new flag so.
bool is_misspelt(const EngineSetting& setting, const std::vector<std::string>& near) {
  constexpr std::size_t slips = 2;
  return !near.empty() && edit_distance(setting.name, near.front()) <= slips;
}

/// `names`: what may have been meant; empty: no guess.
Finding unknown(const EngineSetting& setting, const Launch& launch, const EngineFlags& flags,
                const std::vector<std::string>& names) {
  const bool own = has_own_names(launch);
  Finding finding;
  finding.place = setting.place;
  finding.subject = setting.name;
  finding.what = fmt::format("{} has no \"{}\"", own ? "a deployment" : release(flags),
                             printable(setting.written, 60));
  // Of a name of two letters everything is near.
  constexpr std::size_t shortest = 4;
  const bool long_enough = setting.name.size() >= shortest;
  const std::vector<std::string> near =
      long_enough ? closest(setting.name, names, 1) : std::vector<std::string>();
  finding.uncertain = !own && !is_misspelt(setting, near);
  if (!near.empty()) {
    finding.why = fmt::format("did you mean \"{}\"?", near.front());
    finding.fix = with_values(near.front(), setting);
  } else {
    finding.why = own ? "it is read by nothing"
                      : "an engine refuses to start with a flag that it does not know";
  }
  return finding;
}

Finding removed(const EngineSetting& setting, const EngineFlag& flag, const EngineFlags& flags) {
  Finding finding;
  finding.place = setting.place;
  finding.subject = setting.name;
  finding.what = fmt::format("{} has no \"{}\" any more", release(flags), setting.written);
  finding.why = flag.removed;
  // "now hf-overrides" asks for a value that nothing here can write.
  if (!flag.removed.starts_with("now ")) finding.fix = fmt::format("leave out {}", setting.written);
  finding.uncertain = true;
  return finding;
}

/// Words of a variable that nothing sets.
Finding unresolved(const EngineSetting& setting) {
  Finding finding;
  finding.place = setting.place;
  finding.subject = setting.name;
  finding.severity = Severity::note;
  finding.what =
      fmt::format("{} may hold any option, and is taken for empty", printable(setting.written, 60));
  return finding;
}

}  // namespace

void unknown_key(const RuleSubject& subject, RuleFindings& findings) {
  const Launch& launch = *subject.launch;
  const EngineFlags& flags = engine_flags(launch.engine);
  const bool own = has_own_names(launch);
  const bool older = !own && !launch.version.empty() && !is_at_least(launch.version, flags.version);
  constexpr std::size_t most_guesses = 100;
  std::vector<std::string> names = names_of(launch, flags);
  std::size_t unknowns = 0;
  for (const EngineSetting& setting : launch.settings) {
    if (!setting.known) {
      // A file of nothing else is no config, and guesses at each of its keys take seconds.
      if (++unknowns > most_guesses) names.clear();
      Finding finding = unknown(setting, launch, flags, names);
      // A release before or after the one whose flags are known may have it.
      finding.uncertain = finding.uncertain || older;
      findings.add(std::move(finding));
      continue;
    }
    if (setting.name.starts_with('$') && !setting.unresolved.empty()) {
      findings.add(unresolved(setting));
    }
    if (own) continue;
    const EngineFlag* flag = find_flag(flags, setting.name);
    const bool gone =
        flag != nullptr && !flag->removed.empty() && !flag->removed.starts_with("ignored");
    if (gone && !older) findings.add(removed(setting, *flag, flags));
  }
}

}  // namespace roofline::rules
