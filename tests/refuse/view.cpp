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
