// A report as one page that needs nothing beside itself: the picture, its figures in tables, and a
// script that adds tooltips, switches and a zoom. Without the script it still says everything.
#include <fmt/format.h>

#include <algorithm>

#include "report/markup.hpp"
#include "report/page_text.hpp"
#include "report/report.hpp"
#include "roofline/error.hpp"

namespace roofline::report {
namespace {

/// Nothing is fetched, sent or framed; what is written in the page itself is allowed.
constexpr std::string_view security_policy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'";

std::string head(const Chart& chart) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<title>{}</title>\n<style>\n{}</style>\n</head>\n",
      security_policy, escape_markup(chart.title), page_style());
}

/// Text that ticks carry behind their number.
std::string tick_unit(const ChartAxis& axis) {
  return axis.scaled ? escape_markup(axis.unit) : std::string();
}

constexpr std::string_view zoom_controls =
    "<div class=\"toolbar\" role=\"group\" aria-label=\"zoom\" hidden>\n"
    "<button type=\"button\" data-zoom=\"out\" aria-label=\"zoom out\">&minus;</button>\n"
    "<output id=\"zoom-factor\">1.0x</output>\n"
    "<button type=\"button\" data-zoom=\"in\" aria-label=\"zoom in\">+</button>\n"
    "<button type=\"button\" data-zoom=\"reset\">reset</button>\n"
    "<p class=\"hint\">The wheel zooms over the plot, without a key held; drag moves, a double "
    "click resets. Keys: <kbd>+</kbd> <kbd>-</kbd> zoom, arrows move, <kbd>0</kbd> resets, "
    "<kbd>Tab</kbd> goes from point to point, <kbd>Esc</kbd> closes a tooltip.</p>\n"
    "</div>\n";

/// "Layer groups" for "layer_groups".
std::string sentence(std::string text) {
  std::replace(text.begin(), text.end(), '_', ' ');
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

template <typename Key>
std::string switches(std::string_view kind, const std::string& title,
                     const std::vector<Key>& keys) {
  if (keys.empty()) return {};
  std::string out =
      fmt::format("<fieldset class=\"switches\" data-kind=\"{}\" hidden>\n<legend>{}</legend>\n",
                  kind, escape_markup(sentence(title)));
  if (keys.size() > 1) {
    const std::string name = escape_markup(title);
    out += fmt::format(
        "<p class=\"all-none\">"
        "<button type=\"button\" data-all=\"on\" aria-label=\"all {0}\">all</button> "
        "<button type=\"button\" data-all=\"off\" aria-label=\"no {0}\">none</button></p>\n",
        name);
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    out += fmt::format(
        "<label><input type=\"checkbox\" checked autocomplete=\"off\" value=\"{}\"> "
        "<span class=\"name\">{}</span></label>\n",
        i, escape_markup(keys[i].name));
  }
  return out + "</fieldset>\n";
}

std::string picture(const Chart& chart) {
  std::string out = "<section class=\"picture\" aria-labelledby=\"picture-heading\">\n";
  out += "<h2 id=\"picture-heading\" class=\"unseen\">Picture</h2>\n";
  out += fmt::format(
      "<div id=\"view\" data-x-unit=\"{}\" data-y-unit=\"{}\" data-label=\"{} over {}: zoom with + "
      "and -, move with the arrow keys, 0 resets\">\n",
      tick_unit(chart.x), tick_unit(chart.y), escape_markup(chart.y.label),
      escape_markup(chart.x.label));
  out += write_svg(chart);
  out += "</div>\n";
  out += zoom_controls;
  out += switches("line", chart.line_keys_title, chart.line_keys);
  out += switches("point", chart.point_keys_title, chart.point_keys);
  return out + "</section>\n";
}

/// A cell with more text is wrapped.
constexpr std::size_t longest_line = 40;

void append_cell(std::string& out, std::string_view tag, bool right, std::string_view text) {
  const std::string_view kind = right                        ? " class=\"number\""
                                : text.size() > longest_line ? " class=\"long\""
                                                             : "";
  // "th scope=col" ends in "/th".
  out += fmt::format("<{}{}>{}</{}>", tag, kind, escape_markup(text), tag.substr(0, 2));
}

void append_table(std::string& out, const Table& table, const TextOptions& options) {
  const TextTable text = text_table(table, options.significant_digits);
  if (text.headers.empty() || text.rows.empty()) return;
  const std::string caption =
      escape_markup(sentence(table.title.empty() ? table.key : table.title));
  out += fmt::format(
      "<div class=\"scroll\" role=\"region\" aria-label=\"{0}\" tabindex=\"0\">\n<table>\n"
      "<caption>{0}</caption>\n<thead>\n<tr>",
      caption);
  for (std::size_t c = 0; c < text.headers.size(); ++c) {
    append_cell(out, "th scope=\"col\"", text.right_aligned[c], text.headers[c]);
  }
  out += "</tr>\n</thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : text.rows) {
    out += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) {
      append_cell(out, c == 0 ? "th scope=\"row\"" : "td", text.right_aligned[c], row[c]);
    }
    out += "</tr>\n";
  }
  out += "</tbody>\n</table>\n</div>\n";
}

std::string facts(const std::vector<Fact>& all) {
  if (all.empty()) return {};
  std::string out = "<dl class=\"facts\">\n";
  for (const Fact& fact : all) {
    const bool both = !fact.value.empty() && !fact.detail.empty();
    out += fmt::format("<dt>{}</dt><dd>{}{}{}</dd>\n", escape_markup(fact.label),
                       escape_markup(fact.value), both ? ", " : "", escape_markup(fact.detail));
  }
  return out + "</dl>\n";
}

std::string notes(const std::vector<std::string>& all) {
  if (all.empty()) return {};
  std::string out = "<h2>Notes</h2>\n<ul class=\"notes\">\n";
  for (const std::string& note : all) out += fmt::format("<li>{}</li>\n", escape_markup(note));
  return out + "</ul>\n";
}

std::string figures(const Report& report, const TextOptions& options) {
  std::string out = "<section class=\"figures\" aria-labelledby=\"figures-heading\">\n";
  out += "<h2 id=\"figures-heading\">Figures</h2>\n";
  out += facts(report.facts);
  if (report.results_in_text) append_table(out, report.results, options);
  for (const Table& table : report.tables) append_table(out, table, options);
  return out + notes(report.notes) + "</section>\n";
}

}  // namespace

std::string write_html(const Report& report, const TextOptions& options) {
  ensure(report.chart.has_value(), "a page without a chart");
  const Chart& chart = *report.chart;
  std::string out = head(chart);
  out += fmt::format("<body>\n<main>\n<header>\n<h1>{}</h1>\n<p>{}</p>\n</header>\n",
                     escape_markup(chart.title), escape_markup(report.title));
  out += "<div class=\"columns\">\n";
  out += picture(chart);
  out += figures(report, options);
  out += "</div>\n</main>\n<div id=\"tooltip\" role=\"tooltip\" hidden></div>\n";
  out += fmt::format("<script>\n{}</script>\n</body>\n</html>\n", page_script());
  return out;
}

}  // namespace roofline::report
