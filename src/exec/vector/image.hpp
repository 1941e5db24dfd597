// Tensors as bytes: chip after chip as its HBM holds them, or slice after slice as its DM does; padding is zero.
#pragma once

#include "exec/vector/tensor.hpp"

namespace tcp::vector {

/// Bytes that a tensor takes in all memories. `levels`: Chip, Cluster, Slice and Element; the two in the middle count 1
/// in HBM.
std::int64_t image_size(ScalarType type, const Levels& levels);

/// Where strides can say how the image lies, the tensor is a view of it; of an image that is to be made later, it is
/// the tensor that it would be made of. Needs: as many bytes as image_size.
Tensor from_image(std::shared_ptr<const Image> bytes, ScalarType type, const Levels& levels);

/// The tensor has its bytes for itself and its memory, and they are the image already: `to_image` takes them away.
bool lies_as_image(const Tensor& tensor, const Levels& levels);

/// The image of an argument, if the tensor is just that: every byte of it, in the same order. Padding is not looked at,
/// so there is none.
std::shared_ptr<const Image> argument_image(const Tensor& tensor, const Levels& levels);

/// The image of a tensor that shows all of another image, an argument's, in another order: it stays so, and is put in
/// order only if its bytes are looked at. Null: for other tensors, and for small ones.
std::shared_ptr<const Image> image_for_later(const Tensor& tensor, const Levels& levels);

/// Undefined elements are zero.
Image to_image(const Tensor& tensor, const Levels& levels);

/// A tensor that lies as its image will, whose padding is zero already, so that `to_image` has nothing to do; none if
/// strides cannot say how. Its elements are yet to be written.
std::shared_ptr<Tensor> image_tensor(ScalarType type, const Levels& levels);

}  // namespace tcp::vector
