// A view shows the positions of a tensor under other indices.
#include "tcp/rules/view.hpp"
#include "helpers/kernels.hpp"
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"

using namespace tcp;

// # relabel-bottom
// Padding that is written `#!` is never touched: another tensor may be there. A name would let it be read.
namespace relabel_bottom {
TCP_AXES(A = 8, B = 16);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<i32, Chip, m<A.pad_bottom(16)>>& in) {
  // error[relabel-bottom]: a relabelling of Element m![A #! 16] into m![B], which names other positions; help: pad the tensor with #, or keep its padding
  return in.relabel<Chip, m<B>>();
}

auto after(Context& ctx, const HbmTensor<i32, Chip, m<A.pad(16)>>& in) { return in.relabel<Chip, m<B>>(); }
#endif
static constexpr Verdict mistake() {
  return check_relabel(Levels{}.set(Level::element, A.pad_bottom(16)), Levels{}.set(Level::element, B));
}
// error[relabel-bottom]: a relabelling of Element m![A #! 16] into m![B], which names other positions; help: pad the tensor with #, or keep its padding
REFUSED(mistake());
}  // namespace relabel_bottom

// # relabel-element-copies
// A bare number counts copies. In Chip, Cluster and Slice each of them is in a unit of its own, and may get a name; inside Element the copies are one part of one tensor, and
// naming them makes another tensor of it: that is a reshape.
namespace relabel_element_copies {
TCP_AXES(A = 8, B = 4);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<i32, Chip, m<4, A>>& in) {
  // error[relabel-element-copies]: a relabelling of Element m![4, A] into m![B, A], which names copies; help: reshape the tensor, or name the copies where they are made
  return in.relabel<Chip, m<B, A>>();
}

auto after(Context& ctx, const HbmTensor<i32, Chip, m<4, A>>& in) { return in.reshape<m<B, A>>(); }
#endif
static constexpr Verdict mistake() {
  return check_relabel(Levels{}.set(Level::element, m<4, A>::mapping), Levels{}.set(Level::element, m<B, A>::mapping));
}
// error[relabel-element-copies]: a relabelling of Element m![4, A] into m![B, A], which names copies; help: reshape the tensor, or name the copies where they are made
REFUSED(mistake());
}  // namespace relabel_element_copies

// # relabel-order
// A relabelling gives names to positions and moves nothing. Two axes that change places would give each element the name of another one.
namespace relabel_order {
TCP_AXES(A = 8, B = 4);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<i32, Chip, m<A, B>>& in) {
  // error[relabel-order]: a relabelling has B outside of A; in its tensor A is outside of B; help: move the elements by a transfer, or give the positions new names
  return in.relabel<Chip, m<B, A>>();
}

auto after(Context& ctx, const HbmTensor<i32, Chip, m<A, B>>& in) { return in.to_hbm<m<B, A>>(ctx.tdma); }
#endif
static constexpr Verdict mistake() {
  return check_relabel(Levels{}.set(Level::element, m<A, B>::mapping), Levels{}.set(Level::element, m<B, A>::mapping));
}
// error[relabel-order]: a relabelling has B outside of A; in its tensor A is outside of B; help: move the elements by a transfer, or give the positions new names
REFUSED(mistake());
}  // namespace relabel_order

// # relabel-window
// A window gives several names to one place. A relabelling gives each place one name at most.
namespace relabel_window {
TCP_AXES(X = 10, W = 8, F = 3);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<i8, Chip, m<X>>& in) {
  // error[relabel-window]: a relabelling of Element m![X] into m![$(W, F)], which slides a window; help: reshape the tensor: that may show a plain axis as a window
  return in.relabel<Chip, m<slide(W, F)>>();
}

auto after(Context& ctx, const HbmTensor<i8, Chip, m<X>>& in) { return in.reshape<m<slide(W, F)>>(); }
#endif
static constexpr Verdict mistake() {
  return check_relabel(Levels{}.set(Level::element, X), Levels{}.set(Level::element, m<slide(W, F)>::mapping));
}
// error[relabel-window]: a relabelling of Element m![X] into m![$(W, F)], which slides a window; help: reshape the tensor: that may show a plain axis as a window
REFUSED(mistake());
}  // namespace relabel_window

// # reshape-copies
// A bare number counts copies: positions that hold the same element. Positions that hold different ones cannot be called that, because nothing says which of them is meant.
namespace reshape_copies {
TCP_AXES(A = 8, B = 4, X = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<i32, Chip, m<X>>& in) {
  // error[reshape-copies]: a reshape of Element m![X] into m![4, A], which calls several elements copies of one; help: name them by an axis, or pad the first of them: 1 # n
  return in.reshape<m<4, A>>();
}

auto after(Context& ctx, const HbmTensor<i32, Chip, m<X>>& in) { return in.reshape<m<B, A>>(); }
#endif
static constexpr Verdict mistake() {
  return check_reshape(Levels{}.set(Level::element, X), Levels{}.set(Level::element, m<4, A>::mapping));
}
// error[reshape-copies]: a reshape of Element m![X] into m![4, A], which calls several elements copies of one; help: name them by an axis, or pad the first of them: 1 # n
REFUSED(mistake());
}  // namespace reshape_copies

// # reshape-padding
// What is padding holds nothing that could be named, and what holds something must not be forgotten: a reshape keeps the padding where it is.
namespace reshape_padding {
TCP_AXES(A = 2048, B = 512, P = 61);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<i8, Chip, m<P.pad(64)>>& in) {
  // error[reshape-padding]: a reshape of Element m![P # 64] into m![B / 8], which has its padding elsewhere; help: pad both alike, move the elements by a transfer, or relabel: that forgets elements, and names padding as undefined ones
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
TCP_AXES(A = 2048, B = 512, P = 61, Q = 4);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<i8, Chip, m<A>>& in) {
  // error[reshape-size]: a reshape of Element m![A] with 2048 positions into m![A / 2] with 1024; help: give Element 2048 positions
  return in.reshape<m<A / 2>>();
}

auto after(Context& ctx, const HbmTensor<i8, Chip, m<A>>& in) { return in.reshape<m<B, Q>>(); }
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
  // error[reshape-zeros]: a reshape of Element m![P # 64] into m![P #z 64], which promises other zeros; help: pad it with # alone, or with #z in the tensor that is looked at
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
