#include "cli/plot_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/closest.hpp"
#include "base/decimal.hpp"
#include "base/parse.hpp"
#include "base/printable.hpp"

namespace roofline::cli {
namespace {

constexpr std::size_t longest_name = 200;

/// `85FLOP/byte`, `85`.
FlopsPerByte parse_intensity(std::string_view text, std::string_view flag) {
  constexpr double least = 1e-9;
  constexpr double most = 1e15;
  const Decimal decimal = number_part(text, flag, "85FLOP/byte");
  const bool known = decimal.rest.empty() || decimal.rest == "FLOP/byte" ||
                     decimal.rest == "FLOP/B" || decimal.rest == "FLOPs/byte";
  if (!known) {
    refuse(flag, text, "is not an arithmetic intensity", "it is in FLOP/byte",
           with_value(flag, fmt::format("{}FLOP/byte@45TFLOP/s", decimal.number)));
  }
  const double value = decimal.value().value_or(INFINITY);
  if (value < least || value > most) {
    refuse(flag, text, "cannot be drawn", "an intensity is from 1e-9 to 1e15 FLOP/byte", {});
  }
  return FlopsPerByte(value);
}

bool is_compute_rate(std::string_view text) {
  return text.find("OP") != std::string_view::npos;
}

/// `NAME=85FLOP/byte@45TFLOP/s`; the name may be left out.
MeasuredPoint parse_measured_point(std::string_view item, std::size_t number) {
  constexpr const char* flag = "--measured";
  const std::size_t equals = item.find('=');
  const bool named = equals != std::string_view::npos;
  std::string name =
      named ? std::string(trimmed(item.substr(0, equals))) : fmt::format("measured {}", number);
  const bool printed = std::none_of(name.begin(), name.end(), is_control_character);
  if (name.empty() || name.size() > longest_name || !printed) {
    refuse(flag, item, "has no usable name", "a name has 1 to 200 bytes, none of them for control",
           {});
  }
  const std::string_view place = named ? item.substr(equals + 1) : item;
  const std::size_t at = place.find('@');
  return {.name = std::move(name),
          .intensity = parse_intensity(trimmed(place.substr(0, at)), flag),
          .achieved = parse_compute(trimmed(place.substr(at + 1)), flag)};
}

void read_measured_item(std::string_view item, PlotRequest& request) {
  constexpr const char* flag = "--measured";
  if (item.find('@') != std::string_view::npos) {
    request.measured.push_back(parse_measured_point(item, request.measured.size() + 1));
  } else if (item == "none") {
    request.measurements.emplace_back();
  } else if (is_compute_rate(item)) {
    request.measurements.emplace_back(parse_compute(item, flag));
  } else {
    request.measurements.emplace_back(parse_time(item, flag));
  }
}

PeakKey read_ceiling(std::string_view name) {
  if (const std::optional<PeakKey> key = peak_key(name)) return *key;
  throw Error(Diagnostic{.what = fmt::format("--ceilings: unknown type '{}'", name),
                         .why = fmt::format("types: {}", fmt::join(peak_names(), ", ")),
                         .fix = "--ceilings all",
                         .suggestions = closest(std::string(name), peak_names())});
}

/// The value that a word stands for.
template <class Value, std::size_t size>
Value read_word(const std::string& text, const char* flag,
                const std::array<std::pair<std::string_view, Value>, size>& words,
                ErrorCollector& errors) {
  std::vector<std::string> names;
  for (const auto& word : words) {
    if (word.first == text) return word.second;
    names.emplace_back(word.first);
  }
  errors.add(Error(Diagnostic{.what = fmt::format("{}: unknown word '{}'", flag, text),
                              .fix = fmt::format("one of {}", fmt::join(names, ", ")),
                              .suggestions = closest(text, names)}));
  return words.front().second;
}

void refuse_flag(bool given, const char* flag, const char* other, const char* why,
                 ErrorCollector& errors) {
  if (!given) return;
  errors.add(Error(Diagnostic{.what = fmt::format("{} does not go with {}", flag, other),
                              .why = why,
                              .fix = "leave one of them out"}));
}

}  // namespace

void add_plot_flags(CLI::App& command, PlotFlags& flags) {
  const auto add = [&](const char* name, auto& target, const char* type, const char* text) {
    return command.add_option(name, target, text)->type_name(type)->group("Picture");
  };
  add("--ceilings", flags.ceilings, "LIST",
      "peaks to draw beside those that are used: fp16,fp8 or all")
      ->allow_extra_args(false);
  add("--measured", flags.measured, "LIST",
      "what was measured of each point, in the order of the table:\n"
      "times or rates (7.9ms, 65TFLOP/s) or none;\n"
      "NAME=85FLOP/byte@45TFLOP/s is a point of its own")
      ->allow_extra_args(false);
  add("--mark", flags.mark, "HOW",
      "workloads as points or as lines across the roofs\n"
      "[points on one device, lines on several]")
      ->take_last();
  add("--x", flags.x, "WHAT", "a curve over the batch or the context instead [batch]")->take_last();
  add("--y", flags.y, "WHAT", "of it: intensity, throughput, tpot or cost [intensity]")
      ->take_last();
  add("--tpot-limit", flags.tpot_limit, "TIME", "curves: where a limit on TPOT lies, as 30ms")
      ->take_last();
  add("--title", flags.title, "TEXT", "above the picture")->take_last();
}

bool asks_for_curves(const PlotFlags& flags) {
  return !flags.x.empty() || !flags.y.empty();
}

report::MarkWorkloads read_plot_flags(const PlotFlags& flags, PlotRequest& request,
                                      ErrorCollector& errors) {
  for (const std::string& list : flags.ceilings) {
    errors.collect([&] {
      for (const std::string_view name : split_list(list, "--ceilings")) {
        if (name == "all") {
          request.all_ceilings = true;
        } else {
          request.ceilings.push_back(read_ceiling(name));
        }
      }
    });
  }
  for (const std::string& list : flags.measured) {
    errors.collect([&] {
      for (const std::string_view item : split_list(list, "--measured")) {
        errors.collect([&] { read_measured_item(item, request); });
      }
    });
  }
  refuse_flag(!flags.tpot_limit.empty(), "--tpot-limit", "a roofline",
              "it is a limit of curves: --x batch --y tpot", errors);
  using report::MarkWorkloads;
  if (flags.mark.empty()) return MarkWorkloads::by_number_of_devices;
  constexpr std::array words{std::pair(std::string_view("points"), MarkWorkloads::as_points),
                             std::pair(std::string_view("lines"), MarkWorkloads::as_lines)};
  return read_word(flags.mark, "--mark", words, errors);
}

void read_curve_flags(const PlotFlags& flags, CurvesRequest& request, ErrorCollector& errors) {
  constexpr std::array xs{std::pair(std::string_view("batch"), CurveX::batch),
                          std::pair(std::string_view("context"), CurveX::context)};
  constexpr std::array ys{std::pair(std::string_view("intensity"), CurveY::intensity),
                          std::pair(std::string_view("throughput"), CurveY::throughput),
                          std::pair(std::string_view("tpot"), CurveY::tpot),
                          std::pair(std::string_view("cost"), CurveY::cost)};
  if (!flags.x.empty()) request.x = read_word(flags.x, "--x", xs, errors);
  if (!flags.y.empty()) request.y = read_word(flags.y, "--y", ys, errors);
  if (!flags.tpot_limit.empty()) {
    errors.collect([&] { request.tpot_limit = parse_time(flags.tpot_limit, "--tpot-limit"); });
  }
  const char* curves = flags.x.empty() ? "--y" : "--x";
  const char* why = "it is drawn on the axes of a roofline";
  refuse_flag(!flags.ceilings.empty(), "--ceilings", curves, why, errors);
  refuse_flag(!flags.measured.empty(), "--measured", curves, why, errors);
  refuse_flag(!flags.mark.empty(), "--mark", curves, why, errors);
}

}  // namespace roofline::cli
