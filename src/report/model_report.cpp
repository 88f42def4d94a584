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
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  const bool published = model.published.has_value();
  Table table = {.key = "results",
                 .columns = {{"name", ""},
                             {"aliases", ""},
                             {"family", ""},
                             {"parameters", "", Unit::count},
                             {"layer_parameters", ""},
                             {"embedding_parameters", ""},
                             {"lm_head_parameters", ""},
                             {"bias_parameters", ""},
                             {"norm_parameters", ""},
                             {"published_parameters", ""},
                             {"published_exact", ""},
                             {"published_source", ""},
                             {"weight_bytes", ""},
                             {"kv_bytes_per_token", ""},
                             {"number_format", ""},
                             {"quantization", ""},
                             {"hidden_size", ""},
                             {"vocabulary", ""},
                             {"tied_embeddings", ""},
                             {"max_context_tokens", ""},
                             {"source", ""},
                             {"notes", ""},
                             {"reading_notes", ""},
                             {"assumptions", ""}},
                 .rows = {{model.name,
                           model.aliases,
                           model.family,
                           number(count.total()),
                           number(count.layers),
                           number(count.embedding),
                           number(count.lm_head),
                           number(count.biases),
                           number(count.norms),
                           published ? Value(number(model.published->parameters)) : Value(),
                           published ? Value(model.published->exact) : Value(),
                           published ? Value(model.published->source) : Value(),
                           weight_bytes(model, resolved.precision).value(),
                           kv_bytes_per_token(model, resolved.precision).value(),
                           model.published_format.name,
                           model.quantization ? Value(model.quantization->name) : Value(),
                           number(model.hidden_size),
                           number(model.vocabulary),
                           model.tied_embeddings,
                           model.max_context ? Value(number(*model.max_context)) : Value(),
                           model.source.empty() ? Value() : Value(model.source),
                           model.notes.empty() ? Value() : Value(model.notes),
                           model.reading_notes,
                           resolved.notes}}};
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
