// A table of results that has one row, and the columns that fit, serve and solve share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.hpp"
#include "roofline/server.hpp"

namespace roofline::report {

/// Columns for machines and their only row, side by side. Monostate: does not apply; Unknown: null.
class OneRow {
 public:
  OneRow();

  void add(const char* key, Unit unit, Value value);
  void count(const char* key, std::int64_t value);
  void count(const char* key, const std::optional<std::int64_t>& value, const Value& otherwise);
  void bytes(const char* key, Bytes value);
  /// An empty text does not apply.
  void text(const char* key, std::string_view value);
  [[nodiscard]] Table take();

 private:
  Table table_;
};

/// gpu, model.
void add_subject(const Server& server, OneRow& row);
/// devices, tp, pp, ep, dp; null where there is no deployment.
void add_deployment(const std::optional<Deployment>& deployment, OneRow& row);
/// What was given, else `listed` and where it is from.
void add_price(const Server& server, const std::optional<Price>& listed, OneRow& row);
/// reason, weight_dtype, kv_dtype, act_dtype, state_dtype, notes: the end of every row. An empty
/// reason does not apply, nor a type of states that the model does not have.
void add_end(const std::string& reason, const Model& model, const Precision& precision,
             const std::vector<std::string>& notes, OneRow& row);

}  // namespace roofline::report
