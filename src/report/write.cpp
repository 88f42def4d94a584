// The output formats and their writers.
#include "report/report.hpp"

namespace roofline::report {

const std::vector<FormatName>& formats() {
  static const std::vector<FormatName> all{
      {"csv", ".csv", Format::csv},          {"html", ".html", Format::html, true},
      {"json", ".json", Format::json},       {"jsonl", ".jsonl", Format::jsonl},
      {"markdown", ".md", Format::markdown}, {"svg", ".svg", Format::svg, true},
      {"text", ".txt", Format::text}};
  return all;
}

std::string write(const Report& report, Format format, const TextOptions& options) {
  switch (format) {
    case Format::csv:
      return write_csv(report);
    case Format::html:
      return write_html(report, options);
    case Format::json:
      return write_json(report);
    case Format::jsonl:
      return write_jsonl(report);
    case Format::markdown:
      return write_markdown(report, options);
    case Format::svg:
      return write_svg(*report.chart);
    case Format::text:
      break;
  }
  return write_text(report, options);
}

}  // namespace roofline::report
