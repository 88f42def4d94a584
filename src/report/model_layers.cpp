#include "report/model_layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/format.hpp"

namespace roofline::report {
namespace {

Value count(std::int64_t value) {
  return static_cast<double>(value);
}
Value optional_count(const std::optional<std::int64_t>& value) {
  return value ? count(*value) : Value();
}

std::string text(std::int64_t value) {
  return format_count(static_cast<double>(value));
}

/// Cells of one group, by column key.
using Cells = std::vector<std::pair<std::string, Value>>;

void add_mixer(const std::monostate& /*none*/, Cells& /*cells*/) {}

void add_mixer(const Attention& a, Cells& cells) {
  cells.insert(cells.end(), {{"mixer", std::string("attention")},
                             {"query_heads", count(a.query_heads)},
                             {"kv_heads", count(a.kv_heads)},
                             {"head_dim", count(a.head_dim)},
                             {"window_tokens", optional_count(a.window)},
                             {"chunk_tokens", optional_count(a.chunk)}});
  if (a.output_gate) cells.emplace_back("output_gate", true);
  if (a.reuses_cache) cells.emplace_back("reuses_cache", true);
}

void add_mixer(const LatentAttention& a, Cells& cells) {
  cells.insert(cells.end(), {{"mixer", std::string("latent-attention")},
                             {"query_heads", count(a.heads)},
                             {"query_rank", optional_count(a.query_rank)},
                             {"kv_rank", count(a.kv_rank)},
                             {"rope_dim", count(a.rope_dim)},
                             {"nope_dim", count(a.nope_dim)},
                             {"value_dim", count(a.value_dim)}});
}

void add_mixer(const Mamba1& m, Cells& cells) {
  cells.insert(cells.end(), {{"mixer", std::string("mamba")},
                             {"inner_width", count(m.inner)},
                             {"state_size", count(m.state)},
                             {"convolution_taps", count(m.convolution)},
                             {"step_rank", count(m.step_rank)}});
}

void add_mixer(const Mamba2& m, Cells& cells) {
  cells.insert(cells.end(), {{"mixer", std::string("mamba-2")},
                             {"state_heads", count(m.heads)},
                             {"head_dim", count(m.head_dim)},
                             {"state_size", count(m.state)},
                             {"state_groups", count(m.groups)},
                             {"convolution_taps", count(m.convolution)}});
}

void add_mixer(const GatedDelta& g, Cells& cells) {
  cells.insert(cells.end(), {{"mixer", std::string("gated-delta")},
                             {"state_heads", count(g.value_heads)},
                             {"key_heads", count(g.key_heads)},
                             {"head_dim", count(g.value_dim)},
                             {"key_dim", count(g.key_dim)},
                             {"convolution_taps", count(g.convolution)}});
}

void add_mixer(const LinearAttention& l, Cells& cells) {
  cells.insert(cells.end(), {{"mixer", std::string("linear-attention")},
                             {"state_heads", count(l.heads)},
                             {"head_dim", count(l.head_dim)}});
}

std::string mixer_text(const std::monostate& /*none*/) {
  return {};
}

std::string mixer_text(const Attention& a) {
  std::string result = fmt::format("attention, {}/{} heads of {}", text(a.query_heads),
                                   text(a.kv_heads), text(a.head_dim));
  if (a.window) result += fmt::format(", window {}", text(*a.window));
  if (a.chunk) result += fmt::format(", chunk {}", text(*a.chunk));
  if (a.output_gate) result += ", output gate";
  if (a.reuses_cache) result += ", K/V of another layer";
  return result;
}

std::string mixer_text(const LatentAttention& a) {
  return fmt::format("latent attention, {} heads, rank {} + {}", text(a.heads), text(a.kv_rank),
                     text(a.rope_dim));
}

std::string mixer_text(const Mamba1& m) {
  return fmt::format("mamba, {} channels, state {}", text(m.inner), text(m.state));
}

std::string mixer_text(const Mamba2& m) {
  return fmt::format("mamba-2, {} heads of {}, state {}", text(m.heads), text(m.head_dim),
                     text(m.state));
}

std::string mixer_text(const GatedDelta& g) {
  return fmt::format("gated delta, {} heads of {} x {}", text(g.value_heads), text(g.key_dim),
                     text(g.value_dim));
}

std::string mixer_text(const LinearAttention& l) {
  return fmt::format("linear attention, {} heads of {}", text(l.heads), text(l.head_dim));
}

std::string feed_forward_text(const std::monostate& /*none*/) {
  return {};
}

std::string feed_forward_text(const Mlp& mlp) {
  return fmt::format("{} MLP {}", mlp.gated ? "gated" : "plain", text(mlp.width));
}

std::string feed_forward_text(const Experts& e) {
  return fmt::format("{} experts of {}, {} a token{}", text(e.count), text(e.width),
                     text(e.per_token),
                     e.shared_width > 0 ? ", shared " + text(e.shared_width) : "");
}

void add_feed_forward(const std::monostate& /*none*/, Cells& /*cells*/) {}

void add_feed_forward(const Mlp& mlp, Cells& cells) {
  cells.insert(cells.end(), {{"mlp", std::string(mlp.gated ? "gated" : "plain")},
                             {"mlp_width", count(mlp.width)}});
}

void add_feed_forward(const Experts& e, Cells& cells) {
  cells.insert(cells.end(),
               {{"mlp", std::string(e.gated ? "gated" : "plain")},
                {"mlp_width", count(e.width)},
                {"experts", count(e.count)},
                {"experts_per_token", count(e.per_token)},
                {"shared_width", e.shared_width > 0 ? count(e.shared_width) : Value()}});
}

Value biases_of(const LayerGroup& group) {
  std::vector<std::string> biases;
  if (const auto* attention = std::get_if<Attention>(&group.mixer)) {
    if (attention->qkv_bias) biases.emplace_back("qkv");
    if (attention->output_bias) biases.emplace_back("o");
  }
  const auto* mlp = std::get_if<Mlp>(&group.feed_forward);
  const auto* experts = std::get_if<Experts>(&group.feed_forward);
  if (mlp != nullptr && mlp->bias) biases.emplace_back("MLP");
  if (experts != nullptr && experts->bias) biases.emplace_back("experts");
  if (experts != nullptr && experts->router_bias) biases.emplace_back("router");
  return biases.empty() ? Value() : Value(biases);
}

Cells cells_of(const LayerGroup& group) {
  Cells cells{{"layers", count(group.count)}};
  cells.emplace_back("mixer_text",
                     std::visit([](const auto& mixer) { return mixer_text(mixer); }, group.mixer));
  cells.emplace_back(
      "feed_forward_text",
      std::visit([](const auto& layer) { return feed_forward_text(layer); }, group.feed_forward));
  std::visit([&](const auto& mixer) { add_mixer(mixer, cells); }, group.mixer);
  std::visit([&](const auto& layer) { add_feed_forward(layer, cells); }, group.feed_forward);
  cells.emplace_back("biases", biases_of(group));
  std::int64_t extra = 0;
  for (const LinearMap& map : group.extra_maps) extra += map.inputs * map.outputs;
  if (extra > 0) cells.emplace_back("extra_matrix_parameters", count(extra));
  if (!std::holds_alternative<std::monostate>(group.mixer)) {
    cells.emplace_back("kv_elements_per_token", count(kv_elements(group.mixer)));
  }
  const StateSize state = state_size(group.mixer);
  if (state.recurrent > 0) cells.emplace_back("recurrent_state_elements", count(state.recurrent));
  if (state.convolution > 0) {
    cells.emplace_back("convolution_state_elements", count(state.convolution));
  }
  return cells;
}

/// Every column, in the order of the stable interface.
std::vector<Column> all_columns() {
  const auto machine = [](const char* key, Unit unit = Unit::count) {
    return Column{.key = key, .header = key, .unit = unit, .show = Show::machine};
  };
  return {{"layers", "layers", Unit::count},
          {"mixer_text", "mixer", Unit::none, Show::text},
          {"feed_forward_text", "feed-forward", Unit::none, Show::text},
          machine("mixer", Unit::none),
          machine("query_heads"),
          machine("kv_heads"),
          machine("state_heads"),
          machine("key_heads"),
          machine("head_dim"),
          machine("key_dim"),
          machine("inner_width"),
          machine("state_size"),
          machine("state_groups"),
          machine("convolution_taps"),
          machine("step_rank"),
          machine("query_rank"),
          machine("kv_rank"),
          machine("rope_dim"),
          machine("nope_dim"),
          machine("value_dim"),
          machine("window_tokens"),
          machine("chunk_tokens"),
          machine("output_gate", Unit::none),
          machine("reuses_cache", Unit::none),
          machine("mlp_width"),
          machine("mlp", Unit::none),
          machine("experts"),
          machine("experts_per_token"),
          machine("shared_width"),
          machine("biases", Unit::none),
          machine("extra_matrix_parameters"),
          machine("kv_elements_per_token"),
          machine("recurrent_state_elements"),
          machine("convolution_state_elements")};
}

Value cell_of(const Cells& cells, const std::string& key) {
  for (const auto& cell : cells) {
    if (cell.first == key) return cell.second;
  }
  return {};
}

}  // namespace

std::int64_t cached_layers(const Model& model) {
  std::int64_t layers = 0;
  for (const LayerGroup& group : model.layers) {
    if (kv_elements(group.mixer) > 0) layers += group.count;
  }
  return layers;
}

Table layer_table(const Model& model) {
  std::vector<Cells> groups;
  for (const LayerGroup& group : model.layers) groups.push_back(cells_of(group));
  Table table{.key = "layer_groups", .columns = {}, .rows = std::vector<Row>(groups.size())};
  for (Column& column : all_columns()) {
    Row cells;
    for (const Cells& group : groups) cells.push_back(cell_of(group, column.key));
    const bool absent = std::all_of(cells.begin(), cells.end(), [](const Value& value) {
      return std::holds_alternative<std::monostate>(value);
    });
    if (absent) continue;
    table.columns.push_back(std::move(column));
    for (std::size_t r = 0; r < groups.size(); ++r) table.rows[r].push_back(std::move(cells[r]));
  }
  return table;
}

}  // namespace roofline::report
