// Any bytes as a GGUF file: a model whose every count is positive and finite, or an Error.
#include <cmath>
#include <cstdint>
#include <string_view>

#include "roofline/error.hpp"
#include "spec/gguf/gguf_model.hpp"

using namespace roofline;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const Model model = gguf::read_gguf({reinterpret_cast<const char*>(data), size}, "f");
    const ParameterCount count = count_parameters(model);
    ensure(count.total() > 0 && count.active() > 0, "a model has parameters");
    ensure(count.total() == model.tensors->decoder_elements, "they are those of its tensors");
    ensure(kv_elements_per_token(model) >= 0, "a cache has a size");
    ensure(state_size(model).recurrent >= 0 && state_size(model).convolution >= 0,
           "a state has a size");
    double bytes = 0;
    for (const Part part : all_parts) {
      ensure(count.parts[part] >= 0, "a part has a size");
      if (const auto& format = model.stored->parts[part]) {
        ensure(std::isfinite(format->bits) && format->bits > 0, "an element has bits");
        bytes += static_cast<double>(count.parts[part]) * format->bits / 8;
      }
    }
    const double stored = model.tensors->decoder_bytes.value();
    ensure(std::abs(bytes - stored) <= 1e-9 * stored, "the parts have the tensors' bytes");
    ensure(stored <= static_cast<double>(size), "tensors are in the file");
  } catch (const Error&) {
  }
  return 0;
}
