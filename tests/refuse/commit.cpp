// The commit writes a stream back to DM, and `memset` fills a tensor there.
#include "tcp/rules/commit.hpp"
#include "helpers/asked.hpp"
#include "helpers/kernels.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/mapping/view.hpp"

using namespace tcp;
using namespace tcp_refuse;

// # commit-bitmap-too-short
// The slice bitmap has a bit for each of the 256 slices of a cluster. On the logical device Slice may be larger; then there is nothing
// that a SliceMask could say about the rest.
namespace commit_bitmap_too_short {
constexpr const char* before = R"(
axes P = 512, W = 32
dm x: i8 Slice[P] Element[W] at 0
dm y: i8 Slice[P] Element[W] at 4096
main.begin(x)
  .fetch i8 Time[1] Packet[W]
  .collect
  .commit(y, slices: {0..254})
)";
constexpr const char* after = R"(
axes P = 512, W = 32
dm x: i8 Slice[P] Element[W] at 0
dm y: i8 Slice[P] Element[W] at 4096
main.begin(x)
  .fetch i8 Time[1] Packet[W]
  .collect
  .commit(y)
)";
// error[commit-bitmap-too-short]: the slice bitmap has 256 bits; Slice m![P] has 512 positions; help: commit without a SliceMask, or spread the tensor over fewer slices
REFUSED_AT_RUN_TIME { return checked(before, logical).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after, logical); }
TCP_AXES(P = 512);
REFUSED(slice_bitmap(P, SliceMask::all()));
}  // namespace commit_bitmap_too_short

// # commit-drops-data
// A commit may cut off the end of its packets: of a packet `W`, Element `W = 4` keeps the first four steps, and the result says so. What it may not do is leave holes in an
// axis, or forget one: with `A / 8` in Slice, Element `A % 4` would lose every second four elements of A, and nothing would say that they were meant to go.
//
// Commit all of the packet, and read a tile of the result; or fetch only what is wanted.
namespace commit_drops_data {
TCP_AXES(A = 2048, B = 2, W = 4);
using Slice = m<A / 8>;
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i32, Chip, Cluster, Slice, m<A % 8>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i32, m<1>, m<A % 8>>()
      .collect<m<1>, m<A % 8>>()
      // error[commit-drops-data]: Element m![A % 4] keeps 4 of 8 elements of Packet m![A % 8], and drops 4 of 8 live steps of A; help: give Element all of Packet, and take a tile of the result; or fetch only the part that is wanted
      .commit<m<A % 4>>(4096);
}

auto after(Context& ctx, const DmTensor<i32, Chip, Cluster, Slice, m<A % 8>>& in) {
  return ctx.main.begin(in.view()).fetch<i32, m<1>, m<A % 8>>().collect<m<1>, m<A % 8>>().commit<m<A % 8>>(4096);
}
#endif
// error[commit-drops-data]: Element m![A % 4] keeps 4 of 8 elements of Packet m![A % 8], and drops 4 of 8 live steps of A; help: give Element all of Packet, and take a tile of the result; or fetch only the part that is wanted
REFUSED_AT_RUN_TIME {
  Levels const stream = Levels{}.set(Level::slice, Slice{}).set(Level::packet, A % 8);
  return check_commit(rngd, {}, ScalarType::i32, stream, m<A % 4>{}).refusal();
}
// B is not in Element at all.
// error[commit-drops-data]: Element m![W] keeps 4 of 8 elements of Packet m![B, W], and drops 1 of 2 live steps of B; help: give Element all of Packet, and take a tile of the result; or fetch only the part that is wanted
REFUSED_AT_RUN_TIME {
  Levels const two = Levels{}.set(Level::slice, one.pad(256)).set(Level::packet, m<B, W>{});
  return check_commit(rngd, {}, ScalarType::i32, two, W).refusal();
}
}  // namespace commit_drops_data

// # commit-drops-time
// A commit can shorten packets, not the stream: every time step is written somewhere. To keep only some steps, fetch only those.
namespace commit_drops_time {
TCP_AXES(M = 4, W = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<M, W>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<M>, m<W>>()
      .collect<m<M>, m<W>>()
      // error[commit-drops-time]: Element m![M % 2, W] has no room for all steps of Time m![M]; help: give Element all of Time, or fetch only the part that is wanted
      .commit<m<M.resize(2), W>>(4096);
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<M, W>>& in) {
  return ctx.main.begin(in.view()).fetch<i8, m<M>, m<W>>().collect<m<M>, m<W>>().commit<m<M, W>>(4096);
}
#endif
constexpr Levels stream = Levels{}.set(Level::slice, one.pad(256)).set(Level::time, M).set(Level::packet, W);
REFUSED(check_commit(rngd, {}, ScalarType::i8, stream, m<M.resize(2), W>{}));
}  // namespace commit_drops_time

// # commit-generate-in-main
// An ITOS command fills DM with one 32-bit word, without any stream. It belongs to the commit unit of the sub context.
// no kernel: the front ends give `memset` to the sub context
namespace commit_generate_in_main {
// error[commit-generate-in-main]: an immediate is written to DM in the main context; help: use the sub context
REFUSED(check_itos(rngd, Tu::Main, Bytes{0}));
}  // namespace commit_generate_in_main

// # commit-memset-memory
// Only DM can be written by a command that carries its own data. HBM and SPM are filled by moving data there.
namespace commit_memset_memory {
TCP_AXES(A = 16);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx) {
  // error[commit-memset-memory]: memset of a tensor in HBM; only DM has a command for it; help: upload a constant from the host, or copy one
  return ctx.sub.memset<HbmTensor<i32, Chip, m<A>>>(0, 4096);
}

auto after(Context& ctx) { return ctx.sub.memset<DmTensor<i32, Chip, Cluster, Idle, m<A>>>(0, 4096); }
#endif
REFUSED(memset_refused("HBM"));
}  // namespace commit_memset_memory

// # commit-memset-padding
// A `memset` leaves padding as it was. Padding of kind zero is a promise on which contractions rely: it is filled as well, and only with zeros.
namespace commit_memset_padding {
constexpr const char* before = R"(
axes A = 6
dm x: i32 Cluster[1 # 2] Slice[1 # 256] Element[A #z 8] at 0
memset x = 1
)";
constexpr const char* after = R"(
axes A = 6
dm x: i32 Cluster[1 # 2] Slice[1 # 256] Element[A # 8] at 0
memset x = 1
)";
// error[commit-memset-padding]: memset of Element m![A #z 8] with a word that is not zero; help: pad with # instead of #z, or fill with zero
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
TCP_AXES(A = 6);
REFUSED(check_memset_word(A.pad_zero(8), 1));
}  // namespace commit_memset_padding

// # commit-memset-part-of-byte
// `memset` writes whole bytes. In a tile, what shares a byte with its elements belongs to the rest of the tensor: three elements of i4 cannot be
// set without a fourth.
namespace commit_memset_part_of_byte {
constexpr const char* before = R"(
axes A = 4, B = 16
dm x: i4 Cluster[1 # 2] Slice[1 # 256] Element[A, B] at 0
dm row: i4 Cluster[1 # 2] Slice[1 # 256] Element[A, B = 3 # 16] = x.tile([B], length: 3, start: 0)
memset row = 0
)";
constexpr const char* after = R"(
axes A = 4, B = 16
dm x: i4 Cluster[1 # 2] Slice[1 # 256] Element[A, B] at 0
dm row: i4 Cluster[1 # 2] Slice[1 # 256] Element[A, B = 4 # 16] = x.tile([B], length: 4, start: 0)
memset row = 0
)";
// error[commit-memset-part-of-byte]: memset of a tile m![A, B = 3 # 16] of i4, whose elements do not fill whole bytes; help: let the tile hold whole bytes, or commit into it
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
TCP_AXES(A = 4, B = 16);
constexpr Mapping row = tile(m<A, B>::mapping, B, 3, 0)->mapping;
REFUSED(check_memset(rngd, Tu::Sub, ScalarType::i4, row, Bytes{0}, MemsetOf::tile));
}  // namespace commit_memset_part_of_byte

// # commit-packet-not-one-flit
// The Commit Engine takes flits of 32 bytes. Collect, Cast and Transpose make them; a fetch that is committed directly, in the sub
// context, must have packets of that size.
namespace commit_packet_not_one_flit {
TCP_AXES(M = 4, W = 16);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<M, W>>& in) {
  return ctx.sub.begin(in.view())
      .fetch<i8, m<M>, m<W>>()
      // error[commit-packet-not-one-flit]: Packet m![W] of i8 is 16 bytes; commit takes flits of 32 bytes; help: fetch packets of one flit
      .commit<m<M, W>>(4096);
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<M, W>>& in) {
  return ctx.sub.begin(in.view()).fetch<i8, m<M / 2>, m<M % 2, W>>().commit<m<M, W>>(4096);
}
#endif
constexpr Levels stream = Levels{}.set(Level::slice, one.pad(256)).set(Level::time, M).set(Level::packet, W);
// error[commit-packet-not-one-flit]: Packet m![W] of i8 is 16 bytes; commit takes flits of 32 bytes; help: collect, cast and transpose make flits
REFUSED(check_commit(rngd, {}, ScalarType::i8, stream, m<M, W>{}));
}  // namespace commit_packet_not_one_flit

// # commit-stride
// Whole rows of 8 bytes are written, at multiples of 8 bytes. So every stride of a commit's sequencer is a multiple of 8 bytes; the steps
// inside of one write do not count.
//
// Pad the inner factors of Element so that rows begin at multiples of 8 bytes.
namespace commit_stride {
TCP_AXES(M = 4, W = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<M, W>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<M>, m<W>>()
      .collect<m<M>, m<W.pad(32)>>()
      // error[commit-stride]: the writes [4 : 12, 8 : 1] : 8 of i8 step by 12 elements, 12 bytes; strides of a commit are multiples of 8 bytes; help: pad the inner factors of Element to a multiple of 8 bytes
      .commit<m<M, W.pad(12)>>(4096);
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<M, W>>& in) {
  return ctx.main.begin(in.view()).fetch<i8, m<M>, m<W>>().collect<m<M>, m<W.pad(32)>>().commit<m<M, W.pad(16)>>(4096);
}
#endif
constexpr Levels stream = Levels{}.set(Level::slice, one.pad(256)).set(Level::time, M).set(Level::packet, W.pad(32));
REFUSED(check_commit(rngd, {}, ScalarType::i8, stream, m<M, W.pad(12)>{}));
}  // namespace commit_stride

// # commit-touches-padding
// A write touches live elements and padding of its own tensor. Padding of a view is not its own: the tensor that it looks into has other
// elements there. And padding written `#!` is never touched at all.
//
// Trim the packet so that only live elements are left, in whole rows of 8 bytes.
namespace commit_touches_padding {
TCP_AXES(M = 4, W = 13);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<M, W>>& in, DmTensor<i8, Chip, Cluster, Idle, m<M, W.pad(32)>>& out) {
  ctx.main.begin(in.view())
      .fetch<i8, m<M>, m<W.pad(16)>>()
      .collect<m<M>, m<W.pad(32)>>()
      // error[commit-touches-padding]: padding of the stream m![M, W # 32] would be written into padding of m![M, W # 32], which must not be touched; help: leave only live elements in the packet, or commit to a tensor whose padding is #
      .commit_view(out.view_mut());
  ;
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<M, W>>& in, DmTensor<i8, Chip, Cluster, Idle, m<M, W.pad(32)>>& out) {
  ctx.main.begin(in.view()).fetch<i8, m<M>, m<W.pad(16)>>().collect<m<M>, m<W.pad(32)>>().commit_view(out.view_mut().tile<m<W>, 8>(0));
  ;
}
#endif
constexpr Levels stream = Levels{}.set(Level::slice, one.pad(256)).set(Level::time, M).set(Level::packet, W.pad(32));
constexpr CommitHow into_view{.into_view = true};
REFUSED(check_commit(rngd, into_view, ScalarType::i8, stream, m<M, W.pad(32)>{}));
}  // namespace commit_touches_padding

// # commit-type-not-in-memory
// `i5` and `i9` hold the difference of two quantised values. They exist between the fetch adapter and the contraction, and have no form in
// memory.
namespace commit_type_not_in_memory {
TCP_AXES(M = 4, W = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<M, W>>& in) {
  return ctx.main.begin(in.view())
      .fetch_with_zero_point<i9, m<M>, m<W>>(10)
      .collect<m<M>, m<W>>()
      // error[commit-type-not-in-memory]: a stream of i9 cannot be written to DM; help: fetch as i32, or contract first
      .commit<m<M, W>>(4096);
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<M, W>>& in) {
  return ctx.main.begin(in.view()).fetch_with_zero_point<i32, m<M>, m<W>>(10).collect<m<M, W / 8>, m<W % 8>>().commit<m<M, W>>(4096);
}
#endif
constexpr Levels stream = Levels{}.set(Level::slice, one.pad(256)).set(Level::time, M).set(Level::packet, W);
REFUSED(check_commit(rngd, {}, ScalarType::i9, stream, m<M, W>{}));
}  // namespace commit_type_not_in_memory

// # commit-valid-count-in-main
// Valid-count packing writes only the leading elements of each packet, as many as a run-time count says. The commit unit of the sub
// context can do that, the main context's cannot.
namespace commit_valid_count_in_main {
TCP_AXES(M = 4, W = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<M, W>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<M>, m<W>>()
      .collect<m<M>, m<W>>()
      // error[commit-valid-count-in-main]: valid-count packing in the main context; help: name the elements in the mapping: Element N = 8 keeps the leading 8 of each packet
      .commit_packed<m<M, W>>(4096);
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<M, W>>& in) {
  return ctx.main.begin(in.view()).fetch<i8, m<M>, m<W>>().collect<m<M>, m<W>>().commit<m<M, W>>(4096);
}
#endif
constexpr Levels stream = Levels{}.set(Level::slice, one.pad(256)).set(Level::time, M).set(Level::packet, W);
constexpr CommitHow counted{.valid_count = true};
REFUSED(check_commit(rngd, counted, ScalarType::i8, stream, m<M, W>{}));
}  // namespace commit_valid_count_in_main

// # commit-valid-count-unknown
// Valid-count packing writes only the leading elements of each packet, as many as a run-time count says. The manual names the feature and
// not where its count comes from: no operand, no register and no field of a command holds it. A program that asks for it would write
// whole packets, so it is refused. What can be said beforehand is said by the mapping, and a filter compacts by value.
namespace commit_valid_count_unknown {
TCP_AXES(M = 4, W = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<M, W>>& in) {
  return ctx.sub.begin(in.view())
      .fetch<i8, m<M>, m<W>>()
      // error[commit-valid-count-unknown]: valid-count packing, with no count; help: name the elements in the mapping: Element N = 8 keeps the leading 8 of each packet; vector_filter compacts by value
      .commit_packed<m<M, W>>(4096);
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<M, W>>& in) {
  return ctx.sub.begin(in.view()).fetch<i8, m<M>, m<W>>().commit<m<M, W>>(4096);
}
#endif
constexpr Levels stream = Levels{}.set(Level::slice, one.pad(256)).set(Level::time, M).set(Level::packet, W);
constexpr CommitHow counted{.context = Tu::Sub, .valid_count = true};
REFUSED(check_commit(rngd, counted, ScalarType::i8, stream, m<M, W>{}));
}  // namespace commit_valid_count_unknown

// # commit-width
// Of each flit a commit keeps the leading 8, 16, 24 or 32 bytes, as much as Element has room for. Here rows of 13 bytes are without a gap:
// 8 bytes are too few, and 16 would run into the next row.
//
// Pad the row in Element to the next of the widths. A write must never leave its own row, while a read may.
namespace commit_width {
TCP_AXES(M = 4, W = 13);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<M, W>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<M>, m<W.pad(16)>>()
      .collect<m<M>, m<W.pad(32)>>()
      // error[commit-width]: Packet m![W # 32] of i8 cannot be cut to fit Element m![M, W]: a commit keeps its leading 8, 16, 24 or 32 bytes; help: pad the row in Element to one of these widths
      .commit<m<M, W>>(4096);
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<M, W>>& in) {
  return ctx.main.begin(in.view()).fetch<i8, m<M>, m<W.pad(16)>>().collect<m<M>, m<W.pad(32)>>().commit<m<M, W.pad(16)>>(4096);
}
#endif
constexpr Levels stream = Levels{}.set(Level::slice, one.pad(256)).set(Level::time, M).set(Level::packet, W.pad(32));
REFUSED(check_commit(rngd, {}, ScalarType::i8, stream, m<M, W>{}));
}  // namespace commit_width

// # commit-writes-nothing
// Slices that Slice pads are idle and never write. A SliceMask narrows the rest further; here nothing is left, so the commit would have no
// effect.
namespace commit_writes_nothing {
constexpr const char* before = R"(
axes P = 61, W = 32
dm x: i8 Cluster[1 # 2] Slice[P # 256] Element[W] at 0
dm y: i8 Cluster[1 # 2] Slice[P # 256] Element[W] at 4096
main.begin(x)
  .fetch i8 Time[1] Packet[W]
  .collect
  .commit(y, slices: {200})
)";
constexpr const char* after = R"(
axes P = 61, W = 32
dm x: i8 Cluster[1 # 2] Slice[P # 256] Element[W] at 0
dm y: i8 Cluster[1 # 2] Slice[P # 256] Element[W] at 4096
main.begin(x)
  .fetch i8 Time[1] Packet[W]
  .collect
  .commit(y, slices: {20})
)";
// error[commit-writes-nothing]: no slice is left to write: Slice m![P # 256] and the SliceMask have none in common; help: put at least one live slice into the SliceMask
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
TCP_AXES(P = 61);
REFUSED(slice_bitmap(P.pad(256), SliceMask::only(200)));
}  // namespace commit_writes_nothing

// # commit-zeros-not-written
// Fresh memory is undefined. Zero padding in Element is a promise to later readers of the tensor, so the commit has to write the zeros:
// they must be in the stream, and within the part of the packet that is written.
//
// What Collect, Cast and a masking fetch add to a packet is zero; what a fetch over-reads is not.
namespace commit_zeros_not_written {
TCP_AXES(M = 4, N = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<M, N>>& in) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<M>, m<N.pad(16)>>()
      .collect<m<M>, m<N.pad(16)>>()
      // error[commit-zeros-not-written]: Element m![M, N #z 16] promises zeros, and the stream m![M, N # 16] does not bring them; help: pad with # instead of #z, or keep zero padding in the packet
      .commit<m<M, N.pad_zero(16)>>(4096);
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<M, N>>& in) {
  return ctx.main.begin(in.view()).fetch<bf16, m<M>, m<N.pad(16)>>().collect<m<M>, m<N.pad(16)>>().commit<m<M, N.pad(16)>>(4096);
}
#endif
constexpr Levels stream = Levels{}.set(Level::slice, one.pad(256)).set(Level::time, M).set(Level::packet, N.pad(16));
REFUSED(check_commit(rngd, {}, ScalarType::bf16, stream, m<M, N.pad_zero(16)>{}));
}  // namespace commit_zeros_not_written
