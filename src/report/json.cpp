// JSON and JSON Lines: SI values under unit-suffixed keys, in a fixed order.
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "report/json_value.hpp"
#include "report/row_writers.hpp"

namespace roofline::report {

using nlohmann::ordered_json;

ordered_json json_number(double value) {
  constexpr double largest_exact_integer = 9007199254740992.0;  // 2^53
  if (value == std::floor(value) && std::abs(value) < largest_exact_integer) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

std::string json_text(const ordered_json& value, int indent) {
  return value.dump(indent, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

namespace {

ordered_json to_json(const Value& value) {
  if (const auto* real = std::get_if<double>(&value)) return json_number(*real);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) return *texts;
  if (const auto* reals = std::get_if<std::vector<double>>(&value)) {
    ordered_json list = ordered_json::array();
    for (const double real : *reals) list.push_back(json_number(real));
    return list;
  }
  return nullptr;
}

ordered_json to_json(const Fields& fields) {
  ordered_json object = ordered_json::object();
  for (const auto& [key, value] : fields) object[key] = to_json(value);
  return object;
}

/// What does not apply is left out.
ordered_json row_object(const std::vector<Column>& columns, const Row& row) {
  ordered_json object = ordered_json::object();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const bool left_out =
        columns[c].show == Show::text || std::holds_alternative<std::monostate>(row[c]);
    if (!left_out) object[columns[c].key] = to_json(row[c]);
  }
  return object;
}

ordered_json rows_of(const Table& table) {
  ordered_json list = ordered_json::array();
  for (const Row& row : table.rows) list.push_back(row_object(table.columns, row));
  return list;
}

ordered_json result_object(const Report& report, std::size_t index) {
  ordered_json object = row_object(report.results.columns, report.results.rows[index]);
  if (index >= report.details.size()) return object;
  for (const Table& table : report.details[index]) object[table.key] = rows_of(table);
  return object;
}

}  // namespace

void append_jsonl_row(std::string& out, const std::vector<Column>& columns, const Row& row) {
  out += json_text(row_object(columns, row), -1);
}

std::string write_json(const Report& report) {
  ordered_json root;
  root["schema_version"] = schema_version;
  root["command"] = report.command;
  if (!report.data_source.empty()) root["data_source"] = to_json(report.data_source);
  if (!report.inputs.empty()) root["inputs"] = to_json(report.inputs);
  root["results"] = ordered_json::array();
  for (std::size_t i = 0; i < report.results.rows.size(); ++i) {
    root["results"].push_back(result_object(report, i));
  }
  for (const Table& table : report.tables) root[table.key] = rows_of(table);
  return json_text(root, 2);
}

std::string write_jsonl(const Report& report) {
  std::string out;
  for (std::size_t i = 0; i < report.results.rows.size(); ++i) {
    out += json_text(result_object(report, i), -1);
  }
  return out;
}

}  // namespace roofline::report
