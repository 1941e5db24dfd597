// The DMA engine moves tensors between HBM, DM and SPM, in runs that both sides can address.
#include "tcp/rules/dma.hpp"
#include "helpers/asked.hpp"
#include "helpers/kernels.hpp"
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"

using namespace tcp;
using namespace tcp_refuse;

// # dma-drops-data
// A destination holds the same tensor as the source, so every live element must find a place in it. Leaving some out silently is how data gets
// lost.
//
// To move a part, say so with a tile of the source: `in.tile<m<B>, 32>(0)`.
namespace dma_drops_data {
TCP_AXES(A = 512, B = 64);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<i8, Chip, m<A, B>>& in) {
  // error[dma-drops-data]: the source has B / 32 on Element, and the destination does not hold all of it: DM Cluster m![A / 256] Slice m![A % 256] Element m![B % 32]; help: give axis B a place in the destination, or move a tile of the source
  return in.to_dm<m<A / 256>, m<A % 256>, m<B % 32>>(ctx.tdma, 0);
}

auto after(Context& ctx, const HbmTensor<i8, Chip, m<A, B>>& in) { return in.to_dm<m<A / 256>, m<A % 256>, m<B>>(ctx.tdma, 0); }
#endif
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<A, B>{})};
constexpr DmaTensor out{
    .memory = Memory::Dm,
    .levels = Levels{}.set(Level::cluster, m<A / 256>{}).set(Level::slice, m<A % 256>{}).set(Level::element, m<B % 32>{})};
REFUSED(check_transfer(target, ScalarType::i8, 1, in, out));
// Of Cluster, too, a tile may be moved.
constexpr DmaTensor both{.memory = Memory::Dm,
                         .levels = Levels{}.set(Level::cluster, m<A / 256>{}).set(Level::slice, m<A % 256>{}).set(Level::element, m<B>{})};
constexpr DmaTensor one_of_them{
    .memory = Memory::Dm,
    .levels = Levels{}.set(Level::cluster, m<one.pad(2)>{}).set(Level::slice, m<A % 256>{}).set(Level::element, m<B>{})};
// error[dma-drops-data]: the source has A / 256 on Cluster, and the destination does not hold all of it: DM Cluster m![1 # 2] Slice m![A % 256] Element m![B]; help: give axis A a place in the destination, or move a tile of the source
REFUSED(check_transfer(target, ScalarType::i8, 1, both, one_of_them));
// One name for axes of two sizes.
namespace elsewhere {
TCP_AXES(B = 32);
}
constexpr DmaTensor shorter{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<A, elsewhere::B>{})};
// error[dma-drops-data]: axis B has 64 steps in the source and 32 in the destination: HBM Element m![A, B]; help: declare the axis once; to move a part of it, take a tile of the source and write B = 32
REFUSED(check_transfer(target, ScalarType::i8, 1, in, shorter));
}  // namespace dma_drops_data

// # dma-incompatible-blocks
// Source and destination may cut an axis into different blocks, as long as the cuts of the one divide those of the other: then every step of one is a
// whole number of steps of the other, and a loop can go through both. Blocks of 2 here and blocks of 3 there need a third layout in between.
namespace dma_incompatible_blocks {
TCP_AXES(A = 6, B = 64);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<i8, Chip, m<A / 2, B, A % 2>>& in) {
  // error[dma-incompatible-blocks]: the destination has A / 3 in 2 steps on Element; the source is HBM Element m![A / 2, B, A % 2]; help: use the same blocks of A on both sides, or move in two steps
  return in.to_hbm<m<A / 3, B, A % 3>>(ctx.tdma, 4096);
}

auto after(Context& ctx, const HbmTensor<i8, Chip, m<A / 2, B, A % 2>>& in) { return in.to_hbm<m<A, B>>(ctx.tdma, 4096); }
#endif
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<A / 2, B, A % 2>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<A / 3, B, A % 3>{})};
REFUSED(check_transfer(target, ScalarType::i8, 1, in, out));
}  // namespace dma_incompatible_blocks

// # dma-insufficient-source
// Source and destination of a transfer hold the same tensor. An axis that the source does not have at all is repeated in the destination; of an axis
// that it has, every step that the destination asks for must be there.
//
// Here the source has half of B, and nothing says what the other half of the destination should be.
namespace dma_insufficient_source {
TCP_AXES(A = 512, B = 64);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<i8, Chip, m<A, B % 32>>& in) {
  // error[dma-insufficient-source]: the destination has B in 64 steps on Element; the source lacks them: HBM Element m![A, B % 32]; help: move more of axis B into the source, or leave it out of the destination
  return in.to_dm<m<A / 256>, m<A % 256>, m<B>>(ctx.tdma, 0);
}

auto after(Context& ctx, const HbmTensor<i8, Chip, m<A, B % 32>>& in) { return in.to_dm<m<A / 256>, m<A % 256>, m<B % 32>>(ctx.tdma, 0); }
#endif
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<A, B % 32>{})};
constexpr DmaTensor out{.memory = Memory::Dm,
                        .levels = Levels{}.set(Level::cluster, m<A / 256>{}).set(Level::slice, m<A % 256>{}).set(Level::element, m<B>{})};
REFUSED(check_transfer(target, ScalarType::i8, 1, in, out));
}  // namespace dma_insufficient_source

// # dma-no-link
// The host reaches HBM, over PCIe, and nothing else; tensor DMA goes between HBM, DM and SPM. TRF and VRF are register files: they are filled by the
// Tensor Unit, from a stream after the collect stage.
//
// A tensor of the host goes to HBM first and from there to DM: `to_hbm(ctx.pdma, …)`, then `to_dm(ctx.tdma, …)`.
namespace dma_no_link {
constexpr const char* before = R"(
axes A = 2048
host x: i32 Element[A]
hbm z: i32 Element[A] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
host_move x -> y
)";
constexpr const char* after = R"(
axes A = 2048
host x: i32 Element[A]
hbm z: i32 Element[A] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
host_move x -> z
move z -> y
)";
// error[dma-no-link]: no DMA goes from host memory to DM; help: go by way of HBM
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
REFUSED(link_between(Memory::Host, Memory::Dm));
}  // namespace dma_no_link

// # dma-packet-misaligned
// A row of a DM bank, 8 bytes, is written as a whole. So what DMA writes into DM comes in runs of a multiple of 8 bytes that are next to each other in
// the source and in the destination.
//
// A transpose on the way from HBM to DM usually breaks this. Keep a few innermost elements together (4 of bf16, 8 of i8), store the tensor in HBM in the
// order in which it is needed, or transpose in the Tensor Unit.
namespace dma_packet_misaligned {
TCP_AXES(I = 512, J = 512, K = 64);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<bf16, Chip, m<K, J>>& in) {
  // error[dma-packet-misaligned]: from HBM Element m![K, J] to DM Cluster m![1 # 2] Slice m![I / 32, J / 32] Element m![J % 32, K] runs of 2 bytes of bf16 would be written; DM takes multiples of 8 bytes; help: keep at least 4 neighbouring elements together on both sides
  return in.to_dm<Cluster, m<I / 32, J / 32>, m<J % 32, K>>(ctx.tdma, 0);
}

auto after(Context& ctx, const HbmTensor<bf16, Chip, m<K, J>>& in) {
  return in.to_dm<Cluster, m<I / 32, J / 32>, m<K, J % 32>>(ctx.tdma, 0);
}
#endif
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<K, J>{})};
constexpr DmaTensor out{
    .memory = Memory::Dm,
    .levels = Levels{}.set(Level::cluster, m<one.pad(2)>{}).set(Level::slice, m<I / 32, J / 32>{}).set(Level::element, m<J % 32, K>{})};
REFUSED(check_transfer(target, ScalarType::bf16, 1, in, out));
TCP_AXES(R = 256, C = 5);
constexpr DmaTensor rows_of_five{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<R, C>{})};
constexpr DmaTensor row_a_slice{
    .memory = Memory::Dm, .levels = Levels{}.set(Level::cluster, m<one.pad(2)>{}).set(Level::slice, m<R>{}).set(Level::element, m<C>{})};
// error[dma-packet-misaligned]: from HBM Element m![R, C] to DM Cluster m![1 # 2] Slice m![R] Element m![C] runs of 20 bytes of i32 would be written; DM takes multiples of 8 bytes; help: pad the rows of 5 elements to 6 on both sides
REFUSED(check_transfer(target, ScalarType::i32, 1, rows_of_five, row_a_slice));
}  // namespace dma_packet_misaligned

// # dma-packet-not-contiguous
// A packet is read at one address and written at one address, so its elements are next to each other in the source and in the destination. What is
// apart on either side belongs to Time.
namespace dma_packet_not_contiguous {
TCP_AXES(A = 8, B = 8, C = 256);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<i8, Chip, m<A, B, C>>& in, HbmTensor<i8, Chip, m<B, A, C>>& out) {
  // error[dma-packet-not-contiguous]: Packet m![B, C] is not in one piece in the destination; help: move the outer part of Packet to Time
  ctx.tdma.dma<m<A>, m<B, C>>(in, out.view_mut());
}

auto after(Context& ctx, const HbmTensor<i8, Chip, m<A, B, C>>& in, HbmTensor<i8, Chip, m<B, A, C>>& out) {
  ctx.tdma.dma<m<A, B>, m<C>>(in, out.view_mut());
}
#endif
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<A, B, C>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<B, A, C>{})};
constexpr Levels stream = Levels{}.set(Level::time, m<A>{}).set(Level::packet, m<B, C>{});
REFUSED(check_dma_stream(target, ScalarType::i8, in, out, stream));
}  // namespace dma_packet_not_contiguous

// # dma-packet-too-large
// A packet is one transaction on the bus: at most 256 beats of 16 bytes, 4,096 bytes. Without a stream of your own the engine chooses the packet, and
// cuts longer runs by itself.
namespace dma_packet_too_large {
TCP_AXES(A = 8, C = 8192);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<i8, Chip, m<A, C>>& in, HbmTensor<i8, Chip, m<A, C>>& out) {
  // error[dma-packet-too-large]: Packet m![C] of i8 is 8192 bytes; a packet has at most 4096 bytes; help: move the outer part of Packet to Time
  ctx.tdma.dma<m<A>, m<C>>(in, out.view_mut());
}

auto after(Context& ctx, const HbmTensor<i8, Chip, m<A, C>>& in, HbmTensor<i8, Chip, m<A, C>>& out) {
  ctx.tdma.dma<m<A, C / 4096>, m<C % 4096>>(in, out.view_mut());
}
#endif
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<A, C>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<A, C>{})};
constexpr Levels stream = Levels{}.set(Level::time, m<A>{}).set(Level::packet, m<C>{});
REFUSED(check_dma_stream(target, ScalarType::i8, in, out, stream));
}  // namespace dma_packet_too_large

// # dma-read-misaligned
// On the way from HBM to DM the source is read at multiples of 8 bytes as well. The rows of this tensor in HBM are no multiple of 8 bytes apart; pad
// them there.
namespace dma_read_misaligned {
TCP_AXES(A = 512, B = 64);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<i8, Chip, m<A, B.pad(68)>>& in) {
  // error[dma-read-misaligned]: a step along A moves 68 bytes in HBM Element m![A, B # 68]; from HBM to DM reads begin at multiples of 8 bytes; help: pad the inner axes in HBM to a multiple of 8 bytes
  return in.to_dm<m<A / 256>, m<A % 256>, m<B>>(ctx.tdma, 0);
}

auto after(Context& ctx, const HbmTensor<i8, Chip, m<A, B.pad(72)>>& in) { return in.to_dm<m<A / 256>, m<A % 256>, m<B>>(ctx.tdma, 0); }
#endif
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<A, B.pad(68)>{})};
constexpr DmaTensor out{.memory = Memory::Dm,
                        .levels = Levels{}.set(Level::cluster, m<A / 256>{}).set(Level::slice, m<A % 256>{}).set(Level::element, m<B>{})};
REFUSED(check_transfer(target, ScalarType::i8, 1, in, out));
}  // namespace dma_read_misaligned

// # dma-skew-changed
// A skewed factor, the result of `chip_slice`, begins at another element on every chip. One transfer is the same command for all chips, so it can move
// such a factor, and cannot turn it back into an ordinary one.
namespace dma_skew_changed {
constexpr const char* before = R"(
module turned (chips: 4)
axes A = 4, B = 4, E = 64
hbm x: i8 Chip[A] Element[skew(B, A), E] at 0
hbm y: i8 Chip[A] Element[B, E] at 4096
move x -> y
)";
constexpr const char* after = R"(
module turned (chips: 4)
axes A = 4, B = 4, E = 64
hbm x: i8 Chip[A] Element[B, E] at 0
hbm y: i8 Chip[A] Element[B, E] at 4096
move x -> y
)";
// error[dma-skew-changed]: axis B is skewed on one side only: source HBM Chip m![A] Element m![skew(B, A), E], destination HBM Chip m![A] Element m![B, E]; help: use chip_slice to take the elements that each chip needs
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
TCP_AXES(A = 4, B = 4, E = 64);
constexpr Mapping turned = pair(skew(m<B>{}, m<A>{}), m<E>{});
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::element, turned)};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::element, m<B, E>{})};
REFUSED(check_transfer(target, ScalarType::i8, 4, in, out));
}  // namespace dma_skew_changed

// # dma-source-address-misaligned
// On the way from HBM to DM the source is read at multiples of 8 bytes, so the tensor in HBM begins at one. (HBM to HBM, and DM to HBM, begin anywhere.)
namespace dma_source_address_misaligned {
constexpr const char* before = R"(
axes A = 512, B = 64
hbm x: i8 Element[A, B] at 1028
dm y: i8 Cluster[A / 256] Slice[A % 256] Element[B] at 0
move x -> y
)";
constexpr const char* after = R"(
axes A = 512, B = 64
hbm x: i8 Element[A, B] at 1032
dm y: i8 Cluster[A / 256] Slice[A % 256] Element[B] at 0
move x -> y
)";
// error[dma-source-address-misaligned]: from HBM to DM reads begin at multiples of 8 bytes; the source is at 1028; help: place it at 1032
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
TCP_AXES(A = 512, B = 64);
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<A, B>{})};
constexpr DmaTensor out{.memory = Memory::Dm,
                        .levels = Levels{}.set(Level::cluster, m<A / 256>{}).set(Level::slice, m<A % 256>{}).set(Level::element, m<B>{})};
REFUSED(check_transfer_at(target, ScalarType::i8, in, Bytes{1028}, out, Bytes{0}));
}  // namespace dma_source_address_misaligned

// # dma-splits-byte
// Two elements of a 4-bit type share a byte, and a byte is the smallest thing that DMA moves. A layout change that tears such pairs apart has to go
// through the Tensor Unit.
namespace dma_splits_byte {
TCP_AXES(A = 512, B = 64);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<i4, Chip, m<A, B>>& in) {
  // error[dma-splits-byte]: from HBM Element m![A, B] to HBM Element m![B, A] single elements of i4 would move, of which several share a byte; help: keep pairs of elements together on both sides
  return in.to_hbm<m<B, A>>(ctx.tdma, 65536);
}

auto after(Context& ctx, const HbmTensor<i4, Chip, m<A, B>>& in) { return in.to_hbm<m<B / 2, A, B % 2>>(ctx.tdma, 65536); }
#endif
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<A, B>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<B, A>{})};
REFUSED(check_transfer(target, ScalarType::i4, 1, in, out));
}  // namespace dma_splits_byte

// # dma-start-differs
// A mapping with a start, `B @ 16`, holds the axis from there on. A transfer moves a tensor as it is; if the destination began elsewhere, elements would
// be missing at one end and invented at the other. To move a part, take a tile of the source.
namespace dma_start_differs {
TCP_AXES(A = 512, B = 64);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<i8, Chip, m<A, B.from(16).resize(32)>>& in) {
  // error[dma-start-differs]: axis B begins at 0 in the destination, and elsewhere in the source: HBM Element m![A, B @ 16 = 32]; help: move a tile of the source, or give both sides the same start
  return in.to_dm<m<A / 256>, m<A % 256>, m<B % 32>>(ctx.tdma, 0);
}

auto after(Context& ctx, const HbmTensor<i8, Chip, m<A, B.from(16).resize(32)>>& in) {
  return in.to_dm<m<A / 256>, m<A % 256>, m<B.from(16).resize(32)>>(ctx.tdma, 0);
}
#endif
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<A, B.from(16).resize(32)>{})};
constexpr DmaTensor out{
    .memory = Memory::Dm,
    .levels = Levels{}.set(Level::cluster, m<A / 256>{}).set(Level::slice, m<A % 256>{}).set(Level::element, m<B % 32>{})};
REFUSED(check_transfer(target, ScalarType::i8, 1, in, out));
}  // namespace dma_start_differs

// # dma-stream-misaligned
// DM is written at multiples of 8 bytes, and on the way from HBM to DM the source is read at such addresses. Every stride of the stream's walk, beyond
// the packet itself, must be a multiple of 8 bytes on these sides; pad the rows that are not.
// no kernel: a transfer that is in order has strides of which each stream of whole packets is made
namespace dma_stream_misaligned {
TCP_AXES(A = 256, C = 16);
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<A, C.pad(20)>{})};
constexpr DmaTensor out{.memory = Memory::Dm,
                        .levels = Levels{}.set(Level::cluster, m<one.pad(2)>{}).set(Level::slice, m<A>{}).set(Level::element, m<C>{})};
constexpr Levels stream = Levels{}.set(Level::time, m<A>{}).set(Level::packet, m<C>{});
// error[dma-stream-misaligned]: the walk [256 : 20, 16 : 1] : 16 through HBM leaves multiples of 8 bytes; help: pad the inner axes to a multiple of 8 bytes
REFUSED(check_dma_stream(target, ScalarType::i8, in, out, stream));
}  // namespace dma_stream_misaligned

// # dma-stream-packet-misaligned
// DM is written in rows of 8 bytes, so a packet into DM has a multiple of 8 bytes.
namespace dma_stream_packet_misaligned {
TCP_AXES(A = 256, C = 16);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<i8, Chip, m<A, C>>& in, DmTensor<i8, Chip, Cluster, Idle, m<A, C>>& out) {
  // error[dma-stream-packet-misaligned]: Packet m![C % 4] of i8 is 4 bytes; DM takes multiples of 8 bytes; help: use a packet of a multiple of 8 bytes
  ctx.tdma.dma<m<A, C / 4>, m<C % 4>>(in, out.view_mut());
}

auto after(Context& ctx, const HbmTensor<i8, Chip, m<A, C>>& in, DmTensor<i8, Chip, Cluster, Idle, m<A, C>>& out) {
  ctx.tdma.dma<m<A>, m<C>>(in, out.view_mut());
}
#endif
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<A, C>{})};
constexpr DmaTensor out{.memory = Memory::Dm,
                        .levels = Levels{}.set(Level::cluster, m<one.pad(2)>{}).set(Level::slice, m<A>{}).set(Level::element, m<C>{})};
constexpr Levels stream = Levels{}.set(Level::time, m<A, C / 4>{}).set(Level::packet, m<C % 4>{});
REFUSED(check_dma_stream(target, ScalarType::i8, in, out, stream));
}  // namespace dma_stream_packet_misaligned

// # dma-too-many-factors
// The plan of a transfer has room for 48 runs of steps that source and destination have in common. No tensor of practical use comes near that; this one
// has 52 axes, each in a place of its own.
// no kernel: no kernel has so many axes; the page makes them by a loop
namespace dma_too_many_factors {
constexpr Mapping thirteen_axes(char letter) {
  Mapping all;
  for (char i = 'a'; i < 'a' + 13; ++i) {
    char const name[] = {letter, i};
    all = pair(all, axis_mapping(Name(std::string_view(name, 2)), 2));
  }
  return all;
}
constexpr DmaTensor in{.memory = Memory::Dm};
constexpr DmaTensor out{.memory = Memory::Dm,
                        .levels = Levels{}
                                      .set(Level::chip, thirteen_axes('A'))
                                      .set(Level::cluster, thirteen_axes('B'))
                                      .set(Level::slice, thirteen_axes('C'))
                                      .set(Level::element, thirteen_axes('D'))};
// error[dma-too-many-factors]: the two mappings have more than 48 runs of steps in common; help: move in two steps, or choose layouts with fewer factors
REFUSED(check_transfer(logical, ScalarType::i8, 1, in, out));
}  // namespace dma_too_many_factors

// # dma-type-not-in-memory
// i5 and i9 are what a fetch makes of i4 and i8 when it subtracts a zero point. They travel in the places of i4 and i8 as far as the contraction, and
// have no form in memory.
namespace dma_type_not_in_memory {
TCP_AXES(A = 256);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<i9, Chip, m<A>>& in) {
  // error[dma-type-not-in-memory]: i9 has no form in memory; help: move i8, and subtract the zero point in the fetch
  return in.to_hbm<m<A>>(ctx.tdma, 4096);
}

auto after(Context& ctx, const HbmTensor<i8, Chip, m<A>>& in) { return in.to_hbm<m<A>>(ctx.tdma, 4096); }
#endif
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<A>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<A>{})};
REFUSED(check_transfer(target, ScalarType::i9, 1, in, out));
}  // namespace dma_type_not_in_memory

// # dma-window-changed
// The positions of a window `$(W:2, Fw)` belong to several elements each. A transfer moves a window as it is stored, or unfolds it into its axes; it cannot fold axes into
// one, because of the elements that would have to share a position only one could be kept.
namespace dma_window_changed {
TCP_AXES(W = 8, Fw = 3);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<i8, Chip, m<W, Fw>>& in) {
  // error[dma-window-changed]: the destination slides a window over W that the source does not have: source HBM Element m![W, Fw], destination HBM Element m![$(W:2, Fw)]; help: write the same window on both sides, or move a plain axis and reshape the destination to read it as a window
  return in.to_hbm<m<slide(W.by(2), Fw)>>(ctx.tdma, 4096);
}

auto after(Context& ctx, const HbmTensor<i8, Chip, m<W, Fw>>& in) { return in.to_hbm<m<Fw, W>>(ctx.tdma, 4096); }
#endif
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<W, Fw>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<slide(W.by(2), Fw)>{})};
REFUSED(check_transfer(target, ScalarType::i8, 1, in, out));
}  // namespace dma_window_changed

// # dma-write-misaligned
// DM is written in rows of 8 bytes, at multiples of 8. The runs of this transfer are long enough, but from one to the next the destination moves on by
// another number of bytes. Pad the rows of the DM tensor to a multiple of 8 bytes.
namespace dma_write_misaligned {
TCP_AXES(A = 512, B = 64);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<i8, Chip, m<A, B>>& in) {
  // error[dma-write-misaligned]: a step along A moves 68 bytes in DM Element m![A % 2, B # 68]; writes begin at multiples of 8 bytes; help: pad the inner axes to a multiple of 8 bytes
  return in.to_dm<Cluster, m<A / 2>, m<A % 2, B.pad(68)>>(ctx.tdma, 0);
}

auto after(Context& ctx, const HbmTensor<i8, Chip, m<A, B>>& in) { return in.to_dm<Cluster, m<A / 2>, m<A % 2, B.pad(72)>>(ctx.tdma, 0); }
#endif
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<A, B>{})};
constexpr DmaTensor out{
    .memory = Memory::Dm,
    .levels = Levels{}.set(Level::cluster, m<one.pad(2)>{}).set(Level::slice, m<A / 2>{}).set(Level::element, m<A % 2, B.pad(68)>{})};
REFUSED(check_transfer(target, ScalarType::i8, 1, in, out));
}  // namespace dma_write_misaligned

// # dma-zero-padding
// `#z` in the mapping of a memory is a promise: these positions are zero. A transfer moves what is stored in the source and makes no zeros, so it can keep
// the promise only if the source has the same zero padding. Ordinary padding, `#`, promises nothing.
//
// Where zeros are needed for a computation, ask the fetch for them: `.pad_zero` in its Time or Packet.
namespace dma_zero_padding {
TCP_AXES(A = 512, B = 60);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<i8, Chip, m<A, B.pad(64)>>& in) {
  // error[dma-zero-padding]: Element of the destination promises zero padding of B, and the source has no zeros there: HBM Element m![A, B # 64]; help: write # instead of #z, or pad the source with zeros
  return in.to_dm<m<A / 256>, m<A % 256>, m<B.pad_zero(64)>>(ctx.tdma, 0);
}

auto after(Context& ctx, const HbmTensor<i8, Chip, m<A, B.pad(64)>>& in) {
  return in.to_dm<m<A / 256>, m<A % 256>, m<B.pad(64)>>(ctx.tdma, 0);
}
#endif
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<A, B.pad(64)>{})};
constexpr DmaTensor out{
    .memory = Memory::Dm,
    .levels = Levels{}.set(Level::cluster, m<A / 256>{}).set(Level::slice, m<A % 256>{}).set(Level::element, m<B.pad_zero(64)>{})};
REFUSED(check_transfer(target, ScalarType::i8, 1, in, out));
}  // namespace dma_zero_padding
