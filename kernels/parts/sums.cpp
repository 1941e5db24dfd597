// The two tensors come as one stream, in which an axis of two steps tells them apart; the Vector Engine makes two
// groups of that and zips them by an addition.
#include "kernels/parts/sums.hpp"

#include <utility>

namespace tcp::kernels {

dyn::Stream added(Context& ctx, const Device& device, const dyn::Tensor& first, const dyn::Tensor& second, const Mapping& time,
                  const Mapping& lanes, const dyn::Tensor& factor) {
  using dyn::map;
  Mapping const both = dyn::axis("X", 2);
  auto groups = dyn::main(ctx)
                    .begin_interleaved("X", first, second)
                    .fetch(first.type(), map(time, both), lanes)
                    .collect(map(time, both), lanes)
                    .vector_init()
                    .vector_intra_slice_unzip("X", map(time, dyn::one.pad(2)), time);
  if (is_integer(first.type())) return std::move(groups).vector_fxp_zip(FxpBinaryOp::AddFxp).vector_final();
  std::int64_t const narrow = device.vector.narrow_lanes;
  groups = std::move(groups).vector_split(map(time, lanes / narrow), lanes % narrow);
  if (factor) groups = std::move(groups).vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), factor, skip);
  return std::move(groups).vector_fp_zip(FpBinaryOp::AddF).vector_concat(time, lanes).vector_final();
}

}  // namespace tcp::kernels
