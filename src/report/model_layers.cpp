#include "report/model_layers.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace roofline::report {
namespace {

Value count(std::int64_t value) {
  return static_cast<double>(value);
}
Value optional_count(const std::optional<std::int64_t>& value) {
  return value ? count(*value) : Value();
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
  using enum Show;
  return {{"layers", "layers", Unit::count},
          {"mixer", "mixer"},
          {"query_heads", "heads", Unit::count},
          {"kv_heads", "K/V heads", Unit::count},
          {"state_heads", "state heads", Unit::count},
          {"key_heads", "key heads", Unit::count, machine},
          {"head_dim", "head size", Unit::count},
          {"key_dim", "key size", Unit::count, machine},
          {"inner_width", "channels", Unit::count},
          {"state_size", "state", Unit::count},
          {"state_groups", "groups", Unit::count, machine},
          {"convolution_taps", "taps", Unit::count, machine},
          {"step_rank", "step rank", Unit::count, machine},
          {"query_rank", "q rank", Unit::count, machine},
          {"kv_rank", "K/V rank", Unit::count},
          {"rope_dim", "rope", Unit::count},
          {"nope_dim", "nope", Unit::count, machine},
          {"value_dim", "value", Unit::count, machine},
          {"window_tokens", "window", Unit::count},
          {"chunk_tokens", "chunk", Unit::count},
          {"output_gate", "output gate", Unit::none, machine},
          {"reuses_cache", "reuses K/V"},
          {"mlp_width", "MLP width", Unit::count},
          {"mlp", "MLP"},
          {"experts", "experts", Unit::count},
          {"experts_per_token", "a token", Unit::count},
          {"shared_width", "shared", Unit::count},
          {"biases", "biases"},
          {"extra_matrix_parameters", "extra", Unit::count, machine},
          {"kv_elements_per_token", "K/V elements", Unit::count, machine},
          {"recurrent_state_elements", "state elements", Unit::count, machine},
          {"convolution_state_elements", "convolution elements", Unit::count, machine}};
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
