// Any bytes as a safetensors file: tensors that fill it, each of a role, or an Error.
#include <cstdint>
#include <string_view>

#include "roofline/error.hpp"
#include "spec/safetensors/safetensors_file.hpp"
#include "spec/safetensors/stored_weights.hpp"

using namespace roofline;
using namespace roofline::safetensors;

namespace {

/// Describes a little of everything, so that names lead everywhere.
Model any_model() {
  Model model;
  model.hidden_size = 4;
  model.vocabulary = 4;
  model.published_format = plain_format(MatrixType::bf16);
  LayerGroup layer;
  layer.count = 1;
  layer.feed_forward = Mlp{.width = 4};
  model.layers = {layer};
  return model;
}

/// The header at the start of a file of a claimed size: data that is not there is never looked at.
std::uint64_t claimed_size(std::string_view bytes) {
  constexpr std::uint64_t tensors = 1'000;
  return bytes.size() % 2 == 0 ? bytes.size() : bytes.size() + tensors;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  constexpr std::uint64_t length_bytes = 8;
  std::uint64_t length = 0;
  for (std::size_t i = length_bytes; size >= length_bytes && i-- > 0;) {
    length = length << 8U | data[i];
  }
  try {
    // A claim is only made of a file whose header is there.
    const bool whole = size >= length_bytes && length <= size - length_bytes;
    const auto tensors = whole ? read_safetensors_header(bytes, claimed_size(bytes), "f")
                               : read_safetensors_header(bytes, "f");
    std::int64_t sum = 0;
    for (const Tensor& tensor : tensors) {
      ensure(tensor.elements >= 0 && tensor.bytes() >= 0, "sizes are not negative");
      sum += tensor.bytes();
    }
    ensure(static_cast<std::uint64_t>(sum) + length + length_bytes == claimed_size(bytes),
           "tensors fill their file");
    Model model = any_model();
    TensorCounter counter(model);
    counter.add_file(tensors);
    ensure(counter.tensors() == static_cast<std::int64_t>(tensors.size()), "each tensor counts");
    counter.store(model, "f");
    ensure(model.tensors->bytes == Bytes(static_cast<double>(sum)), "each byte counts");
    ensure(model.tensors->decoder_bytes <= model.tensors->bytes, "a decoder is a part of its file");
  } catch (const Error&) {
  }
  return 0;
}
