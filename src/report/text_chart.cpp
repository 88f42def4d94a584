// A chart in at most 100 columns of text: frame, ticks, and what stands within and below.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/chart_scale.hpp"
#include "report/report.hpp"
#include "report/text_chart_labels.hpp"
#include "report/text_chart_legend.hpp"
#include "report/text_chart_markers.hpp"
#include "report/text_chart_strokes.hpp"
#include "report/text_chart_words.hpp"

namespace roofline::report {
namespace {

constexpr std::size_t frame_rows = 22;
constexpr std::size_t least_columns = 40;

/// Ticks with text, powers of ten first: they are the last to be left out.
std::vector<Tick> texts_by_weight(const ChartAxis& axis) {
  std::vector<Tick> ticks = ticks_of(axis);
  std::erase_if(ticks, [](const Tick& tick) { return tick.text.empty(); });
  std::stable_partition(ticks.begin(), ticks.end(), [](const Tick& tick) {
    const double power = std::log10(tick.value);
    constexpr double rounding = 1e-9;
    return std::abs(power - std::round(power)) < rounding;
  });
  return ticks;
}

/// For each row of the frame; empty where it has no tick.
std::vector<std::string> tick_texts(const Chart& chart) {
  constexpr std::size_t longest_tick = 24;
  std::vector<std::string> texts(frame_rows);
  const ChartGrid grid(chart, 1, frame_rows);
  for (const Tick& tick : texts_by_weight(chart.y)) {
    std::string& text = texts[grid.cell_of({chart.x.low, tick.value}).row];
    if (text.empty()) text = cut_to(terminal_text(tick.text), longest_tick);
  }
  return texts;
}

std::size_t widest(const std::vector<std::string>& texts) {
  std::size_t width = 0;
  for (const std::string& text : texts) width = std::max(width, columns_of(text));
  return width;
}

/// Where a text begins that has its middle below `column`.
std::size_t centred(std::size_t column, std::size_t width, std::size_t columns) {
  const std::size_t start = column - std::min(column, width / 2);
  return std::min(start, columns - std::min(columns, width));
}

/// The lower side of the frame with a '+' for each tick, and the tick texts below it.
struct BottomAxis {
  std::string frame;
  std::string texts;
};

BottomAxis bottom_axis(const Chart& chart, std::size_t columns) {
  BottomAxis bottom{std::string(columns, '-'), {}};
  TextCanvas texts(columns, 1);
  const ChartGrid grid(chart, columns, 1);
  for (const Tick& tick : texts_by_weight(chart.x)) {
    const std::size_t column = grid.cell_of({tick.value, chart.y.low}).column;
    const std::string text = cut_to(terminal_text(tick.text), columns);
    const std::size_t width = columns_of(text);
    const std::size_t start = centred(column, width, columns);
    const std::size_t before = std::min<std::size_t>(start, 2);
    const std::size_t after = std::min<std::size_t>(columns - start - width, 2);
    if (!texts.has_room({start - before, 0}, before + width + after)) continue;
    texts.put_text({start, 0}, text);
    bottom.frame[column] = '+';
  }
  bottom.texts = texts.line(0);
  return bottom;
}

void append_line(std::string& out, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + '\n';
}

std::string right_aligned(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, columns_of(text)), ' ') + text;
}

/// Columns beside the frame for the symbols of lines and rules that end there, with a blank.
std::size_t columns_for(const LineEnds& ends, const Chart& chart) {
  const bool horizontal = std::any_of(chart.rules.begin(), chart.rules.end(),
                                      [](const ChartRule& rule) { return !rule.vertical; });
  const std::size_t most = widest(ends) + (horizontal ? 1 : 0);
  return most == 0 ? 0 : most + 1;
}

/// A blank and the symbols, with '+' at the end for those that there is no room for.
std::string fitting(const std::string& symbols, std::size_t columns) {
  if (symbols.empty() || columns < 2) return {};
  if (symbols.size() < columns) return ' ' + symbols;
  return ' ' + symbols.substr(0, columns - 2) + '+';
}

/// All parts of the picture with the places that were found for them.
struct Picture {
  TextCanvas canvas;
  LineEnds ends;
  RuleLabels rules{};
  MarkerAccount markers{};
};

Picture draw(const Chart& chart, std::size_t columns, LineEnds ends, bool unicode) {
  Picture picture{TextCanvas(columns, frame_rows), std::move(ends)};
  for (const ChartRule& rule : chart.rules) draw_rule(picture.canvas, chart, rule, unicode);
  for (const ChartLine& line : chart.lines) draw_line(picture.canvas, chart, line, unicode);
  draw_spots(picture.canvas, chart);
  picture.markers = draw_markers(picture.canvas, chart);
  draw_line_symbols(picture.canvas, picture.ends, chart);
  picture.rules = draw_rule_labels(picture.canvas, picture.ends, chart);
  draw_free_labels(picture.canvas, chart, picture.markers.drawn);
  return picture;
}

void append_picture(std::string& out, const Picture& picture, const Chart& chart,
                    const std::vector<std::string>& ticks) {
  constexpr std::string_view side = " |";
  const std::size_t left = widest(ticks);
  const std::size_t columns = picture.canvas.columns();
  const std::string below(left + side.size(), ' ');
  append_words(out, "", terminal_text(label_of(chart.y)));
  for (const std::string& line : picture.rules.above) append_line(out, below + line);
  for (std::size_t row = 0; row < frame_rows; ++row) {
    const std::string line = picture.canvas.line(row);
    const std::string blanks(columns - std::min(columns, columns_of(line)), ' ');
    const std::string ends = fitting(picture.ends[row], chart_width - below.size() - columns);
    append_line(
        out, fmt::format("{}{}{}{}{}", right_aligned(ticks[row], left), side, line, blanks, ends));
  }
  const BottomAxis bottom = bottom_axis(chart, columns);
  append_line(out, fmt::format("{:>{}}{}", '+', below.size(), bottom.frame));
  append_line(out, below + bottom.texts);
  const std::string label = cut_to(terminal_text(label_of(chart.x)), columns);
  append_line(out, below + std::string((columns - columns_of(label)) / 2, ' ') + label);
}

}  // namespace

std::string write_text_chart(const Chart& chart, bool unicode) {
  const std::vector<std::string> ticks = tick_texts(chart);
  LineEnds ends = line_ends(chart, frame_rows);
  const std::size_t around = widest(ticks) + 2 + columns_for(ends, chart);
  const std::size_t columns =
      around + least_columns < chart_width ? chart_width - around : least_columns;
  const Picture picture = draw(chart, columns, std::move(ends), unicode);
  std::string out;
  append_picture(out, picture, chart, ticks);
  std::string legend;
  append_legend(legend, chart, picture.markers, picture.rules);
  if (!legend.empty()) out += '\n' + legend;
  return out;
}

}  // namespace roofline::report
