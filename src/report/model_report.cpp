// Models as reports: the list, and one with its counts and layer groups.
#include <fmt/format.h>

#include <algorithm>

#include "base/format.hpp"
#include "report/catalog_report.hpp"
#include "report/model_layers.hpp"
#include "roofline/analyze.hpp"
#include "roofline/memory.hpp"

namespace roofline::report {
namespace {

std::string count_text(std::int64_t value) {
  return format_count(static_cast<double>(value));
}

/// "bf16", "gptq-int4-g128", "Q4_K_M".
std::string stored_name(const Model& model) {
  return model.stored ? model.stored->name : model.published_format.name;
}

/// The formats that the weights are counted in: "mxfp4 (experts), bf16 (the rest)".
std::string format_text(const Model& model, const Precision& precision) {
  const ParameterCount count = count_parameters(model);
  const std::string& rest = precision.weights[Part::vectors].name;
  std::vector<std::pair<std::string, std::vector<std::string_view>>> formats;
  for (const Part part : all_parts) {
    const std::string& name = precision.weights[part].name;
    if (count.parts[part] == 0 || name == rest) continue;
    auto found = std::find_if(formats.begin(), formats.end(),
                              [&](const auto& format) { return format.first == name; });
    if (found == formats.end()) found = formats.insert(found, {name, {}});
    found->second.push_back(to_string(part));
  }
  const std::string& published = model.published_format.name;
  if (formats.empty()) {
    return rest == published ? rest : fmt::format("{} ({} in the file)", rest, published);
  }
  std::string text = precision.weights_name + ": ";
  for (const auto& format : formats) {
    text += fmt::format("{} {}, ", fmt::join(format.second, ", "), format.first);
  }
  return fmt::format("{}the rest {}", text, rest);
}

Bytes kv_bytes_per_token(const Model& model, const Precision& precision) {
  return precision.kv.element_size() * static_cast<double>(kv_elements_per_token(model));
}

/// "mixer 1,342,177,280, mlp 5,637,144,576 ..."
std::string parts_text(const ParameterCount& count) {
  std::vector<std::string> parts;
  for (const Part part : all_parts) {
    if (count.parts[part] == 0) continue;
    parts.push_back(fmt::format("{} {}", to_string(part), count_text(count.parts[part])));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Active parameters as cards count them: with both tables, without the input's, without both.
struct ActiveCount {
  std::int64_t with_tables = 0;
  std::int64_t without_input_table = 0;
  std::int64_t without_tables = 0;
};

ActiveCount active_count(const Model& model, const ParameterCount& count) {
  const std::int64_t table = model.vocabulary * model.hidden_size;
  ActiveCount active{count.active(), count.active(), 0};
  if (!model.tied_embeddings) active.without_input_table -= table;
  active.without_tables = active.without_input_table - table;
  return active;
}

std::string published_text(const Model& model, std::int64_t counted) {
  if (!model.published) return {};
  const PublishedCount& published = *model.published;
  const std::string figure = count_text(published.parameters);
  if (!published.exact) return fmt::format("{} (rounded): {}", figure, published.source);
  const bool with_towers = published.tower_parameters > 0 &&
                           published.parameters - published.tower_parameters == counted;
  const bool same = published.parameters == counted || with_towers;
  const std::string towers =
      with_towers ? fmt::format(", with towers of {}", count_text(published.tower_parameters)) : "";
  return fmt::format("{} ({}{}): {}", figure, same ? "the same" : "differs", towers,
                     published.source);
}

/// What the headers of tensors say beside what the config gives.
std::string tensors_text(const Model& model, const ParameterCount& count) {
  const TensorTotals& t = *model.tensors;
  std::string text = fmt::format("{} tensors in {} {}", count_text(t.tensors), count_text(t.files),
                                 t.files == 1 ? "file" : "files");
  if (t.decoder_elements) {
    const std::int64_t elements = *t.decoder_elements;
    text += fmt::format(", {} elements of the decoder{}", count_text(elements),
                        elements == count.total() ? ", as counted" : "");
  }
  if (t.computed_bytes != t.decoder_bytes) {
    text += fmt::format("; {} by the config alone", format_scaled(t.computed_bytes.value(), "B"));
  }
  return text;
}

/// Where each figure came from.
Table origin_table(const Model& model) {
  const bool gguf = model.stored && model.stored->origin == "GGUF tensors";
  const std::string file = gguf ? "GGUF metadata and tensors" : "config";
  Table table{.key = "origins", .columns = {{"figure", "figure"}, {"origin", "origin"}}};
  const auto add = [&](std::string figure, std::string origin) {
    table.rows.push_back({std::move(figure), std::move(origin)});
  };
  add("architecture", file);
  add("parameters", "counted from the architecture");
  add("weights", model.stored ? model.stored->origin : "parameters in the number format");
  add("number format", model.format_assumed ? "assumed" : file);
  if (kv_elements_per_token(model) > 0) {
    add("K/V", model.kv_format ? "counted from the architecture, in the quantisation's format"
                               : "counted from the architecture, in the number format");
  }
  for (const std::string& line : model.defaults) {
    const std::size_t is = line.find(" is absent: ");
    const std::string key = line.substr(0, is);
    add(is == std::string::npos ? "reading" : key,
        is == std::string::npos ? line : "absent: " + line.substr(is + 12));
  }
  return table;
}

/// One row that grows by a column at a time; what does not apply is left out.
class RowWriter {
 public:
  void add(std::string key, Value value) {
    if (std::holds_alternative<std::monostate>(value)) return;
    table_.columns.push_back({std::move(key)});
    table_.rows.front().push_back(std::move(value));
  }
  void add_count(std::string key, std::int64_t value) {
    add(std::move(key), static_cast<double>(value));
  }
  void add_text(std::string key, const std::string& text) {
    if (!text.empty()) add(std::move(key), text);
  }
  [[nodiscard]] Table take() { return std::move(table_); }

 private:
  Table table_{.key = "results", .columns = {}, .rows = {{}}};
};

void add_counts(const Model& model, RowWriter& row) {
  const ParameterCount count = count_parameters(model);
  const ActiveCount active = active_count(model, count);
  row.add_count("parameters", count.total());
  row.add_count("active_parameters", active.with_tables);
  row.add_count("active_parameters_without_input_table", active.without_input_table);
  row.add_count("active_parameters_without_tables", active.without_tables);
  for (const Part part : all_parts) {
    std::string key(to_string(part));
    std::replace(key.begin(), key.end(), ' ', '_');
    row.add_count(key + "_parameters", count.parts[part]);
  }
  if (!model.published) return;
  row.add_count("published_parameters", model.published->parameters);
  row.add("published_exact", model.published->exact);
  if (model.published->tower_parameters > 0) {
    row.add_count("published_tower_parameters", model.published->tower_parameters);
  }
  row.add("published_source", model.published->source);
}

void add_sizes(const Model& model, const Precision& precision, RowWriter& row) {
  const StateSize state = state_size(model);
  row.add("weight_bytes", weight_bytes(model, precision).value());
  row.add("kv_bytes_per_token", kv_bytes_per_token(model, precision).value());
  row.add("state_bytes_per_sequence", state_bytes(model, precision).value());
  row.add_count("recurrent_state_elements", state.recurrent);
  row.add_count("convolution_state_elements", state.convolution);
  row.add("number_format", model.published_format.name);
  if (model.stored) row.add("stored_as", model.stored->name);
  if (!model.tensors) return;
  row.add_count("tensor_files", model.tensors->files);
  row.add_count("tensors", model.tensors->tensors);
  row.add("tensor_bytes", model.tensors->bytes.value());
  row.add("decoder_tensor_bytes", model.tensors->decoder_bytes.value());
  if (model.tensors->decoder_elements) {
    row.add_count("decoder_tensor_elements", *model.tensors->decoder_elements);
  }
  row.add("computed_weight_bytes", model.tensors->computed_bytes.value());
}

/// The model in one row, with every figure that JSON and CSV have.
Table model_row(const Model& model, const ResolvedPrecision& resolved) {
  RowWriter row;
  row.add("name", model.name);
  row.add("aliases", model.aliases);
  row.add("family", model.family);
  add_counts(model, row);
  add_sizes(model, resolved.precision, row);
  row.add_count("layers", layer_count(model));
  row.add_count("hidden_size", model.hidden_size);
  row.add_count("vocabulary", model.vocabulary);
  row.add("tied_embeddings", model.tied_embeddings);
  if (model.max_context) row.add_count("max_context_tokens", *model.max_context);
  row.add_text("source", model.source);
  row.add_text("notes", model.notes);
  row.add("left_out", model.left_out);
  row.add("warnings", model.warnings);
  row.add("assumptions", resolved.notes);
  return row.take();
}

}  // namespace

Report list_models(const std::vector<Model>& models) {
  Report report;
  report.command = "list models";
  report.results = {.key = "results",
                    .columns = {{"name", "name"},
                                {"aliases", "aliases", Unit::none, Show::machine},
                                {"family", "family"},
                                {"parameters", "params", Unit::count, Show::everywhere, "G"},
                                {"active_parameters", "active", Unit::count, Show::everywhere, "G"},
                                {"layers", "layers", Unit::count, Show::machine},
                                {"kv_bytes_per_token", "K/V", Unit::bytes, Show::everywhere, "k"},
                                {"max_context_tokens", "context", Unit::count},
                                {"number_format", "format", Unit::none, Show::machine}}};
  for (const Model& model : models) {
    const Precision precision = resolve_precision(model, {}).precision;
    report.results.rows.push_back(
        {model.name, model.aliases, model.family,
         static_cast<double>(count_parameters(model).total()),
         static_cast<double>(count_parameters(model).active()),
         static_cast<double>(layer_count(model)), kv_bytes_per_token(model, precision).value(),
         model.max_context ? Value(static_cast<double>(*model.max_context)) : Value(),
         stored_name(model)});
  }
  report.title = fmt::format(
      "{} models; K/V of a token; any config.json of these families is read too", models.size());
  return report;
}

namespace {

/// Facts that have something to say.
class FactList {
 public:
  void add(const char* label, std::string value, std::string detail = {}) {
    if (!value.empty() || !detail.empty()) {
      facts_.push_back({label, std::move(value), std::move(detail)});
    }
  }
  [[nodiscard]] std::vector<Fact> take() { return std::move(facts_); }

 private:
  std::vector<Fact> facts_;
};

void add_count_facts(const Model& model, FactList& facts) {
  const ParameterCount count = count_parameters(model);
  const ActiveCount active = active_count(model, count);
  facts.add("parameters", count_text(count.total()), parts_text(count));
  if (count.idle > 0) {
    const std::string without =
        model.tied_embeddings
            ? fmt::format("{} without the table", count_text(active.without_tables))
            : fmt::format("{} without the input table, {} without lm_head too",
                          count_text(active.without_input_table),
                          count_text(active.without_tables));
    facts.add("active", count_text(active.with_tables), "a token; " + without);
  }
  facts.add("published", "", published_text(model, count.total()));
}

void add_size_facts(const Model& model, const Precision& precision, FactList& facts) {
  const Bytes per_token = kv_bytes_per_token(model, precision);
  const Bytes state = state_bytes(model, precision);
  facts.add("weights", format_scaled(weight_bytes(model, precision).value(), "B"),
            format_text(model, precision));
  if (model.tensors) {
    facts.add("in the file", format_scaled(model.tensors->bytes.value(), "B"),
              tensors_text(model, count_parameters(model)));
  }
  if (per_token > Bytes(0)) {
    facts.add(
        "K/V", format_scaled(per_token.value(), "B"),
        fmt::format("a token over {} layers: {} bytes in {}", count_text(cached_layers(model)),
                    format_count(per_token.value()), precision.kv.name));
  }
  if (state > Bytes(0)) {
    const StateSize size = state_size(model);
    facts.add("state", format_scaled(state.value(), "B"),
              fmt::format("a sequence: {} recurrent elements in {}, {} of convolutions in {}",
                          count_text(size.recurrent), precision.state.name,
                          count_text(size.convolution), precision.activations.name));
  }
}

}  // namespace

Report show_model(const Model& model, const std::string& data_source) {
  const ResolvedPrecision resolved = resolve_precision(model, {});
  Report report;
  report.command = "show model";
  report.data_source = {{"model", data_source}};
  report.notes = model.left_out;
  report.notes.insert(report.notes.end(), model.warnings.begin(), model.warnings.end());
  report.notes.insert(report.notes.end(), resolved.notes.begin(), resolved.notes.end());
  report.title = model.aliases.empty()
                     ? model.name
                     : fmt::format("{} (also {})", model.name, fmt::join(model.aliases, ", "));
  FactList facts;
  facts.add("family", model.family);
  add_count_facts(model, facts);
  add_size_facts(model, resolved.precision, facts);
  facts.add("hidden size", count_text(model.hidden_size));
  facts.add("vocabulary", count_text(model.vocabulary),
            model.tied_embeddings ? "lm_head tied to the embedding" : "");
  if (model.max_context) facts.add("context", count_text(*model.max_context), "tokens at most");
  facts.add("data", data_source);
  facts.add("source", "", model.source);
  facts.add("notes", "", model.notes);
  report.facts = facts.take();
  report.results = model_row(model, resolved);
  report.results_in_text = false;
  report.details = {{layer_table(model), origin_table(model)}};
  return report;
}

}  // namespace roofline::report
