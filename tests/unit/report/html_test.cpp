// The page: one file with the picture and its figures; text from files must not be markup; nothing
// is fetched. What it does when it is used is tested in a browser.
#include <catch2/catch.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#include "report/page_text.hpp"
#include "report/report.hpp"
#include "roofline/error.hpp"

using namespace roofline::report;

namespace {

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

bool has(std::string_view text, std::string_view part) {
  return count(text, part) > 0;
}

/// What stands before the style and after it, without the script.
std::string markup_of(const std::string& page) {
  std::string markup = page;
  for (const std::string_view own : {page_style(), page_script()}) {
    const std::size_t at = markup.find(own);
    REQUIRE(at != std::string::npos);
    markup.erase(at, own.size());
  }
  return markup;
}

/// `name` is the text of everything that may come from a file.
Report sample(const std::string& name) {
  Chart chart;
  chart.title = name;
  chart.question = name;
  chart.x = {.label = name, .unit = name, .low = 1, .high = 1000};
  chart.y = {.label = name, .unit = "FLOP/s", .scaled = true, .low = 1e12, .high = 1e15};
  chart.line_keys_title = name;
  chart.line_keys = {{name, name}};
  chart.point_keys_title = name;
  chart.point_keys = {{name, name}};
  chart.lines = {{{{1, 2e12}, {100, 2e14}, {1000, 2e14}}}};
  chart.rules = {{.at = 10, .label = name, .point_key = 0}};
  chart.line_labels = {{{1, 2e12}, {100, 2e14}, name}};
  chart.markers = {{.at = {10, 2e13},
                    .label = name,
                    .line_key = 0,
                    .point_key = 0,
                    .title = name,
                    .figures = {{name, name}}}};
  Report report;
  report.title = name;
  report.chart = chart;
  report.facts = {{name, name, name}};
  report.results = {.key = "results", .title = name, .columns = {{"k", name}}, .rows = {{name}}};
  report.tables = {{.key = "roofs", .columns = {{"k", name}}, .rows = {{name}}}};
  report.notes = {name};
  return report;
}

}  // namespace

TEST_CASE("A page is one whole document with the picture as it is", "[report]") {
  const Report report = sample("A100");
  const std::string page = write_html(report, {});
  CHECK(
      page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"));
  CHECK(page.ends_with("</body>\n</html>\n"));
  CHECK(count(page, write_svg(*report.chart)) == 1);
  CHECK(has(page, "<title>A100</title>\n<style>"));
  CHECK(has(page, "<h1>A100</h1>\n<p>A100</p>"));
  CHECK(has(page, "<dt>A100</dt><dd>A100, A100</dd>"));
  CHECK(has(page, "<li>A100</li>"));
  CHECK(page == write_html(report, {}));
}

TEST_CASE("A page allows its own style and script and nothing else", "[report]") {
  const std::string page = write_html(sample("A100"), {});
  CHECK(has(page,
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
            "style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; "
            "form-action 'none'\">"));
  for (const std::string_view outside :
       {"src=", "href=", "@import", "<link", "<iframe", "fetch("}) {
    CAPTURE(outside);
    CHECK_FALSE(has(page, outside));
  }
  CHECK(count(page, "url(") == count(page, "url(#frame-clip)"));
  CHECK(count(page, "://") == count(page, "http://www.w3.org/2000/svg"));
}

TEST_CASE("Text from files is no markup in a page", "[report]") {
  const auto [text, escaped] = GENERATE(table<std::string, std::string>(
      {{"</title></script><script>alert(1)</script>",
        "&lt;/title&gt;&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;"},
       {"\" onload=\"x", "&quot; onload=&quot;x"},
       {"' onload='x", "&#39; onload=&#39;x"},
       {"<!-- & -->", "&lt;!-- &amp; --&gt;"}}));
  const std::string page = markup_of(write_html(sample(text), {}));
  CHECK_FALSE(has(page, text));
  CHECK(count(page, "<script>") == 1);
  CHECK(count(page, "</script>") == 1);
  CHECK(has(page, "<title>" + escaped + "</title>\n<style>"));
  CHECK(has(page, "<h1>" + escaped + "</h1>"));
  CHECK(has(page, "<legend>" + escaped + "</legend>"));
  CHECK(has(page, "<span class=\"name\">" + escaped + "</span>"));
  CHECK(has(page, "<caption>" + escaped + "</caption>"));
  CHECK(has(page, "<li>" + escaped + "</li>"));
}

TEST_CASE("Neither style nor script ends its own element", "[report]") {
  CHECK_FALSE(has(page_style(), "</"));
  CHECK_FALSE(has(page_script(), "</"));
  CHECK_FALSE(has(page_script(), "<!--"));
}

TEST_CASE("Tables of a page have captions and headers of columns and rows", "[report]") {
  Report report = sample("A100");
  report.results = {.key = "results",
                    .columns = {{"gpu", "gpu"},
                                {"time_s", "time", Unit::seconds},
                                {"why", "why"},
                                {"hidden", "hidden", Unit::none, Show::machine}},
                    .rows = {{std::string("A100"), 0.0125, std::string(41, 'x'), 7.0},
                             {std::string("H100"), 0.0005, Value(), 7.0}}};
  report.tables = {{.key = "peaks_of_devices", .columns = {{"k", "k"}}, .rows = {{1.0}}},
                   {.key = "empty", .columns = {{"k", "k"}}, .rows = {}}};
  const std::string page = write_html(report, {});
  CHECK(has(page, R"(<div class="scroll" role="region" aria-label="Results" tabindex="0">
<table>
<caption>Results</caption>
<thead>
<tr><th scope="col">gpu</th><th scope="col" class="number">time ms</th><th scope="col">why</th></tr>
</thead>
<tbody>
<tr><th scope="row">A100</th><td class="number">12.5000</td><td class="long">)" +
                      std::string(41, 'x') + R"(</td></tr>
<tr><th scope="row">H100</th><td class="number">0.5000</td><td>-</td></tr>
</tbody>
</table>
</div>
)"));
  CHECK(has(page, "<caption>Peaks of devices</caption>"));
  CHECK_FALSE(has(page, "Empty"));
  report.results_in_text = false;
  CHECK_FALSE(has(write_html(report, {}), "<caption>Results"));
}

TEST_CASE("A page has a switch for every key and hides it until there is a script", "[report]") {
  Report report = sample("A100");
  report.chart->line_keys_title = "devices";
  report.chart->line_keys = {{"A100", ""}, {"H100", ""}};
  report.chart->point_keys_title = "workloads";
  const std::string page = markup_of(write_html(report, {}));
  CHECK(has(page, R"(<fieldset class="switches" data-kind="line" hidden>
<legend>Devices</legend>)"));
  CHECK(has(page, R"(value="1"> <span class="name">H100</span></label>)"));
  CHECK(count(page, "<input type=\"checkbox\" checked") == 3);
  // A single key has no "all" and "none".
  CHECK(count(page, "data-all=\"on\"") == 1);
  CHECK(has(page, "<div class=\"toolbar\" role=\"group\" aria-label=\"zoom\" hidden>"));
  CHECK(has(page, "<div id=\"tooltip\" role=\"tooltip\" hidden></div>"));

  report.chart->point_keys.clear();
  report.chart->rules.clear();
  report.chart->markers.clear();
  CHECK(count(write_html(report, {}), "<fieldset") == 1);
}

TEST_CASE("The script learns what ticks carry behind their numbers", "[report]") {
  Report report = sample("A100");
  report.chart->x.unit = "FLOP/byte";
  CHECK(has(write_html(report, {}), "data-x-unit=\"\" data-y-unit=\"FLOP/s\""));
}

TEST_CASE("A page needs a chart", "[report]") {
  CHECK_THROWS_AS(write_html(Report{}, {}), roofline::InternalError);
}
