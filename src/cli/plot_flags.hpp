// The flags of plot that analyze has not: ceilings, measurements, curves.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "report/roofline_chart.hpp"
#include "roofline/curves.hpp"
#include "roofline/error.hpp"
#include "roofline/plot.hpp"

namespace roofline::cli {

struct PlotFlags {
  std::vector<std::string> ceilings;
  std::vector<std::string> measured;
  std::string mark;
  std::string x, y, tpot_limit;
  std::string title;
};

/// Adds them to the group Picture.
void add_plot_flags(CLI::App& command, PlotFlags& flags);

/// True if the question is about curves: --x or --y was given.
[[nodiscard]] bool asks_for_curves(const PlotFlags& flags);

/// Reads --ceilings and --measured into `request`, and --mark. Everything that is wrong, also flags
/// of curves alone, goes to `errors`.
[[nodiscard]] report::MarkWorkloads read_plot_flags(const PlotFlags& flags, PlotRequest& request,
                                                    ErrorCollector& errors);

/// Reads --x, --y and --tpot-limit into `request`; flags of the roofline alone go to `errors`.
void read_curve_flags(const PlotFlags& flags, CurvesRequest& request, ErrorCollector& errors);

}  // namespace roofline::cli
