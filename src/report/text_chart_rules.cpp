#include "report/text_chart_rules.hpp"

#include <algorithm>

#include "report/text_chart_strokes.hpp"
#include "report/text_chart_symbols.hpp"
#include "report/text_chart_words.hpp"

namespace roofline::report {
namespace {

/// The rows above a canvas, the lowest first to be used.
class RuleHeader {
 public:
  explicit RuleHeader(std::size_t columns) : canvas_(columns, most_rows) {}

  bool add_symbol(std::size_t column, char symbol) {
    for (std::size_t row = most_rows; row-- > 0;) {
      if (canvas_.ink({column, row}) != Ink::text) {
        if (canvas_.put({column, row}, symbol, Ink::marker)) return true;
      } else if (!is_over(column, row)) {
        return false;
      }
    }
    return false;
  }

  /// From `column` on or as far left of that as it has to be, or else up to `column`; not above
  /// rules whose text is still to come.
  bool add_text(std::size_t column, const std::string& text,
                const std::vector<std::size_t>& waiting) {
    const std::size_t columns = columns_of(text);
    const std::size_t from = std::min(column, canvas_.columns() - columns);
    const std::size_t up_to = column + 1 - std::min(column + 1, columns);
    for (std::size_t row = most_rows; row-- > 0;) {
      for (const std::size_t start : {from, up_to}) {
        const bool hides = std::any_of(waiting.begin(), waiting.end(), [&](std::size_t other) {
          return other != column && other >= start && other < start + columns;
        });
        if (hides || !is_clear({start, row}, columns)) continue;
        canvas_.put_text({start, row}, text);
        over_.push_back({column, row});
        for (std::size_t below = row + 1; below < most_rows; ++below) {
          canvas_.put({column, below}, ':', Ink::rule);
        }
        return true;
      }
      if (canvas_.ink({column, row}) == Ink::text && !is_over(column, row)) return false;
    }
    return false;
  }

  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    for (std::size_t row = 0; row < most_rows; ++row) {
      std::string line = canvas_.line(row);
      if (!line.empty() || !lines.empty()) lines.push_back(std::move(line));
    }
    return lines;
  }

 private:
  /// With two blanks on both sides, as far as those are inside.
  [[nodiscard]] bool is_clear(Cell start, std::size_t columns) const {
    constexpr std::size_t blanks = 2;
    const std::size_t before = std::min(start.column, blanks);
    const std::size_t after = std::min(canvas_.columns() - start.column - columns, blanks);
    return canvas_.has_room({start.column - before, start.row}, before + columns + after);
  }

  /// The text there belongs to a rule in this column.
  [[nodiscard]] bool is_over(std::size_t column, std::size_t row) const {
    return std::find(over_.begin(), over_.end(), Cell{column, row}) != over_.end();
  }

  static constexpr std::size_t most_rows = 4;
  TextCanvas canvas_;
  std::vector<Cell> over_{};  ///< where texts name the rule in that column
};

/// Symbols after those of the points, for rules that the legend has to name.
class RuleSymbols {
 public:
  explicit RuleSymbols(const Chart& chart) : chart_(chart) {}

  char next() { return point_symbol(chart_.point_keys.size() + used_++, chart_.line_keys.size()); }

 private:
  const Chart& chart_;
  std::size_t used_ = 0;
};

void add_symbols_above(RuleHeader& header, const ChartGrid& grid, const Chart& chart,
                       RuleLabels& labels) {
  std::vector<std::string> in_column;
  for (const ChartRule& rule : chart.rules) {
    if (!rule.vertical || !rule.point_key) continue;
    const std::size_t column = grid.cell_of(start_of(chart, rule)).column;
    in_column.resize(std::max(in_column.size(), column + 1));
    const char symbol = point_symbol(*rule.point_key, chart.line_keys.size());
    if (!in_column[column].empty()) in_column[column] += ',';
    in_column[column] += symbol;
    if (header.add_symbol(column, symbol)) continue;
    std::erase_if(labels.shared, [&](const std::string& symbols) {
      return in_column[column].starts_with(symbols);
    });
    labels.shared.push_back(in_column[column]);
  }
}

/// Vertical rules that have a name of their own, those on the right first: names extend there.
std::vector<const ChartRule*> named_from_right(const Chart& chart) {
  std::vector<const ChartRule*> rules;
  for (const ChartRule& rule : chart.rules) {
    if (rule.vertical && !rule.point_key && !rule.label.empty()) rules.push_back(&rule);
  }
  std::stable_sort(rules.begin(), rules.end(),
                   [](const ChartRule* a, const ChartRule* b) { return a->at > b->at; });
  return rules;
}

/// Again and again, as long as one finds a place: it may make room for another. Returns the rest.
std::vector<const ChartRule*> add_texts_above(RuleHeader& header, const ChartGrid& grid,
                                              const Chart& chart) {
  std::vector<const ChartRule*> rest = named_from_right(chart);
  const auto column_of = [&](const ChartRule* rule) {
    return grid.cell_of(start_of(chart, *rule)).column;
  };
  for (bool found = true; found;) {
    found = false;
    std::vector<std::size_t> waiting;
    for (const ChartRule* rule : rest) waiting.push_back(column_of(rule));
    for (std::size_t i = 0; i < rest.size() && !found; ++i) {
      found = header.add_text(waiting[i], label_text(rest[i]->label), waiting);
      if (found) rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  return rest;
}

/// On the rule itself, the rightmost place first; then in the row above or below it.
bool put_on_rule(TextCanvas& canvas, std::size_t row, const std::string& text) {
  const std::size_t columns = columns_of(text) + 2;
  for (std::size_t start = canvas.columns() - columns + 1; start-- > 0;) {
    if (!canvas.has_room({start, row}, columns, Ink::rule)) continue;
    canvas.put_text({start, row}, " " + text + " ");
    return true;
  }
  std::vector<Cell> starts;
  for (std::size_t start = canvas.columns() - columns + 1; start-- > 0;) {
    if (row > 0) starts.push_back({start, row - 1});
    starts.push_back({start, row + 1});
  }
  return canvas.put_where_room(starts, text);
}

}  // namespace

RuleLabels draw_rule_labels(TextCanvas& canvas, LineEnds& ends, const Chart& chart) {
  const ChartGrid grid(chart, canvas.columns(), canvas.rows());
  RuleLabels labels;
  RuleHeader header(canvas.columns());
  RuleSymbols symbols(chart);
  add_symbols_above(header, grid, chart, labels);
  for (const ChartRule* rule : add_texts_above(header, grid, chart)) {
    const std::size_t column = grid.cell_of(start_of(chart, *rule)).column;
    const char symbol = symbols.next();
    labels.legend.emplace_back(header.add_symbol(column, symbol) ? symbol : ':', rule->label);
  }
  for (const ChartRule& rule : chart.rules) {
    if (rule.vertical) continue;
    const std::size_t row = grid.cell_of(start_of(chart, rule)).row;
    if (rule.point_key) {
      ends[row] += point_symbol(*rule.point_key, chart.line_keys.size());
    } else if (!rule.label.empty() && !put_on_rule(canvas, row, label_text(rule.label))) {
      labels.legend.emplace_back(symbols.next(), rule.label);
      ends[row] += labels.legend.back().first;
    }
  }
  labels.above = header.lines();
  return labels;
}

}  // namespace roofline::report
