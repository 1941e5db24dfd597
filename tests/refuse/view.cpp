// A view shows the positions of a tensor under other indices.
#include "tcp/rules/view.hpp"
#include "helpers/kernels.hpp"
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"

using namespace tcp;

// # reshape-padding
// What is padding holds nothing that could be named, and what holds something must not be forgotten: a reshape keeps the padding where it is.
namespace reshape_padding {
TCP_AXES(A = 2048, B = 512, P = 61);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<i8, Chip, m<P.pad(64)>>& in) {
  // error[reshape-padding]: a reshape of Element m![P # 64] into m![B / 8], which has its padding elsewhere; help: pad both alike, or move the elements by a transfer
  return in.reshape<m<B / 8>>();
}

auto after(Context& ctx, const HbmTensor<i8, Chip, m<P.pad(64)>>& in) { return in.reshape<m<P.pad(64)>>(); }
#endif
static constexpr Verdict mistake() {
  Levels from, to;
  from.set(Level::element, P.pad(64));
  to.set(Level::element, B / 8);
  return check_reshape(from, to);
}
REFUSED(mistake());
}  // namespace reshape_padding

// # reshape-size
// A reshape moves nothing: every position keeps its place and gets another name. So there are as many of them before and after.
namespace reshape_size {
TCP_AXES(A = 2048, B = 512, P = 61);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<i8, Chip, m<A>>& in) {
  // error[reshape-size]: a reshape of Element m![A] with 2048 positions into m![A / 2] with 1024; help: give Element 2048 positions
  return in.reshape<m<A / 2>>();
}

auto after(Context& ctx, const HbmTensor<i8, Chip, m<A>>& in) { return in.reshape<m<B, 4>>(); }
#endif
static constexpr Verdict mistake() {
  Levels from, to;
  from.set(Level::element, A);
  to.set(Level::element, A / 2);
  return check_reshape(from, to);
}
REFUSED(mistake());
}  // namespace reshape_size

// # reshape-window
// A plain axis may be read as a window; a window has no other name, as its places belong to several elements.
namespace reshape_window {
TCP_AXES(X = 10, W = 8, F = 3);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<i8, Chip, m<slide(W, F)>>& in) {
  // error[reshape-window]: a reshape of Element m![$(W, F)], which slides a window, into m![X]; help: reshape the tensor with a plain axis of as many places: that may become any window
  return in.reshape<m<X>>();
}

auto after(Context& ctx, const HbmTensor<i8, Chip, m<X>>& in) { return in.reshape<m<slide(W, F)>>(); }
#endif
static constexpr Verdict mistake() {
  Levels from, to;
  from.set(Level::element, m<slide(W, F)>::mapping);
  to.set(Level::element, X);
  return check_reshape(from, to);
}
REFUSED(mistake());
}  // namespace reshape_window

// # reshape-zeros
// A reshape writes nothing, so it cannot promise that padding is zero.
namespace reshape_zeros {
TCP_AXES(P = 61);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<i8, Chip, m<P.pad(64)>>& in) {
  // error[reshape-zeros]: a reshape of Element m![P # 64] into m![P #z 64], which promises other zeros; help: pad it with # alone, or with #z in the tensor that is reshaped
  return in.reshape<m<P.pad_zero(64)>>();
}

auto after(Context& ctx, const HbmTensor<i8, Chip, m<P.pad_zero(64)>>& in) { return in.reshape<m<P.pad_zero(64)>>(); }
#endif
static constexpr Verdict mistake() {
  Levels from, to;
  from.set(Level::element, P.pad(64));
  to.set(Level::element, P.pad_zero(64));
  return check_reshape(from, to);
}
REFUSED(mistake());
}  // namespace reshape_zeros

// # view-missing
// A pass reads a view of a tensor: the whole of it, or a tile. `x.view()` is the whole.
namespace view_missing {
TCP_AXES(A = 2048);
using Slice = m<A / 8>;
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i32, Chip, Cluster, Slice, m<A % 8>>& in) {
  // error[view-missing]: a pass begins with a view, and is given the tensor m![A % 8] itself; help: write begin(x.view())
  return ctx.main.begin(in).fetch<i32, m<1>, m<A % 8>>();
}

auto after(Context& ctx, const DmTensor<i32, Chip, Cluster, Slice, m<A % 8>>& in) {
  return ctx.main.begin(in.view()).fetch<i32, m<1>, m<A % 8>>();
}
#endif
// error[view-missing]: a pass begins with a view, and is given the tensor m![A] itself; help: write begin(x.view())
REFUSED(detail::view_missing<detail::HbmType<i32, m<1>, m<A>>>());
}  // namespace view_missing

// # view-of-const
// `view_mut` is there to write through, and a const tensor is not written. A kernel that changes one of its arguments takes it without const.
namespace view_of_const {
TCP_AXES(A = 2048);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<i32, Chip, m<A>>& table) {
  // error[view-of-const]: view_mut of a const tensor m![A]; help: take the tensor by value or by reference without const: a kernel that writes into an argument says so
  return table.view_mut();
}

auto after(Context& ctx, HbmTensor<i32, Chip, m<A>>& table) { return table.view_mut(); }
#endif
// error[view-of-const]: view_mut of a const tensor m![A]; help: take the tensor by value or by reference without const: a kernel that writes into an argument says so
REFUSED(detail::const_written<detail::HbmType<i32, m<1>, m<A>>>());
}  // namespace view_of_const

// # view-other-width
// `reinterpret` shows the bits of each element as another type. Elements stay where they are, so both types have the same number of bits: f32 and i32, bf16 and i16.
namespace view_other_width {
TCP_AXES(A = 2048);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<bf16, Chip, m<A>>& in) {
  // error[view-other-width]: elements of bf16, 16 bits each, are to be seen as i32, 32 bits; help: name a type of 16 bits, or convert in a pass
  return in.reinterpret<i32>();
}

auto after(Context& ctx, const HbmTensor<bf16, Chip, m<A>>& in) { return in.reinterpret<i16>(); }
#endif
// error[view-other-width]: elements of bf16, 16 bits each, are to be seen as i32, 32 bits; help: name a type of 16 bits, or convert in a pass
REFUSED(check_reinterpret(ScalarType::bf16, ScalarType::i32));
}  // namespace view_other_width
