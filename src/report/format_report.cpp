// Number formats as a report.
#include <fmt/format.h>

#include "base/format.hpp"
#include "report/catalog_report.hpp"

namespace roofline::report {

Report list_number_formats(const std::vector<NumberFormat>& formats) {
  Report report;
  report.command = "list formats";
  report.results = {.key = "results",
                    .columns = {{"name", "name"},
                                {"aliases", "aliases", Unit::none, Show::machine},
                                {"bits", "bits"},
                                {"element", "multiplied as"},
                                {"covers", "covers"},
                                {"block_outputs", "block outputs", Unit::none, Show::machine},
                                {"block_inputs", "block inputs", Unit::none, Show::machine},
                                {"description", "description"},
                                {"source", "source", Unit::none, Show::machine}}};
  for (const NumberFormat& format : formats) {
    report.results.rows.push_back(
        {format.name, format.aliases, format.bits, std::string(to_string(format.element)),
         std::string(to_string(format.coverage)), static_cast<double>(format.block_outputs),
         static_cast<double>(format.block_inputs), format.description, format.source});
  }
  report.title = fmt::format("{} number formats; bits an element, scales included", formats.size());
  return report;
}

}  // namespace roofline::report
