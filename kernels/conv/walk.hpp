// How packets walk over the columns of an image: one class for each ConvWalk, which says what they do and when.
#pragma once

#include <memory>

#include "kernels/conv/axes.hpp"

namespace tcp::kernels::conv {

class Walk {
 public:
  virtual ~Walk() = default;

  /// The axes that depend on the walk.
  virtual void name_axes(Axes& a) const = 0;
  /// What a slice has loaded, as the windows that it computes with.
  virtual dyn::Tensor windows(const Axes& a, const dyn::Tensor& loaded) const = 0;
  /// The results of a slice, without what fills up the last packet of a row.
  virtual dyn::Tensor plain(Context& ctx, const Axes& a, const dyn::Tensor& done) const = 0;
};

std::unique_ptr<const Walk> walk_of(const ConvTiling& t);

/// Columns of a packet, at most a flit, that some columns are whole packets of; all begin with a row of DM.
std::int64_t widest(const ConvTiling& t, std::int64_t columns);

}  // namespace tcp::kernels::conv
