// Any bytes as the hf_quant_config.json beside a model: formats of plausible sizes, or an Error.
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "roofline/error.hpp"
#include "roofline/model.hpp"
#include "spec/huggingface/quantization.hpp"
#include "spec/json_node.hpp"

using namespace roofline;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Model model = read_model(
      R"({"model_type": "mixtral", "hidden_size": 64, "vocab_size": 100, "num_hidden_layers": 2,
          "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 96,
          "num_local_experts": 4, "num_experts_per_tok": 2, "torch_dtype": "bfloat16"})",
      "m.json");
  try {
    Model quantised = model;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    huggingface::read_quantization_file(JsonNode::parse(text, "f"), quantised);
    for (const Part part : all_parts) {
      if (!quantised.stored || !quantised.stored->parts[part]) continue;
      const double bits = quantised.stored->parts[part]->bits;
      ensure(std::isfinite(bits) && bits > 0, "a format has bits");
    }
  } catch (const Error&) {
  }
  return 0;
}
