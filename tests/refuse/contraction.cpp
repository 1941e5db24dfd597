// The Contraction Engine pairs a stream with weights in the TRF, multiplies, adds up within a packet and then over time.
#include "tcp/rules/contraction.hpp"
#include "helpers/asked.hpp"
#include "helpers/kernels.hpp"
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"

using namespace tcp;
using namespace tcp_refuse;

// The operands of the contractions that are refused here.
namespace tcp_refuse {

constexpr tcp::Levels stream(const tcp::Mapping& time, const tcp::Mapping& packet) {
  tcp::Levels l;
  return l.set(tcp::Level::time, time).set(tcp::Level::packet, packet);
}
constexpr tcp::Levels weights(const tcp::Mapping& row, const tcp::Mapping& element) {
  tcp::Levels l;
  return l.set(tcp::Level::row, row).set(tcp::Level::element, element);
}
/// What align and contract give.
constexpr tcp::Levels computation(const tcp::Mapping& row, const tcp::Mapping& time, const tcp::Mapping& packet) {
  tcp::Levels l = stream(time, packet);
  return l.set(tcp::Level::row, row);
}

}  // namespace tcp_refuse

// # contraction-accumulate-order
// `accumulate` adds over the axes of Time that its result does not have. The others keep their order and their padding: results
// leave in the order in which they are complete.
//
// Rearrange in the fetch, or when the result is committed.
namespace contraction_accumulate_order {
TCP_AXES(A = 4, B = 3, N = 8, K = 4, W = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<A, K, B, W>>& in,
            const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<K, W>>& w) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<A, K, B>, m<W>>()
      .collect<m<A, K, B, W / 16>, m<W % 16>>()
      .align<m<A, K, B>, m<W>>(w)
      .contract<m<1>>()
      // error[contraction-accumulate-order]: Time m![B, A] is not m![A, K, B] with some axes left out; help: keep the order of Time here; rearrange in the fetch, or when the result is committed
      .accumulate<m<B, A>, m<N>>(AccumulationKind::Interleaved);
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<A, K, B, W>>& in,
           const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<K, W>>& w) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<A, K, B>, m<W>>()
      .collect<m<A, K, B, W / 16>, m<W % 16>>()
      .align<m<A, K, B>, m<W>>(w)
      .contract<m<1>>()
      .accumulate<m<A, B>, m<N>>(AccumulationKind::Interleaved);
}
#endif
REFUSED(check_accumulate(target, ContractOp::Add, AccumulationKind::Interleaved, ScalarType::f32, computation(N, Expr(m<A, K, B>{}), one),
                         Expr(m<B, A>{}), N));
}  // namespace contraction_accumulate_order

// # contraction-accumulate-packet
// `accumulate` puts out eight 32-bit values at a time. Interleaved, these are one value of each Row: Packet is Row, padded to 8.
// Sequential, they are eight columns of one Row: Packet is the columns, padded to 8.
//
// Write the Packet of the mode that you chose.
namespace contraction_accumulate_packet {
TCP_AXES(M = 4, N = 4, K = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<M, K>>& in,
            const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<K>>& w) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<M>, m<K>>()
      .collect<m<M, K / 16>, m<K % 16>>()
      .align<m<M>, m<K>>(w)
      .contract<m<1>>()
      // error[contraction-accumulate-packet]: Packet m![N] is not what Interleaved puts out: a value of each Row, m![N # 8]; help: write Packet = m![N # 8]
      .accumulate<m<M>, m<N>>(AccumulationKind::Interleaved);
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<M, K>>& in,
           const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<K>>& w) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<M>, m<K>>()
      .collect<m<M, K / 16>, m<K % 16>>()
      .align<m<M>, m<K>>(w)
      .contract<m<1>>()
      .accumulate<m<M>, m<N.pad(8)>>(AccumulationKind::Interleaved);
}
#endif
REFUSED(check_accumulate(target, ContractOp::Add, AccumulationKind::Interleaved, ScalarType::f32, computation(N, M, one), M, N));
}  // namespace contraction_accumulate_packet

// # contraction-accumulate-slots
// A sum over time stays open until the outermost of the axes that are added has come to its end, and all that is counted inside of
// it is open at once. The accumulator has 1,024 slots. Interleaved, each open value takes a slot of all 8 Rows, so 128 can be open;
// Sequential, it takes the 32 columns of its Row, so 32 Rows can.
//
// Bring the added axis further inside in the fetch's Time; the innermost place needs one slot only.
namespace contraction_accumulate_slots {
TCP_AXES(K = 4, M = 129, N = 8, W = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<K, M, W>>& in,
            const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<K, W>>& w) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<K, M>, m<W>>()
      .collect<m<K, M, W / 16>, m<W % 16>>()
      .align<m<K, M>, m<W>>(w)
      .contract<m<1>>()
      // error[contraction-accumulate-slots]: Interleaved keeps 129 sums of 8 slots open at once; the accumulator has 1024 slots, room for 128; help: move the outermost axis that is added further inside, in the fetch's Time
      .accumulate<m<M>, m<N>>(AccumulationKind::Interleaved);
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<K, M, W>>& in,
           const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<K, W>>& w) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<M, K>, m<W>>()
      .collect<m<M, K, W / 16>, m<W % 16>>()
      .align<m<M, K>, m<W>>(w)
      .contract<m<1>>()
      .accumulate<m<M>, m<N>>(AccumulationKind::Interleaved);
}
#endif
REFUSED(check_accumulate(target, ContractOp::Add, AccumulationKind::Interleaved, ScalarType::f32, computation(N, Expr(m<K, M>{}), one), M,
                         N));
}  // namespace contraction_accumulate_slots

// # contraction-accumulate-time
// The innermost factors of the result's Time are what a step of the Reducer puts out one after the other. Interleaved, these are the
// columns that the tree left; Sequential, it is Row, and then the columns in eights.
//
// Write what is left of Time, and then these. Columns may be left out only if they are padding.
namespace contraction_accumulate_time {
TCP_AXES(M = 4, N = 8, P = 4, K = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<M, P, K>>& in,
            const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<P, K>>& w) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<M>, m<P, K>>()
      .collect<m<M, P / 2>, m<P % 2, K>>()
      .align<m<M>, m<P, K>>(w)
      .contract<m<P>>()
      // error[contraction-accumulate-time]: Time m![P, M] does not end with the columns m![P]; help: write what is left of m![M] and then m![P]
      .accumulate<m<P, M>, m<N>>(AccumulationKind::Interleaved);
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<M, P, K>>& in,
           const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<P, K>>& w) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<M>, m<P, K>>()
      .collect<m<M, P / 2>, m<P % 2, K>>()
      .align<m<M>, m<P, K>>(w)
      .contract<m<P>>()
      .accumulate<m<M, P>, m<N>>(AccumulationKind::Interleaved);
}
#endif
REFUSED(check_accumulate(target, ContractOp::Add, AccumulationKind::Interleaved, ScalarType::f32, computation(N, M, P), Expr(m<P, M>{}),
                         N));
}  // namespace contraction_accumulate_time

// # contraction-columns-start
// A tree that adds only blocks of an axis leaves the blocks as columns, and each column is found again by the coordinate at which its block begins. With padding
// in front that is not a whole number of blocks, the first block would begin before the axis.
//
// Here K begins 3 positions late and is added in blocks of 8. Add all of K, or pad it in front by whole blocks.
namespace contraction_columns_start {
TCP_AXES(N = 8, K = 13);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<K>>& in,
            const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<K.pad_left(3).pad_zero(32)>>& w) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<1>, m<K.pad_left(3).pad_zero(32)>>()
      .collect<m<K.pad_left(3).pad_zero(32) / 16>, m<K.pad_left(3).pad_zero(32) % 16>>()
      .align<m<1>, m<K.pad_left(3).pad_zero(32)>>(w)
      // error[contraction-columns-start]: axis K begins at -3 and is added in blocks of 8, of which m![K #< 3 / 8 #z 4] stays; help: add all of K, or pad it in front by whole blocks
      .contract<m<K.pad_left(3).pad_zero(32) / 8>>();
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<K>>& in,
           const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<K.pad_left(3).pad_zero(32)>>& w) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<1>, m<K.pad_left(3).pad_zero(32)>>()
      .collect<m<K.pad_left(3).pad_zero(32) / 16>, m<K.pad_left(3).pad_zero(32) % 16>>()
      .align<m<1>, m<K.pad_left(3).pad_zero(32)>>(w)
      .contract<m<1>>();
}
#endif
static constexpr Verdict mistake() {
  Mapping const packet = K.pad_left(3).pad_zero(32);
  return verdict(check_contract(target, ContractOp::Add, ScalarType::bf16, computation(N, one, packet), divide_by(packet, 8)));
}
REFUSED(mistake());
}  // namespace contraction_columns_start

// # contraction-columns-wrong
// The tree adds neighbouring lanes, then neighbouring sums, and so on: after n levels Packet / 2^n is left. It cannot add lanes that
// are apart, so only the innermost part of the packet can be contracted; outer columns may be cut off if they are padding.
//
// Here K is outside of L, and L was to be kept. Put the axes to be added to the inside of the packet, in the stream and in the
// TRF.
namespace contraction_columns_wrong {
TCP_AXES(N = 8, L = 2, K = 16);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<K, L>>& in,
            const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<K, L>>& w) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<1>, m<K, L>>()
      .collect<m<K / 8>, m<K % 8, L>>()
      .align<m<1>, m<K, L>>(w)
      // error[contraction-columns-wrong]: Packet m![L] is not what a tree leaves of m![K, L]; help: write m![K / 8], or bring the axes to be added to the inside of the packet
      .contract<m<L>>();
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<K, L>>& in,
           const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<K, L>>& w) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<1>, m<K, L>>()
      .collect<m<K / 8>, m<K % 8, L>>()
      .align<m<1>, m<K, L>>(w)
      .contract<m<K / 8>>();
}
#endif
REFUSED(check_contract(target, ContractOp::Add, ScalarType::bf16, computation(N, one, Expr(m<K, L>{})), L));
}  // namespace contraction_columns_wrong

// # contraction-flit-buffer
// To shift through a window, the stream adapter holds all its flits in a buffer of 96 bytes: three flits.
//
// Take a shorter piece of the window at a time, or let the fetch do it: as a factor of the fetch's Time, the filter axis reads the
// same elements again.
namespace contraction_flit_buffer {
TCP_AXES(M = 4, W = 60, Fw = 3);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<M, slide(W, Fw)>>& in) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<M>, m<slide(W, Fw).pad(64)>>()
      // error[contraction-flit-buffer]: the window m![$(W, Fw) # 64] of bf16 is 128 bytes; the stream adapter buffers 96 bytes; help: read a shorter window, or let the fetch read the filter axis in Time
      .collect<m<M>, m<slide(W, Fw).pad(64)>>();
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<M, slide(W, Fw)>>& in) {
  return ctx.main.begin(in.view()).fetch<bf16, m<M, Fw>, m<W.pad(64)>>().collect<m<M, Fw, W.pad(64) / 16>, m<W.pad(64) % 16>>();
}
#endif
REFUSED(collected(target, ScalarType::bf16, M, slide(W, Fw).pad(64)));
}  // namespace contraction_flit_buffer

// # contraction-max-padding
// A sum may take in zeros; a maximum may not, for a zero wins over negative products. So there must be no padding, of whatever kind,
// among what is compared, and also not the zeros by which `align` fills up a packet of one flit.
//
// Keep the padding in columns of its own: a packet `K # 32` of 16 elements is contracted to `1 # 2`, whose second column is cut off
// by `accumulate`.
namespace contraction_max_padding {
TCP_AXES(K = 16);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<K>>& in, const TrfTensor<bf16, Chip, Cluster, Idle, m<1>, m<K>>& w) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<1>, m<K>>()
      .collect<m<1>, m<K>>()
      .align<m<1>, m<K.pad(32)>>(w)
      // error[contraction-max-padding]: the maximum over m![K #z 32] would take in padding of axis K; help: keep padding in columns of its own: a packet K # 32 of 16 elements leaves 1 # 2, of which the second is cut off later
      .contract_max<m<1>>();
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<K>>& in, const TrfTensor<bf16, Chip, Cluster, Idle, m<1>, m<K>>& w) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<1>, m<K>>()
      .collect<m<1>, m<K>>()
      .align<m<1>, m<K.pad(32)>>(w)
      .contract_max<m<one.pad(2)>>();
}
#endif
REFUSED(check_contract(target, ContractOp::Max, ScalarType::bf16, computation(one, one, K.pad_zero(32)), one));
}  // namespace contraction_max_padding

// # contraction-max-rows
// `contract_max` finds the greatest product. Only the first MAC Row can do that, the others can only add.
//
// Store the weights with Row `m![1]`, and what was Row in Element.
namespace contraction_max_rows {
TCP_AXES(N = 8, K = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<K>>& in, const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<K>>& w) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<1>, m<K>>()
      .collect<m<K / 16>, m<K % 16>>()
      .align<m<1>, m<K>>(w)
      // error[contraction-max-rows]: contract_max with Row m![N] of 8 rows; only one row finds a maximum; help: store the TRF tensor with Row m![1], and its rows in Element
      .contract_max<m<1>>();
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<K>>& in,
           const TrfTensor<bf16, Chip, Cluster, Idle, m<1>, m<N, K>>& w) {
  return ctx.main.begin(in.view()).fetch<bf16, m<1>, m<K>>().collect<m<K / 16>, m<K % 16>>().align<m<N>, m<K>>(w).contract_max<m<1>>();
}
#endif
REFUSED(check_contract(target, ContractOp::Max, ScalarType::bf16, computation(N, one, K), one));
}  // namespace contraction_max_rows

// # contraction-mixed-types
// Stream and weights go through the same multipliers, and one type sets these for both sides. `i5` counts as `i4` here and `i9` as
// `i8`, so that a stream with a zero point meets weights without one; the two formats of `f8` do not mix.
//
// Fetch one side into the type of the other.
namespace contraction_mixed_types {
TCP_AXES(A = 2048);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A>>& in, const TrfTensor<bf16, Chip, Cluster, Idle, m<1>, m<A>>& w) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<1>, m<A>>()
      .collect<m<A / 32>, m<A % 32>>()
      // error[contraction-mixed-types]: a stream of i8 cannot be multiplied with weights of bf16; help: fetch one of them into the other's type
      .align<m<A / 64>, m<A % 64>>(w);
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A>>& in, const TrfTensor<i8, Chip, Cluster, Idle, m<1>, m<A>>& w) {
  return ctx.main.begin(in.view()).fetch<i8, m<1>, m<A>>().collect<m<A / 32>, m<A % 32>>().align<m<A / 64>, m<A % 64>>(w);
}
#endif
REFUSED(check_operand_types(ScalarType::i8, ScalarType::bf16));
}  // namespace contraction_mixed_types

// # contraction-operand-type
// The multipliers of the Contraction Engine take `i4`, `i8`, `f8e4m3`, `f8e5m2` and `bf16`, and `i5` and `i9`, which the fetch makes
// of `i4` and `i8` less a zero point. Everything else is refused, in the stream and in the TRF: 32-bit numbers are what the engine
// puts out.
//
// Cast to `bf16` before: in the fetch (`fetch<bf16, …>`), or when the tensor is committed. Products of 32-bit numbers are the Vector
// Engine's business.
namespace contraction_operand_type {
TCP_AXES(A = 2048);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<A>>& in, const TrfTensor<bf16, Chip, Cluster, Idle, m<1>, m<A>>& w) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<1>, m<A>>()
      .collect<m<A / 8>, m<A % 8>>()
      // error[contraction-operand-type]: f32 cannot be multiplied in a contraction; i4, i5, i8, i9, f8e4m3, f8e5m2 and bf16 can; help: cast to bf16 when it is committed or fetched
      .align<m<A / 16>, m<A % 16>>(w);
}

auto after(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<A>>& in, const TrfTensor<bf16, Chip, Cluster, Idle, m<1>, m<A>>& w) {
  return ctx.main.begin(in.view()).fetch<bf16, m<1>, m<A>>().collect<m<A / 16>, m<A % 16>>().align<m<A / 32>, m<A % 32>>(w);
}
#endif
REFUSED(check_operand_types(ScalarType::f32, ScalarType::bf16));
}  // namespace contraction_operand_type

// # contraction-other-slices
// Each slice multiplies what it has: neither the stream nor the weights change their chip, cluster or slice on the way into the
// Contraction Engine. So Chip, Cluster and Slice of both must be the same mapping.
//
// Spread the weights over the slices like the stream when they are moved to DM, or bring the stream there with the switch.
namespace contraction_other_slices {
TCP_AXES(S = 256, M = 4, N = 8, K = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, m<S>, m<M, K>>& in,
            const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<K>>& w) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<M>, m<K>>()
      .collect<m<M, K / 16>, m<K % 16>>()
      // error[contraction-other-slices]: the stream has Slice m![S], the TRF tensor m![1 # 256]; help: load the TRF from a tensor with Slice = m![S]
      .align<m<M>, m<K>>(w);
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, m<S>, m<M, K>>& in,
           const TrfTensor<bf16, Chip, Cluster, m<S>, m<N>, m<K>>& w) {
  return ctx.main.begin(in.view()).fetch<bf16, m<M>, m<K>>().collect<m<M, K / 16>, m<K % 16>>().align<m<M>, m<K>>(w);
}
#endif
static constexpr Levels of_slices(const Mapping& slice) {
  Levels l = stream(Expr(m<M, K / 16>{}), K % 16);
  return l.set(Level::slice, slice);
}
// error[contraction-other-slices]: the stream has Slice m![S], the TRF tensor m![1]; help: load the TRF from a tensor with Slice = m![S]
REFUSED(check_align(target, ScalarType::bf16, of_slices(S), ScalarType::bf16, weights(N, K), M, K));
}  // namespace contraction_other_slices

// # contraction-packet-size
// The Reducer multiplies 64 bytes in a cycle: 128 elements of 4 bits, 64 of 8, 32 of `bf16`. `align` makes such packets, from two
// flits of 32 bytes, or from one and zeros; a Packet of 32 bytes means the latter.
//
// Divide what is too large between Time and Packet. Note that the axes to be added up in the packet must be its inner ones.
namespace contraction_packet_size {
TCP_AXES(M = 4, N = 8, K = 64);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<M, K>>& in,
            const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<K>>& w) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<M>, m<K>>()
      .collect<m<M, K / 16>, m<K % 16>>()
      // error[contraction-packet-size]: Packet m![K] of bf16 is 128 bytes; the Reducer takes 64 bytes, or 32 bytes and zeros; help: write Time = m![M, K / 32], inside of it what only the TRF has, and Packet = m![K % 32]
      .align<m<M>, m<K>>(w);
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<M, K>>& in,
           const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<K>>& w) {
  return ctx.main.begin(in.view()).fetch<bf16, m<M>, m<K>>().collect<m<M, K / 16>, m<K % 16>>().align<m<M, K / 32>, m<K % 32>>(w);
}
#endif
REFUSED(check_align(target, ScalarType::bf16, stream(Expr(m<M, K / 16>{}), K % 16), ScalarType::bf16, weights(N, K), M, K));
}  // namespace contraction_packet_size

// # contraction-packet-wrong
// `align` does not move elements about. It takes one flit and fills up with zeros, or two flits, which follow each other in the
// innermost part of Time; it can transpose a flit in a few ways (4 by 16 elements of 4 bits, 2 by 16 and 4 by 8 of 8 bits, 2 by 8 of
// 16 bits); and it shifts a filter axis out of a window. The declared Packet must be the outcome of one of these.
//
// Here L is not innermost in Time, so that its two flits do not come one after the other. Fetch in the order M, L.
namespace contraction_packet_wrong {
TCP_AXES(M = 4, L = 2, N = 8, K = 16);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<L, M, K>>& in,
            const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<K>>& w) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<L, M>, m<K>>()
      .collect<m<L, M>, m<K>>()
      // error[contraction-packet-wrong]: Packet m![L, K] of bf16 is not what the stream adapter makes of Time m![L, M], Packet m![K]; help: write Time = m![L, M / 2], inside of it what only the TRF has, and Packet = m![M % 2, K]
      .align<m<M>, m<L, K>>(w);
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<L, M, K>>& in,
           const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<K>>& w) {
  return ctx.main.begin(in.view()).fetch<bf16, m<M, L>, m<K>>().collect<m<M, L>, m<K>>().align<m<M>, m<L, K>>(w);
}
#endif
REFUSED(check_align(target, ScalarType::bf16, stream(Expr(m<L, M>{}), K), ScalarType::bf16, weights(N, K), M, Expr(m<L, K>{})));
}  // namespace contraction_packet_wrong

// # contraction-row-axis
// Row is a part of the weights' axes. If Time or Packet count other steps of such an axis, then the weights of these steps must be
// in the TRF's Element; otherwise the engine would multiply with those of step 0 again and again.
//
// Here Row has N % 8 and Time has N / 8. Store the weights with N / 8 in Element, or contract 8 of N at a time.
namespace contraction_row_axis {
TCP_AXES(M = 4, N = 32, K = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<N, M, K>>& in,
            const TrfTensor<bf16, Chip, Cluster, Idle, m<N % 8>, m<K>>& w) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<N / 8, M>, m<K>>()
      .collect<m<N / 8, M, K / 16>, m<K % 16>>()
      // error[contraction-row-axis]: Time m![N / 8, M] and Packet m![K] count axis N, of which the TRF has only Row m![N % 8]; help: store the rest of axis N in the Element of the TRF tensor
      .align<m<N / 8, M>, m<K>>(w);
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<N, M, K>>& in,
           const TrfTensor<bf16, Chip, Cluster, Idle, m<N % 8>, m<N / 8, K>>& w) {
  return ctx.main.begin(in.view()).fetch<bf16, m<N / 8, M>, m<K>>().collect<m<N / 8, M, K / 16>, m<K % 16>>().align<m<N / 8, M>, m<K>>(w);
}
#endif
REFUSED(check_align(target, ScalarType::bf16, stream(Expr(m<N / 8, M, K / 16>{}), K % 16), ScalarType::bf16, weights(N % 8, K),
                    Expr(m<N / 8, M>{}), K));
}  // namespace contraction_row_axis

// # contraction-rows
// A slice has 8 MAC Rows, and the sequencer that feeds them from the TRF works with 1, 2, 4 or 8 of them.
//
// Pad Row to the next of these numbers (`N # 4`), or keep a part of the axis in Element and contract several times.
namespace contraction_rows {
TCP_AXES(M = 4, N = 3, K = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<M, K>>& in,
            const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<K>>& w) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<M>, m<K>>()
      .collect<m<M, K / 16>, m<K % 16>>()
      // error[contraction-rows]: Row m![N] has 3 positions; the Reducer works with 1, 2, 4, 8 Rows; help: pad Row to the next of these, or move a part of it to Element
      .align<m<M>, m<K>>(w);
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<M, K>>& in,
           const TrfTensor<bf16, Chip, Cluster, Idle, m<N.pad(4)>, m<K>>& w) {
  return ctx.main.begin(in.view()).fetch<bf16, m<M>, m<K>>().collect<m<M, K / 16>, m<K % 16>>().align<m<M>, m<K>>(w);
}
#endif
REFUSED(check_align(target, ScalarType::bf16, stream(Expr(m<M, K / 16>{}), K % 16), ScalarType::bf16, weights(N, K), M, K));
}  // namespace contraction_rows

// # contraction-shift-stride
// One step of a filter axis shifts the flits by its distance in elements: the dilation, times everything that is inside of the
// window in the packet. The shifter spans less than 16 bytes: 31 elements of 4 bits, 15 of 8 bits, 7 of 16 bits.
//
// Let the fetch read the filter axis in Time, or move inner factors out of the packet.
namespace contraction_shift_stride {
TCP_AXES(M = 4, W = 2, Fw = 3, C = 8, N = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<M, slide(W, Fw), C>>& in,
            const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<Fw, C>>& w) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<M>, m<slide(W, Fw), C>>()
      .collect<m<M>, m<slide(W, Fw), C>>()
      // error[contraction-shift-stride]: the window moves on by 8 elements of bf16 a step; the stream adapter shifts by 0 to 7; help: let the fetch read the filter axis in Time, or keep fewer factors inside the window
      .align<m<M, Fw>, m<group(W.pad(4), C)>>(w);
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<M, slide(W, Fw), C>>& in,
           const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<Fw, C>>& w) {
  return ctx.main.begin(in.view()).fetch<bf16, m<M, Fw>, m<W, C>>().collect<m<M, Fw>, m<W, C>>().align<m<M, Fw>, m<group(W.pad(4), C)>>(w);
}
#endif
// error[contraction-shift-stride]: the window moves on by 8 elements of bf16 a step; the stream adapter shifts by 0 to 7; help: let the fetch read the filter axis in Time, or keep fewer factors inside the window
REFUSED(check_align(target, ScalarType::bf16, stream(M, Expr(m<slide(W, Fw), C>{})), ScalarType::bf16, weights(N, Expr(m<Fw, C>{})),
                    Expr(m<M, Fw>{}), group(W.pad(4), C)));
}  // namespace contraction_shift_stride

// # contraction-time-wrong
// Packets leave the stream adapter in the order in which the flits came. It can give out a packet several times, for axes that only
// the weights have; those are the innermost factors of Time. It cannot go back to an earlier packet.
//
// Here T, an axis of the weights, is outside of M. Write `M, T`, or let the fetch read the stream once for each T.
namespace contraction_time_wrong {
TCP_AXES(M = 4, T = 5, N = 8, K = 16);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<M, K>>& in,
            const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<T, K>>& w) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<M>, m<K>>()
      .collect<m<M>, m<K>>()
      // error[contraction-time-wrong]: Time m![T, M] does not begin with m![M], the stream's own Time in its order; help: write Time = m![M], inside of it what only the TRF has; or fetch in another order
      .align<m<T, M>, m<K.pad(32)>>(w);
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<M, K>>& in,
           const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<T, K>>& w) {
  return ctx.main.begin(in.view()).fetch<bf16, m<M>, m<K>>().collect<m<M>, m<K>>().align<m<M, T>, m<K.pad(32)>>(w);
}
#endif
REFUSED(check_align(target, ScalarType::bf16, stream(M, K), ScalarType::bf16, weights(N, Expr(m<T, K>{})), Expr(m<T, M>{}), K.pad(32)));
}  // namespace contraction_time_wrong

// # contraction-too-many-columns
// After the tree each Row supplies at most 32 sums. With 8-bit operands a packet has 64 products and with 4-bit operands 128, so at
// least one or two levels of the tree are needed, unless the columns beyond are padding.
//
// Contract neighbours: `Packet / 2` or less.
namespace contraction_too_many_columns {
TCP_AXES(N = 8, W = 64);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<W>>& in, const TrfTensor<i8, Chip, Cluster, Idle, m<N>, m<W>>& w) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<1>, m<W>>()
      .collect<m<W / 32>, m<W % 32>>()
      .align<m<1>, m<W>>(w)
      // error[contraction-too-many-columns]: Packet m![W] is 64 sums; a Row supplies 32 columns; help: add neighbours: write Packet / 2, or cut off columns of padding
      .contract<m<W>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<W>>& in, const TrfTensor<i8, Chip, Cluster, Idle, m<N>, m<W>>& w) {
  return ctx.main.begin(in.view()).fetch<i8, m<1>, m<W>>().collect<m<W / 32>, m<W % 32>>().align<m<1>, m<W>>(w).contract<m<W / 2>>();
}
#endif
REFUSED(check_contract(target, ContractOp::Add, ScalarType::i8, computation(N, one, W), W));
}  // namespace contraction_too_many_columns

// # contraction-tree-too-deep
// The tree that adds products has a fixed depth for each type: on RNGD 7 levels for 4 bits, 6 for 8 bits, 5 for `bf16`, enough for a
// packet of 64 bytes. A device of your own may have a shallower tree than its packets ask for.
//
// Leave more columns, and add them over time or in the Vector Engine.
// no kernel: on the chips that are described here, the tree is as deep as a packet asks for
namespace contraction_tree_too_deep {
TCP_AXES(N = 8, K = 32);

static constexpr Device shallow() {
  Device d = rngd;
  d.contraction.tree_depth_bf16 = 4;
  return d;
}
// error[contraction-tree-too-deep]: Packet m![1] of m![K] adds 2^5 products; the tree for bf16 adds 2^4; help: leave more of the packet: write m![K / 16]
REFUSED(check_contract(shallow(), ContractOp::Add, ScalarType::bf16, computation(N, one, K), one));
}  // namespace contraction_tree_too_deep

// # contraction-trf-misaligned
// A piece of weights begins at a multiple of its own size. A line of a TRF bank has 32 bytes, and a read of 64 bytes takes the two
// lines of both columns: a piece that begins elsewhere would reach over their end.
//
// Here rows of 96 bytes are read by 64. Pad the rows of Element to 128 bytes, `K # 64`.
namespace contraction_trf_misaligned {
TCP_AXES(M = 4, T = 3, N = 8, K = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<M, K>>& in,
            const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<T, K.pad(48)>>& w) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<M>, m<K>>()
      .collect<m<M, K / 16>, m<K % 16>>()
      // error[contraction-trf-misaligned]: the TRF sequencer reads 64 bytes at once from Element m![T, K # 48], and moves on by 96 bytes; help: pad the inner axis of the TRF's Element so that its rows are multiples of 64 bytes
      .align<m<M, T>, m<K>>(w);
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<M, K>>& in,
           const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<T, K.pad(64)>>& w) {
  return ctx.main.begin(in.view()).fetch<bf16, m<M>, m<K>>().collect<m<M, K / 16>, m<K % 16>>().align<m<M, T>, m<K>>(w);
}
#endif
REFUSED(check_align(target, ScalarType::bf16, stream(Expr(m<M, K / 16>{}), K % 16), ScalarType::bf16, weights(N, Expr(m<T, K.pad(48)>{})),
                    Expr(m<M, T>{}), K));
}  // namespace contraction_trf_misaligned

// # contraction-trf-not-read
// Every weight in the TRF takes part in a contraction. If Time and Packet leave out an axis of Element, or some steps of one, the
// sequencer would read the first of its steps only, and the result would silently lack the others.
//
// Add the axis to Time, as an innermost factor if the stream does not have it; or store only the weights that are wanted.
namespace contraction_trf_not_read {
TCP_AXES(M = 4, T = 5, N = 8, K = 16);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<M, K>>& in,
            const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<T, K>>& w) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<M>, m<K>>()
      .collect<m<M>, m<K>>()
      // error[contraction-trf-not-read]: Time m![M] and Packet m![K #z 32] do not count all of axis T in the TRF's Element m![T, K]; help: add the missing steps of T to Time, innermost if the stream does not have them
      .align<m<M>, m<K.pad(32)>>(w);
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<M, K>>& in,
           const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<T, K>>& w) {
  return ctx.main.begin(in.view()).fetch<bf16, m<M>, m<K>>().collect<m<M>, m<K>>().align<m<M, T>, m<K.pad(32)>>(w);
}
#endif
REFUSED(check_align(target, ScalarType::bf16, stream(M, K), ScalarType::bf16, weights(N, Expr(m<T, K>{})), M, K.pad(32)));
}  // namespace contraction_trf_not_read

// # contraction-trf-not-repeated
// In each cycle the TRF sequencer reads one contiguous piece of weights, and repeats it until 64 bytes are full. So the inner part
// of Packet must be in the TRF in one piece, and the factors outside of it must not be in the TRF at all.
//
// Here the packet is L, K, while in the TRF M is between the two. Store the weights as M, L, K, or contract L over time.
namespace contraction_trf_not_repeated {
TCP_AXES(M = 4, L = 2, N = 8, K = 16);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<M, L, K>>& in,
            const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<L, M, K>>& w) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<M, L>, m<K>>()
      .collect<m<M, L>, m<K>>()
      // error[contraction-trf-not-repeated]: of Packet m![L, K] only 16 elements are in one piece in the TRF's Element m![L, M, K]; help: store the weights in the order of the packet, or move its outer factors to Time
      .align<m<M>, m<L, K>>(w);
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<M, L, K>>& in,
           const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<M, L, K>>& w) {
  return ctx.main.begin(in.view()).fetch<bf16, m<M, L>, m<K>>().collect<m<M, L>, m<K>>().align<m<M>, m<L, K>>(w);
}
#endif
REFUSED(check_align(target, ScalarType::bf16, stream(Expr(m<M, L>{}), K), ScalarType::bf16, weights(N, Expr(m<L, M, K>{})), M,
                    Expr(m<L, K>{})));
}  // namespace contraction_trf_not_repeated

// # contraction-trf-read-size
// The piece of weights that is read at once, and repeated, has 1, 2, 4, 8, 16, 32 or 64 bytes.
//
// Here it is one weight of 4 bits for all lanes, half a byte. Pad the inner axis, in the stream and in the TRF alike, or store each
// weight twice.
namespace contraction_trf_read_size {
TCP_AXES(M = 4, T = 3, N = 8, L = 64);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i4, Chip, Cluster, Idle, m<M, L>>& in, const TrfTensor<i4, Chip, Cluster, Idle, m<N>, m<T>>& w) {
  return ctx.main.begin(in.view())
      .fetch<i4, m<M>, m<L>>()
      .collect<m<M>, m<L>>()
      // error[contraction-trf-read-size]: Packet m![L] of i4 repeats a piece of 4 bits of the TRF's Element m![T]; the sequencer reads pieces of 1, 2, 4, 8, 16, 32, 64 bytes; help: pad the inner axis in TRF and stream alike, to a power of two
      .align<m<M, T>, m<L.pad(128)>>(w);
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<M, L>>& in, const TrfTensor<i8, Chip, Cluster, Idle, m<N>, m<T>>& w) {
  return ctx.main.begin(in.view()).fetch<i8, m<M>, m<L>>().collect<m<M, L / 32>, m<L % 32>>().align<m<M, T>, m<L>>(w);
}
#endif
REFUSED(check_align(target, ScalarType::i4, stream(M, L), ScalarType::i4, weights(N, T), Expr(m<M, T>{}), L.pad(128)));
}  // namespace contraction_trf_read_size

// # contraction-trf-stride
// The strides of the TRF sequencer are signed numbers of 32 bits, in bytes. No tensor that fits the TRF of a chip comes near; a
// logical device, which has no capacities, can be asked for more.
//
// Use a smaller tensor.
namespace contraction_trf_stride {
constexpr const char* before = R"(
axes T = 2, B = 2147483648, N = 8, K = 16
dm x: bf16 Element[K] at 0
trf w: bf16 Row[N] Element[T, B, K]
dm y: f32 Element[B, T, N] at 4096
main.begin(x)
  .fetch bf16 Time[1] Packet[K]
  .collect
  .align(w) Time[B, T] Packet[K # 32]
  .contract Packet[1]
  .accumulate(Interleaved) Time[B, T] Packet[N]
  .commit(y)
)";
constexpr const char* after = R"(
axes T = 2, B = 2147483648, N = 8, K = 16
dm x: bf16 Element[K] at 0
trf w: bf16 Row[N] Element[B, T, K]
dm y: f32 Element[B, T, N] at 4096
main.begin(x)
  .fetch bf16 Time[1] Packet[K]
  .collect
  .align(w) Time[B, T] Packet[K # 32]
  .contract Packet[1]
  .accumulate(Interleaved) Time[B, T] Packet[N]
  .commit(y)
)";
// error[contraction-trf-stride]: a loop of the TRF sequencer moves by 34359738368 elements of bf16, more than its strides of 32 bits can say; help: use a smaller TRF tensor
REFUSED_AT_RUN_TIME { return checked(before, logical).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after, logical); }
TCP_AXES(T = 2, B = 2147483648, N = 8, K = 16);
REFUSED(check_align(logical, ScalarType::bf16, stream(one, K), ScalarType::bf16, weights(N, Expr(m<T, B, K>{})), Expr(m<B, T>{}),
                    K.pad(32)));
}  // namespace contraction_trf_stride

// # contraction-undefined-padding
// Padding written `#` is undefined, and so is a sum that takes it in. It is enough that one side holds
// zeros there: the product at zero padding is +0.0, whatever the other side is. The same holds for an axis that ends within a block,
// such as K = 61 in blocks of 16.
//
// Pad with zeros in the fetch of the stream or of the weights, `K.pad_zero(64)`, which masks what is after the axis.
namespace contraction_undefined_padding {
TCP_AXES(N = 8, K = 29);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<K>>& in,
            const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<K.pad(32)>>& w) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<1>, m<K.pad(32)>>()
      .collect<m<K.pad(32) / 16>, m<K.pad(32) % 16>>()
      .align<m<1>, m<K.pad(32)>>(w)
      // error[contraction-undefined-padding]: the sum over m![K # 32] would take in padding of axis K that is undefined in the stream and in the TRF; help: pad with zeros in the fetch of one of them: #z, .pad_zero(n)
      .contract<m<1>>();
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<K>>& in,
           const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<K.pad(32)>>& w) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<1>, m<K.pad_zero(32)>>()
      .collect<m<K.pad_zero(32) / 16>, m<K.pad_zero(32) % 16>>()
      .align<m<1>, m<K.pad_zero(32)>>(w)
      .contract<m<1>>();
}
#endif
REFUSED(check_contract(target, ContractOp::Add, ScalarType::bf16, computation(N, one, K.pad(32)), one));
}  // namespace contraction_undefined_padding

// # contraction-window-left
// In a window `$(W, Fw)` one position stands for several pairs of W and Fw, but a product needs exactly one element in each lane. So
// the window must be taken apart before: a window in Time by the fetch, which reads the same element again, a window in Packet by
// the stream adapter, which shifts the flits.
//
// Write the filter axis as a factor of Time of its own, inside what is left of the stream's Time.
namespace contraction_window_left {
TCP_AXES(M = 4, W = 14, Fw = 3, N = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<M, slide(W, Fw)>>& in,
            const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<Fw>>& w) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<M>, m<slide(W, Fw)>>()
      .collect<m<M>, m<slide(W, Fw)>>()
      // error[contraction-window-left]: the aligned stream still slides, in Time m![M] or Packet m![$(W, Fw) # 32]: a product needs one element in each position; help: write the filter axis as a factor of Time of its own
      .align<m<M>, m<slide(W, Fw).pad(32)>>(w);
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<M, slide(W, Fw)>>& in,
           const TrfTensor<bf16, Chip, Cluster, Idle, m<N>, m<Fw>>& w) {
  return ctx.main.begin(in.view()).fetch<bf16, m<M>, m<slide(W, Fw)>>().collect<m<M>, m<slide(W, Fw)>>().align<m<M, Fw>, m<W.pad(32)>>(w);
}
#endif
// error[contraction-window-left]: the aligned stream still slides, in Time m![M] or Packet m![$(W, Fw)]: a product needs one element in each position; help: write the filter axis as a factor of Time of its own
REFUSED(check_align(target, ScalarType::bf16, stream(M, slide(W, Fw)), ScalarType::bf16, weights(N, Fw), M, slide(W, Fw)));
}  // namespace contraction_window_left
