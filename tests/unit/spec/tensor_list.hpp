// Lists of tensors as the files of real models have them: names and shapes in, tensors one behind
// the other out. For tests.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "spec/safetensors/safetensors_file.hpp"

namespace roofline::safetensors {

class TensorList {
 public:
  using Shape = std::initializer_list<std::int64_t>;

  /// The type of tensors that are added without one.
  explicit TensorList(ElementType type) : type_(type) {}

  void add(std::string name, Shape shape) { add(std::move(name), type_, shape); }
  void add(std::string name, ElementType type, Shape shape) {
    Tensor tensor;
    tensor.name = std::move(name);
    tensor.type = type;
    tensor.dimensions = static_cast<int>(shape.size());
    tensor.elements = 1;
    for (const std::int64_t dimension : shape) tensor.elements *= dimension;
    tensor.begin = end_;
    end_ += (tensor.elements * bits_of(type) + 7) / 8;
    tensor.end = end_;
    tensors_.push_back(std::move(tensor));
  }

  /// A matrix of fp8 elements and an fp32 scale for each block of 128 x 128.
  void add_fp8_blocks(const std::string& module, std::int64_t rows, std::int64_t columns) {
    add(module + ".weight", ElementType::f8_e4m3, {rows, columns});
    add(module + ".weight_scale_inv", ElementType::f32,
        {(rows + 127) / 128, (columns + 127) / 128});
  }

  /// AWQ: eight 4-bit integers an element, along the outputs; groups of 128 inputs.
  void add_awq(const std::string& module, std::int64_t outputs, std::int64_t inputs) {
    add(module + ".qweight", ElementType::i32, {inputs, outputs / 8});
    add(module + ".qzeros", ElementType::i32, {inputs / 128, outputs / 8});
    add(module + ".scales", ElementType::f16, {inputs / 128, outputs});
  }

  [[nodiscard]] const std::vector<Tensor>& tensors() const { return tensors_; }
  [[nodiscard]] std::int64_t bytes() const { return end_; }
  [[nodiscard]] std::int64_t elements() const {
    std::int64_t sum = 0;
    for (const Tensor& tensor : tensors_) sum += tensor.elements;
    return sum;
  }

 private:
  ElementType type_;
  std::int64_t end_ = 0;
  std::vector<Tensor> tensors_;
};

}  // namespace roofline::safetensors
