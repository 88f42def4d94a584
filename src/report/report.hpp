// What a result looks like to every output format: a title, facts, one table of typed columns, and
// tables that belong to a row. JSON and CSV use keys and SI values, text uses headers and scaled
// ones, so that all formats carry the same facts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "report/chart.hpp"

namespace roofline::report {

/// What a number counts; decides its scaling and its unit in text.
enum class Unit {
  none,
  bytes,
  bytes_per_s,
  count,  ///< whole
  flop,
  flop_per_byte,
  flop_per_s,
  percent,
  plain,  ///< a number without commas: a year
  seconds,
  tok_per_s,
  usd
};

/// A value that exists and that nobody knows: null in JSON, where what does not apply is left out.
struct Unknown {
  friend bool operator==(const Unknown&, const Unknown&) = default;
};

/// A cell. Monostate: not applicable.
using Value = std::variant<std::monostate, Unknown, bool, double, std::string,
                           std::vector<std::string>, std::vector<double>>;

enum class Show {
  everywhere,
  machine,  ///< JSON and CSV only: text says it elsewhere
  text      ///< text and Markdown only: follows from other columns
};

struct Column {
  std::string key{};     ///< JSON and CSV
  std::string header{};  ///< text, without the unit
  Unit unit = Unit::none;
  Show show = Show::everywhere;
  std::string_view prefix{};  ///< "G": always this scale in text, not that of the largest value
  bool where_room = false;    ///< left out of text where the table would be wider than a line
};

using Row = std::vector<Value>;

/// How text shows a table.
enum class Layout {
  columns,
  blocks,     ///< a row is a block: the first cell, then a line a cell, indented
  derivation  ///< the same with "=" before each line
};

struct Table {
  std::string key{};    ///< in JSON
  std::string title{};  ///< above it, in text; may be empty
  std::vector<Column> columns{};
  std::vector<Row> rows{};
  Layout layout = Layout::columns;
  bool in_text = true;  ///< false: too long there
};

/// A labelled line of text: "verdict   memory-bound   21.81 FLOP/byte ...".
struct Fact {
  std::string label;
  std::string value;
  std::string detail;
};

using Fields = std::vector<std::pair<std::string, Value>>;

struct Report {
  std::string command;
  std::string title;
  std::vector<Fact> facts;
  bool first_fact_matters_most = false;  ///< it is printed bold
  Fields data_source;
  Fields inputs;
  Table results;
  /// One list of tables for each row of `results`, or empty.
  std::vector<std::vector<Table>> details;
  bool results_in_text = true;  ///< false: the facts say all of the only row
  std::vector<Table> tables;    ///< of the whole answer, beside `results`; csv and jsonl have none
  std::optional<Chart> chart;   ///< what svg and html need; text draws it above the tables
  std::vector<std::string> notes;
};

struct TextOptions {
  int significant_digits = 4;
  bool bold = false;     ///< escape codes around what matters most
  bool unicode = false;  ///< braille dots in a chart; else ASCII
};

enum class Format { text, json, jsonl, csv, html, markdown, svg };

struct FormatName {
  std::string_view name;
  std::string_view suffix;  ///< of a file in this format
  Format format;
  bool picture = false;  ///< needs a chart
};

/// In alphabetical order.
[[nodiscard]] const std::vector<FormatName>& formats();

/// The whole output, ending in a line feed.
[[nodiscard]] std::string write(const Report& report, Format format, const TextOptions& options);

[[nodiscard]] std::string write_csv(const Report& report);
/// The two need a chart.
[[nodiscard]] std::string write_html(const Report& report, const TextOptions& options);
[[nodiscard]] std::string write_svg(const Chart& chart);
/// At most 100 columns, in ASCII or with braille dots; ends in a line feed.
[[nodiscard]] std::string write_text_chart(const Chart& chart, bool unicode);

[[nodiscard]] std::string write_json(const Report& report);
[[nodiscard]] std::string write_jsonl(const Report& report);
[[nodiscard]] std::string write_markdown(const Report& report, const TextOptions& options);
[[nodiscard]] std::string write_text(const Report& report, const TextOptions& options);

/// A table's cells as text, scaled by column.
struct TextTable {
  std::vector<std::string> headers;
  std::vector<bool> right_aligned;
  std::vector<bool> where_room;
  std::vector<std::vector<std::string>> rows;
};
[[nodiscard]] TextTable text_table(const Table& table, int significant_digits);

}  // namespace roofline::report
