// A streamed table: the bytes of the whole report's table, without holding it.
#include "report/stream.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "roofline/error.hpp"

using namespace roofline::report;

namespace {

const std::vector<Column>& columns() {
  static const std::vector<Column> all{
      {.key = "gpu", .header = "gpu"},
      {.key = "batch", .header = "batch", .unit = Unit::count},
      {.key = "time_s", .header = "time", .unit = Unit::seconds},
      {.key = "state_bytes", .header = "state", .unit = Unit::bytes, .show = Show::machine},
      {.key = "fits", .header = "fits"},
      {.key = "fits_text", .header = "fits?", .show = Show::text},
      {.key = "rest", .header = "rest", .unit = Unit::none}};
  return all;
}

/// Numbers of several lengths, a zero, what is negative, what does not apply, and truths.
const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {std::string("T4"), 1.0, 0.0125, {}, true, std::string("yes"), -1234.5},
      {std::string("T4"), 1024.0, 1.5, {}, false, std::string("no: 16 of 14"), 0.25},
      {std::string("T4"), 8.0, 0.0, {}, {}, {}, 0.0}};
  return all;
}

std::string streamed(Format format, const std::vector<std::string>& in_title = {}) {
  Stream stream(format, columns(), in_title, {});
  if (stream.needs_all_rows() || stream.needs_columns()) {
    for (const Row& row : rows()) stream.look_at(row);
  }
  std::string out;
  stream.begin(out, "a title");
  for (const Row& row : rows()) stream.append(out, row);
  stream.end(out, {"a note"});
  return out;
}

/// What the whole report has: columns that no row has are left out by whoever makes the table.
std::string whole(Format format) {
  Report report;
  report.title = "a title";
  report.notes = {"a note"};
  for (std::size_t c = 0; c < columns().size(); ++c) {
    if (columns()[c].key != "state_bytes") report.results.columns.push_back(columns()[c]);
  }
  for (Row row : rows()) {
    row.erase(row.begin() + 3);
    report.results.rows.push_back(row);
  }
  return write(report, format, {});
}

}  // namespace

TEST_CASE("A stream has the bytes of the whole report", "[report]") {
  const Format format = GENERATE(Format::csv, Format::jsonl, Format::markdown, Format::text);
  CHECK(streamed(format) == whole(format));
}

// The unit is that of the largest value, the decimals those of the smallest with 4 digits, but of
// the largest at most 6.
TEST_CASE("A stream of text leaves out what the title says", "[report]") {
  CHECK(streamed(Format::text, {"gpu", "batch"}) ==
        "a title\n"
        "\n"
        "batch   time s  fits  fits?              rest\n"
        "    1  0.01250  yes   yes           -1,234.50\n"
        "1,024  1.50000  no    no: 16 of 14       0.25\n"
        "    8        -  -     -                     -\n");
}

TEST_CASE("A stream of csv has the columns that some row had", "[report]") {
  CHECK(streamed(Format::csv) ==
        "gpu,batch,time_s,fits,rest\n"
        "T4,1,0.0125,true,-1234.5\n"
        "T4,1024,1.5,false,0.25\n"
        "T4,8,0,,0\n");
}

TEST_CASE("A stream of jsonl needs to have seen nothing", "[report]") {
  Stream stream(Format::jsonl, columns(), {}, {});
  CHECK_FALSE(stream.needs_all_rows());
  CHECK_FALSE(stream.needs_columns());
  std::string out;
  stream.begin(out, "not there");
  stream.append(out, rows().front());
  CHECK(out == R"({"gpu":"T4","batch":1,"time_s":0.0125,"fits":true,"rest":-1234.5})"
               "\n");
}

TEST_CASE("json is no stream", "[report]") {
  CHECK_THROWS_AS(Stream(Format::json, columns(), {}, {}), roofline::InternalError);
}

TEST_CASE("Wide streams of text drop what is there where there is room", "[report]") {
  const std::string wide(60, 'x');
  Stream stream(Format::text,
                {{.key = "a", .header = "a"}, {.key = "b", .header = "b", .where_room = true}}, {},
                {});
  const Row row{wide, wide};
  stream.look_at(row);
  std::string out;
  stream.begin(out, "t");
  stream.append(out, row);
  CHECK(out == "t\n\na\n" + wide + "\n");
}
