// Brings what a step computes with into the slices, the border included: one class for each ConvBorder.
//
// Three steps are under way at the same time: the image of one arrives (fetch), the border of the one before is made
// and its blocks go to their slices (make), and the first one is computed with (finish). What needs the main context is
// recorded before the multiplication of its step, and does not wait there.
#pragma once

#include <memory>

#include "kernels/conv/axes.hpp"

namespace tcp::kernels::conv {

/// Images and blocks, and channels, that are computed at once.
struct Step {
  std::int64_t image, block, part;
};

class Border {
 public:
  virtual ~Border() = default;

  virtual dyn::Tensor fetch(const Axes& a, const Step& step) const = 0;
  virtual dyn::Tensor make(const Axes& a, const Step& step, const dyn::Tensor& fetched) const = 0;
  virtual dyn::Tensor finish(const Axes& a, const Step& step, const dyn::Tensor& made) const = 0;
};

/// For images in HBM: [image, channel, row, column], columns padded in any way.
std::unique_ptr<const Border> border_of(Context& ctx, const Device& device, const ConvSizes& s, const ConvTiling& t,
                                        const dyn::Tensor& image);

}  // namespace tcp::kernels::conv
