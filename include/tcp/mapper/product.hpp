// What of a formula the mapper can make: one product of two tensors, and what is done with each sum before it is
// stored.
//
//   C[m, n] = gelu(sum[k] A[m, k] * B[n, k] + bias[n])
//   C[b, m, n] = sum[k] A[b, m, k] * B[b, n, k]
//   y[h, w, f] = relu(sum[r, s, c] x[h + r - 1 : 56, w + s - 1 : 56, c]{any} * W[f, r, s, c]{any} + bias[f])
//
// max[k] in the place of sum[k] takes the greatest product. `rows` is the axis of the first operand, whose steps are
// rows of the result; `columns` that of the second one. A vector is an operand whose axis has a single step. An axis
// that both operands and the result have counts `batches`: products that have nothing in common. Of a convolution the
// rows are the pixels of the result, and the columns its filters. What a formula needs beyond that is an error with a
// code, not a slower way.
#pragma once

#include <optional>
#include <vector>

#include "tcp/device/device.hpp"
#include "tcp/formula/formula.hpp"
#include "tcp/support/expected.hpp"

namespace tcp::mapper {

/// What is done with a sum, or with what the step before made of it.
struct EpilogueStep {
  formula::Operation operation = formula::Operation::add;
  int tensor = -1;         // the other argument: a tensor with one number for each row or column,
  bool of_columns = true;  // of which of the two,
  double number = 0;       // or a number, of operations with two arguments
  bool operator==(const EpilogueStep&) const = default;
};

/// How the rows of the first operand are made of an image: each pixel of the result sees a window of it. Channels
/// occur together in both operands, and outside of the image is zero.
struct ImageWindows {
  /// In one direction: pixel p of the result sees, with weight t, place p * stride + t * dilation - before.
  struct Direction {
    int axis = -1, weight_axis = -1;  // of the formula; -1: a single weight
    std::int64_t pixels = 1, weights = 1, places = 1, stride = 1, dilation = 1, before = 0;

    /// Places that some neighbouring pixels see.
    std::int64_t reach(std::int64_t some) const { return (some - 1) * stride + (weights - 1) * dilation + 1; }
    bool operator==(const Direction&) const = default;
  };
  Direction down, across;
  int image_axis = -1;  // -1: one image
  std::int64_t images = 1;
  std::int64_t channels = 1, stored_channels = 1;  // with zeros, in whole packets
  bool operator==(const ImageWindows&) const = default;
};

/// A product: its operands by their numbers in the formula, its sizes, and the steps that follow.
struct Product {
  formula::Formula formula;
  int a = -1, b = -1;                                     // tensors
  int row_axis = -1, column_axis = -1, summed_axis = -1;  // -1: a single step
  std::int64_t rows = 1, columns = 1, depth = 1;
  int batch_axis = -1;  // -1: one product
  std::int64_t batches = 1;
  /// Whether batches lie within the steps of its own axis in HBM, and not around them.
  bool batches_in_a = false, batches_in_b = false, batches_in_result = false;
  bool maximum = false;  // the greatest of the products, instead of their sum
  ScalarType type = ScalarType::bf16, result = ScalarType::bf16;
  std::vector<EpilogueStep> after;
  std::optional<ImageWindows> windows;  // a convolution: `depth` counts the stored channels of each weight

  const formula::FormulaTensor& tensor(int t) const { return formula.tensors[static_cast<std::size_t>(t)]; }
  bool operator==(const Product&) const = default;
};

/// Refused: mapper-formula, mapper-operand-order, mapper-operand-type, mapper-epilogue, mapper-size, and what
/// formula::check_sizes refuses.
Expected<Product> product_of(const formula::Formula& formula);

/// Multiplications and additions, and bytes that must come from and go to HBM.
struct ProductWork {
  std::int64_t multiply_adds = 0, hbm_bytes = 0;
};
ProductWork work_of(const Product& product);

/// Two numbers of cycles that no kernel for the product can beat: by the rates of the chip alone, and with the
/// start-ups that cannot be avoided: a load of each operand, and a store.
struct ProductBounds {
  std::int64_t rates = 0, with_startups = 0;
};
ProductBounds bounds_of(const Device& device, const Product& product);

}  // namespace tcp::mapper
