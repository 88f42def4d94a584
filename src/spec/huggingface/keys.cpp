#include "spec/huggingface/keys.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/closest.hpp"

namespace roofline::huggingface {
namespace {

/// The plain type that a key names. Throws for another.
NumberFormat plain_format_at(const JsonNode& key) {
  std::string name = key.text();
  if (name.starts_with("torch.")) name.erase(0, 6);
  if (name == "bfloat16") return plain_format(MatrixType::bf16);
  if (name == "float16" || name == "half") return plain_format(MatrixType::fp16);
  if (name == "float32" || name == "float") return plain_format(MatrixType::fp32);
  key.fail(fmt::format("unknown number format '{}'", name), {}, "bfloat16, float16 or float32");
}

/// torch_dtype: the type that the file's unquantised tensors are loaded in.
void read_number_formats(Config& config, Model& model) {
  auto key = config.find({"torch_dtype", "dtype"});
  const auto torch = config.find_own("torch_dtype");
  const auto other = config.find_own("dtype");
  if (key && key->text() == "auto") key.reset();
  if (torch && other && torch->text() != other->text()) {
    other->fail("contradicts torch_dtype " + torch->text());
  }
  model.published_format = key ? plain_format_at(*key) : plain_format(MatrixType::bf16);
  model.format_assumed = !key;
  const auto state = config.find({"mamba_ssm_cache_dtype", "mamba_ssm_dtype"});
  if (state && state->text() != "auto") model.state_format = plain_format_at(*state);
}

}  // namespace

Model read_base(Config& config, std::optional<std::int64_t> default_vocabulary) {
  Model model;
  model.family = config.family();
  model.hidden_size = config.count({"hidden_size", "n_embd", "d_model", "n_embed"}, most_width);
  model.vocabulary = default_vocabulary
                         ? config.count_or({"vocab_size"}, most_vocabulary, *default_vocabulary)
                         : config.count({"vocab_size", "padded_vocab_size"}, most_vocabulary);
  model.max_context = config.optional_count(
      {"max_position_embeddings", "n_positions", "seq_length", "max_seq_len"}, most_context);
  read_number_formats(config, model);
  return model;
}

std::int64_t read_layer_count(Config& config) {
  return config.count({"num_hidden_layers", "n_layer", "n_layers", "num_layers"}, most_layers);
}

Attention checked_attention(Config& config, const Model& model, std::int64_t heads,
                            std::int64_t kv_heads) {
  Attention attention;
  attention.query_heads = heads;
  attention.kv_heads = kv_heads;
  if (const auto head_dim = config.find({"head_dim", "attention_head_dim"})) {
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
  return attention;
}

Attention read_attention(Config& config, const AttentionDefaults& defaults, const Model& model) {
  const std::int64_t heads = config.count({"num_attention_heads", "n_head", "n_heads"}, most_width);
  const std::int64_t kv_heads = defaults.kv_heads_default_to_heads
                                    ? config.count_or({"num_key_value_heads"}, most_width, heads)
                                    : config.count("num_key_value_heads", most_width);
  Attention attention = checked_attention(config, model, heads, kv_heads);
  attention.qkv_bias = defaults.qkv_bias;
  attention.output_bias = defaults.output_bias;
  return attention;
}

Experts checked_experts(Config& config, std::int64_t count, std::int64_t per_token,
                        std::int64_t width) {
  if (per_token > count) {
    config.fail(fmt::format("a token passes {} of {} experts", per_token, count));
  }
  return {.count = count, .per_token = per_token, .width = width};
}

std::optional<std::int64_t> full_attention(std::int64_t /*layer*/) {
  return std::nullopt;
}

std::optional<std::int64_t> read_window(Config& config) {
  return config.optional_count({"sliding_window"}, most_context);
}

WindowOf read_layer_types(Config& config, std::int64_t layers, std::optional<std::int64_t> window,
                          WindowOf otherwise) {
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
  for (std::int64_t i = 0; i < layers; ++i) {
    LayerGroup layer = like;
    std::get<Attention>(layer.mixer).window = window(i);
    add_layer(model, std::move(layer));
  }
}

}  // namespace roofline::huggingface
