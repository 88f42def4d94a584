// Models as reports: the list, and one with its counts and layer groups.
#include <fmt/format.h>

#include "base/format.hpp"
#include "report/catalog_report.hpp"
#include "roofline/analyze.hpp"
#include "roofline/memory.hpp"

namespace roofline::report {
namespace {

/// The formats that the weights are counted in, and that of the file where it is another.
std::string format_text(const Model& model, const Precision& precision) {
  const std::string& plain = precision.unquantized.name;
  if (model.quantization) return fmt::format("{}, the rest {}", model.quantization->name, plain);
  const std::string& published = model.published_format.name;
  return plain == published ? plain : fmt::format("{} ({} in the file)", plain, published);
}

Bytes kv_bytes_per_token(const Model& model, const Precision& precision) {
  return precision.kv.element_size() * static_cast<double>(kv_elements_per_token(model));
}

Table layer_table(const Model& model) {
  Table table{.key = "layer_groups",
              .columns = {{"layers", "layers", Unit::count},
                          {"query_heads", "heads", Unit::count},
                          {"kv_heads", "K/V heads", Unit::count},
                          {"head_dim", "head size", Unit::count},
                          {"window_tokens", "window", Unit::count},
                          {"mlp_width", "MLP width", Unit::count},
                          {"mlp", "MLP"},
                          {"biases", "biases"}}};
  for (const LayerGroup& group : model.layers) {
    const Attention& attention = group.attention;
    std::vector<std::string> biases;
    if (attention.qkv_bias) biases.emplace_back("qkv");
    if (attention.output_bias) biases.emplace_back("o");
    if (group.mlp.bias) biases.emplace_back("MLP");
    const auto count = [](std::int64_t value) { return Value(static_cast<double>(value)); };
    table.rows.push_back(
        {count(group.count), count(attention.query_heads), count(attention.kv_heads),
         count(attention.head_dim), attention.window ? count(*attention.window) : Value(),
         count(group.mlp.width), std::string(group.mlp.gated ? "gated" : "plain"), biases});
  }
  return table;
}

std::string published_text(const Model& model, std::int64_t counted) {
  if (!model.published) return {};
  const PublishedCount& published = *model.published;
  const std::string figure = format_count(static_cast<double>(published.parameters));
  if (!published.exact) return fmt::format("{} (rounded): {}", figure, published.source);
  return fmt::format("{} ({}): {}", figure,
                     published.parameters == counted ? "the same" : "differs", published.source);
}

/// The model in one row, with every figure that JSON and CSV have.
Table model_row(const Model& model, const ResolvedPrecision& resolved) {
  const ParameterCount count = count_parameters(model);
  Table table{.key = "results", .columns = {}, .rows = {{}}};
  const auto add = [&](std::string key, Value value) {
    if (std::holds_alternative<std::monostate>(value)) return;
    table.columns.push_back({std::move(key)});
    table.rows.front().push_back(std::move(value));
  };
  const auto add_count = [&](std::string key, std::int64_t value) {
    add(std::move(key), static_cast<double>(value));
  };
  const auto add_text = [&](std::string key, const std::string& text) {
    if (!text.empty()) add(std::move(key), text);
  };
  add("name", model.name);
  add("aliases", model.aliases);
  add("family", model.family);
  add_count("parameters", count.total());
  add_count("layer_parameters", count.layers);
  add_count("embedding_parameters", count.embedding);
  add_count("lm_head_parameters", count.lm_head);
  add_count("bias_parameters", count.biases);
  add_count("norm_parameters", count.norms);
  if (model.published) {
    add_count("published_parameters", model.published->parameters);
    add("published_exact", model.published->exact);
    add("published_source", model.published->source);
  }
  add("weight_bytes", weight_bytes(model, resolved.precision).value());
  add("kv_bytes_per_token", kv_bytes_per_token(model, resolved.precision).value());
  add("number_format", model.published_format.name);
  if (model.quantization) add("quantization", model.quantization->name);
  add_count("hidden_size", model.hidden_size);
  add_count("vocabulary", model.vocabulary);
  add("tied_embeddings", model.tied_embeddings);
  if (model.max_context) add_count("max_context_tokens", *model.max_context);
  add_text("source", model.source);
  add_text("notes", model.notes);
  add("reading_notes", model.reading_notes);
  add("assumptions", resolved.notes);
  return table;
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
                                {"layers", "layers", Unit::count},
                                {"kv_bytes_per_token", "K/V", Unit::bytes, Show::everywhere, "k"},
                                {"max_context_tokens", "context", Unit::count},
                                {"number_format", "format"}}};
  for (const Model& model : models) {
    const Precision precision = resolve_precision(model, {}).precision;
    report.results.rows.push_back(
        {model.name, model.aliases, model.family,
         static_cast<double>(count_parameters(model).total()),
         static_cast<double>(layer_count(model)), kv_bytes_per_token(model, precision).value(),
         model.max_context ? Value(static_cast<double>(*model.max_context)) : Value(),
         model.quantization ? model.quantization->name : model.published_format.name});
  }
  report.title = fmt::format(
      "{} models; K/V of a token; any config.json of these families is read too", models.size());
  return report;
}

Report show_model(const Model& model, const std::string& data_source) {
  const ParameterCount count = count_parameters(model);
  const ResolvedPrecision resolved = resolve_precision(model, {});
  const Bytes per_token = kv_bytes_per_token(model, resolved.precision);
  const Bytes weights = weight_bytes(model, resolved.precision);
  const auto text = [](std::int64_t value) { return format_count(static_cast<double>(value)); };

  Report report;
  report.command = "show model";
  report.data_source = {{"model", data_source}};
  report.notes = resolved.notes;
  report.title = model.aliases.empty()
                     ? model.name
                     : fmt::format("{} (also {})", model.name, fmt::join(model.aliases, ", "));
  const auto fact = [&](const char* label, std::string value, std::string detail = {}) {
    if (!value.empty() || !detail.empty()) {
      report.facts.push_back({label, std::move(value), std::move(detail)});
    }
  };
  fact("family", model.family);
  fact("parameters", text(count.total()),
       fmt::format("layers {}, embedding {}, lm_head {}, biases {}, norms {}", text(count.layers),
                   text(count.embedding),
                   model.tied_embeddings ? "tied to the embedding" : text(count.lm_head),
                   text(count.biases), text(count.norms)));
  fact("published", "", published_text(model, count.total()));
  fact("weights", format_scaled(weights.value(), "B"), format_text(model, resolved.precision));
  fact("K/V", format_scaled(per_token.value(), "B"),
       fmt::format("a token over {} layers: {} bytes in {}", text(layer_count(model)),
                   format_count(per_token.value()), resolved.precision.kv.name));
  fact("hidden size", text(model.hidden_size));
  fact("vocabulary", text(model.vocabulary));
  if (model.max_context) fact("context", text(*model.max_context), "tokens at most");
  fact("data", data_source);
  fact("source", "", model.source);
  fact("notes", "", model.notes);
  for (const std::string& note : model.reading_notes) fact("read as", "", note);

  report.results = model_row(model, resolved);
  report.results_in_text = false;
  report.details = {{layer_table(model)}};
  return report;
}

}  // namespace roofline::report
