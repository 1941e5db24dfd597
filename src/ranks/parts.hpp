// What a rank holds of a tensor between kernels: an image for each of its chips. To everybody else it is an image
// without bytes, for only the backend that made it looks inside.
#pragma once

#include <memory>
#include <vector>

#include "tcp/support/image.hpp"

namespace tcp::ranks {

using ImagePointer = std::shared_ptr<const Image>;

class Parts : public Image {
 public:
  explicit Parts(std::vector<ImagePointer> of_chips) : of_chips_(std::move(of_chips)) {}

  /// By chip, the rank's first one first; as many as both the rank and the tensor have.
  const std::vector<ImagePointer>& of_chips() const { return of_chips_; }

 private:
  std::vector<ImagePointer> of_chips_;
};

}  // namespace tcp::ranks
