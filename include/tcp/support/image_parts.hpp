// An image that is worked out when it is looked at, and of which parts can be had without the rest: who needs a part at
// a time leaves it as it is.
#pragma once

#include "tcp/support/image.hpp"

namespace tcp {

class ImageParts : public Image::Later {
 public:
  /// So many bytes of the image, from one on: whole elements.
  virtual void write_part(std::byte* to, std::size_t first, std::size_t bytes) const = 0;
};

}  // namespace tcp
