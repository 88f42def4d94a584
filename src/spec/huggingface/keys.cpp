#include "spec/huggingface/keys.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/closest.hpp"

namespace roofline::huggingface {
namespace {

/// torch_dtype: the type that the file's unquantised tensors are loaded in.
void read_number_format_key(const JsonNode& config, Model& model) {
  const auto key = config.find_any({"torch_dtype", "dtype"});
  const auto other = config.find("dtype");
  if (key && other && key->text() != other->text()) {
    other->fail("contradicts torch_dtype " + key->text());
  }
  if (!key) {
    model.published_format = plain_format(MatrixType::bf16);
    model.format_assumed = true;
    return;
  }
  std::string name = key->text();
  if (name.starts_with("torch.")) name.erase(0, 6);
  if (name == "bfloat16") {
    model.published_format = plain_format(MatrixType::bf16);
  } else if (name == "float16" || name == "half") {
    model.published_format = plain_format(MatrixType::fp16);
  } else if (name == "float32" || name == "float") {
    model.published_format = plain_format(MatrixType::fp32);
  } else {
    key->fail(fmt::format("unknown number format '{}'", name), {}, "bfloat16, float16 or float32");
  }
}

}  // namespace

bool flag_or(const JsonNode& config, std::string_view key, bool fallback) {
  const auto found = config.find(key);
  return found ? found->boolean() : fallback;
}

void refuse_true(const JsonNode& config, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (flag_or(config, key, false)) {
      config.at(key).fail("is not known in family " + config.at("model_type").text());
    }
  }
}

Model read_base(const JsonNode& config) {
  Model model;
  model.family = config.at("model_type").text();
  model.hidden_size =
      config.at_any({"hidden_size", "n_embd", "d_model", "n_embed"}).count(most_width);
  model.vocabulary = config.at("vocab_size").count(most_vocabulary);
  if (const auto context =
          config.find_any({"max_position_embeddings", "n_positions", "seq_length"})) {
    model.max_context = context->count(most_context);
  }
  read_number_format_key(config, model);
  return model;
}

Attention checked_attention(const JsonNode& config, const Model& model, std::int64_t heads,
                            std::int64_t kv_heads) {
  Attention attention;
  attention.query_heads = heads;
  attention.kv_heads = kv_heads;
  if (const auto head_dim = config.find("head_dim")) {
    attention.head_dim = head_dim->count(most_width);
  } else if (model.hidden_size % heads != 0) {
    config.fail(fmt::format("hidden_size {} is not divisible by {} attention heads",
                            model.hidden_size, heads),
                "without head_dim a head has hidden_size / heads elements", "add \"head_dim\"");
  } else {
    attention.head_dim = model.hidden_size / heads;
  }
  if (kv_heads > heads || heads % kv_heads != 0) {
    config.fail(fmt::format("{} attention heads cannot share {} K/V heads", heads, kv_heads),
                "the number of K/V heads must divide the number of attention heads");
  }
  if (heads * attention.head_dim > most_mlp_width) {
    config.fail(fmt::format("{} heads of {} elements are out of range", heads, attention.head_dim),
                fmt::format("heads x head_dim is at most {}", most_mlp_width));
  }
  return attention;
}

Attention read_attention(const JsonNode& config, const AttentionDefaults& defaults, Model& model) {
  const std::int64_t heads = config.at("num_attention_heads").count(most_width);
  std::int64_t kv_heads = heads;
  const auto key = config.find("num_key_value_heads");
  if (key) {
    kv_heads = key->count(most_width);
  } else if (defaults.kv_heads_default_to_heads) {
    model.reading_notes.emplace_back(
        "num_key_value_heads is absent: as many K/V heads as attention heads");
  } else {
    (void)config.at("num_key_value_heads");
  }
  Attention attention = checked_attention(config, model, heads, kv_heads);
  attention.qkv_bias = defaults.qkv_bias;
  attention.output_bias = defaults.output_bias;
  return attention;
}

std::optional<std::int64_t> full_attention(std::int64_t /*layer*/) {
  return std::nullopt;
}

std::optional<std::int64_t> read_window(const JsonNode& config) {
  const auto window = config.find("sliding_window");
  if (!window) return std::nullopt;
  return window->count(most_context);
}

WindowOf read_layer_types(const JsonNode& config, std::int64_t layers,
                          std::optional<std::int64_t> window, WindowOf otherwise) {
  const auto types = config.find("layer_types");
  if (!types) return otherwise;
  std::vector<std::optional<std::int64_t>> windows;
  for (const JsonNode& type : types->elements()) {
    const std::string name = type.text();
    if (name == "full_attention") {
      windows.emplace_back(std::nullopt);
    } else if (name == "sliding_attention") {
      if (!window) type.fail("sliding_attention needs 'sliding_window'");
      windows.push_back(window);
    } else {
      type.fail(fmt::format("unknown layer type '{}'", name), {},
                "full_attention or sliding_attention");
    }
  }
  if (static_cast<std::int64_t>(windows.size()) != layers) {
    types->fail(fmt::format("has {} entries for {} layers", windows.size(), layers));
  }
  return [windows](std::int64_t layer) { return windows[static_cast<std::size_t>(layer)]; };
}

void add_layers(Model& model, std::int64_t layers, const LayerGroup& like, const WindowOf& window) {
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    const std::optional<std::int64_t> this_window = window(layer);
    const auto group =
        std::find_if(model.layers.begin(), model.layers.end(),
                     [&](const LayerGroup& g) { return g.attention.window == this_window; });
    if (group != model.layers.end()) {
      ++group->count;
      continue;
    }
    LayerGroup added = like;
    added.count = 1;
    added.attention.window = this_window;
    model.layers.push_back(added);
  }
}

}  // namespace roofline::huggingface
