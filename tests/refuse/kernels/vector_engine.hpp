// What the refused kernels of the Vector Engine begin with: two small tensors, and their streams as far as the engine.
#pragma once

#include <tcp/tcp.hpp>

using namespace tcp;

namespace {

TCP_AXES(A = 512, B = 256, I = 2, R = 16, S = 4, Y = 64);
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<A / 2>;
using Pair = m<(A % 2).pad(8)>;
using Narrow = m<(A % 2).pad(4)>;
using Ints = DmTensor<i32, Chip, Cluster, Slice, m<A % 2>>;
using Floats = DmTensor<f32, Chip, Cluster, Slice, m<A % 2>>;
using Operand = VrfTensor<i32, Chip, Cluster, Slice, m<(A % 2).pad(8)>>;
using FloatOperand = VrfTensor<f32, Chip, Cluster, Slice, m<(A % 2).pad(8)>>;

[[maybe_unused]] auto entered(Context& ctx, const Ints& in) {
  return ctx.main.begin(in.view()).fetch<i32, m<1>, m<A % 2>>().collect<m<1>, Pair>().vector_init();
}
[[maybe_unused]] auto entered(Context& ctx, const Floats& in) {
  return ctx.main.begin(in.view()).fetch<f32, m<1>, m<A % 2>>().collect<m<1>, Pair>().vector_init();
}
[[maybe_unused]] auto ints(Context& ctx, const Ints& in) { return entered(ctx, in).vector_intra_slice_branch(BranchMode::Unconditional); }
[[maybe_unused]] auto floats(Context& ctx, const Floats& in) {
  return entered(ctx, in).vector_intra_slice_branch(BranchMode::Unconditional);
}
[[maybe_unused]] auto narrow(Context& ctx, const Floats& in) { return floats(ctx, in).vector_trim_way4<Narrow>(); }

}  // namespace
