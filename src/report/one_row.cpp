#include "report/one_row.hpp"

#include "base/number.hpp"

namespace roofline::report {

OneRow::OneRow() {
  table_.key = "results";
  table_.rows.resize(1);
}

void OneRow::add(const char* key, Unit unit, Value value) {
  table_.columns.push_back({key, key, unit, Show::machine});
  table_.rows.front().push_back(std::move(value));
}

void OneRow::count(const char* key, std::int64_t value) {
  add(key, Unit::count, number(value));
}

void OneRow::count(const char* key, const std::optional<std::int64_t>& value,
                   const Value& otherwise) {
  add(key, Unit::count, value ? Value(number(*value)) : otherwise);
}

void OneRow::bytes(const char* key, Bytes value) {
  add(key, Unit::bytes, value.value());
}

void OneRow::text(const char* key, std::string_view value) {
  add(key, Unit::none, value.empty() ? Value() : Value(std::string(value)));
}

Table OneRow::take() {
  return std::move(table_);
}

void add_subject(const Server& server, OneRow& row) {
  row.text("gpu", server.device.name);
  row.text("model", server.model.name);
}

void add_deployment(const std::optional<Deployment>& deployment, OneRow& row) {
  const auto add = [&](const char* key, auto get) {
    row.add(key, Unit::count, deployment ? Value(number(get(*deployment))) : Value(Unknown()));
  };
  add("devices", [](const Deployment& d) { return d.devices(); });
  add("tp", [](const Deployment& d) { return d.tensor; });
  add("pp", [](const Deployment& d) { return d.pipeline; });
  add("ep", [](const Deployment& d) { return d.expert; });
  add("dp", [](const Deployment& d) { return d.data; });
}

void add_price(const Server& server, const std::optional<Price>& listed, OneRow& row) {
  const Price source = listed.value_or(Price{});
  const bool known = server.price || listed;
  const DollarsPerHour price = server.price.value_or(source.per_hour);
  row.add("price_usd_per_hour", Unit::usd, known ? Value(price.value()) : Value());
  row.text("price_as_of", source.as_of);
  row.text("price_provider", source.provider);
  row.text("price_tier", source.tier);
  row.text("price_source", source.source);
}

void add_end(const std::string& reason, const Model& model, const Precision& precision,
             const std::vector<std::string>& notes, OneRow& row) {
  row.text("reason", reason);
  row.text("weight_dtype", precision.weights_name);
  row.text("kv_dtype", precision.kv.name);
  row.text("act_dtype", precision.activations.name);
  row.text("state_dtype", state_size(model).recurrent > 0 ? precision.state.name : "");
  row.add("notes", Unit::none, notes);
}

}  // namespace roofline::report
